package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.ProtocolConstants.Opcode;
import com.datastax.oss.protocol.internal.response.result.Void;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.wire.ScriptedTransport.Sent;
import io.overdrive.internal.write.WriteLayout;
import io.overdrive.internal.write.WriteLayouts;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A writer of single rows in virtual time, and a node that takes some time for each request and for each row. */
class GatheringScriptedTest {
    private static final Duration LINGER = Duration.ofMillis(4);

    private ScriptedTransport cluster = new ScriptedTransport(1);
    private final List<RejectedRow> rejected = new ArrayList<>();
    private WriteLayout layout = WriteLayouts.gathering(3, Grouping.NONE);
    private Duration timeOfARequest = Duration.ofMillis(1);
    private Duration timeOfARow = Duration.ofNanos(100_000);
    private int rows;
    private boolean takesBatches = true;
    private int batchesRefused;

    private RowWriter writer(WriteOptions.Builder options) {
        return new RowWriter(
                cluster,
                ScriptedTransport.session("50KiB"),
                layout,
                options.inFlightControl(InFlightControl.FIXED)
                        .inFlightRequests(8_000) // the only thread must not wait
                        .inFlightBytes(16 << 20)
                        .groupingMemory(1 << 20)
                        .onReject(rejected::add)
                        .build(),
                1_000_000);
    }

    private RowWriter bulk() {
        return writer(WriteOptions.into("ks", "t").bulk());
    }

    private void fill(RowWriter writer) {
        writer.row().setBytes(0, ByteBuffer.allocate(4).putInt(0, rows++)).setBytes(1, ByteBuffer.allocate(100));
    }

    private static int rows(Sent sent) {
        return sent.opcode() == Opcode.BATCH ? ByteBuffer.wrap(sent.body()).getShort(1) : 1;
    }

    /** Writes as fast as the node takes rows; returns the rows of the last request. */
    private int write(RowWriter writer, Duration time) {
        int last = 0;
        for (long end = cluster.nanoTime() + time.toNanos(); cluster.nanoTime() < end; ) {
            while (cluster.sent.isEmpty()) {
                fill(writer);
                writer.send();
            }
            last = rows(cluster.sent.element());
            answer();
        }
        return last;
    }

    private void answer() {
        Sent sent = cluster.next();
        cluster.pass(timeOfARequest.plus(timeOfARow.multipliedBy(rows(sent))));
        if (takesBatches || sent.opcode() != Opcode.BATCH) {
            sent.answer(Void.INSTANCE);
        } else {
            batchesRefused++;
            sent.refuse(ErrorCode.INVALID, "a batch must not have several partitions");
        }
    }

    private void assertComplete(RowWriter writer) {
        writer.flush();
        while (!cluster.sent.isEmpty()) {
            answer();
        }
        writer.close();
        assertThat(writer.totals().rowsWritten() + rejected.size()).isEqualTo(rows);
        assertThat(writer.totals().groupingBytes()).isZero();
    }

    @Test
    void singleRowsShareRequestsOfTenIfRequestsAreExpensive() {
        RowWriter writer = bulk();
        assertThat(write(writer, Duration.ofSeconds(4))).isEqualTo(10);
        assertComplete(writer);
        assertThat(writer.totals().batchedRows()).isGreaterThan(rows / 2);
        assertThat(cluster.gatheringDecisions).singleElement().satisfies(decision -> {
            assertThat(decision.job()).isEqualTo("writes to ks.t");
            assertThat(decision.at()).isLessThan(Duration.ofSeconds(4));
            assertThat(decision.gathersBefore()).isFalse();
            assertThat(decision.gathers()).isTrue();
            assertThat(decision.pairs()).isEqualTo(4);
            assertThat(decision.lead()).isEqualTo(4);
            assertThat(decision.singleRowsPerSecond()).isBetween(850.0, 950.0);
            assertThat(decision.gatheredRowsPerSecond()).isBetween(4_500.0, 5_500.0);
            assertThat(decision.reason()).isEqualTo("gathered rows are written faster");
        });
    }

    /** Rows of one of the 200 replica sets would come too slowly to fill requests. */
    @Test
    void singleRowsShareRequestsToAReplicaOfAllInAClusterWithMoreReplicaSetsThanNodes() {
        timeOfARequest = Duration.ofNanos(100_000);
        timeOfARow = Duration.ofNanos(10_000);
        cluster = new ScriptedTransport(12);
        cluster.shareTokens(/* arcs */ 400, /* ofReplicas */ 3);
        Ring ring = Ring.of(cluster.metadata(), CqlIdentifier.fromInternal("ks"));
        assertThat(ring.replicaSets()).isGreaterThan(150);
        cluster.setState(11, NodeState.DOWN);
        RowWriter writer = bulk();
        assertThat(write(writer, Duration.ofSeconds(4))).isEqualTo(10);
        Map<Node, Integer> counts = new HashMap<>();
        for (int i = 0; i < 400; i++) {
            while (cluster.sent.isEmpty()) {
                fill(writer);
                writer.send();
            }
            Sent sent = cluster.sent.element();
            assertThat(WriteLayouts.tokens(layout, sent.body(), rows(sent)))
                    .hasSize(10)
                    .allSatisfy(
                            token -> assertThat(ring.replicas(token).nodes()).contains(sent.node()));
            counts.merge(sent.node(), 1, Integer::sum);
            answer();
        }
        assertThat(counts).hasSize(11);
        while (cluster.sent.isEmpty()) {
            fill(writer);
            writer.send();
        }
        Sent lost = cluster.next();
        lost.refuse(ErrorCode.OVERLOADED, "busy");
        while (cluster.sent.isEmpty()) {
            cluster.pass(Duration.ofMillis(1));
        }
        assertThat(cluster.sent.element().body()).isEqualTo(lost.body());
        assertThat(cluster.sent.element().node()).as("another one").isNotEqualTo(lost.node());
        assertComplete(writer);
        assertThat(rejected).isEmpty();
    }

    @Test
    void singleRowsStaySingleIfTheServerTakesNoBatchesOfSeveralPartitions() {
        takesBatches = false;
        RowWriter writer = bulk();
        assertThat(write(writer, Duration.ofSeconds(20))).isOne();
        assertComplete(writer);
        assertThat(rejected).isEmpty();
        assertThat(batchesRefused).isBetween(1, 10);
    }

    @Test
    void singleRowsStaySingleIfRequestsAreCheap() {
        timeOfARequest = Duration.ZERO;
        timeOfARow = Duration.ofNanos(300_000);
        RowWriter writer = bulk();
        assertThat(write(writer, Duration.ofSeconds(4))).isOne();
        assertComplete(writer);
        assertThat(writer.totals().batchedRows()).isLessThan(rows / 2);
        assertThat(cluster.gatheringDecisions)
                .extracting(GatheringDecision::reason)
                .containsExactly("gathered rows are not written faster");
    }

    @Test
    void rowsOfGroupsThatHaveOneAreGatheredToo() {
        layout = WriteLayouts.gathering(3, Grouping.PARTITION);
        RowWriter writer = bulk();
        assertThat(write(writer, Duration.ofSeconds(6))).isEqualTo(10);
        assertComplete(writer);
    }

    @Test
    void batchRowsAreNotExceeded() {
        RowWriter writer = writer(WriteOptions.into("ks", "t").bulk().batchRows(4));
        assertThat(write(writer, Duration.ofSeconds(6))).isEqualTo(4);
        assertComplete(writer);
    }

    @Test
    void separateWritersLearnTogether() {
        RowWriter first = bulk();
        assertThat(write(first, Duration.ofSeconds(4))).isEqualTo(10);
        RowWriter second = first.separate();
        assertThat(write(second, Duration.ofMillis(50))).isEqualTo(10);
        first.flush();
        while (!cluster.sent.isEmpty()) {
            answer();
        }
        first.close();
        second.flush();
        while (!cluster.sent.isEmpty()) {
            answer();
        }
        second.close();
        assertThat(first.totals().rowsWritten() + second.totals().rowsWritten()).isEqualTo(rows);
    }

    @Test
    void noRowWaitsForMoreThanTheLinger() {
        RowWriter writer = writer(WriteOptions.into("ks", "t").linger(LINGER));
        assertThat(write(writer, Duration.ofSeconds(4))).isEqualTo(10);
        for (int i = 0; i < 3; i++) {
            fill(writer);
            writer.send();
        }
        while (!cluster.sent.isEmpty()) {
            answer();
        }
        cluster.pass(LINGER);
        assertThat(cluster.sent).hasSizeLessThanOrEqualTo(1);
        while (!cluster.sent.isEmpty()) {
            answer();
        }
        assertThat(writer.totals().rowsWritten()).isEqualTo(rows);
        assertComplete(writer);
    }

    @Test
    void aRowThatIsRefusedIsRejectedByItselfAndEachCallbackIsCalledOnce() {
        RowWriter writer = bulk();
        write(writer, Duration.ofSeconds(4));
        writer.flush();
        while (!cluster.sent.isEmpty()) {
            answer();
        }
        List<String> ended = new ArrayList<>();
        long first = rows;
        for (int i = 0; i < 10; i++) {
            fill(writer);
            writer.send((position, failure) -> ended.add(position - first + " " + outcome(failure)));
        }
        assertThat(rows(cluster.sent.element())).isEqualTo(10);
        while (!cluster.sent.isEmpty()) {
            Sent sent = cluster.next();
            if (holds(sent, (int) first + 3)) {
                sent.refuse(ErrorCode.INVALID, "bad row");
            } else {
                sent.answer(Void.INSTANCE);
            }
            cluster.pass(Duration.ofMillis(1));
        }
        assertThat(rejected).extracting(RejectedRow::position).containsExactly(first + 3);
        assertThat(ended)
                .containsExactlyInAnyOrder(
                        "0 written",
                        "1 written",
                        "2 written",
                        "3 ROW",
                        "4 written",
                        "5 written",
                        "6 written",
                        "7 written",
                        "8 written",
                        "9 written");
        assertComplete(writer);
    }

    private static String outcome(@Nullable OverdriveException failure) {
        return failure == null ? "written" : failure.kind().name();
    }

    /** Whether the row with this key is in the request: keys are numbers, each with its length before it. */
    private static boolean holds(Sent sent, int key) {
        ByteBuffer body = ByteBuffer.wrap(sent.body());
        for (int i = 0; i + 8 <= body.limit(); i++) {
            if (body.getInt(i) == 4 && body.getInt(i + 4) == key) {
                return true;
            }
        }
        return false;
    }

    @Test
    void requestsAreSmallerOnceTheServerRefusesOneForItsSize() {
        RowWriter writer = bulk();
        assertThat(write(writer, Duration.ofSeconds(4))).isEqualTo(10);
        while (cluster.sent.isEmpty()) {
            fill(writer);
            writer.send();
        }
        cluster.next().refuse(ErrorCode.INVALID, "Batch too large");
        while (!cluster.sent.isEmpty()) {
            answer();
        }
        assertThat(write(writer, Duration.ofMillis(50))).isLessThan(5);
        assertComplete(writer);
    }
}
