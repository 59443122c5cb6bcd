package io.overdrive.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Latency;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.ScanTotals;
import io.overdrive.Totals;
import io.overdrive.WriteTimes;
import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.copy.CopySummary;
import io.overdrive.jobs.diff.DiffSummary;
import io.overdrive.jobs.unload.NotKept;
import io.overdrive.jobs.unload.UnloadSummary;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The summaries of an unload, a copy and a comparison, as text and as JSON, letter by letter. */
class PrintersTest {
    private static final ScanTotals READS = new ScanTotals(
            1_234_567,
            98_765_432,
            2000,
            3,
            40,
            39,
            0,
            new Latency(
                    Duration.ofNanos(850_000),
                    Duration.ofNanos(12_300_000),
                    Duration.ofMillis(4500),
                    Duration.ofMillis(4500)),
            null);
    private static final Totals WRITES = new Totals(
            1_234_567,
            1_234_000,
            67,
            0,
            0,
            true,
            123_450_000,
            13_000,
            12_340,
            1_230_298,
            17,
            0,
            2000,
            64_000,
            0,
            0,
            0,
            new Latency(Duration.ofMillis(2), Duration.ofMillis(34), Duration.ofMillis(450), Duration.ofSeconds(5)),
            null,
            Set.of());
    private static final Duration ELAPSED = Duration.ofMillis(12_345);

    private static List<String> lines(Consumer<PrintWriter> printer) {
        StringWriter out = new StringWriter();
        printer.accept(new PrintWriter(out));
        return out.toString().lines().toList();
    }

    @Test
    void filesInSeveralDirectoriesAreShownByTheOneAround() {
        Path first = Path.of("out", "year=2020", "t-00000.parquet");
        Path second = Path.of("out", "year=2021", "t-00000.parquet");
        assertThat(UnloadPrinter.place(List.of(first))).isEqualTo(first);
        assertThat(UnloadPrinter.place(List.of(first, second))).isEqualTo(Path.of("out"));
        assertThat(UnloadPrinter.place(List.of(Path.of("a"), Path.of("b")))).isNull();
    }

    @Test
    void anUnload() {
        UnloadSummary summary = new UnloadSummary(
                1_234_567,
                0,
                150_000_000,
                50_000_000,
                0,
                0,
                ELAPSED,
                READS,
                List.of(Path.of("out", "a.csv"), Path.of("out", "b.csv")),
                76_001,
                new NotKept(2, 1, 5, 3, 1),
                "0123",
                Outcome.DONE,
                null);
        UnloadPrinter printer = new UnloadPrinter(summary, 128L << 20, /* run */ null);
        assertThat(lines(printer::text))
                .containsExactly(
                        "1,234,567 rows written",
                        "  time      12.3 s after connecting, 100,005 rows/s, 8.00 MB/s read, 12.2 MB/s written",
                        "  latency   p50 850 us, p99 12.3 ms, max 4.5 s",
                        "  pages     2,000 of 49.4 kB in 40 splits, 3 retries, up to 134 MB of memory",
                        "  files     2, 50.0 MB: out",
                        "  fields    have up to 76,001 lines; to load them again, give --max-field-lines 76001",
                        "  keys      2 have an empty number, time or the like, as blobAsInt(0x) makes it; files have"
                                + " no form for it, so a load will reject these records, or take those that have only"
                                + " static values for partitions without a row; only overdrive copy keeps such rows",
                        "  elements  1 is an empty number, time or the like in a collection; files have no form for"
                                + " it, so a load will reject these records; only overdrive copy keeps such rows",
                        "  values    5 are an empty number, time or the like outside of keys; files have no form for it,"
                                + " so a load will write no value for it; only overdrive copy keeps it",
                        "  times     3 are in the second of two hours that look the same when clocks are set back; a"
                                + " load takes the first one; with an offset (XXX) in --timestamp-format, or without"
                                + " --time-zone, they are distinct",
                        "  times     1 collection or UDT has elements of different write times or times to live, and no"
                                + " time in the files, so a load with --keep-times will reject these records; with"
                                + " --allow-extra-fields instead, it gives all cells new times",
                        "  digest    0123");
        assertThat(lines(printer::json))
                .containsExactly(
                        "{\"outcome\":\"done\",\"rowsWritten\":1234567,\"rowsInParts\":0,\"seconds\":12.345,\"rowsPerSecond\":100005,"
                                + "\"bytesRead\":98765432,\"bytesWritten\":150000000,\"bytesStored\":50000000,\"pages\":2000,"
                                + "\"splits\":40,\"splitsRead\":39,\"retries\":3,\"pageMemory\":134217728,"
                                + "\"overlongFieldLines\":76001,\"emptyKeys\":2,\"emptyElements\":1,\"emptyValues\":5,\"repeatedTimes\":3,\"elementTimes\":1,\"latencyMillis\":{\"p50\":0.85,\"p99\":12.3,\"max\":4500.0},\"digest\":\"0123\","
                                + "\"files\":[\"out/a.csv\",\"out/b.csv\"]}");
    }

    @Test
    void anUnloadThatWasResumed() {
        UnloadSummary summary = new UnloadSummary(
                30_000,
                2_000,
                100,
                100,
                20_000,
                60,
                ELAPSED,
                READS,
                List.of(Path.of("out", "a.csv")),
                0,
                NotKept.NOTHING,
                "0123",
                Outcome.STOPPED,
                null);
        UnloadPrinter printer = new UnloadPrinter(summary, 128L << 20, "20260131-134500-abcd");
        assertThat(lines(printer::text))
                .startsWith(
                        "30,000 rows written, NOT ALL: 99 of 100 splits read",
                        "  kept      2,000 rows in files that are not complete (.part), which a resumed run completes",
                        "  resumed   run 20260131-134500-abcd, 20,000 rows were done before",
                        "  time      12.3 s after connecting, 810 rows/s, 8.00 MB/s read, 8 B/s written");
        assertThat(lines(printer::json))
                .first()
                .asString()
                .startsWith(
                        "{\"outcome\":\"stopped\",\"rowsWritten\":30000,\"rowsInParts\":2000,\"run\":\"20260131-134500-abcd\",\"rowsBefore\":20000,"
                                + "\"seconds\":12.345,\"rowsPerSecond\":810,");
    }

    @Test
    void anUnloadThatFailed() {
        UnloadSummary summary = new UnloadSummary(
                10,
                1,
                100,
                100,
                0,
                0,
                ELAPSED,
                READS,
                List.of(Path.of("out", "a.csv")),
                0,
                NotKept.NOTHING,
                "0123",
                Outcome.FAILED,
                new OverdriveException(
                        Kind.DISK, words -> "disk full, or do without " + words.of(JobOption.NO_JOURNAL)));
        UnloadPrinter printer = new UnloadPrinter(summary, 128L << 20, /* run */ null);
        assertThat(lines(printer::text))
                .containsExactly(
                        "10 rows written, NOT ALL: 39 of 40 splits read",
                        "  kept      1 row in files that are not complete (.part), which a resumed run completes",
                        "  time      12.3 s after connecting, 0.8 rows/s, 8.00 MB/s read, 8 B/s written",
                        "  latency   p50 850 us, p99 12.3 ms, max 4.5 s",
                        "  pages     2,000 of 49.4 kB in 40 splits, 3 retries, up to 134 MB of memory",
                        "  files     1, 100 B: out/a.csv");
        assertThat(lines(printer::json))
                .containsExactly(
                        "{\"outcome\":\"failed\",\"failure\":\"disk full, or do without"
                                + " --no-journal\",\"rowsWritten\":10,\"rowsInParts\":1,\"seconds\":12.345,"
                                + "\"rowsPerSecond\":1,\"bytesRead\":98765432,\"bytesWritten\":100,\"bytesStored\":100,"
                                + "\"pages\":2000,\"splits\":40,\"splitsRead\":39,\"retries\":3,\"pageMemory\":134217728,"
                                + "\"overlongFieldLines\":0,\"emptyKeys\":0,\"emptyElements\":0,\"emptyValues\":0,\"repeatedTimes\":0,\"elementTimes\":0,\"latencyMillis\":{\"p50\":0.85,\"p99\":12.3,\"max\":4500.0},\"files\":[\"out/a.csv\"]}");
    }

    @Test
    void aCopy() {
        CopySummary summary = new CopySummary(
                1_234_567,
                1_234_000,
                67,
                /* rowsLeftOut */ 0,
                0,
                0,
                ELAPSED,
                READS,
                WRITES,
                /* imports */ null,
                new WriteTimes(1_795_314_643_726_600L, Duration.ZERO, /* repeatable */ false),
                List.of(Path.of("ks.t.rejected.jsonl")),
                "{\"id\":7}: column \"n\" is int, but 2147483648 is out of range",
                Outcome.STOPPED,
                null);
        CopyPrinter printer = new CopyPrinter(summary, /* run */ null);
        assertThat(lines(printer::text))
                .containsExactly(
                        "1,234,567 rows read = 1,234,000 written + 67 rejected + 500 NOT WRITTEN, NOT ALL: 39 of 40"
                                + " splits read",
                        "  time      12.3 s after connecting, 100,005 rows/s, 8.00 MB/s read, 10.0 MB/s sent",
                        "  reads     p50 850 us, p99 12.3 ms, max 4.5 s; 2,000 pages, 39 of 40 splits, 3 retries",
                        "  writes    p50 2.0 ms, p99 34.0 ms, max 5.0 s; 13,000 requests, of them 12,"
                                + "340 batches of 99.7 rows, 17 retries",
                        "  timestamp 1795314643726600",
                        "  rejected  ks.t.rejected.jsonl, keys with the reasons",
                        "            the first: {\"id\":7}: column \"n\" is int, but 2147483648 is out of range");
        assertThat(lines(printer::json))
                .containsExactly(
                        "{\"outcome\":\"stopped\",\"rowsRead\":1234567,\"rowsWritten\":1234000,\"rowsRejected\":67,\"rowsLeftOut\":0,\"rowsNotWritten\":500,"
                                + "\"seconds\":12.345,\"rowsPerSecond\":100005,\"bytesRead\":98765432,\"bytesWritten\":123450000,"
                                + "\"pages\":2000,\"splits\":40,\"splitsRead\":39,\"readRetries\":3,\"requests\":13000,"
                                + "\"batches\":12340,\"retries\":17,\"batchesSplit\":0,\"rowsSpilled\":2000,\"timestamp\":1795314643726600,"
                                + "\"repeatable\":false,\"timestampAheadSeconds\":0.0,\"nodesLost\":[],\"latencyMillis\":{\"p50\":2.0,"
                                + "\"p99\":34.0,\"p999\":450.0,\"max\":5000.0},\"readLatencyMillis\":{\"p50\":0.85,\"p99\":12.3,"
                                + "\"max\":4500.0},\"rejectFiles\":[\"ks.t.rejected.jsonl\"],\"firstReject\":\"{\\\"id\\\":7}:"
                                + " column \\\"n\\\" is int, but 2147483648 is out of range\"}");
    }

    @Test
    void aComparison() {
        DiffSummary summary = new DiffSummary(
                1000,
                1001,
                990,
                5,
                6,
                7,
                8,
                2,
                0,
                ELAPSED,
                READS,
                READS,
                "0123",
                "4567",
                1,
                true,
                true,
                List.of("ks.t.note"),
                List.of(),
                Outcome.DONE,
                null);
        DiffPrinter printer = new DiffPrinter(summary, /* run */ null);
        assertThat(lines(printer::text))
                .containsExactly(
                        "1,000 rows left, 1,001 right: 990 the same, 5 different, 6 missing left, 7 missing right",
                        "  repaired  8 differences on the right; run it again to see whether any is left",
                        "  NOT REPAIRED: 2 differences: values that the right column cannot hold, equal keys with other bytes"
                                + " (1.0 and 1.00), and with --keep-times values that only the right table has, and elements of several times",
                        "  time      12.3 s after connecting, 162 rows/s of both, 16.0 MB/s read",
                        "  latency   p50 850 us left, 850 us right; p99 12.3 ms left, 12.3 ms right",
                        "  digest    0123 left",
                        "            4567 right");
        assertThat(lines(printer::json))
                .containsExactly(
                        "{\"outcome\":\"done\",\"whole\":true,\"notCompared\":[\"ks.t.note\"],\"rowsLeft\":1000,\"rowsRight\":1001,\"rowsSame\":990,"
                                + "\"different\":5,\"missingLeft\":6,\"missingRight\":7,\"rowsRepaired\":8,\"notRepaired\":2,\"seconds\":12.345,"
                                + "\"bytesRead\":197530864,\"retries\":6,\"digestLeft\":\"0123\",\"digestRight\":\"4567\"}");
    }

    /** Files are read without requests. */
    @Test
    void readsFromFilesHaveNoLatency() {
        ScanTotals ofFiles = new ScanTotals(1000, 10_000, 20, 0, 4, 4, 0, Latency.NONE, null);
        assertThat(lines(out -> CopyPrinter.printReads(out, ofFiles)))
                .containsExactly("  reads     20 pages, 4 of 4 splits, 0 retries");
        DiffSummary summary = new DiffSummary(
                1000,
                1001,
                990,
                5,
                6,
                7,
                0,
                0,
                0,
                ELAPSED,
                ofFiles,
                READS,
                "0123",
                "4567",
                0.5,
                false,
                false,
                List.of(),
                List.of(),
                Outcome.STOPPED,
                null);
        assertThat(lines(new DiffPrinter(summary, /* run */ null)::text))
                .contains("  latency   p50 850 us, p99 12.3 ms, max 4.5 s right");
    }

    @Test
    void aComparisonThatWasStopped() {
        DiffSummary summary = new DiffSummary(
                1000,
                1001,
                990,
                5,
                6,
                7,
                0,
                0,
                0,
                ELAPSED,
                READS,
                READS,
                "0123",
                "4567",
                0.5,
                false,
                false,
                List.of(),
                List.of(),
                Outcome.STOPPED,
                null);
        DiffPrinter printer = new DiffPrinter(summary, /* run */ null);
        assertThat(lines(printer::text))
                .containsExactly(
                        "1,000 rows left, 1,001 right: 990 the same, 5 different, 6 missing left,"
                                + " 7 missing right; NOT ALL rows were compared",
                        "  time      12.3 s after connecting, 162 rows/s of both, 16.0 MB/s read",
                        "  latency   p50 850 us left, 850 us right; p99 12.3 ms left, 12.3 ms right");
        assertThat(lines(printer::json))
                .containsExactly(
                        "{\"outcome\":\"stopped\",\"whole\":false,\"rowsLeft\":1000,\"rowsRight\":1001,\"rowsSame\":990,"
                                + "\"different\":5,\"missingLeft\":6,\"missingRight\":7,\"rowsRepaired\":0,\"seconds\":12.345,"
                                + "\"bytesRead\":197530864,\"retries\":6}");
    }
}
