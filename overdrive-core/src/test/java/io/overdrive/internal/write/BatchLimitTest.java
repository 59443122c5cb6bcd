package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BatchLimitTest {
    @Test
    void readsTheServersThresholdOfAllVersions() {
        assertThat(BatchLimit.bytes("50")).hasValue(51_200);
        assertThat(BatchLimit.bytes("50KiB")).hasValue(51_200);
        assertThat(BatchLimit.bytes("640 B")).hasValue(640);
        assertThat(BatchLimit.bytes("1MiB")).hasValue(1 << 20);
        assertThat(BatchLimit.bytes("1GiB")).hasValue(1 << 30);
        assertThat(BatchLimit.bytes("null")).isEmpty();
        assertThat(BatchLimit.bytes("-1")).isEmpty();
        assertThat(BatchLimit.bytes("99999999999KiB")).isEmpty();
    }

    @Test
    void isHalvedByEachBatchThatIsTooLargeAndNeverRaised() {
        BatchLimit limit = new BatchLimit(32_000);
        limit.refused(70_000, "Batch too large");
        assertThat(limit.bytes()).isEqualTo(32_000);
        limit.refused(32_100, "Batch too large");
        assertThat(limit.bytes()).isEqualTo(16_050);
        limit.refused(32_100, "Batch too large");
        assertThat(limit.bytes()).isEqualTo(16_050);
        limit.refused(500, "Batch too large");
        assertThat(limit.bytes()).isEqualTo(1024);
    }

    @Test
    void staysAsItIsIfARowWasRefused() {
        BatchLimit limit = new BatchLimit(32_000);
        limit.refused(32_100, "Key may not be empty");
        assertThat(limit.bytes()).isEqualTo(32_000);
    }
}
