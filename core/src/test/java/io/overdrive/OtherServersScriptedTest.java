package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.ProtocolConstants.Opcode;
import com.datastax.oss.protocol.internal.response.result.Void;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.wire.ScriptedTransport.Sent;
import io.overdrive.internal.write.WriteLayout;
import io.overdrive.internal.write.WriteLayouts;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Batches for servers that take less than Cassandra does, in the words of their documentation; docs/reference/clusters.md has the sources. */
class OtherServersScriptedTest {
    private static final int ROWS = 20_000;
    private static final int ROWS_OF_A_PARTITION = 500;

    /** A server without tables of settings. */
    private static final CqlSession SILENT = ScriptedTransport.session("nothing", Map.of());

    private final ScriptedTransport cluster = new ScriptedTransport(1);
    private final List<RejectedRow> rejected = new ArrayList<>();
    private final List<Integer> refused = new ArrayList<>();
    private final List<Integer> taken = new ArrayList<>();

    private static int rows(Sent sent) {
        return sent.opcode() == Opcode.BATCH ? ByteBuffer.wrap(sent.body()).getShort(1) : 1;
    }

    /** Writes partitions of small rows in order. */
    private RowWriter write(
            CqlSession session, WriteLayout layout, int batchBytes, Function<Sent, @Nullable String> refusal) {
        RowWriter writer = new RowWriter(
                cluster,
                session,
                layout,
                WriteOptions.into("ks", "t")
                        .bulk()
                        .batchBytes(batchBytes)
                        .inFlightControl(InFlightControl.FIXED)
                        .inFlightRequests(8_000) // the only thread must not wait
                        .inFlightBytes(16 << 20)
                        .groupingMemory(4 << 20)
                        .onReject(rejected::add)
                        .build(),
                1_000_000);
        for (int i = 0; i < ROWS; i++) {
            writer.row()
                    .setBytes(0, ByteBuffer.allocate(4).putInt(0, i / ROWS_OF_A_PARTITION))
                    .setBytes(1, ByteBuffer.allocate(20).putInt(0, i));
            writer.send();
            answer(refusal);
        }
        writer.flush();
        answer(refusal);
        writer.close();
        assertThat(writer.totals().rowsWritten() + rejected.size()).isEqualTo(ROWS);
        return writer;
    }

    private void answer(Function<Sent, @Nullable String> refusal) {
        while (!cluster.sent.isEmpty()) {
            Sent sent = cluster.next();
            cluster.pass(Duration.ofMillis(1));
            String reason = refusal.apply(sent);
            if (reason == null) {
                taken.add(rows(sent));
                sent.answer(Void.INSTANCE);
            } else {
                refused.add(rows(sent));
                sent.refuse(ErrorCode.INVALID, reason);
            }
        }
    }

    @Test
    void amazonKeyspacesGetsThirtyStatementsABatchAfterItsFirstRefusal() {
        write(
                SILENT,
                WriteLayouts.of(3, 1),
                64 << 10,
                sent -> rows(sent) > 30 ? "Batches with more than 30 statements are not supported." : null);
        assertThat(rejected).isEmpty();
        assertThat(refused).hasSize(1);
        assertThat(taken).filteredOn(rows -> rows == 30).hasSizeGreaterThan(ROWS / 30 * 9 / 10);
    }

    @Test
    void aServerThatDoesNotSayWhyGetsLessUntilItTakesABatch() {
        write(SILENT, WriteLayouts.of(3, 1), 64 << 10, sent -> rows(sent) > 100 ? "not supported" : null);
        assertThat(rejected).isEmpty();
        assertThat(refused).hasSizeLessThan(10);
        assertThat(taken).filteredOn(rows -> rows > 50).hasSizeGreaterThan(ROWS / 100 * 9 / 10);
    }

    @Test
    void aRowThatIsRefusedMakesNoOtherBatchSmaller() {
        write(
                SILENT,
                WriteLayouts.of(3, 1),
                64 << 10,
                sent -> holds(sent, 777) ? "a value of the row is not valid" : null);
        assertThat(rejected).extracting(RejectedRow::position).containsExactly(777L);
        assertThat(refused).hasSizeLessThan(12);
        assertThat(taken).filteredOn(rows -> rows == ROWS_OF_A_PARTITION).hasSizeGreaterThan(30);
    }

    private static boolean holds(Sent sent, int value) {
        byte[] body = sent.body();
        byte[] cell = ByteBuffer.allocate(8).putInt(20).putInt(value).array();
        for (int at = 0; at + cell.length <= body.length; at++) {
            if (Arrays.equals(body, at, at + cell.length, cell, 0, cell.length)) {
                return true;
            }
        }
        return false;
    }

    @Test
    void batchesStayBelowTheMutationsThatAServerReports() {
        write(
                ScriptedTransport.session("system_views.settings", Map.of("max_mutation_size_in_kb", "8")),
                WriteLayouts.of(3, 1),
                64 << 10,
                sent -> sent.body().length > 8 << 10
                        ? "Rejected an oversized mutation (9000/8192) for keyspace: ks. Top keys are: t.1"
                        : null);
        assertThat(refused).isEmpty();
        assertThat(rejected).isEmpty();
    }

    @Test
    void aServerThatDoesNotReportItsLargestMutationShowsItOnce() {
        write(
                SILENT,
                WriteLayouts.of(3, 1),
                64 << 10,
                sent -> sent.body().length > 8 << 10
                        ? "Mutation of 9000 bytes is too large for the maximum size of 8192"
                        : null);
        assertThat(rejected).isEmpty();
        assertThat(refused).hasSizeLessThan(4);
    }

    @Test
    void aServerThatTakesNoBatchesOfSeveralPartitionsGetsSingleRowsFromThenOn() {
        write(
                SILENT,
                WriteLayouts.of(3, 1, Grouping.REPLICA_SET, /* idempotent */ true, /* needsNewTime */ false),
                4 << 10,
                sent -> rows(sent) > 1 ? "Unlogged batches across partitions are not supported" : null);
        assertThat(rejected).isEmpty();
        assertThat(refused).hasSizeLessThan(10);
        assertThat(taken).containsOnly(1);
    }

    @Test
    void scyllaDbReportsItsThresholdInItsOwnTable() {
        write(
                ScriptedTransport.session("system.config", Map.of("batch_size_fail_threshold_in_kb", "16")),
                WriteLayouts.of(3, 1, Grouping.REPLICA_SET, /* idempotent */ true, /* needsNewTime */ false),
                64 << 10,
                sent -> sent.body().length > 16 << 10 ? "Batch too large" : null);
        assertThat(refused).isEmpty();
        assertThat(rejected).isEmpty();
    }
}
