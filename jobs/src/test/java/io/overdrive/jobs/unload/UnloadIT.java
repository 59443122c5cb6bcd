package io.overdrive.jobs.unload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.overdrive.OneCaseIn;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.ScanOptions;
import io.overdrive.TestCluster;
import io.overdrive.TypeZoo;
import io.overdrive.TypeZoo.Sample;
import io.overdrive.TypeZoo.TypeSamples;
import io.overdrive.WriteOptions;
import io.overdrive.formats.columns.ColumnBuilder.Decimals;
import io.overdrive.formats.records.Compression;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputFiles;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStore;
import io.overdrive.jobs.load.LoadSummary;
import io.overdrive.jobs.load.Loads;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables are unloaded to files, and loading the files gives the same table. */
@Tag("server")
@Timeout(300)
class UnloadIT {
    private static final String KEYSPACE = "files_unload";
    private static final int ROWS = 20_000;
    private static final List<TypeSamples> ZOO = TypeZoo.all(KEYSPACE).stream()
            .filter(type -> !type.cql().equals("counter"))
            .toList();

    private static final Overdrive OVERDRIVE = TestCluster.overdrive(KEYSPACE);

    private final Path directory;

    UnloadIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeAll
    static void load() {
        CqlSession session = OVERDRIVE.session();
        session.execute(TypeZoo.udtDdl(KEYSPACE));
        String columns = ZOO.stream()
                .map(t -> ", \"C " + t.name() + "\" " + t.cql().replace("creature", KEYSPACE + ".creature"))
                .collect(Collectors.joining());
        for (String table : List.of("zoo", "zoo_csv", "zoo_json", "zoo_arrow", "zoo_parquet")) {
            session.execute("CREATE TABLE " + KEYSPACE + "." + table + " (id text PRIMARY KEY" + columns + ")");
        }
        for (TypeSamples type : ZOO) {
            int i = 0;
            for (Sample sample : type.samples()) {
                session.execute(SimpleStatement.newInstance(
                        "INSERT INTO " + KEYSPACE + ".zoo (id, \"C " + type.name() + "\") VALUES (?, ?)",
                        type.name() + i++,
                        sample.value()));
            }
        }
        session.execute("CREATE TABLE " + KEYSPACE + ".t (p int, c int, v text, PRIMARY KEY (p, c))");
        session.execute("CREATE TABLE " + KEYSPACE + ".t2 (p int, c int, v text, PRIMARY KEY (p, c))");
        try (RowWriter writer =
                OVERDRIVE.writer(WriteOptions.into(KEYSPACE, "t").build())) {
            for (int i = 0; i < ROWS; i++) {
                RowBuffer row = writer.row().setInt(0, i % 100).setInt(1, i);
                if (i % 3 != 0) {
                    row.setText(2, i % 7 == 0 ? "" : "a, \"text\"\n" + i);
                }
                writer.send();
            }
        }
    }

    private static OutputFormat format(String kind) {
        return OutputFormat.builder(OutputFormat.Kind.valueOf(kind.toUpperCase(Locale.ROOT)))
                .build();
    }

    private static UnloadOptions into(
            @Nullable Path directory, @Nullable Path file, @Nullable PrintStream stream, String kind, String packing) {
        return new UnloadOptions(directory, file, stream, format(kind), ValueFormat.DEFAULT, packing, 2);
    }

    private static UnloadSummary unload(ScanOptions.Builder read, UnloadOptions options) {
        try (Unloader unloader = Unloader.open(OVERDRIVE, read.build(), options)) {
            return unloader.run();
        }
    }

    private static ScanOptions.Builder table(String name) {
        return ScanOptions.from(KEYSPACE, name);
    }

    private static UnloadSummary done(UnloadSummary summary) {
        assertThat(summary.failure()).isNull();
        assertThat(summary.outcome()).isEqualTo(Outcome.DONE);
        assertThat(summary.rowsWritten()).isEqualTo(summary.reads().rowsRead());
        return summary;
    }

    private LoadSummary load(String table, Path... inputs) {
        Loads loads = new Loads(directory);
        for (InputFile file :
                InputFiles.expand(Stream.of(inputs).map(Path::toString).toList())) {
            loads.file(Path.of(file.name()));
        }
        LoadSummary summary = loads.run(OVERDRIVE, WriteOptions.into(KEYSPACE, table));
        assertThat(summary.failure()).isNull();
        assertThat(summary.rowsRejected()).isZero();
        return summary;
    }

    private static List<String> rows(String table) {
        return rows(table, "");
    }

    private static List<String> rows(String table, String where) {
        List<String> rows = new ArrayList<>();
        OVERDRIVE
                .session()
                .execute("SELECT * FROM " + KEYSPACE + "." + table
                        + (where.isEmpty() ? "" : " WHERE " + where + " ALLOW FILTERING"))
                .forEach(row -> rows.add(row.getFormattedContents()));
        return rows;
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "arrow", "parquet"})
    void everyValueOfEveryTypeIsReadBack(String kind) {
        Path out = directory.resolve("out");
        UnloadSummary summary = done(unload(table("zoo"), into(out, null, null, kind, "none")));
        load("zoo_" + kind, out);
        assertThat(rows("zoo_" + kind)).isEqualTo(rows("zoo")).hasSize((int) summary.rowsWritten());
        UnloadSummary again =
                done(unload(table("zoo_" + kind), into(directory.resolve("again"), null, null, kind, "none")));
        assertThat(again.digest()).isEqualTo(summary.digest());
    }

    @Test
    void rowsOfAMegabyteComeBack() {
        for (String table : List.of("large", "large_csv", "large_json")) {
            OVERDRIVE.session().execute("CREATE TABLE " + KEYSPACE + "." + table + " (id int PRIMARY KEY, v text)");
        }
        try (RowWriter writer =
                OVERDRIVE.writer(WriteOptions.into(KEYSPACE, "large").build())) {
            for (int i = 0; i < 12; i++) {
                writer.row().setInt(0, i).setText(1, "a, \"text\"\nof a row,\r\n\u00e9t\u00e9 \\".repeat(38_000) + i);
                writer.send();
            }
        }
        UnloadSummary source = done(unload(table("large"), into(directory.resolve("out"), null, null, "csv", "none")));
        assertThat(source.rowsWritten()).isEqualTo(12);
        assertThat(source.bytesWritten()).isGreaterThan(12 << 20);
        for (String kind : List.of("csv", "json")) {
            Path file = directory.resolve("large." + kind);
            UnloadSummary unloaded = done(unload(table("large"), into(null, file, null, kind, "none")));
            assertThat(unloaded.overlongFieldLines()).isEqualTo(kind.equals("csv") ? 76_000 : 0);
            Loads loads = new Loads(directory).file(file);
            loads.format.maxFieldLines(76_000);
            assertThat(loads.run(OVERDRIVE, WriteOptions.into(KEYSPACE, "large_" + kind))
                            .rowsWritten())
                    .isEqualTo(12);
            UnloadSummary again =
                    done(unload(table("large_" + kind), into(directory.resolve(kind), null, null, kind, "none")));
            assertThat(again.digest()).isEqualTo(source.digest());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "zstd", "xz", "bzip2", "lz4", "snappy"})
    @OneCaseIn(3)
    void filesOfSplitsAndOneFileCanBeReadBack(String packing) {
        UnloadSummary many = done(unload(table("t"), into(directory.resolve("out"), null, null, "csv", packing)));
        assertThat(many.files())
                .hasSizeGreaterThan(1)
                .allMatch(file -> file.getFileName().toString().matches("t-\\d{5}\\.csv(\\.[a-z0-9]+)?"));
        String split = many.files().get(0).getFileName().toString();
        String suffix = split.substring(split.indexOf(".csv") + ".csv".length());
        Path file = directory.resolve("one.jsonl" + suffix);
        UnloadSummary one = done(unload(table("t"), into(null, file, null, "json", packing)));
        assertThat(one.files()).containsExactly(file);
        assertThat(file).hasSize(one.bytesStored());
        assertThat(one.digest()).isEqualTo(many.digest());
        for (Path input : List.of(directory.resolve("out"), file)) {
            OVERDRIVE.session().execute("TRUNCATE " + KEYSPACE + ".t2");
            assertThat(load("t2", input).rowsWritten()).isEqualTo(ROWS);
            assertThat(rows("t2")).isEqualTo(rows("t"));
        }
    }

    @Test
    void columnarFormatsGoToOneFileAndArrowToAStream() throws IOException {
        List<Path> inputs = new ArrayList<>();
        for (String kind : List.of("arrow", "parquet")) {
            Path file = directory.resolve("one." + kind);
            UnloadSummary one = done(unload(table("t"), into(null, file, null, kind, "none")));
            assertThat(file).hasSize(one.bytesStored());
            assertThat(directory.resolve("one." + kind + ".part")).doesNotExist();
            inputs.add(file);
        }
        Path stream = directory.resolve("stream.arrows");
        OutputFormat packed = OutputFormat.builder(OutputFormat.Kind.ARROW)
                .batches(new OutputFormat.Batches(/* isStream */ true, Compression.ZSTD, Decimals.TEXT))
                .build();
        try (PrintStream out = new PrintStream(Files.newOutputStream(stream), false, StandardCharsets.UTF_8)) {
            done(unload(table("t"), new UnloadOptions(null, null, out, packed, ValueFormat.DEFAULT, "none", 2)));
        }
        inputs.add(stream);
        for (Path input : inputs) {
            OVERDRIVE.session().execute("TRUNCATE " + KEYSPACE + ".t2");
            assertThat(load("t2", input).rowsWritten()).isEqualTo(ROWS);
            assertThat(rows("t2")).isEqualTo(rows("t"));
        }
    }

    /** More values than files that are written at the same time, and texts that need other characters in names. */
    @ParameterizedTest
    @CsvSource({"parquet,p,100", "arrow,v,174", "parquet,'v,p',300"})
    void columnsThatDirectoriesNameComeBack(String kind, String columns, int directories) throws IOException {
        OutputFormat format = OutputFormat.builder(OutputFormat.Kind.valueOf(kind.toUpperCase(Locale.ROOT)))
                .partitionBy(List.of(columns.split(",")))
                .build();
        Path out = directory.resolve("out");
        ScanOptions.Builder some =
                ScanOptions.query("SELECT c, p, v FROM " + KEYSPACE + ".t WHERE c < 300 ALLOW FILTERING");
        UnloadSummary summary =
                done(unload(some, new UnloadOptions(out, null, null, format, ValueFormat.DEFAULT, "none", 2)));
        assertThat(summary.rowsWritten()).isEqualTo(300);
        assertThat(summary.files()).allMatch(Files::isRegularFile);
        assertThat(summary.files().stream().map(Path::getParent).distinct()).hasSize(directories);
        assertThat(summary.bytesStored())
                .isEqualTo(summary.files().stream()
                        .mapToLong(file -> file.toFile().length())
                        .sum());
        OVERDRIVE.session().execute("TRUNCATE " + KEYSPACE + ".t2");
        assertThat(load("t2", out).rowsWritten()).isEqualTo(300);
        assertThat(rows("t2")).isEqualTo(rows("t", "c < 300"));
    }

    @Test
    void rowsGoToAStream() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(bytes, false, StandardCharsets.UTF_8);
        done(unload(table("t").columns("c", "p").where("p = 7 AND c < 300"), into(null, null, stream, "csv", "none")));
        assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo("c,p\n7,7\n107,7\n207,7\n");
        bytes.reset();
        done(unload(table("t").where("p = 7 AND c < 300"), into(null, null, stream, "csv", "gzip")));
        String text = new String(
                new GZIPInputStream(new ByteArrayInputStream(bytes.toByteArray())).readAllBytes(),
                StandardCharsets.UTF_8);
        assertThat(text).startsWith("p,c,v\n7,7,\"\"\n7,107,\"a, \"\"text\"\"\n107\"\n7,207,\n");
    }

    @Test
    void anEmptyTableGivesAFileThatSaysSo() throws IOException {
        OVERDRIVE.session().execute("CREATE TABLE " + KEYSPACE + ".nothing (p int PRIMARY KEY, v text)");
        UnloadSummary summary =
                done(unload(table("nothing"), into(directory.resolve("out"), null, null, "csv", "none")));
        assertThat(summary.files()).containsExactly(directory.resolve("out/nothing-00000.csv"));
        assertThat(Files.readString(summary.files().get(0))).isEqualTo("p,v\n");
    }

    @Test
    void aQueryGivesItsColumns() throws IOException {
        Path file = directory.resolve("q.csv");
        done(unload(
                ScanOptions.query("SELECT p, max(c) FROM " + KEYSPACE + ".t GROUP BY p"),
                into(null, file, null, "csv", "none")));
        assertThat(Files.readAllLines(file)).hasSize(101).contains("7,19907");
        assertThat(Files.readAllLines(file).get(0)).startsWith("p,");
    }

    @Test
    void aSecondUnloadIntoTheSamePlaceIsRefusedAtItsStart() throws IOException {
        Path file = directory.resolve("both.csv");
        Path many = directory.resolve("both");
        for (UnloadOptions options :
                List.of(into(null, file, null, "csv", "none"), into(many, null, null, "csv", "none"))) {
            Path where = options.file() == null ? many : file;
            try (Unloader first = Unloader.open(OVERDRIVE, table("t").build(), options)) {
                assertThatThrownBy(() -> Unloader.open(OVERDRIVE, table("t").build(), options))
                        .hasMessageStartingWith(where + ": another run writes it (process ");
                UnloadSummary summary = first.run();
                assertThat(summary.outcome()).isEqualTo(Outcome.DONE);
            }
            assertThatThrownBy(() -> Unloader.open(OVERDRIVE, table("t").build(), options))
                    .hasMessageContaining(where == file ? "the file exists" : "the directory is not empty");
            assertThat(many.resolve(".lock")).doesNotExist();
        }
    }

    private Unloader journaled(UnloadOptions options, @Nullable String resumes) {
        RunStore store = new RunStore(directory.resolve("runs"));
        RunRequest request = new RunRequest(store, "unload", List.of(), directory, "1", resumes);
        return Unloader.open(OVERDRIVE, table("t").build(), options, request);
    }

    @Test
    void aResumedUnloadLocksItsDirectoryEvenIfThatWasRemoved() throws IOException {
        Path many = directory.resolve("removed");
        UnloadOptions options = into(many, null, null, "csv", "none");
        String id;
        try (Unloader first = journaled(options, null)) {
            id = first.runId();
        }
        Files.delete(many);
        try (Unloader resumed = journaled(options, id)) {
            assertThatThrownBy(() -> Unloader.open(OVERDRIVE, table("t").build(), options))
                    .hasMessageStartingWith(many + ": another run writes it (process ");
            assertThat(resumed.run().outcome()).isEqualTo(Outcome.DONE);
        }
    }

    @Test
    void nothingIsOverwritten() throws IOException {
        Path old = Files.writeString(directory.resolve("old.csv"), "precious");
        assertThatThrownBy(() -> unload(table("t"), into(null, old, null, "csv", "none")))
                .isInstanceOf(OverdriveException.class)
                .hasMessage(old + ": the file exists; remove it, or name another");
        assertThatThrownBy(() -> unload(table("t"), into(directory, null, null, "csv", "none")))
                .isInstanceOf(OverdriveException.class)
                .hasMessageStartingWith(
                        directory + ": the directory is not empty, it contains old.csv; name a new one");
        assertThatThrownBy(() -> unload(table("t"), into(old, null, null, "csv", "none")))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("cannot be written");
        Path nowhere = directory.resolve("no/where.csv");
        assertThatThrownBy(() -> unload(table("t"), into(null, nowhere, null, "csv", "none")))
                .hasMessageContaining("there is no such directory for where.csv");
        assertThat(old).hasContent("precious");
    }

    /** Accepts a limited number of bytes. */
    private static final class FullDisk extends OutputStream {
        private int left = 50_000;

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            left -= count;
            if (left < 0) {
                throw new IOException("No space left on device");
            }
        }
    }

    @Test
    void aStreamThatAcceptsNoMoreEndsTheRun() {
        UnloadSummary summary = unload(
                table("t"),
                into(null, null, new PrintStream(new FullDisk(), false, StandardCharsets.UTF_8), "csv", "none"));
        assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(summary.failure())
                .hasMessageContaining("standard output cannot be written: its reader has ended, or the disk is full");
    }

    @Test
    void afterAFailureOnlyCompleteFilesRemain() throws Exception {
        Path out = directory.resolve("out");
        // one file at a time; the last would come after a minute
        ScanOptions slowly =
                table("t").pageRows(50).splitsInFlight(1).rowsPerSecond(300).build();
        UnloadSummary summary;
        try (Unloader unloader = Unloader.open(OVERDRIVE, slowly, into(out, null, null, "json", "none"))) {
            CompletableFuture<UnloadSummary> run = CompletableFuture.supplyAsync(unloader::run);
            while (unloader.progress().files().isEmpty()) {
                Thread.sleep(10);
            }
            unloader.stop();
            summary = run.get(180, TimeUnit.SECONDS);
        }
        assertThat(summary.outcome()).isEqualTo(Outcome.STOPPED);
        assertThat(summary.rowsWritten()).isBetween(1L, ROWS - 1L);
        assertThat(summary.files()).isNotEmpty();
        try (Stream<Path> files = Files.list(out)) {
            assertThat(files.toList()).containsExactlyInAnyOrderElementsOf(summary.files());
        }
        long rows = 0;
        long bytes = 0;
        for (Path whole : summary.files()) {
            rows += Files.readAllLines(whole).size();
            bytes += Files.size(whole);
        }
        assertThat(summary.rowsWritten()).isEqualTo(rows);
        assertThat(summary.bytesStored()).isEqualTo(bytes);
        Path file = directory.resolve("one.csv");
        try (Unloader unloader = Unloader.open(OVERDRIVE, table("t").build(), into(null, file, null, "csv", "none"))) {
            unloader.stop();
            assertThat(unloader.run().outcome()).isEqualTo(Outcome.STOPPED);
        }
        ScanOptions halfway =
                table("t").pageRows(50).splitsInFlight(1).rowsPerSecond(300).build();
        try (Unloader unloader = Unloader.open(OVERDRIVE, halfway, into(null, file, null, "csv", "none"))) {
            CompletableFuture<UnloadSummary> run = CompletableFuture.supplyAsync(unloader::run);
            while (unloader.progress().rowsWritten() == 0) {
                Thread.sleep(10);
            }
            unloader.stop();
            UnloadSummary stopped = run.get(180, TimeUnit.SECONDS);
            assertThat(stopped.rowsWritten()).isZero();
            assertThat(stopped.bytesStored()).isZero();
        }
        assertThat(file).doesNotExist();
        assertThat(directory.resolve("one.csv.part")).doesNotExist();
    }
}
