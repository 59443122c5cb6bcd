package io.overdrive.internal.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.request.Query;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.wire.ScriptedTransport.Sent;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The small reads of a guard, in virtual time. */
class ProbesScriptedTest {
    private static Probes start(ScriptedTransport cluster) {
        Probes probes = new Probes(cluster, List.of(new Query("read")));
        probes.start();
        return probes;
    }

    @Test
    void sendsAtMostTwoThousandASecondHoweverManyNodesThereAre() {
        ScriptedTransport cluster = new ScriptedTransport(100);
        Probes probes = start(cluster);
        Map<Node, Integer> counts = new HashMap<>();
        for (int millis = 0; millis < 10_000; millis++) {
            cluster.pass(Duration.ofMillis(1));
            while (!cluster.sent.isEmpty()) {
                Sent probe = cluster.next();
                counts.merge(probe.node(), 1, Integer::sum);
                probe.answer(ScriptedTransport.page(null));
            }
        }
        assertThat(probes.sent()).isBetween(19_990L, 20_001L);
        assertThat(counts).hasSize(100);
        assertThat(counts.values()).allSatisfy(count -> assertThat(count).isBetween(199, 201));
        probes.stop();
    }

    @Test
    void aProbeThatFailsCountsAsTwoSeconds() {
        ScriptedTransport cluster = new ScriptedTransport(1);
        Probes probes = start(cluster);
        for (int millis = 0; millis < 1990; millis++) {
            cluster.pass(Duration.ofMillis(1));
            while (!cluster.sent.isEmpty()) {
                Sent probe = cluster.next();
                if (millis < 30) {
                    probe.refuse(ErrorCode.OVERLOADED, "too busy");
                } else {
                    probe.answer(ScriptedTransport.page(null));
                }
            }
        }
        ProbeWindow window = probes.takeWindow();
        assertThat(window.failed()).isEqualTo(2);
        assertThat(window.answered()).isBetween(97L, 98L);
        assertThat(window.isOutage()).isFalse();
        assertThat(window.p99Nanos()).isEqualTo(Duration.ofSeconds(2).toNanos());
        probes.stop();
    }
}
