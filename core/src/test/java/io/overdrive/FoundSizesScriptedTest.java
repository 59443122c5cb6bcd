package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.wire.ScriptedTransport.Sent;
import io.overdrive.internal.write.WriteLayouts;
import java.nio.ByteBuffer;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** A writer's use of the size of batches that an earlier run has found. */
class FoundSizesScriptedTest {
    private static final int ROW_BYTES = 1000;

    private final ScriptedTransport cluster = new ScriptedTransport(1);

    private int firstBatch(int found, WriteOptions.Builder options) {
        cluster.foundSizes = new FoundSizes() {
            @Override
            public OptionalInt find(String key) {
                return key.endsWith("/batchBytes") ? OptionalInt.of(found) : OptionalInt.empty();
            }

            @Override
            public void keep(String key, int value) {}
        };
        RowWriter writer = new RowWriter(
                cluster,
                ScriptedTransport.session("50KiB"),
                WriteLayouts.of(3, 1),
                options.bulk().build(),
                /* baseTimestamp */ 1_000_000);
        while (cluster.sent.isEmpty()) {
            writer.row().setBytes(0, ByteBuffer.allocate(4)).setBytes(1, ByteBuffer.allocate(ROW_BYTES));
            writer.send();
        }
        Sent sent = cluster.next();
        writer.abandon();
        return sent.body().length;
    }

    private static WriteOptions.Builder options() {
        return WriteOptions.into("ks", "t");
    }

    @Test
    void batchesBeginWithTheSizeThatAnEarlierRunHasFound() {
        assertThat(firstBatch(16 << 10, options())).isBetween(14 << 10, 18 << 10);
        assertThat(firstBatch(128 << 10, options())).isBetween(120 << 10, 130 << 10);
    }

    @Test
    void aSizeOutsideTheBoundsIsIgnored() {
        assertThat(firstBatch(1, options())).isBetween(60 << 10, 66 << 10);
        assertThat(firstBatch(16 << 20, options())).isBetween(60 << 10, 66 << 10);
    }

    @Test
    void aSizeThatTheUserSetsStays() {
        assertThat(firstBatch(16 << 10, options().batchBytes(32 << 10))).isBetween(30 << 10, 34 << 10);
        assertThat(firstBatch(16 << 10, options().inFlightControl(InFlightControl.FIXED)))
                .isBetween(60 << 10, 66 << 10);
    }
}
