package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.response.result.Void;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.wire.BulkGuard;
import io.overdrive.internal.wire.BulkWork;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.write.WriteLayout;
import io.overdrive.internal.write.WriteLayouts;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A program that must not wait for the cluster, in virtual time. */
@Timeout(60)
class TrySendScriptedTest {
    private static final WriteLayout SINGLES =
            WriteLayouts.of(3, 1, Grouping.NONE, /* idempotent */ true, /* needsNewTime */ false);
    private static final WriteLayout PARTITIONS = WriteLayouts.of(3, 1);

    private final ScriptedTransport cluster = new ScriptedTransport(1);
    /** How rows ended, by position. */
    private final Map<Long, String> ended = new TreeMap<>();

    private RowWriter writer(WriteLayout layout, WriteOptions.Builder options) {
        return new RowWriter(
                cluster,
                ScriptedTransport.session("50KiB"),
                layout,
                options.inFlightControl(InFlightControl.FIXED).build(),
                1_000_000);
    }

    /** @param begin what the guard does before the first request */
    private void guard(Runnable begin) {
        cluster.guard = new BulkGuard() {
            @Override
            public BulkWork register(CqlIdentifier keyspace, CqlIdentifier table, DoubleConsumer limiter) {
                return new BulkWork() {
                    @Override
                    public void begin() {
                        begin.run();
                    }

                    @Override
                    public void close() {}
                };
            }

            @Override
            public void close() {}
        };
    }

    private static WriteOptions.Builder twoInFlight() {
        return WriteOptions.into("ks", "t").inFlightRequests(2);
    }

    private void fill(RowWriter writer, int key, int bytes) {
        writer.row().setBytes(0, ByteBuffer.allocate(4).putInt(0, key)).setBytes(1, ByteBuffer.allocate(bytes));
    }

    private boolean trySend(RowWriter writer) {
        return writer.trySend((position, failure) -> ended.merge(
                position, failure == null ? "written" : failure.kind().name(), (one, other) -> "twice"));
    }

    private boolean trySend(RowWriter writer, int key) {
        fill(writer, key, 1);
        return trySend(writer);
    }

    private void answerAll() {
        while (!cluster.sent.isEmpty()) {
            cluster.next().answer(Void.INSTANCE);
        }
        cluster.pass(Duration.ZERO);
    }

    @Test
    void aRowIsLeftInTheBufferWhileAnotherWaitsForTheCluster() {
        RowWriter writer = writer(SINGLES, twoInFlight());
        assertThat(trySend(writer, 1)).isTrue();
        assertThat(trySend(writer, 2)).isTrue();
        assertThat(trySend(writer, 3))
                .as("it is taken, and waits without the thread")
                .isTrue();
        assertThat(cluster.sent).hasSize(2);
        assertThat(trySend(writer, 4)).isFalse();
        assertThat(trySend(writer)).isFalse();
        assertThat(writer.totals().rowsTaken()).isEqualTo(3);
        assertThat(writer.totals().rowsPending()).isEqualTo(3);

        cluster.next().answer(Void.INSTANCE);
        assertThat(cluster.sent).as("the permit goes to the row that waits").hasSize(2);
        assertThat(trySend(writer)).isTrue();
        assertThat(writer.totals().rowsPending()).isEqualTo(3);
        answerAll();
        writer.close();
        assertThat(writer.totals().rowsWritten()).isEqualTo(4);
        assertThat(writer.totals().rowsPending()).isZero();
        assertThat(ended).isEqualTo(Map.of(0L, "written", 1L, "written", 2L, "written", 3L, "written"));
    }

    @Test
    void rowsGatherInMemoryBeforeTheClusterIsTooSlow() {
        RowWriter writer =
                writer(PARTITIONS, twoInFlight().linger(Duration.ofHours(1)).groupingMemory(1 << 20));
        int taken = 0;
        fill(writer, taken, 10_000);
        while (trySend(writer)) {
            fill(writer, ++taken, 10_000);
        }
        assertThat(taken).isBetween(50, 110);
        assertThat(cluster.sent).hasSize(2);
        assertThat(writer.totals().rowsPending()).isEqualTo(taken);
        answerAll();
        assertThat(trySend(writer)).isTrue();
        writer.abandon();
    }

    @Test
    void rowsThatWaitEndWithTheRun() {
        RowWriter writer = writer(SINGLES, twoInFlight());
        for (int key = 0; key < 3; key++) {
            assertThat(trySend(writer, key)).isTrue();
        }
        cluster.dropTable();
        cluster.next().refuse(ErrorCode.INVALID, "unconfigured table t");
        cluster.pass(Duration.ofSeconds(1));
        answerAll();
        assertThat(ended).hasSize(3).containsEntry(0L, "WRITE").containsEntry(2L, "WRITE");
        assertThatThrownBy(() -> trySend(writer, 4)).hasMessageContaining("unconfigured table t");
        assertThatThrownBy(writer::close).hasMessageContaining("unconfigured table t");
    }

    @Test
    void aRejectedRowGoesToItsHandlerAndEndsNothing() {
        List<RejectedRow> rejected = new ArrayList<>();
        RowWriter writer = writer(SINGLES, twoInFlight().onReject(rejected::add));
        assertThat(trySend(writer, 1)).isTrue();
        cluster.next().refuse(ErrorCode.INVALID, "value out of range");
        cluster.pass(Duration.ZERO);
        assertThat(rejected).singleElement().satisfies(row -> {
            assertThat(row.position()).isZero();
            assertThat(row.reason()).contains("value out of range");
        });
        assertThat(trySend(writer, 2)).isTrue();
        answerAll();
        writer.close();
        assertThat(writer.totals().rowsRejected()).isOne();
        assertThat(writer.totals().rowsWritten()).isOne();
        assertThat(ended).isEqualTo(Map.of(0L, "ROW", 1L, "written"));
    }

    @Test
    void aRowIsLeftInTheBufferWhileTheHandlerOfRejectedRowsHasTooMuchToDo() {
        RowWriter writer = writer(SINGLES, twoInFlight().onReject(row -> {}));
        fill(writer, 1, 9 << 20); // more than rejected rows may take while they wait for their handler
        assertThat(trySend(writer)).isTrue();
        cluster.next().refuse(ErrorCode.INVALID, "value out of range");
        assertThat(trySend(writer, 2)).isFalse();
        cluster.pass(Duration.ZERO);
        assertThat(trySend(writer)).isTrue();
        answerAll();
        writer.close();
        assertThat(writer.totals().rowsRejected()).isOne();
        assertThat(writer.totals().rowsWritten()).isOne();
    }

    @Test
    void theGuardMeasuresAside() {
        int[] begins = {0};
        guard(() -> begins[0]++);
        RowWriter writer = writer(SINGLES, twoInFlight());
        assertThat(trySend(writer, 1)).isFalse();
        assertThat(trySend(writer)).isFalse();
        assertThat(begins[0]).isZero();
        cluster.pass(Duration.ZERO);
        assertThat(begins[0]).isOne();
        assertThat(trySend(writer)).isTrue();
        answerAll();
        writer.close();
    }

    @Test
    void aGuardThatFailsEndsTheWriter() {
        guard(() -> {
            throw new OverdriveException(Kind.CONNECT, "no probe was answered");
        });
        RowWriter writer = writer(SINGLES, twoInFlight());
        assertThat(trySend(writer, 1)).isFalse();
        cluster.pass(Duration.ZERO);
        assertThatThrownBy(() -> trySend(writer)).hasMessage("no probe was answered");
        writer.abandon();
    }

    @Test
    void aGuardThatBreaksEndsTheWriter() {
        guard(() -> {
            throw new IllegalStateException("the session is closed");
        });
        RowWriter writer = writer(SINGLES, twoInFlight());
        assertThat(trySend(writer, 1)).isFalse();
        cluster.pass(Duration.ZERO);
        assertThatThrownBy(() -> trySend(writer)).hasMessageContaining("the session is closed");
        writer.abandon();
    }
}
