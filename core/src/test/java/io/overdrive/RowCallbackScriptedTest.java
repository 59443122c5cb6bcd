package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.response.result.Void;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.write.WriteLayout;
import io.overdrive.internal.write.WriteLayouts;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a program learns that its rows are written, in virtual time. */
class RowCallbackScriptedTest {
    private static final Duration LINGER = Duration.ofMillis(100);

    private final ScriptedTransport cluster = new ScriptedTransport(1);
    private final List<RejectedRow> rejected = new ArrayList<>();
    /** How rows ended, by position: "written", or the kind of failure. */
    private final Map<Long, String> ended = new TreeMap<>();

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
        return writer(WriteOptions.into("ks", "t").linger(LINGER).onReject(rejected::add));
    }

    private static void fill(RowWriter writer, int partition, int bytes) {
        writer.row().setBytes(0, ByteBuffer.allocate(4).putInt(0, partition)).setBytes(1, ByteBuffer.allocate(bytes));
    }

    private void onEnd(long position, @Nullable OverdriveException failure) {
        String before =
                ended.put(position, failure == null ? "written" : failure.kind().name());
        assertThat(before).as("the end of row %s", position).isNull();
    }

    private void send(RowWriter writer, int partition) {
        fill(writer, partition, 1);
        writer.send(this::onEnd);
    }

    private void answerAll() {
        while (!cluster.sent.isEmpty()) {
            cluster.next().answer(Void.INSTANCE);
        }
    }

    /** Lets threads other than the I/O threads run. */
    private void turn() {
        cluster.pass(Duration.ZERO);
    }

    private static OverdriveException failureOf(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        try {
            future.join();
            throw new AssertionError("it is written");
        } catch (CompletionException e) {
            return (OverdriveException) Objects.requireNonNull(e.getCause());
        }
    }

    @Test
    void aFutureCompletesWhenItsRowIsWritten() {
        RowWriter writer = lingering();
        fill(writer, 1, 1);
        CompletableFuture<?> first = writer.sendAsync();
        fill(writer, 1, 1);
        writer.send();
        fill(writer, 1, 1);
        CompletableFuture<?> last = writer.sendAsync();
        fill(writer, 2, 1);
        CompletableFuture<?> other = writer.sendAsync();
        cluster.pass(LINGER);
        assertThat(cluster.sent).hasSize(2);
        assertThat(List.of(first, last, other)).noneMatch(CompletableFuture::isDone);
        answerAll();
        turn();
        assertThat(List.of(first, last, other))
                .allSatisfy(future -> assertThat(future).isCompleted());
        assertThat(writer.totals().rowsWritten()).isEqualTo(4);
        writer.close();
    }

    /** It would wait for itself. */
    @Test
    void theWriterIsNotClosedByACallbackOrTheRejectHandler() {
        RowWriter[] writers = new RowWriter[2];
        writers[0] = lingering();
        writers[1] = writer(WriteOptions.into("ks", "t").linger(LINGER).onReject(row -> writers[1].close()));
        fill(writers[0], 1, 1);
        writers[0].send((position, failure) -> writers[0].close());
        fill(writers[1], 1, 1);
        writers[1].send();
        cluster.pass(LINGER);
        cluster.next().answer(Void.INSTANCE);
        cluster.next().refuse(ErrorCode.INVALID, "no");
        turn();
        for (RowWriter writer : writers) {
            assertThatExceptionOfType(OverdriveException.class)
                    .isThrownBy(writer::close)
                    .withMessageContaining(
                            "[ks.t] close() waits for the reject handler and for callbacks, so these must"
                                    + " not call it: let another thread do that, or call abandon()");
        }
    }

    @Test
    void nothingOfTheUserRunsOnTheThreadThatBringsTheAnswer() {
        RowWriter writer = lingering();
        send(writer, 1);
        cluster.pass(LINGER);
        answerAll();
        assertThat(ended).isEmpty();
        turn();
        assertThat(ended).containsEntry(0L, "written");
    }

    @Test
    void oneCallbackServesAllRowsByTheirPositions() {
        RowWriter writer = lingering();
        for (int i = 0; i < 3_000; i++) {
            writer.row()
                    .position(7_000 + i)
                    .setBytes(0, ByteBuffer.allocate(4).putInt(0, i % 50))
                    .setBytes(1, ByteBuffer.allocate(1));
            if (i % 3 > 0) {
                writer.send(this::onEnd);
            } else {
                writer.send();
            }
        }
        cluster.pass(LINGER);
        answerAll();
        turn();
        assertThat(ended).hasSize(2_000).allSatisfy((position, how) -> {
            assertThat(position).isBetween(7_000L, 9_999L);
            assertThat((position - 7_000) % 3).isPositive();
            assertThat(how).isEqualTo("written");
        });
    }

    @Test
    void rowsThatAreSentOnTheirOwnAreAcknowledgedToo() {
        layout = WriteLayouts.of(3, 1, Grouping.NONE, /* idempotent */ true, /* needsNewTime */ false);
        RowWriter writer = lingering();
        send(writer, 1);
        send(writer, 2);
        cluster.next().answer(Void.INSTANCE);
        turn();
        assertThat(ended).containsOnlyKeys(0L);
        cluster.next().answer(Void.INSTANCE);
        turn();
        assertThat(ended).containsOnlyKeys(0L, 1L);
    }

    @Test
    void ofABatchThatIsSplitEachRowEndsInItsOwnWay() {
        RowWriter writer = lingering();
        for (int i = 0; i < 5; i++) {
            send(writer, 1);
        }
        cluster.pass(LINGER);
        cluster.next().refuse(ErrorCode.INVALID, "one of them");
        cluster.next().refuse(ErrorCode.INVALID, "one of the first two");
        cluster.next().answer(Void.INSTANCE);
        cluster.next().refuse(ErrorCode.INVALID, "bad value");
        turn();
        assertThat(ended).isEqualTo(Map.of(0L, "written", 1L, "ROW"));
        answerAll();
        turn();
        assertThat(ended).isEqualTo(Map.of(0L, "written", 1L, "ROW", 2L, "written", 3L, "written", 4L, "written"));
        assertThat(rejected).extracting(RejectedRow::position).containsExactly(1L);
        writer.close();
    }

    @Test
    void aRejectedRowSaysWhyAndTheOthersContinue() {
        RowWriter writer = lingering();
        fill(writer, 1, 1);
        CompletableFuture<?> bad = writer.sendAsync();
        cluster.pass(LINGER);
        cluster.next().refuse(ErrorCode.INVALID, "bad value");
        turn();
        turn();
        assertThat(failureOf(bad))
                .hasMessage("[ks.t] the row at position 0 was rejected: bad value")
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.ROW));
        send(writer, 1);
        cluster.pass(LINGER);
        answerAll();
        turn();
        assertThat(ended).isEqualTo(Map.of(1L, "written"));
        writer.close();
    }

    @Test
    void aRowEndsOnceHoweverOftenItIsSent() {
        RowWriter writer = lingering();
        send(writer, 1);
        send(writer, 1);
        cluster.pass(LINGER);
        for (int i = 0; i < 5; i++) {
            cluster.next().refuse(ErrorCode.WRITE_TIMEOUT, "timed out");
            cluster.pass(Duration.ofSeconds(10));
            assertThat(ended).isEmpty();
        }
        answerAll();
        turn();
        assertThat(ended).isEqualTo(Map.of(0L, "written", 1L, "written"));
        writer.close();
    }

    @Test
    void whenTheWriterFailsItsRowsEndWithTheReason() {
        RowWriter writer = writer(WriteOptions.into("ks", "t").linger(LINGER));
        send(writer, 1);
        send(writer, 2);
        cluster.pass(LINGER);
        send(writer, 3);
        fill(writer, 4, 1);
        CompletableFuture<?> waiting = writer.sendAsync();
        cluster.next().refuse(ErrorCode.UNAUTHORIZED, "may not write");
        turn();
        assertThat(ended).as("the other one is in flight").hasSize(1);
        answerAll();
        cluster.pass(LINGER);
        assertThat(ended).hasSize(3).containsEntry(2L, "WRITE");
        assertThat(ended.values()).containsOnlyOnce("written");
        assertThat(failureOf(waiting)).hasMessageStartingWith("[ks.t] cannot write: may not write; ");
        assertThatExceptionOfType(OverdriveException.class).isThrownBy(() -> send(writer, 5));
        assertThat(ended).as("a row that was not taken").hasSize(3);
        assertThatExceptionOfType(OverdriveException.class).isThrownBy(writer::close);
    }

    @Test
    void rowsOfAWriterThatIsAbandonedEndToo() {
        RowWriter writer = writer(WriteOptions.into("ks", "t").bulk());
        send(writer, 1);
        writer.flush();
        for (int i = 0; i < 1_000; i++) {
            send(writer, i);
        }
        writer.abandon();
        turn();
        assertThat(ended).hasSize(1_000).doesNotContainKey(0L).allSatisfy((position, how) -> assertThat(how)
                .isEqualTo("WRITE"));
        answerAll();
        turn();
        assertThat(ended).hasSize(1_001).containsEntry(0L, "written");
        assertThat(writer.totals().groupingBytes()).isZero();
    }

    @Test
    void aCallbackThatThrowsFailsTheWriterAndTheOtherRowsStillEnd() {
        RowWriter writer = lingering();
        fill(writer, 1, 1);
        writer.send((position, failure) -> {
            throw new IllegalStateException("no place");
        });
        send(writer, 1);
        cluster.pass(LINGER);
        answerAll();
        turn();
        assertThat(ended).isEqualTo(Map.of(1L, "written"));
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(writer::close)
                .withMessage("[ks.t] the callback of the row at position 0 failed: java.lang.IllegalStateException:"
                        + " no place");
    }

    @Test
    void rowsWithACallbackAreNotSpilledEvenIfOthersAre(@TempDir Path spills) {
        RowWriter writer = writer(WriteOptions.into("ks", "t")
                .bulk()
                .inFlightRequests(8_000)
                .groupingMemory(1 << 20)
                .spillDirectory(spills));
        for (int i = 0; writer.totals().rowsSpilled() < 1_000; i++) {
            fill(writer, i % 2_000, 200);
            writer.send();
            answerAll();
        }
        long before = writer.totals().rowsSpilled();
        for (int i = 0; i < 8_000; i++) {
            fill(writer, i % 2_000, 200);
            writer.send(this::onEnd);
            answerAll();
        }
        assertThat(writer.totals().rowsSpilled()).isEqualTo(before);
        assertThat(writer.totals().groupingBytes()).isLessThanOrEqualTo(1 << 20);
        writer.flush();
        answerAll();
        turn();
        assertThat(ended).hasSize(8_000).doesNotContainValue("WRITE");
        writer.abandon();
    }
}
