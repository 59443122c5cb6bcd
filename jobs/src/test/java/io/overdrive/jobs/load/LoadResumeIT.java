package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.OneCaseIn;
import io.overdrive.Overdrive;
import io.overdrive.TestCluster;
import io.overdrive.WriteOptions;
import io.overdrive.formats.columns.ColumnBuilder.Decimals;
import io.overdrive.formats.records.Compression;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStore;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A load whose journal remembers few rows is killed: it gets back an earlier state of its journal, and is resumed. */
@Timeout(300)
class LoadResumeIT {
    private static final String KEYSPACE = "load_resume";
    private static final int RECORDS = 7_000;
    /** So that a load takes several checkpoints. */
    private static final int ROWS_PER_SECOND = 600;
    /** Two bytes for each position, if they are scattered. */
    private static final long MAX_JOURNAL_BYTES = 6_000;

    private static final int ROWS_AT_KILL = RECORDS / 2 + RECORDS / 8;
    private static final Overdrive OVERDRIVE = TestCluster.overdrive(KEYSPACE);

    private final Path directory;
    private final RunStore store;
    private final Loads loads;
    /** The last value of each key. */
    private final Map<Integer, String> model = new HashMap<>();

    LoadResumeIT(@TempDir Path directory) {
        this.directory = directory;
        store = new RunStore(directory.resolve("runs"));
        loads = new Loads(directory);
    }

    /** Shuffled, so that rows are acknowledged in another order; 5 % of the keys come twice. */
    private String[] lines() {
        Random random = new Random(1);
        List<Integer> keys = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            keys.add(i % 20 == 0 ? random.nextInt(RECORDS) : i);
        }
        Collections.shuffle(keys, random);
        List<String> lines = new ArrayList<>(List.of("p,c,v"));
        for (int i = 0; i < RECORDS; i++) {
            int key = keys.get(i);
            lines.add(key / 10 + "," + key + ",v" + i);
            model.put(key, "v" + i);
        }
        return lines.toArray(String[]::new);
    }

    /** The same rows as a stream of Arrow, or a file of Parquet, with several batches. */
    private Path columnar(OutputFormat.Kind kind, String[] lines) throws IOException {
        boolean isStream = kind == OutputFormat.Kind.ARROW;
        OutputFormat format = OutputFormat.builder(kind)
                .batches(new OutputFormat.Batches(isStream, Compression.NONE, Decimals.TEXT))
                .build();
        List<DataType> types = List.of(DataTypes.INT, DataTypes.INT, DataTypes.TEXT);
        RecordWriter writer = RecordWriter.of(format, List.of(lines[0].split(",")), types, ValueFormat.DEFAULT);
        writer.limitBatch(20_000);
        Bytes out = new Bytes(1 << 16);
        writer.header(out);
        Bytes value = new Bytes(16);
        for (int i = 1; i < lines.length; i++) {
            writer.begin(out);
            String[] fields = lines[i].split(",");
            for (int c = 0; c < fields.length; c++) {
                value.clear();
                char[] text = fields[c].toCharArray();
                ValueText.of(types.get(c), ValueFormat.DEFAULT).parse(text, 0, text.length, value);
                writer.cell(c, value.array(), 0, value.length(), out);
            }
            writer.end(out);
        }
        writer.complete(out);
        Path file = Files.write(directory.resolve("in" + format.extension()), out.toByteArray());
        Bytes end = new Bytes(64);
        try (FileChannel channel = FileChannel.open(file)) {
            writer.footer(isStream ? null : channel, channel.size(), end);
        }
        return Files.write(file, end.toByteArray(), StandardOpenOption.APPEND);
    }

    private Loader open(String table, int rowsPerSecond, @Nullable String resumes) {
        return Loader.open(
                OVERDRIVE,
                WriteOptions.into(KEYSPACE, table).rowsPerSecond(rowsPerSecond),
                loads.options(),
                new RunRequest(store, "load", List.of(), directory, "1", resumes),
                MAX_JOURNAL_BYTES);
    }

    private static void copyJournal(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        for (String name : List.of("run.json", "status.json", "journal")) {
            Files.copy(from.resolve(name), to.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Each row with its write time, by its clustering column. */
    private static Map<Integer, String> rows(String table) {
        Map<Integer, String> rows = new HashMap<>();
        OVERDRIVE
                .session()
                .execute("SELECT c, v, writetime(v) FROM " + KEYSPACE + "." + table)
                .forEach(row -> rows.put(row.getInt(0), row.getString(1) + " " + row.getLong(2)));
        return rows;
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "arrow", "parquet"})
    @OneCaseIn(3)
    void rowsBeyondTheBoundOfTheJournalAreWrittenAgain(String table) throws Exception {
        OVERDRIVE.changeSchema(
                "CREATE TABLE " + KEYSPACE + "." + table + " (p int, c int, v text, PRIMARY KEY (p, c))");
        if (table.equals("csv")) {
            loads.file("in.csv", lines());
        } else {
            loads.file(columnar(OutputFormat.Kind.valueOf(table.toUpperCase(Locale.ROOT)), lines()));
        }
        Path saved = directory.resolve("saved");
        Path journal;
        String id;
        try (Loader loader = open(table, ROWS_PER_SECOND, null)) {
            id = Objects.requireNonNull(loader.journaledRun()).id();
            journal = directory.resolve("runs").resolve(id);
            CompletableFuture<LoadSummary> run = CompletableFuture.supplyAsync(loader::run);
            while (store.find(id).status().rows() < ROWS_AT_KILL) {
                assertThat(run).isNotDone();
                Thread.sleep(10);
            }
            copyJournal(journal, saved);
            assertThat(run.get(120, TimeUnit.SECONDS).outcome()).isEqualTo(Outcome.DONE);
        }
        Map<Integer, String> before = rows(table);
        assertThat(before).hasSameSizeAs(model);
        before.forEach((key, row) -> assertThat(row).startsWith(model.get(key) + " "));
        assertThat(Files.size(saved.resolve("journal"))).isLessThan(2 * MAX_JOURNAL_BYTES);

        copyJournal(saved, journal);
        try (Loader loader = open(table, Integer.MAX_VALUE, id)) {
            LoadSummary resumed = loader.run();
            assertThat(resumed.failure()).isNull();
            assertThat(resumed.outcome()).isEqualTo(Outcome.DONE);
            assertThat(resumed.rowsRead()).isEqualTo(RECORDS);
            assertThat(resumed.rowsWritten()).isEqualTo(RECORDS);
            long writtenBefore = Objects.requireNonNull(resumed.run()).writtenBefore();
            assertThat(writtenBefore).isPositive().isLessThan(ROWS_AT_KILL);
            assertThat(resumed.writes().rowsWritten()).isEqualTo(RECORDS - writtenBefore);
        }
        assertThat(rows(table)).as("with the write times of the run that began").isEqualTo(before);
    }
}
