package io.overdrive.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.Latency;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Totals;
import io.overdrive.WriteTimes;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.load.LoadSummary;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The summary of a load, as text and as JSON: the same figures. */
class LoadPrinterTest {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final Totals WRITES = new Totals(
            1_234_400,
            1_234_000,
            400,
            0,
            94,
            false,
            123_450_000,
            13_000,
            12_340,
            1_230_298,
            17,
            3,
            2000,
            64_000,
            0,
            0,
            0,
            new Latency(
                    Duration.ofNanos(850_000),
                    Duration.ofNanos(12_300_000),
                    Duration.ofMillis(450),
                    Duration.ofMillis(4500)),
            null,
            Set.of());
    private static final Totals NOTHING = Totals.NONE;
    private static final long FIRST = 1_795_314_643_726_600L;
    private static final WriteTimes TIMES = new WriteTimes(FIRST, Duration.ZERO, /* repeatable */ true);
    private static final Path BAD = Path.of("out", "a.csv.rejected");

    private static LoadSummary summary(
            long read, long written, long rejected, Outcome outcome, @Nullable RuntimeException failure) {
        return new LoadSummary(
                read,
                written,
                rejected,
                98_765_432,
                OptionalLong.empty(),
                /* rowsExpected */ 0,
                /* filesRead */ 1,
                /* filesTotal */ 1,
                Duration.ofMillis(12_345),
                WRITES,
                /* imports */ null,
                TIMES,
                List.of(BAD, Path.of("b-2.csv.rejected")),
                "a.csv line 7: is int",
                outcome,
                failure, /* run */
                null, /* query */
                null);
    }

    private static LoadSummary done() {
        return summary(1_234_567, 1_234_000, 567, Outcome.DONE, null);
    }

    private static List<String> text(LoadPrinter printer) {
        StringWriter out = new StringWriter();
        printer.text(new PrintWriter(out));
        return out.toString().lines().toList();
    }

    private static JsonNode json(LoadPrinter printer) {
        StringWriter out = new StringWriter();
        printer.json(new PrintWriter(out));
        assertThat(out.toString().lines()).hasSize(1);
        try {
            return JSON.readTree(out.toString());
        } catch (JsonProcessingException e) {
            throw new AssertionError(out.toString(), e);
        }
    }

    @Test
    void textHasAllFigures() {
        assertThat(text(new LoadPrinter(done(), /* filesLeftOut */ 0, /* dryRun */ false)))
                .containsExactly(
                        "1,234,567 rows read = 1,234,000 written + 567 rejected",
                        "  time      12.3 s after connecting, 100,005 rows/s, 8.00 MB/s read, 10.0 MB/s sent",
                        "  latency   p50 850 us, p99 12.3 ms, p99.9 450 ms, max 4.5 s",
                        "  requests  13,000, of them 12,340 batches of 99.7 rows, 17 retries, 3 splits",
                        "  spilled   2,000 rows",
                        "  keys      at least 94 rows had the key of an earlier row of this input and overwrote it; verify says"
                                + " how many did",
                        "  timestamp 1795314643726600",
                        "  rejected  " + BAD + ", with the reasons next to it in a.csv.rejected.reasons",
                        "  rejected  b-2.csv.rejected, with the reasons next to it in b-2.csv.rejected.reasons",
                        "            the first: a.csv line 7: is int");
    }

    @Test
    void jsonHasTheSameFigures() {
        JsonNode json = json(new LoadPrinter(done(), /* filesLeftOut */ 0, /* dryRun */ false));
        assertThat(json.get("outcome").asText()).isEqualTo("done");
        assertThat(json.has("failure")).isFalse();
        assertThat(json.get("dryRun").asBoolean()).isFalse();
        assertThat(json.get("rowsRead").asLong()).isEqualTo(1_234_567);
        assertThat(json.get("rowsWritten").asLong()).isEqualTo(1_234_000);
        assertThat(json.get("rowsRejected").asLong()).isEqualTo(567);
        assertThat(json.get("rowsNotWritten").asLong())
                .isEqualTo(
                        json.get("rowsRead").asLong() - json.get("rowsWritten").asLong() - 567);
        assertThat(json.get("filesRead").asInt()).isEqualTo(1);
        assertThat(json.get("filesNotRead").asInt()).isZero();
        assertThat(json.get("filesLeftOut").asInt()).isZero();
        assertThat(json.get("seconds").asDouble()).isEqualTo(12.345);
        assertThat(json.get("rowsPerSecond").asLong()).isEqualTo(100_005);
        assertThat(json.get("bytesRead").asLong()).isEqualTo(98_765_432);
        assertThat(json.get("bytesWritten").asLong()).isEqualTo(123_450_000);
        assertThat(json.get("requests").asLong()).isEqualTo(13_000);
        assertThat(json.get("batches").asLong()).isEqualTo(12_340);
        assertThat(json.get("rowsPerBatch").asDouble()).isEqualTo(99.7);
        assertThat(json.get("retries").asLong()).isEqualTo(17);
        assertThat(json.get("splits").asLong()).isEqualTo(3);
        assertThat(json.get("repeatedKeys").asLong()).isEqualTo(94);
        assertThat(json.get("repeatedKeysExact").asBoolean()).isFalse();
        assertThat(json.get("rowsSpilled").asLong()).isEqualTo(2000);
        assertThat(json.get("timestamp").asLong()).isEqualTo(FIRST);
        assertThat(json.get("repeatable").asBoolean()).isTrue();
        assertThat(json.get("timestampAheadSeconds").asDouble()).isZero();
        assertThat(json.get("latencyMillis").toString())
                .isEqualTo("{\"p50\":0.85,\"p99\":12.3,\"p999\":450.0,\"max\":4500.0}");
        assertThat(json.get("rejectFiles"))
                .extracting(JsonNode::asText)
                .containsExactly(BAD.toString(), "b-2.csv.rejected");
        assertThat(json.get("reasonFiles").get(1).asText()).isEqualTo("b-2.csv.rejected.reasons");
        assertThat(json.get("firstReject").asText()).isEqualTo("a.csv line 7: is int");
        assertThat(json.size()).as("figures").isEqualTo(29);
    }

    @Test
    void aDryRunReportsRowsThatCouldBeWrittenAndNoRequests() {
        LoadPrinter printer = new LoadPrinter(done(), /* filesLeftOut */ 0, /* dryRun */ true);
        assertThat(text(printer))
                .containsExactly(
                        "1,234,567 rows read = 1,234,000 could be written + 567 rejected",
                        "  time      12.3 s after connecting, 100,005 rows/s, 8.00 MB/s read",
                        "  keys      at least 94 rows had the key of an earlier row of this input and would overwrite it",
                        "  rejected  " + BAD + ", with the reasons next to it in a.csv.rejected.reasons",
                        "  rejected  b-2.csv.rejected, with the reasons next to it in b-2.csv.rejected.reasons",
                        "            the first: a.csv line 7: is int");
        assertThat(json(printer).get("dryRun").asBoolean()).isTrue();
    }

    private static LoadPrinter ofFiles(int read, int total, int leftOut) {
        return new LoadPrinter(
                new LoadSummary(
                        10,
                        10,
                        0,
                        0,
                        OptionalLong.of(0),
                        /* rowsExpected */ 0,
                        read,
                        total,
                        Duration.ZERO,
                        NOTHING,
                        /* imports */ null,
                        null,
                        List.of(),
                        /* firstReject */ null,
                        read == total ? Outcome.DONE : Outcome.STOPPED,
                        null, /* run */
                        null, /* query */
                        null),
                leftOut,
                /* dryRun */ false);
    }

    @Test
    void severalFilesAndThoseLeftOutAreCounted() {
        assertThat(text(ofFiles(1, 1, 0))).noneMatch(line -> line.startsWith("  files"));
        assertThat(text(ofFiles(1234, 1234, 0))).contains("  files     1,234 read");
        assertThat(text(ofFiles(1, 1, 2))).contains("  files     1 read, 2 left out by name");
        assertThat(text(ofFiles(3, 5, 2))).contains("  files     3 read, 2 NOT READ TO THE END, 2 left out by name");
        JsonNode json = json(ofFiles(3, 5, 4));
        assertThat(json.get("filesRead").asInt()).isEqualTo(3);
        assertThat(json.get("filesNotRead").asInt()).isEqualTo(2);
        assertThat(json.get("filesLeftOut").asInt()).isEqualTo(4);
    }

    @Test
    void rowsThatAreNeitherWrittenNorRejectedAreReported() {
        LoadSummary summary =
                summary(1_234_567, 1_230_000, 567, Outcome.FAILED, new OverdriveException(Kind.INPUT, "disk \"full\""));
        LoadPrinter printer = new LoadPrinter(summary, /* filesLeftOut */ 0, /* dryRun */ false);
        assertThat(text(printer).get(0))
                .isEqualTo("1,234,567 rows read = 1,230,000 written + 567 rejected + 4,000 NOT WRITTEN");
        assertThat(text(printer))
                .last()
                .isEqualTo(
                        "  NOT COMPLETE: to finish, run it again with --timestamp 1795314643726600; rows that are written"
                                + " already stay as they are");
        JsonNode json = json(printer);
        assertThat(json.get("outcome").asText()).isEqualTo("failed");
        assertThat(json.get("failure").asText()).isEqualTo("disk \"full\"");
        assertThat(json.get("rowsRead").asLong()
                        - json.get("rowsWritten").asLong()
                        - json.get("rowsRejected").asLong())
                .isEqualTo(4000);
    }

    @Test
    void aLoadOfNothingHasNoRatesAndLatencies() {
        LoadSummary summary = new LoadSummary(
                0,
                0,
                0,
                0,
                OptionalLong.of(0),
                /* rowsExpected */ 0,
                1,
                1,
                Duration.ZERO,
                NOTHING,
                /* imports */ null,
                null,
                List.of(),
                /* firstReject */ null,
                Outcome.STOPPED,
                null, /* run */
                null, /* query */
                null);
        LoadPrinter printer = new LoadPrinter(summary, /* filesLeftOut */ 0, /* dryRun */ false);
        assertThat(text(printer))
                .containsExactly("0 rows read = 0 written + 0 rejected", "  time      0 us after connecting");
        JsonNode json = json(printer);
        assertThat(json.get("nodesLost")).isEmpty();
        assertThat(json.get("outcome").asText()).isEqualTo("stopped");
        assertThat(json.get("rowsPerSecond").asLong()).isZero();
        assertThat(json.get("rowsPerBatch").asDouble()).isZero();
        assertThat(json.get("rejectFiles")).isEmpty();
    }

    private static LoadPrinter printer(Outcome outcome, @Nullable WriteTimes times) {
        return new LoadPrinter(
                new LoadSummary(
                        10,
                        10,
                        0,
                        0,
                        OptionalLong.of(0),
                        /* rowsExpected */ 0,
                        1,
                        1,
                        Duration.ZERO,
                        NOTHING,
                        /* imports */ null,
                        times,
                        List.of(),
                        /* firstReject */ null,
                        outcome,
                        null, /* run */
                        null, /* query */
                        null),
                /* filesLeftOut */ 0, /* dryRun */
                false);
    }

    @Test
    void theAdviceAfterAnIncompleteLoadDependsOnItsLists() {
        WriteTimes lists = new WriteTimes(FIRST, Duration.ZERO, /* repeatable */ false);
        assertThat(text(printer(Outcome.STOPPED, lists)))
                .last()
                .isEqualTo(
                        "  NOT COMPLETE: to finish, run it again without --timestamp; later write times replace the rows"
                                + " that are written already");
        assertThat(text(printer(Outcome.STOPPED, null))).noneMatch(line -> line.contains("run it again"));
        assertThat(text(printer(Outcome.DONE, lists))).last().isEqualTo("  timestamp 1795314643726600");
    }

    @Test
    void writeTimesInTheFutureAreReported() {
        LoadPrinter printer = printer(Outcome.DONE, new WriteTimes(FIRST, Duration.ofMillis(17_800), true));
        assertThat(text(printer))
                .last()
                .isEqualTo(
                        "  timestamp 1795314643726600; the last write time is 17.8 s in the future: until then, other"
                                + " writes to these rows have no effect");
        assertThat(json(printer).get("timestampAheadSeconds").asDouble()).isEqualTo(17.8);
    }

    @Test
    void aLostNodeIsReported() {
        Totals writes = new Totals(
                10, 10, 0, 0, 0, true, 1, 1, 10, 1, 0, 0, 0, 0, 0, 0, 0, Latency.NONE, null, Set.of("10.0.0.1:9042"));
        LoadPrinter printer = new LoadPrinter(
                new LoadSummary(
                        10,
                        10,
                        0,
                        0,
                        OptionalLong.of(0),
                        /* rowsExpected */ 0,
                        1,
                        1,
                        Duration.ZERO,
                        writes,
                        /* imports */ null,
                        new WriteTimes(FIRST, Duration.ZERO, /* repeatable */ true),
                        List.of(),
                        /* firstReject */ null,
                        Outcome.DONE,
                        null, /* run */
                        null, /* query */
                        null),
                /* filesLeftOut */ 0, /* dryRun */
                false);
        assertThat(text(printer))
                .last()
                .isEqualTo("  node lost 10.0.0.1:9042: the connection broke. If the node crashed, rows that it had"
                        + " acknowledged in its last seconds may be gone, unless other replicas have them or its commit"
                        + " log is synced for each write (commitlog_sync: batch; the default is periodic). To be sure,"
                        + " run the whole load again with --timestamp 1795314643726600");
        assertThat(json(printer).get("nodesLost")).extracting(JsonNode::asText).containsExactly("10.0.0.1:9042");
    }
}
