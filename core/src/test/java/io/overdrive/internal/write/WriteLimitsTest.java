package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.WriteOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WriteLimitsTest {
    /** The launcher's. */
    private static final long HEAP = 320 << 20;

    private static final WriteOptions OPTIONS = WriteOptions.into("ks", "t").build();

    @Test
    void areThoseOfTheOptionsForFewNodes() {
        assertThat(WriteLimits.of(OPTIONS, 2, HEAP))
                .isEqualTo(new WriteLimits(4096, 16 << 20, 128 << 10, Grouper.MAX_BATCH_BYTES));
        WriteOptions low = WriteOptions.into("ks", "t")
                .inFlightRequests(10)
                .inFlightBytes(20_000)
                .build();
        assertThat(WriteLimits.of(low, 300, HEAP).requests()).isEqualTo(10);
        assertThat(WriteLimits.of(low, 300, HEAP).bytes()).isEqualTo(20_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 16, 100, 300, 640, 1_000, 2_000})
    void boundWhatIsInFlightToAllNodes(int nodes) {
        WriteLimits limits = WriteLimits.of(OPTIONS, nodes, HEAP);
        int all = Math.max(1, nodes);
        assertThat((long) all * limits.requests()).isLessThanOrEqualTo(65_536);
        assertThat(all * limits.bytes()).isLessThanOrEqualTo(HEAP / 8);
        assertThat(all * limits.startCost()).isLessThanOrEqualTo(4 << 20);
        // a batch to each node, which is sent though it is larger than the limit
        assertThat((long) all * limits.maxBatchBytes())
                .isLessThanOrEqualTo(Math.max(512 << 10, Math.max(HEAP / 8, (long) all * OPTIONS.batchBytes())));
        assertThat(limits.requests()).isPositive();
        assertThat(limits.bytes()).isPositive();
    }
}
