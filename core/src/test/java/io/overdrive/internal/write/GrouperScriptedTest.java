package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.protocol.internal.response.result.Void;
import io.overdrive.Grouping;
import io.overdrive.InFlightControl;
import io.overdrive.OverdriveException;
import io.overdrive.WriteOptions;
import io.overdrive.internal.request.RememberedSizes;
import io.overdrive.internal.wire.ScriptedTransport;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Rows that were to share a request which cannot be made, for example because there is no memory for it. */
class GrouperScriptedTest {
    private final ScriptedTransport cluster = new ScriptedTransport(1);
    private final WriteLayout layout = WriteLayouts.gathering(3, Grouping.NONE);
    private final WriteOptions options = WriteOptions.into("ks", "t")
            .bulk()
            .inFlightControl(InFlightControl.FIXED)
            .build();
    private final Grouper grouper = new Grouper(
            cluster,
            layout,
            options,
            Grouper.limiter(
                    cluster, layout, options, new RememberedSizes(cluster, layout.tableName, layout.prepared.text())),
            new BatchLimit(options.batchBytes()),
            /* groupingMemory */ 1 << 20,
            /* baseTimestamp */ 1_000_000,
            new Gathering(
                    cluster,
                    layout,
                    options,
                    new BatchWarnings(/* partitions */ 3, /* bytes */ 5 << 10),
                    slot -> new GatheringTrial.Decision(true, 0, Long.MAX_VALUE / 2, /* outcome */ null)));

    /** Ends by position. */
    private final Map<Long, String> ended = new TreeMap<>();

    private void add(long position, int bodyBytes) {
        grouper.addSingle(
                new byte[bodyBytes],
                /* token */ 0,
                position,
                /* attachment */ null,
                (ofRow, failure) -> ended.merge(ofRow, failure == null ? "written" : "failed", (one, other) -> "twice"),
                /* mayWait */ true);
    }

    private void switchOn() {
        cluster.pass(Duration.ofNanos(GatheringTrial.first().nanos()));
        add(0, layout.executeOverhead() + 12);
        cluster.next().answer(Void.INSTANCE);
    }

    @Test
    void theRunFailsAndEachRowIsCalledBackIfTheRequestIsFull() {
        switchOn();
        add(1, layout.executeOverhead() + 12);
        add(2, layout.executeOverhead() + 12);
        add(3, /* too short */ 1);
        assertFailed();
    }

    @Test
    void theRunFailsAndEachRowIsCalledBackIfTheRequestIsFlushed() {
        switchOn();
        add(1, layout.executeOverhead() + 12);
        add(2, /* too short */ 1);
        grouper.flush();
        add(3, layout.executeOverhead() + 12);
        grouper.flush();
        assertFailed();
    }

    private void assertFailed() {
        cluster.pass(Duration.ZERO);
        assertThat(cluster.sent).isEmpty();
        assertThat(ended).isEqualTo(Map.of(0L, "written", 1L, "failed", 2L, "failed", 3L, "failed"));
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(grouper::finish)
                .withMessageStartingWith("[ks.t] cannot write: internal error: ");
        grouper.close();
    }
}
