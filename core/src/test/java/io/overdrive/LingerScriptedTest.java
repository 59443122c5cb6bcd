package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.protocol.internal.ProtocolConstants.Opcode;
import com.datastax.oss.protocol.internal.response.result.Void;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.wire.ScriptedTransport.Sent;
import io.overdrive.internal.write.WriteLayout;
import io.overdrive.internal.write.WriteLayouts;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows that come slowly, in virtual time. */
class LingerScriptedTest {
    private static final Duration LINGER = Duration.ofMillis(100);
    private static final Duration HALF = LINGER.dividedBy(2);
    private static final Duration MOMENT = Duration.ofMillis(1);

    private final ScriptedTransport cluster = new ScriptedTransport(1);
    private WriteLayout layout = WriteLayouts.of(3, 1);

    private RowWriter writer(WriteOptions.Builder options) {
        return new RowWriter(
                cluster,
                ScriptedTransport.session("50KiB"),
                layout,
                options.inFlightControl(InFlightControl.FIXED).build(),
                1_000_000);
    }

    private RowWriter lingering() {
        return writer(WriteOptions.into("ks", "t").linger(LINGER));
    }

    private static void send(RowWriter writer, int partition) {
        send(writer, partition, 1);
    }

    private static void send(RowWriter writer, int partition, int bytes) {
        writer.row().setBytes(0, ByteBuffer.allocate(4).putInt(0, partition)).setBytes(1, ByteBuffer.allocate(bytes));
        writer.send();
    }

    private static int rows(Sent sent) {
        return sent.opcode() == Opcode.EXECUTE
                ? 1
                : ByteBuffer.wrap(sent.body()).getShort(1);
    }

    /** Rows of each request that was sent, all of which are then answered. */
    private List<Integer> answerAll() {
        List<Integer> rows = new ArrayList<>();
        while (!cluster.sent.isEmpty()) {
            Sent sent = cluster.next();
            rows.add(rows(sent));
            sent.answer(Void.INSTANCE);
        }
        return rows;
    }

    private void assertComplete(RowWriter writer, long rows) {
        Totals totals = writer.totals();
        assertThat(totals.rowsTaken()).isEqualTo(rows);
        assertThat(totals.rowsWritten()).isEqualTo(rows);
        assertThat(totals.groupingBytes()).isZero();
        writer.close();
        assertThat(cluster.sent).isEmpty();
    }

    @Test
    void aRowThatNoOtherFollowsIsSentAfterTheLinger() {
        RowWriter writer = lingering();
        send(writer, 1);
        cluster.pass(LINGER.minus(MOMENT));
        assertThat(cluster.sent).isEmpty();
        cluster.pass(MOMENT);
        assertThat(answerAll()).containsExactly(1);
        assertComplete(writer, 1);
    }

    @Test
    void rowsOfAPartitionThatComeWithinHalfOfTheLingerShareARequest() {
        RowWriter writer = lingering();
        for (int i = 0; i < 10; i++) {
            send(writer, 1);
            send(writer, 2);
            cluster.pass(HALF.dividedBy(10));
        }
        cluster.pass(HALF);
        assertThat(answerAll()).containsExactlyInAnyOrder(10, 10);
        assertComplete(writer, 20);
    }

    @Test
    void noRowWaitsForMoreThanTheLingerNorForLessThanHalfOfIt() {
        RowWriter writer = lingering();
        Random random = new Random(7);
        List<Long> added = new ArrayList<>();
        int sent = 0;
        while (added.size() < 1_000) {
            for (int rows = random.nextInt(50); rows > 48; rows--) {
                send(writer, added.size());
                added.add(cluster.nanoTime());
            }
            cluster.pass(MOMENT);
            sent += answerAll().size();
            long now = cluster.nanoTime();
            assertThat((long) sent)
                    .isGreaterThanOrEqualTo(count(added, now - LINGER.toNanos()))
                    .isLessThanOrEqualTo(count(added, now - HALF.toNanos()));
        }
        cluster.pass(LINGER);
        answerAll();
        assertComplete(writer, 1_000);
    }

    private static long count(List<Long> times, long until) {
        return times.stream().filter(time -> time <= until).count();
    }

    @Test
    void nothingIsSentEarlyWithoutLinger() {
        RowWriter writer = writer(WriteOptions.into("ks", "t").bulk());
        int others = cluster.scheduledTasks();
        for (int i = 0; i < 50; i++) {
            send(writer, i);
            cluster.pass(Duration.ofMinutes(1));
        }
        assertThat(cluster.sent).isEmpty();
        assertThat(cluster.scheduledTasks()).isEqualTo(others);
        writer.flush();
        assertThat(answerAll()).hasSize(50);
        assertComplete(writer, 50);
    }

    @Test
    void sleepsWhileNoRowWaitsAndWakesWithTheNextOne() {
        RowWriter writer = lingering();
        int others = cluster.scheduledTasks();
        for (int i = 0; i < 3; i++) {
            send(writer, i);
            assertThat(cluster.scheduledTasks()).isEqualTo(others + 1);
            cluster.pass(LINGER);
            assertThat(answerAll()).containsExactly(1);
            assertThat(cluster.scheduledTasks()).isEqualTo(others);
            cluster.pass(LINGER);
        }
        assertComplete(writer, 3);
    }

    @Test
    void manyGroupsAreSentAtOnce() {
        RowWriter writer = writer(WriteOptions.into("ks", "t").linger(LINGER).inFlightRequests(8_000));
        for (int i = 0; i < 7_000; i++) {
            send(writer, i);
        }
        cluster.pass(LINGER.minus(MOMENT));
        assertThat(cluster.sent).isEmpty();
        cluster.pass(MOMENT);
        assertThat(answerAll()).hasSize(7_000);
        assertComplete(writer, 7_000);
    }

    @Test
    void rowsThatCameAfterTheLastTickStay() {
        RowWriter writer = lingering();
        for (int i = 0; i < 300; i++) {
            send(writer, i);
        }
        cluster.pass(HALF.plus(MOMENT));
        for (int i = 300; i < 500; i++) {
            send(writer, i);
        }
        cluster.pass(HALF);
        assertThat(answerAll()).hasSize(300);
        cluster.pass(HALF);
        assertThat(answerAll()).hasSize(200);
        assertComplete(writer, 500);
    }

    @Test
    void rowsOfSeveralPartitionsInOneRequestLingerToo() {
        layout = WriteLayouts.of(3, 1, Grouping.REPLICA_SET, /* idempotent */ true, /* needsNewTime */ false);
        RowWriter writer = writer(
                WriteOptions.into("ks", "t").grouping(Grouping.REPLICA_SET).linger(LINGER));
        send(writer, 1);
        send(writer, 2);
        cluster.pass(LINGER);
        assertThat(answerAll()).containsExactly(2);
        assertComplete(writer, 2);
    }

    @Test
    void retriesWhileTheNodeIsDownAndGroupsGatherRowsMeanwhile() {
        RowWriter writer = lingering();
        cluster.setState(0, NodeState.DOWN);
        for (int i = 0; i < 20; i++) {
            send(writer, 1);
            cluster.pass(HALF);
        }
        assertThat(cluster.sent).isEmpty();
        cluster.setState(0, NodeState.UP);
        cluster.pass(Duration.ofSeconds(10));
        assertThat(answerAll().stream().mapToInt(n -> n).sum()).isEqualTo(20);
        assertComplete(writer, 20);
    }

    @Test
    void rowsNeverGoToDisk(@TempDir Path spills) throws Exception {
        RowWriter writer = writer(WriteOptions.into("ks", "t")
                .linger(LINGER)
                .inFlightRequests(8_000)
                .groupingMemory(1 << 20)
                .spillDirectory(spills.resolve("spilled")));
        for (int round = 0; round < 8; round++) {
            for (int partition = 0; partition < 2_000; partition++) { // far apart, and too many for the memory
                send(writer, partition, 200);
                answerAll();
            }
        }
        assertThat(writer.totals().rowsSpilled()).isZero();
        assertThat(writer.totals().groupingBytes()).isLessThanOrEqualTo(1 << 20);
        try (Stream<Path> files = Files.list(spills)) {
            assertThat(files).isEmpty();
        }
        cluster.pass(LINGER);
        answerAll();
        assertComplete(writer, 16_000);
    }

    @Test
    void nothingIsSentOrPlannedAfterAbandon() {
        RowWriter writer = lingering();
        send(writer, 1);
        assertThat(cluster.scheduledTasks()).isEqualTo(2); // the tick, and timeouts
        writer.abandon();
        assertThat(cluster.scheduledTasks()).isZero();
        cluster.pass(LINGER.multipliedBy(2));
        assertThat(cluster.sent).isEmpty();
    }

    @Test
    void anUnexpectedExceptionFailsTheRunInsteadOfTheRowsWaitingForEver() {
        RowWriter writer = lingering();
        send(writer, 1);
        cluster.throwAtNextSend(new StackOverflowError("unexpected"));
        cluster.pass(LINGER);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> send(writer, 2))
                .withMessage("[ks.t] cannot write: internal error: java.lang.StackOverflowError: unexpected");
        assertThatExceptionOfType(OverdriveException.class).isThrownBy(writer::close);
    }
}
