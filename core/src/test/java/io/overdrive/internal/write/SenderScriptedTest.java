package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants.ConsistencyLevel;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.ProtocolConstants.Opcode;
import com.datastax.oss.protocol.internal.response.error.Unavailable;
import com.datastax.oss.protocol.internal.response.result.Void;
import io.overdrive.Grouping;
import io.overdrive.InFlightControl;
import io.overdrive.OverdriveException;
import io.overdrive.RejectedRow;
import io.overdrive.WriteOptions;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.flow.Gate;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.internal.flow.Limits;
import io.overdrive.internal.flow.Window;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.wire.ScriptedTransport.Sent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that hang, die, refuse or forget, in virtual time. */
class SenderScriptedTest {
    private static final long BASE = 1_000_000;
    private static final boolean MAY_WAIT = true;
    private static final Duration LONG = Duration.ofMinutes(4);

    private final List<RejectedRow> rejected = new ArrayList<>();
    private ScriptedTransport cluster = new ScriptedTransport(1);
    private WriteLayout layout = WriteLayouts.of(3, 1);
    private Limiter limiter = new Limiter(
            new Limits(512, 2 << 20, Long.MAX_VALUE, Long.MAX_VALUE),
            InFlightControl.FIXED,
            /* startCost */ 0,
            cluster::nanoTime,
            "test",
            cluster::decided);

    private final BatchLimit batchLimit = new BatchLimit(64 << 10);

    private Sender sender() {
        return new Sender(
                cluster,
                layout,
                WriteOptions.into("ks", "t").onReject(rejected::add).build(),
                limiter,
                batchLimit,
                BASE,
                /* gathering */ null);
    }

    /** A batch, or an EXECUTE for a single row, of rows at these positions. */
    private WriteRequest write(long... positions) {
        Bytes rows = new Bytes(64);
        for (long position : positions) {
            if (positions.length > 1) {
                rows.put(layout.rowHeader);
            }
            rows.putInt(1);
            rows.putByte((int) position);
            rows.putInt(0);
            rows.putInt(8);
            rows.putLong(layout.writeTime(BASE, position));
        }
        boolean batch = positions.length > 1;
        byte[] body = new byte[(batch ? layout.batchOverhead() : layout.executeOverhead()) + rows.length()];
        int at = batch ? layout.beginBatch(body, positions.length) : layout.beginExecute(body);
        System.arraycopy(rows.array(), 0, body, at, rows.length());
        long last = layout.writeTime(BASE, positions[positions.length - 1]);
        if (batch) {
            layout.endBatch(body, at + rows.length(), last);
        } else {
            layout.endExecute(body, at + rows.length(), last);
        }
        return new WriteRequest(batch ? Opcode.BATCH : Opcode.EXECUTE, body, 0, positions, null, null);
    }

    private void assertDone(Sender sender, long written, int rejectedRows) {
        cluster.pass(Duration.ofSeconds(20));
        sender.drain();
        assertThat(sender.counts().rowsWritten.sum()).isEqualTo(written);
        assertThat(rejected).hasSize(rejectedRows);
        assertThat(sender.requestsInFlight()).isZero();
        assertThat(limiter.gate(cluster.node(0)).requests()).isZero();
        assertThat(limiter.gate(cluster.node(0)).bytes()).isZero();
    }

    @Test
    void failsAtOnceWhenTheConnectionIsClosed() {
        Sender sender = sender();
        sender.send(write(1), MAY_WAIT);
        sender.send(write(2), MAY_WAIT);
        cluster.setState(0, NodeState.DOWN);
        cluster.next().breakConnection();
        cluster.close();
        cluster.next().breakConnection();
        assertDone(sender, 0, 0);
        assertThat(sender.failure()).hasMessage("[ks.t] cannot write: the connection was closed");
        assertThat(cluster.sent).isEmpty();
    }

    @Test
    void retriesForMinutesWhileANodeIsDownWithoutAnAttempt() {
        Sender sender = sender();
        cluster.setState(0, NodeState.DOWN);
        sender.send(write(1, 2, 3), MAY_WAIT);
        cluster.pass(LONG);
        assertThat(sender.waiting()).isEqualTo("node 10.0.0.1:9042 does not answer, waiting 240 s");

        cluster.setState(0, NodeState.UP);
        cluster.pass(Duration.ofSeconds(3));
        cluster.next().answer(Void.INSTANCE);
        assertDone(sender, 3, 0);
        assertThat(sender.waiting()).isNull();
        sender.failIfFailed();
    }

    @Test
    void retriesForMinutesWhileTheClusterRefusesWithoutAnAttempt() {
        Sender sender = sender();
        sender.send(write(1, 2, 3), MAY_WAIT);
        for (int code : new int[] {ErrorCode.UNAVAILABLE, ErrorCode.OVERLOADED, ErrorCode.IS_BOOTSTRAPPING}) {
            for (int i = 0; i < 20; i++) {
                cluster.next().refuse(code, "not now");
                cluster.pass(Duration.ofSeconds(3));
            }
        }
        cluster.next().answer(Void.INSTANCE);
        assertDone(sender, 3, 0);
    }

    @Test
    void failsWithTheNodeAndTheOptionWhenPatienceIsUsedUp() {
        Sender sender = sender();
        cluster.setState(0, NodeState.DOWN);
        for (int i = 0; i < 50; i++) {
            sender.send(write(2L * i, 2L * i + 1), MAY_WAIT);
        }
        cluster.pass(Duration.ofSeconds(299));
        sender.failIfFailed();
        cluster.pass(Duration.ofSeconds(2));
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(sender::failIfFailed)
                .withMessage(
                        "[ks.t] cannot write: node 10.0.0.1:9042 does not answer; gave up after 300 s, which is set"
                                + " by patience");
        assertDone(sender, 0, 0); // dropped, not rejected by the thousand
        sender.send(write(1), MAY_WAIT);
        assertDone(sender, 0, 0);
    }

    @Test
    void reportsThePositionsOfAcknowledgedRowsOnly() {
        List<Long> written = new ArrayList<>();
        Sender sender = new Sender(
                cluster,
                layout,
                WriteOptions.into("ks", "t")
                        .onReject(rejected::add)
                        .onWritten(positions -> LongStream.of(positions).forEach(written::add))
                        .build(),
                limiter,
                batchLimit,
                BASE,
                /* gathering */ null);
        sender.send(write(1, 2, 3), MAY_WAIT);
        assertThat(written).isEmpty();
        cluster.next().refuse(ErrorCode.OVERLOADED, "not now");
        assertThat(written).isEmpty();
        cluster.pass(Duration.ofSeconds(3));
        cluster.next().answer(Void.INSTANCE);
        assertThat(written).containsExactly(1L, 2L, 3L);
        sender.send(write(4, 5), MAY_WAIT);
        cluster.next().refuse(ErrorCode.INVALID, "one of them is bad");
        cluster.next().refuse(ErrorCode.INVALID, "this one");
        cluster.pass(Duration.ofSeconds(1));
        cluster.next().answer(Void.INSTANCE);
        assertDone(sender, 4, 1);
        assertThat(written).containsExactly(1L, 2L, 3L, 5L);
    }

    /** Each waits for the handler, which runs when time passes. */
    private void reject(Sender sender, long bytes) {
        for (long left = bytes; left > 0; left -= 1 << 20) {
            WriteRequest small = write(1);
            byte[] record = new byte[1 << 20];
            sender.send(
                    new WriteRequest(small.opcode, small.body, 0, small.positions, new byte[][] {record}, null),
                    MAY_WAIT);
            cluster.next().refuse(ErrorCode.INVALID, "no");
        }
    }

    /** A thread that sends a row, when it waits. */
    private Thread waitingProducer(Sender sender) {
        Thread producer = new Thread(() -> sender.send(write(2), MAY_WAIT));
        producer.start();
        while (producer.isAlive() && producer.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        return producer;
    }

    @Test
    @Timeout(60)
    void producersWaitWhileTooManyRejectedRowsWaitForTheirHandler() {
        Sender sender = sender();
        reject(sender, RowEnds.MAX_WAITING_BYTES);
        Thread producer = waitingProducer(sender);
        assertThat(cluster.sent).isEmpty();
        assertThat(rejected).isEmpty();
        cluster.pass(Duration.ZERO);
        join(producer);
        cluster.next().answer(Void.INSTANCE);
        assertDone(sender, 1, (int) (RowEnds.MAX_WAITING_BYTES >> 20));
    }

    @Test
    @Timeout(60)
    void producersDoNotWaitForTheRejectHandlerOfARunThatHasFailed() {
        Sender sender = sender();
        reject(sender, RowEnds.MAX_WAITING_BYTES);
        Thread producer = waitingProducer(sender);
        sender.failWith(new OverdriveException(OverdriveException.Kind.WRITE, "the disk is full"));
        join(producer);
        assertThat(cluster.sent).isEmpty();
        assertDone(sender, 0, (int) (RowEnds.MAX_WAITING_BYTES >> 20));
    }

    /** It may write rows itself. */
    @Test
    @Timeout(60)
    void theRejectHandlerDoesNotWaitForItself() {
        List<Sender> senders = new ArrayList<>();
        Sender sender = new Sender(
                cluster,
                layout,
                WriteOptions.into("ks", "t")
                        .onReject(row -> {
                            rejected.add(row);
                            if (rejected.size() == 1) {
                                senders.get(0).send(write(2), MAY_WAIT);
                            }
                        })
                        .build(),
                limiter,
                batchLimit,
                BASE,
                /* gathering */ null);
        senders.add(sender);
        reject(sender, RowEnds.MAX_WAITING_BYTES);
        cluster.pass(Duration.ZERO);
        cluster.next().answer(Void.INSTANCE);
        assertDone(sender, 1, (int) (RowEnds.MAX_WAITING_BYTES >> 20));
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void namesTheServersReasonIfTheNodesAreUp() {
        Sender sender = sender();
        sender.send(write(1), MAY_WAIT);
        while (sender.requestsInFlight() > 0) {
            cluster.next()
                    .answer(new Unavailable(
                            "Cannot achieve consistency level TWO",
                            ConsistencyLevel.TWO,
                            /* required */ 2,
                            /* alive */ 1));
            cluster.pass(Duration.ofSeconds(3));
        }
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(sender::failIfFailed)
                .withMessageStartingWith(
                        "[ks.t] cannot write: Cannot achieve consistency level TWO (TWO needs 2 replicas, and 1 can"
                                + " answer); gave up after 300 s");
    }

    @Test
    void saysHowManyReplicasAreNeededBesideTheNodesThatAreDown() {
        cluster = new ScriptedTransport(2);
        cluster.setState(1, NodeState.DOWN);
        Sender sender = sender();
        sender.send(write(1), MAY_WAIT);
        while (sender.requestsInFlight() > 0) {
            cluster.next()
                    .answer(new Unavailable(
                            "Cannot achieve consistency level LOCAL_QUORUM",
                            ConsistencyLevel.LOCAL_QUORUM,
                            /* required */ 2,
                            /* alive */ 1));
            cluster.pass(Duration.ofSeconds(3));
        }
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(sender::failIfFailed)
                .withMessageStartingWith("[ks.t] cannot write: node 10.0.0.2:9042 does not answer (LOCAL_QUORUM needs 2"
                        + " replicas, and 1 can answer); gave up after 300 s");
    }

    @Test
    void countsAttemptsOnlyForWhatMayHaveBeenApplied() {
        Sender sender = sender();
        sender.send(write(1), MAY_WAIT);
        for (int attempt = 1; attempt <= 10; attempt++) {
            for (int i = 0; i < 5; i++) {
                cluster.next().refuse(ErrorCode.UNAVAILABLE, "not now");
                cluster.pass(Duration.ofSeconds(3));
            }
            cluster.next(); // no answer
            cluster.pass(Duration.ofSeconds(27));
        }
        assertDone(sender, 0, 1);
        assertThat(rejected.get(0).reason())
                .isEqualTo("10.0.0.1:9042 did not answer within 15000 ms (given up after 10 attempts); whether the row"
                        + " was written is unknown");
    }

    @Test
    void countsAttemptsOfWritesThatTimeOutAtReplicasOrLoseTheirConnection() {
        Sender sender = sender();
        sender.send(write(1), MAY_WAIT);
        for (int attempt = 1; attempt <= 4; attempt++) {
            cluster.next().breakConnection();
            cluster.pass(Duration.ofSeconds(11));
            cluster.next().refuse(ErrorCode.WRITE_TIMEOUT, "timed out");
            cluster.pass(Duration.ofSeconds(11));
        }
        cluster.next().answer(Void.INSTANCE);
        sender.send(write(2), MAY_WAIT);
        for (int attempt = 1; attempt <= 10; attempt++) {
            cluster.next().refuse(ErrorCode.WRITE_TIMEOUT, "timed out");
            cluster.pass(Duration.ofSeconds(11));
        }
        assertDone(sender, 1, 1);
        assertThat(rejected.get(0).reason())
                .isEqualTo("timed out (given up after 10 attempts); whether the row was written is unknown");
    }

    @Test
    void failsWithTheColumnThatWasDropped() {
        Sender sender = sender();
        sender.send(write(1, 2), MAY_WAIT);
        for (int attempt = 1; attempt <= 10; attempt++) {
            cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
            cluster.next().refuse(ErrorCode.INVALID, "Undefined column name v");
            cluster.pass(Duration.ofSeconds(11));
            if (sender.failure() != null) {
                break;
            }
        }
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(sender::failIfFailed)
                .withMessageStartingWith("[ks.t] cannot write: Undefined column name v");
        assertDone(sender, 0, 0);
    }

    @Test
    void givesRowsWithListsALaterWriteTimeOnlyIfTheEarlierSendingMayHaveBeenApplied() {
        layout = WriteLayouts.of(3, 1, Grouping.PARTITION, /* idempotent */ true, /* needsNewTime */ true);
        Sender sender = sender();
        sender.send(write(4, 5), MAY_WAIT);
        byte[] first = cluster.sent.element().body();
        for (int i = 0; i < 40; i++) {
            Sent sent = cluster.next();
            assertThat(sent.body()).isEqualTo(first);
            sent.refuse(ErrorCode.UNAVAILABLE, "not now");
            cluster.pass(Duration.ofSeconds(3));
        }
        cluster.next().refuse(ErrorCode.WRITE_TIMEOUT, "timed out");
        cluster.pass(Duration.ofSeconds(10));
        Sent later = cluster.next();
        assertThat(later.body()).isNotEqualTo(first);
        assertThat(Bytes.getLong(later.body(), 3 + layout.rowHeader.length + 9 + 4))
                .isEqualTo(layout.writeTime(BASE, 4) + 1);
        later.answer(Void.INSTANCE);
        assertDone(sender, 2, 0);
    }

    @Test
    void takesTheFirstAnswerAndIgnoresWhatComesLateOrTwice() {
        cluster = new ScriptedTransport(2);
        Sender sender = sender();
        sender.send(write(1, 2), MAY_WAIT);
        Sent first = cluster.next();
        cluster.pass(Duration.ofSeconds(17));
        Sent second = cluster.next();
        assertThat(second.node()).as("another replica").isNotEqualTo(first.node());
        second.answer(Void.INSTANCE);
        first.answer(Void.INSTANCE);
        second.answer(Void.INSTANCE);
        first.breakConnection();
        assertDone(sender, 2, 0);
    }

    @Test
    void preparesTheStatementIfANodeHasForgottenIt() {
        Sender sender = sender();
        sender.send(write(1), MAY_WAIT);
        cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
        Sent prepare = cluster.next();
        assertThat(prepare.opcode()).isEqualTo(Opcode.PREPARE);
        prepare.answer(prepared());
        cluster.next().answer(Void.INSTANCE);
        assertDone(sender, 1, 0);
    }

    private Message prepared() {
        return ScriptedTransport.prepared(layout.prepared.id(), layout.prepared.markerTypes(), List.of());
    }

    /** Nodes of two versions may do so during an upgrade: other replicas take the rows. */
    @Test
    void goesOnIfANodeCallsTheStatementByAnotherId() {
        Sender sender = sender();
        sender.send(write(1), MAY_WAIT);
        byte[] other = layout.prepared.id().clone();
        other[0]++;
        for (int i = 0; i < 3; i++) {
            cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
            cluster.next().answer(ScriptedTransport.prepared(other, layout.prepared.markerTypes(), List.of()));
            cluster.pass(Duration.ofSeconds(3));
        }
        cluster.next().answer(Void.INSTANCE);
        assertDone(sender, 1, 0);
    }

    /** The bytes of an int would become a float. */
    @Test
    void failsIfTheTableWasRecreatedWithOtherTypes() {
        layout = WriteLayouts.of(DataTypes.INT, DataTypes.INT);
        Sender sender = sender();
        sender.send(write(1), MAY_WAIT);
        cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
        cluster.next()
                .answer(ScriptedTransport.prepared(
                        layout.prepared.id(), List.of(DataTypes.INT, DataTypes.FLOAT), List.of()));
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(sender::failIfFailed)
                .withMessage("[ks.t] cannot write: the table was changed while it was written; start again");
        assertDone(sender, 0, 0);
        assertThat(cluster.sent).isEmpty();
    }

    /** A node that restarts forgets the statement for all requests in flight. */
    @Test
    void preparesOnceForAllRequestsInFlight() {
        Sender sender = sender();
        for (int i = 0; i < 300; i++) {
            sender.send(write(i), MAY_WAIT);
        }
        for (int i = 0; i < 300; i++) {
            cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
        }
        assertThat(cluster.sent).hasSize(1);
        cluster.next().answer(prepared());
        assertThat(cluster.sent).hasSize(300);
        while (!cluster.sent.isEmpty()) {
            cluster.next().answer(Void.INSTANCE);
        }
        assertDone(sender, 300, 0);
        assertThat(sender.counts().retries.sum()).isZero();
    }

    @Test
    void backsOffIfANodeForgetsTheStatementWheneverItIsPrepared() {
        Sender sender = sender();
        sender.send(write(1), MAY_WAIT);
        for (int i = 0; i < 20; i++) {
            cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
            cluster.next().answer(prepared());
            cluster.pass(Duration.ofSeconds(3));
        }
        cluster.next().answer(Void.INSTANCE);
        assertDone(sender, 1, 0);
    }

    @Test
    void loadedNodesGetLessAndPermitsComeBack() {
        cluster = new ScriptedTransport(3);
        Sender sender = sender();
        for (int i = 0; i < 30; i++) {
            sender.send(write(i), MAY_WAIT);
        }
        for (int node = 0; node < 3; node++) {
            assertThat(limiter.gate(cluster.node(node)).requests()).isEqualTo(10);
        }
        while (!cluster.sent.isEmpty()) {
            Sent sent = cluster.next();
            if (sent.node() == cluster.node(0)) {
                sent.refuse(ErrorCode.OVERLOADED, "overloaded");
            } else {
                sent.answer(Void.INSTANCE);
            }
        }
        assertThat(limiter.gate(cluster.node(0)).requests())
                .as("what backs off keeps its permit")
                .isEqualTo(10);
        Window window = limiter.gate(cluster.node(0)).takeWindow(cluster.nanoTime());
        assertThat(window.overloaded()).isEqualTo(10);
        assertThat(window.peakCost()).isGreaterThanOrEqualTo(10 * Gate.REQUEST_COST);
        assertThat(limiter.gate(cluster.node(1)).takeWindow(cluster.nanoTime()).answered())
                .isEqualTo(10);
        cluster.pass(Duration.ofSeconds(3));
        while (!cluster.sent.isEmpty()) {
            Sent sent = cluster.next();
            assertThat(sent.node()).as("another replica").isNotEqualTo(cluster.node(0));
            sent.answer(Void.INSTANCE);
        }
        assertDone(sender, 30, 0);
    }

    @Test
    void doesNotWaitForeverForTheAnswerToAPrepare() {
        Sender sender = sender();
        sender.send(write(1), MAY_WAIT);
        cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
        assertThat(cluster.next().opcode()).isEqualTo(Opcode.PREPARE);
        cluster.pass(Duration.ofSeconds(17));
        cluster.next().answer(Void.INSTANCE);
        assertDone(sender, 1, 0);
    }

    @Test
    void failsAtOnceWithTheTrueCauseWhenTheTableIsDropped() {
        Sender sender = sender();
        for (int i = 0; i < 50; i++) {
            sender.send(write(2L * i, 2L * i + 1), MAY_WAIT);
        }
        cluster.dropTable();
        cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
        cluster.sent.removeLast().refuse(ErrorCode.INVALID, "table t does not exist");
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(sender::failIfFailed)
                .withMessage("[ks.t] cannot write: table t does not exist");
        while (!cluster.sent.isEmpty()) {
            cluster.next().refuse(ErrorCode.WRITE_FAILURE, "gone");
        }
        assertDone(sender, 0, 0);
    }

    @Test
    void failsAtOnceWhenItMayNotWriteAnyMore() {
        Sender sender = sender();
        sender.send(write(1, 2), MAY_WAIT);
        sender.send(write(3), MAY_WAIT);
        cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
        cluster.sent.removeLast().refuse(ErrorCode.UNAUTHORIZED, "User u has no MODIFY permission");
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(sender::failIfFailed)
                .withMessageStartingWith("[ks.t] cannot write: User u has no MODIFY permission");
        cluster.next().refuse(ErrorCode.UNAUTHORIZED, "User u has no MODIFY permission");
        assertDone(sender, 0, 0);
        assertThat(cluster.sent).as("retries").isEmpty();
    }

    @Test
    void saysThatThePasswordIsNotAcceptedWhileItWaits() {
        Sender sender = sender();
        cluster.setState(0, NodeState.DOWN);
        cluster.setWhyDown(0, "does not accept the password of user u");
        sender.send(write(1), MAY_WAIT);
        cluster.pass(Duration.ofSeconds(60));
        assertThat(sender.waiting())
                .isEqualTo("node 10.0.0.1:9042 does not accept the password of user u, waiting 60 s");
        cluster.pass(LONG);
        cluster.pass(LONG);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(sender::failIfFailed)
                .withMessageStartingWith(
                        "[ks.t] cannot write: node 10.0.0.1:9042 does not accept the password of user u; gave up"
                                + " after");
    }

    /** Each row would be refused: no row is the cause. */
    @Test
    void waitsForSpaceOnTheDiskOfANode() {
        Sender sender = sender();
        sender.send(write(1, 2, 3), MAY_WAIT);
        String full = "Guardrail replica_disk_usage violated: Write request failed because disk usage exceeds failure"
                + " threshold";
        for (int i = 0; i < 20; i++) {
            cluster.next().refuse(ErrorCode.INVALID, full);
            cluster.pass(Duration.ofSeconds(3));
        }
        cluster.next().refuse(ErrorCode.INVALID, full);
        assertThat(sender.waiting())
                .isEqualTo("a replica's disk is full, so free space there or add nodes: " + full + ", waiting 60 s");
        cluster.pass(Duration.ofSeconds(3));
        cluster.next().answer(Void.INSTANCE);
        assertDone(sender, 3, 0);
        assertThat(sender.counts().splits.sum()).isZero();
    }

    /** Each row would be refused, and none is the cause. */
    @Test
    void failsAtOnceIfTheTableDoesNotTakeTheConsistencyLevel() {
        Sender sender = sender();
        sender.send(write(1, 2, 3), MAY_WAIT);
        String accord =
                "ConsistencyLevel LOCAL_QUORUM is unsupported with Accord for write/commit, supported are [ANY, ONE]";
        cluster.next().refuse(ErrorCode.INVALID, accord);
        assertThat(cluster.sent).isEmpty();
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(sender::failIfFailed)
                .withMessageContaining(
                        "the table does not take this consistency level, so choose another one: " + accord);
        assertThat(rejected).isEmpty();
    }

    /** An administrator can forbid levels by a guardrail of Cassandra. */
    @Test
    void failsAtOnceIfTheClusterForbidsTheConsistencyLevel() {
        Sender sender = sender();
        sender.send(write(1, 2, 3), MAY_WAIT);
        String guardrail =
                "Guardrail write_consistency_levels violated: Provided values [ALL] are not allowed for write"
                        + " consistency levels (disallowed values are: [ANY, ALL])";
        cluster.next().refuse(ErrorCode.INVALID, guardrail);
        assertThat(cluster.sent).isEmpty();
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(sender::failIfFailed)
                .withMessageContaining("does not take this consistency level, so choose another one: " + guardrail);
        assertThat(rejected).isEmpty();
    }

    @Test
    void theReasonOfARefusedRowDoesNotCountTheBatchesThatItWasIn() {
        Sender sender = sender();
        sender.send(write(0, 1, 2, 3), MAY_WAIT);
        String guardrail = "Guardrail items_per_collection violated: Detected collection l with 5 items";
        cluster.next().refuse(ErrorCode.INVALID, guardrail);
        cluster.next().answer(Void.INSTANCE); // 0 and 1
        cluster.next().refuse(ErrorCode.INVALID, guardrail);
        cluster.next().refuse(ErrorCode.INVALID, guardrail);
        cluster.pass(Duration.ofSeconds(1));
        cluster.next().answer(Void.INSTANCE); // 3
        assertDone(sender, 3, 1);
        assertThat(rejected.get(0).reason()).isEqualTo(guardrail);
    }

    @Test
    void findsTheRowThatNoAttemptCanWrite() {
        Sender sender = sender();
        sender.send(write(LongStream.range(0, 100).toArray()), MAY_WAIT);
        Set<Integer> atOnce = new HashSet<>();
        for (int i = 0; i < 200 && sender.counts().rowsWritten.sum() < 99; i++) {
            cluster.pass(Duration.ofSeconds(10));
            while (!cluster.sent.isEmpty()) {
                atOnce.add(cluster.sent.size());
                Sent sent = cluster.next();
                if (holds(sent, 37)) {
                    sent.refuse(ErrorCode.WRITE_FAILURE, "a view cannot take it");
                } else {
                    sent.answer(Void.INSTANCE);
                }
            }
        }
        assertDone(sender, 99, 1);
        assertThat(rejected.get(0).position()).isEqualTo(37);
        assertThat(rejected.get(0).reason()).startsWith("a view cannot take it (given up after ");
        assertThat(atOnce).as("halves go in sequence").containsExactly(1);
        sender.failIfFailed();
    }

    private boolean holds(Sent sent, int position) {
        byte[] body = sent.body();
        if (sent.opcode() == Opcode.EXECUTE) {
            return Bytes.getLong(body, body.length - 8) == BASE + position;
        }
        int row = layout.rowHeader.length + 5 + 4 + 12;
        int rows = (body.length - layout.batchOverhead()) / row;
        for (int i = 1; i <= rows; i++) {
            if (Bytes.getLong(body, 3 + i * row - 8) == BASE + position) {
                return true;
            }
        }
        return false;
    }

    @Test
    void rejectsCountersWhoseOutcomeIsUnknownAndRetriesThoseSurelyNotApplied() {
        layout = WriteLayouts.of(3, 1, Grouping.REPLICA_SET, /* idempotent */ false, /* needsNewTime */ false);
        Sender sender = sender();
        sender.send(write(1, 2), MAY_WAIT);
        cluster.next().refuse(ErrorCode.UNAVAILABLE, "Cannot achieve consistency level EACH_QUORUM");
        sender.send(write(3), MAY_WAIT);
        cluster.next().refuse(ErrorCode.UNAVAILABLE, "Cannot achieve consistency level EACH_QUORUM");
        cluster.pass(Duration.ofSeconds(3));
        cluster.next().answer(Void.INSTANCE);
        assertThat(cluster.sent).isEmpty();
        assertDone(sender, 1, 2);
        assertThat(rejected).extracting(RejectedRow::position).containsExactly(1L, 2L);
    }

    @Test
    void remembersNodesWhoseConnectionWasLost() {
        Sender sender = sender();
        sender.send(write(1), MAY_WAIT);
        assertThat(sender.nodesLost()).isEmpty();
        cluster.next().breakConnection();
        cluster.pass(Duration.ofSeconds(1));
        cluster.next().answer(Void.INSTANCE);
        assertThat(sender.nodesLost()).containsExactly("10.0.0.1:9042");
        assertDone(sender, 1, 0);
    }

    /** Rows that they acknowledged may be gone, whether or not a request was in flight when they went. */
    @Test
    void remembersNodesThatWentDownWhileNothingWasInFlight() {
        cluster = new ScriptedTransport(3);
        cluster.setState(1, NodeState.DOWN); // before the run: it has acknowledged nothing
        Sender sender = sender();
        sender.send(write(1), MAY_WAIT);
        cluster.next().answer(Void.INSTANCE);
        cluster.pass(Duration.ofSeconds(2));
        assertThat(sender.nodesLost()).isEmpty();

        cluster.setState(0, NodeState.DOWN);
        cluster.pass(Duration.ofSeconds(2));
        cluster.setState(0, NodeState.UP);
        cluster.setState(1, NodeState.UP);
        assertDone(sender, 1, 0);
        assertThat(sender.nodesLost()).containsExactly("10.0.0.1:9042");
    }

    @Test
    void saysThatANodeHangsBeforeTheTimeIsUp() {
        Sender sender = sender();
        sender.send(write(1), MAY_WAIT);
        cluster.pass(Duration.ofSeconds(4));
        assertThat(sender.waiting()).isNull();
        cluster.pass(Duration.ofSeconds(4));
        assertThat(sender.waiting()).isEqualTo("node 10.0.0.1:9042 does not answer, waiting 8 s");
        cluster.next().answer(Void.INSTANCE);
        assertDone(sender, 1, 0);
    }

    /** Other writers wait for the permits of its requests. */
    @Test
    void timesOutWhatIsInFlightWhenItIsClosedAndLeavesNothingOnTheTimer() {
        Sender sender = sender();
        sender.send(write(1, 2), MAY_WAIT);
        sender.send(write(3), MAY_WAIT);
        cluster.sent.removeLast().refuse(ErrorCode.UNAVAILABLE, "not now");
        sender.close();
        cluster.pass(Duration.ofSeconds(10));
        assertThat(limiter.gate(cluster.node(0)).requests()).isOne();
        cluster.pass(Duration.ofSeconds(7));
        assertThat(limiter.gate(cluster.node(0)).requests()).isZero();
        cluster.pass(Duration.ofSeconds(20));
        assertThat(cluster.scheduledTasks()).isZero();
        assertThat(rejected).isEmpty();
    }

    @Test
    void failsTheRunIfTheTimerThrows() {
        Sender sender = sender();
        sender.send(write(1, 2), MAY_WAIT);
        cluster.next().refuse(ErrorCode.UNAVAILABLE, "not now");
        cluster.throwAtNextSend(new OutOfMemoryError("Java heap space"));
        cluster.pass(Duration.ofSeconds(1));
        assertDone(sender, 0, 0);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(sender::failIfFailed)
                .withMessageContaining("[ks.t] cannot write: a Java heap of ")
                .withMessageContaining("OVERDRIVE_JAVA_OPTIONS=-Xmx2g");
    }

    @Test
    void failsTheRunIfARetryCannotBeScheduled() {
        Sender sender = sender();
        sender.send(write(1), MAY_WAIT);
        cluster.next().refuse(ErrorCode.UNAVAILABLE, "not now");
        cluster.throwAtNextReadingOfTheClock(new OutOfMemoryError("Java heap space"));
        cluster.pass(Duration.ofMillis(60));
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(sender::failIfFailed)
                .withMessageContaining("cannot write: a Java heap of ");
        assertDone(sender, 0, 0);
    }

    /** The thread that takes an answer also has retries sent that wait for it. */
    @Test
    void failsTheRunIfASuccessCannotLetRetriesGo() {
        Sender sender = sender();
        for (int i = 0; i < 200; i++) {
            sender.send(write(i), MAY_WAIT);
        }
        for (int i = 0; i < 200; i++) {
            cluster.next().refuse(ErrorCode.OVERLOADED, "overloaded");
        }
        cluster.pass(Duration.ofSeconds(1));
        assertThat(cluster.sent).hasSizeBetween(100, 150);
        cluster.throwAtNextTask(new OutOfMemoryError("Java heap space"));
        cluster.next().answer(Void.INSTANCE);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(sender::failIfFailed)
                .withMessageContaining("cannot write: a Java heap of ");
        while (!cluster.sent.isEmpty()) {
            cluster.next().answer(Void.INSTANCE);
        }
        cluster.pass(Duration.ofSeconds(20));
        sender.drain();
        assertThat(limiter.gate(cluster.node(0)).requests()).isZero();
    }

    @Test
    void failsTheRunIfAnAnswerCannotBeHandled() {
        layout = WriteLayouts.of(3, 1, Grouping.PARTITION, /* idempotent */ true, /* needsNewTime */ false);
        Sender sender = sender();
        WriteRequest damaged = new WriteRequest(Opcode.BATCH, new byte[4], 0, new long[] {1, 2}, null, null);
        sender.send(damaged, MAY_WAIT);
        cluster.next().refuse(ErrorCode.INVALID, "cannot be split, as its body is damaged");
        assertDone(sender, 0, 0);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(sender::failIfFailed)
                .withMessageContaining("[ks.t] cannot write: internal error: java.lang.");
    }

    @Test
    void failsTheRunIfTheRejectHandlerThrowsAnError() {
        Sender sender = new Sender(
                cluster,
                layout,
                WriteOptions.into("ks", "t")
                        .onReject(row -> {
                            throw new AssertionError("no more");
                        })
                        .build(),
                limiter,
                batchLimit,
                BASE,
                /* gathering */ null);
        sender.send(write(1), MAY_WAIT);
        cluster.next().refuse(ErrorCode.INVALID, "bad");
        assertDone(sender, 0, 0);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(sender::failIfFailed)
                .withMessageContaining("internal error: java.lang.AssertionError: no more");
    }

    @Test
    void failsTheRunIfTheProducerCannotSend() {
        Sender sender = sender();
        cluster.throwAtNextSend(new IllegalStateException("closed"));
        sender.send(write(1), MAY_WAIT);
        assertDone(sender, 0, 0);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(sender::failIfFailed)
                .withMessageContaining("internal error: java.lang.IllegalStateException: closed");
    }

    /** Keeps 200 rows in flight, and answers every 5 ms. */
    private final class Flow {
        final Sender sender;
        long produced;
        long answered;
        long failed;
        long retriesFailed;
        private final Set<byte[]> seen = Collections.newSetFromMap(new IdentityHashMap<>());

        Flow(Sender sender) {
            this.sender = sender;
        }

        void run(Duration time, LongPredicate fails, boolean produces) {
            for (long i = time.toMillis() / 5; i > 0; i--) {
                while (produces && limiter.gate(cluster.node(0)).requests() < 200) {
                    sender.send(write(produced++), MAY_WAIT);
                }
                for (int inFlight = cluster.sent.size(); inFlight > 0; inFlight--) {
                    Sent sent = cluster.next();
                    boolean isRetry = !seen.add(sent.body());
                    if (fails.test(answered++)) {
                        failed++;
                        retriesFailed += isRetry ? 1 : 0;
                        sent.refuse(ErrorCode.OVERLOADED, "overloaded");
                    } else {
                        sent.answer(Void.INSTANCE);
                    }
                }
                cluster.pass(Duration.ofMillis(5));
            }
        }

        void assertAllWritten() {
            run(Duration.ofSeconds(20), number -> false, /* produces */ false);
            assertDone(sender, produced, 0);
            sender.failIfFailed();
        }
    }

    @Test
    void retriesThatFailAreAtMostATenthOfTheSuccessesAndTenASecond() {
        Flow flow = new Flow(sender());
        flow.run(Duration.ofSeconds(60), number -> number % 2 == 0, /* produces */ true);
        long successes = flow.answered - flow.failed;
        assertThat(flow.retriesFailed).isLessThanOrEqualTo(successes / 10 + 100 + 10 * 60);
        assertThat(flow.failed).as("the node does fail half").isBetween(successes - 1, successes + 1);
        assertThat(flow.sender.waiting()).contains(" retries are held back, as too many fail, waiting ");
        flow.assertAllWritten();
    }

    /** There would be 20,000 a minute without a budget. */
    @Test
    void aNodeThatRefusesEverythingGetsTenRetriesASecond() {
        Flow flow = new Flow(sender());
        flow.run(Duration.ofSeconds(60), number -> true, /* produces */ true);
        assertThat(flow.produced).isEqualTo(200);
        assertThat(flow.answered).isBetween(200L + 100, 200L + 100 + 10 * 60);
        assertThat(flow.sender.waiting()).isNotNull();
        flow.assertAllWritten();
    }

    @Test
    void fewRequestsThatFailAreRetriedWithoutWaiting() {
        Flow flow = new Flow(sender());
        flow.run(Duration.ofSeconds(2), number -> number % 20 == 0, /* produces */ true);
        assertThat(flow.answered).as("one in twenty, and a twentieth of these").isGreaterThan(30_000);
        assertThat(flow.sender.waiting()).isNull();
        flow.assertAllWritten();
    }

    @Test
    void allRequestsThatARestartLostAreSentSoonAfterIt() {
        Flow flow = new Flow(sender());
        flow.run(Duration.ofSeconds(1), number -> false, /* produces */ true);
        while (limiter.gate(cluster.node(0)).requests() < 500) {
            flow.sender.send(write(flow.produced++), MAY_WAIT);
        }
        while (!cluster.sent.isEmpty()) {
            cluster.next().breakConnection();
        }
        cluster.setState(0, NodeState.DOWN);
        cluster.pass(Duration.ofSeconds(30));
        cluster.setState(0, NodeState.UP);
        flow.run(Duration.ofSeconds(5), number -> false, /* produces */ false);
        assertDone(flow.sender, flow.produced, 0);
    }

    @Test
    void aRetryThatWaitsForTheBudgetForLongerThanThePatienceFailsTheRun() {
        Sender sender = new Sender(
                cluster,
                layout,
                WriteOptions.into("ks", "t")
                        .patience(Duration.ofSeconds(5))
                        .onReject(rejected::add)
                        .build(),
                limiter,
                batchLimit,
                BASE,
                /* gathering */ null);
        for (int i = 0; i < 300; i++) {
            sender.send(write(i), MAY_WAIT);
        }
        for (int i = 0; i < 40 && sender.failure() == null; i++) {
            while (!cluster.sent.isEmpty()) {
                cluster.next().refuse(ErrorCode.WRITE_TIMEOUT, "timed out");
            }
            cluster.pass(Duration.ofMillis(500));
        }
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(sender::failIfFailed)
                .withMessage("[ks.t] cannot write: timed out; gave up after 5 s, which is set by patience");
    }
}
