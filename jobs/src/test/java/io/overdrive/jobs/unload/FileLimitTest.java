package io.overdrive.jobs.unload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.Seeds;
import io.overdrive.Split;
import io.overdrive.formats.manifest.Manifest;
import io.overdrive.formats.records.Compression;
import io.overdrive.formats.records.InputFormat;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.formats.records.Read;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.expression.Assignments;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStore;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.journal.SplitJournal;
import io.overdrive.jobs.journal.SplitJournal.Remaining;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Files with a limit, written in any number of runs of which all but the last are killed at a checkpoint. */
class FileLimitTest {
    private static final int SPLITS = 3;
    private static final long TOKENS = 1_000;
    private static final List<String> COLUMNS = List.of("a \"b\", c", "p");
    private static final List<String> TABLES = List.of("t", "t-00001", "t-00001-000001", "T\u00e9 x.csv");
    /** Maximum size of a record that these tests write. */
    private static final int MAX_RECORD_BYTES = 4 << 10;

    private final Path directory;

    FileLimitTest(@TempDir Path directory) {
        this.directory = directory;
    }

    /** A row; its value also decides its directory. */
    private record Row(long token, @Nullable String text, int value) {}

    /** How an output is made. */
    private record Setup(
            String table, OutputFormat.Kind kind, Compression packing, boolean hasDirectories, FileLimit limit) {
        RecordWriter records() {
            OutputFormat.Builder format =
                    OutputFormat.builder(kind).partitionBy(hasDirectories ? List.of("p") : List.of());
            return RecordWriter.of(
                    format.build(), COLUMNS, List.of(DataTypes.TEXT, DataTypes.INT), ValueFormat.DEFAULT);
        }

        Output open(Path files, @Nullable SplitJournal journal) {
            String extension = OutputFormat.builder(kind).build().extension();
            FileNames names = new FileNames(table, extension, packing, limit);
            return hasDirectories
                    ? new PartitionedOutput(files, names, List.of("p"), records(), journal)
                    : new DirectoryOutput(files, names, records(), journal);
        }
    }

    /** Writes the rows of a split, as a {@link PageEncoder} does. */
    private static final class Writer {
        private final Setup setup;
        private final Output.Sink sink;
        private final Map<String, RecordWriter> records = new HashMap<>();
        private final Bytes text = new Bytes(64);
        private final int chunkBytes;
        long rows;

        Writer(Setup setup, Output.Sink sink, long rows, int chunkBytes) {
            this.setup = setup;
            this.sink = sink;
            this.rows = rows;
            this.chunkBytes = chunkBytes;
        }

        void write(Row row) throws IOException {
            String path = setup.hasDirectories ? "p=" + row.value : "";
            Output.Target to = path.isEmpty() ? sink : sink.target(path);
            RecordWriter writer = records.computeIfAbsent(path, p -> setup.records());
            byte[] value = row.text == null ? new byte[0] : row.text.getBytes(StandardCharsets.UTF_8);
            writer.begin(text);
            writer.cell(0, value, 0, row.text == null ? -1 : value.length, text);
            writer.cell(1, ByteBuffer.allocate(4).putInt(row.value).array(), 0, 4, text);
            writer.end(text);
            rows++;
            if (to.isLast(text.length())) {
                writer.complete(text);
                put(to);
                to.roll();
            } else if (text.length() >= chunkBytes || setup.hasDirectories) {
                put(to);
            }
        }

        private void put(Output.Target to) throws IOException {
            if (text.length() > 0) {
                to.write(text);
                text.clear();
            }
        }

        void flush() throws IOException {
            for (Map.Entry<String, RecordWriter> each : records.entrySet()) {
                each.getValue().complete(text);
                put(each.getKey().isEmpty() ? sink : sink.target(each.getKey()));
            }
        }

        Position position(long token, boolean isFinished) {
            return new Position(token, isFinished, rows, 0, 0, 0, Position.Place.START, NotKept.NOTHING);
        }
    }

    private static List<Row> rows(int split, Random random) {
        List<Row> rows = new ArrayList<>();
        long token = split * TOKENS;
        for (int left = random.nextInt(40); left > 0; left--) {
            token += random.nextInt(3);
            String text =
                    switch (random.nextInt(5)) {
                        case 0 -> null;
                        case 1 -> "";
                        case 2 -> "a, \"b\"\r\n\u00e9";
                        default -> "x".repeat(random.nextInt(200));
                    };
            rows.add(new Row(token + 1, text, random.nextInt(3)));
        }
        return rows;
    }

    private static FileLimit limit(Random random) {
        long rows = random.nextInt(3) == 0 ? Long.MAX_VALUE : 1 + random.nextInt(8);
        long bytes = rows != Long.MAX_VALUE && random.nextBoolean() ? Long.MAX_VALUE : 1 + random.nextInt(2_000);
        return new FileLimit(rows, bytes);
    }

    private SplitJournal journal(Path runs, @Nullable String resumes) {
        return SplitJournal.open(
                new RunRequest(new RunStore(runs), "unload", List.of(), Path.of("/"), "1", resumes),
                List.of(new RunTarget("c", List.of("h"), "ks.t", "id", List.of("a int PARTITION_KEY"), Map.of())));
    }

    private enum Kill {
        BEFORE_THE_JOURNAL,
        BEFORE_NAMES,
        AFTER_NAMES,
        NEVER
    }

    private static void checkpoint(Output output, SplitJournal journal, Kill kill) throws IOException {
        Output.Checkpoint durable = output.checkpoint();
        if (kill != Kill.BEFORE_THE_JOURNAL) {
            journal.checkpoint(durable.reached(), durable.shared());
            if (kill != Kill.BEFORE_NAMES) {
                output.publish();
            }
        }
    }

    private static void begin(SplitJournal journal, List<List<Row>> splits) {
        journal.begin(Stream.iterate(0L, i -> i + 1)
                .limit(splits.size())
                .map(i -> new Split(List.of(new Split.Range(i * TOKENS, (i + 1) * TOKENS)), List.of(), 0))
                .toList());
    }

    /** Writes what is left, and returns whether that was all of it. */
    private static boolean run(
            Setup setup, Path files, SplitJournal journal, List<List<Row>> splits, Random random, Kill kill)
            throws IOException {
        try (Output output = setup.open(files, journal)) {
            if (!journal.isBegun()) {
                begin(journal, splits);
            }
            for (Remaining each : journal.remaining()) {
                if (!writes(setup, output, journal, each, splits.get(each.number()), random, kill)) {
                    return false;
                }
            }
            checkpoint(output, journal, Kill.NEVER);
            output.finish(0);
            checkFiles(output);
            return true;
        }
    }

    /** Writes the rest of a split; returns false if the run is killed meanwhile. */
    private static boolean writes(
            Setup setup, Output output, SplitJournal journal, Remaining rest, List<Row> rows, Random random, Kill kill)
            throws IOException {
        Position from = rest.reached() == null ? Position.START : Position.of(rest.reached());
        Writer writer = new Writer(setup, output.split(rest.number(), from), from.rows(), random.nextInt(300));
        long token = Long.MAX_VALUE;
        for (Row row : rows) {
            if (row.token <= from.token()) {
                continue;
            }
            boolean canCut = !setup.hasDirectories && row.token > token;
            if (canCut && random.nextInt(4) == 0) {
                writer.flush();
                writer.sink.reached(writer.position(token, /* isFinished */ false));
            }
            token = row.token;
            writer.write(row);
            if (random.nextInt(5) == 0) {
                boolean isKilled = kill != Kill.NEVER && random.nextInt(3) == 0;
                checkpoint(output, journal, isKilled ? kill : Kill.NEVER);
                if (isKilled) {
                    return false;
                }
            }
        }
        writer.flush();
        writer.sink.end(writer.position(Long.MAX_VALUE, /* isFinished */ true));
        return true;
    }

    /** Files are not read again, so that the manifest has the checksums of what was written. */
    @ParameterizedTest
    @CsvSource({"false", "true"})
    void knowsFilesThatWereChangedBeforeItIsResumed(boolean hasDirectories) throws IOException {
        OutputFormat.Kind kind = hasDirectories ? OutputFormat.Kind.ARROW : OutputFormat.Kind.CSV;
        Setup setup = new Setup("t", kind, Compression.NONE, hasDirectories, FileLimit.NONE);
        List<List<Row>> splits = List.of(
                List.of(new Row(1, "a", 1), new Row(2, "b", 2)),
                List.of(new Row(TOKENS + 1, "c", 1), new Row(TOKENS + 2, "d", 1)));
        Path files = directory.resolve("files");
        String id;
        try (SplitJournal journal = journal(directory.resolve("runs"), /* resumes */ null);
                Output output = setup.open(files, journal)) {
            id = journal.id();
            begin(journal, splits);
            for (int split = 0; split < splits.size(); split++) {
                Writer writer = new Writer(setup, output.split(split, Position.START), 0, /* batch */ 0);
                for (Row row : splits.get(split).subList(0, 2 - split)) {
                    writer.write(row);
                }
                writer.flush();
                if (split == 0) {
                    writer.sink.end(writer.position(Long.MAX_VALUE, /* isFinished */ true));
                } else if (!hasDirectories) {
                    writer.sink.reached(writer.position(TOKENS + 1, /* isFinished */ false));
                }
            }
            checkpoint(output, journal, Kill.NEVER);
        }
        for (Path each : tree(files)) {
            byte[] bytes = Files.readAllBytes(each);
            bytes[bytes.length - 2] ^= 1;
            Files.write(each, bytes);
        }
        try (SplitJournal journal = journal(directory.resolve("runs"), id);
                Output output = setup.open(files, journal)) {
            assertThat(output.files()).isNotEmpty();
            for (Path each : output.files()) {
                assertThat(output.sum(each)).isNotNull().isNotEqualTo(Manifest.sum(each));
            }
            if (!hasDirectories) {
                Writer writer = new Writer(
                        setup,
                        output.split(
                                1,
                                Position.of(Objects.requireNonNull(
                                        journal.remaining().get(0).reached()))),
                        1,
                        /* batch */ 0);
                assertThatThrownBy(() -> {
                            writer.write(splits.get(1).get(1));
                            writer.flush();
                        })
                        .hasMessageContaining("t-00001.csv: cannot be written: its first ")
                        .hasMessageContaining("the file was changed or damaged since");
            }
        }
    }

    private static void checkFiles(Output output) throws IOException {
        long stored = 0;
        for (Path file : output.files()) {
            stored += Files.size(file);
            assertThat(output.sum(file)).as(file.toString()).isEqualTo(Manifest.sum(file));
        }
        assertThat(output.storedBytes.sum()).isEqualTo(stored);
    }

    private static List<Path> tree(Path files) throws IOException {
        try (Stream<Path> all = Files.walk(files)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static List<String> read(Path file) {
        return Read.file(file, InputFormat.builder().build()).records.stream()
                .map(Read.Rec::raw)
                .toList();
    }

    /** The rows as a file without a limit has them, by directory and split. */
    private Map<String, List<String>> model(Setup setup, List<List<Row>> splits, Path files) throws IOException {
        Setup plain = new Setup("m", setup.kind, Compression.NONE, setup.hasDirectories, FileLimit.NONE);
        try (Output output = plain.open(files, /* journal */ null)) {
            for (int split = 0; split < splits.size(); split++) {
                Writer writer = new Writer(plain, output.split(split, Position.START), 0, 0);
                for (Row row : splits.get(split)) {
                    writer.write(row);
                }
                writer.flush();
                writer.sink.end(writer.position(Long.MAX_VALUE, /* isFinished */ true));
            }
        }
        Map<String, List<String>> rows = new TreeMap<>();
        for (Path file : tree(files)) {
            rows.put(files.relativize(file).toString().replaceFirst("m-(\\d+).*", "$1"), read(file));
        }
        return rows;
    }

    private static void check(Setup setup, Path files, Map<String, List<String>> model) throws IOException {
        Pattern name = Pattern.compile(Pattern.quote(setup.table) + "-(\\d{5})-(\\d{6})\\..*");
        Map<String, List<String>> rows = new TreeMap<>();
        Map<String, Integer> next = new HashMap<>();
        for (Path file : tree(files)) {
            assertThat(file.toString()).doesNotEndWith(Place.UNFINISHED);
            Matcher numbers = name.matcher(file.getFileName().toString());
            assertThat(numbers.matches()).as(file.toString()).isTrue();
            Path in = files.relativize(file).getParent();
            String split = (in == null ? "" : in + "/") + numbers.group(1);
            assertThat(Integer.parseInt(numbers.group(2))).isEqualTo(next.merge(split, 1, Integer::sum) - 1);
            List<String> ofFile = read(file);
            assertThat(ofFile).hasSizeLessThanOrEqualTo((int) Math.min(setup.limit.rows(), Integer.MAX_VALUE));
            rows.computeIfAbsent(split, s -> new ArrayList<>()).addAll(ofFile);
        }
        rows.values().removeIf(List::isEmpty);
        assertThat(rows).isEqualTo(model);
    }

    /** No file that has its name changes. */
    private static void requireUnchanged(Map<Path, FileTime> named, Path files) throws IOException {
        if (!Files.exists(files)) {
            return;
        }
        for (Path file : tree(files)) {
            FileTime now = Files.getLastModifiedTime(file);
            if (!file.toString().endsWith(Place.UNFINISHED)) {
                assertThat(named.computeIfAbsent(file, f -> now)).isEqualTo(now);
            }
        }
        assertThat(tree(files)).containsAll(named.keySet());
    }

    @ParameterizedTest
    @CsvSource({
        "CSV,NONE,false",
        "CSV,GZIP,false",
        "JSON,ZSTD,false",
        "ARROW,NONE,false",
        "ARROW,NONE,true",
        "PARQUET,NONE,false",
        "PARQUET,NONE,true"
    })
    void eachRowIsThereOnce(OutputFormat.Kind kind, Compression packing, boolean hasDirectories) {
        int[] round = {0};
        Seeds.times(6, random -> {
            Path in = Files.createDirectory(directory.resolve("round" + round[0]++));
            String table = TABLES.get(random.nextInt(TABLES.size()));
            Setup setup = new Setup(table, kind, packing, hasDirectories, limit(random));
            List<List<Row>> splits = new ArrayList<>();
            for (int split = 0; split < SPLITS; split++) {
                splits.add(rows(split, random));
            }
            Map<Path, FileTime> named = new HashMap<>();
            Path files = in.resolve("files");
            String run = null;
            boolean isDone = false;
            for (int kills = 0; !isDone; kills++) {
                Kill kill = kills == 4 ? Kill.NEVER : Kill.values()[random.nextInt(3)];
                try (SplitJournal journal = journal(in.resolve("runs"), run)) {
                    run = journal.id();
                    isDone = run(setup, files, journal, splits, random, kill);
                }
                requireUnchanged(named, files);
            }
            check(setup, files, model(setup, splits, in.resolve("model")));
        });
    }

    /** Values that no compression makes smaller. */
    @ParameterizedTest
    @EnumSource(Compression.class)
    void aFileIsNotMuchLargerThanItsLimit(Compression packing) throws IOException {
        long bytes = 100_000;
        Setup setup = new Setup(
                "t", OutputFormat.Kind.CSV, packing, /* hasDirectories */ false, new FileLimit(Long.MAX_VALUE, bytes));
        Random random = new Random(1);
        Path files = directory.resolve("files");
        try (Output output = setup.open(files, /* journal */ null)) {
            Writer writer = new Writer(setup, output.split(0, Position.START), 0, /* chunkBytes */ 256 << 10);
            for (int row = 0; row < 1_500; row++) {
                String text = random.ints(1_000, '0', 0x3000)
                        .filter(Character::isLetterOrDigit)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString();
                writer.write(new Row(row, text, 0));
            }
            writer.flush();
            writer.sink.end(writer.position(Long.MAX_VALUE, /* isFinished */ true));
            checkFiles(output);
        }
        List<Path> all = tree(files);
        assertThat(all).hasSizeGreaterThan(1);
        for (Path file : all.subList(0, all.size() - 1)) {
            assertThat(Files.size(file))
                    .isBetween(bytes, bytes + (packing == Compression.NONE ? MAX_RECORD_BYTES : 1 << 20));
        }
    }

    @Test
    void aRunWithoutAJournalThatEndsEarlyLeavesTheFilesOfCompleteSplitsOnly() throws IOException {
        Setup setup = new Setup("t", OutputFormat.Kind.CSV, Compression.NONE, false, new FileLimit(2, Long.MAX_VALUE));
        Path files = directory.resolve("files");
        try (Output output = setup.open(files, /* journal */ null)) {
            Writer complete = new Writer(setup, output.split(0, Position.START), 0, 0);
            Writer cut = new Writer(setup, output.split(1, Position.START), 0, 0);
            for (int row = 0; row < 4; row++) {
                complete.write(new Row(row, "x", 0));
                cut.write(new Row(row, "y", 0));
            }
            complete.sink.end(complete.position(Long.MAX_VALUE, /* isFinished */ true));
            cut.write(new Row(5, "y", 0));
            output.close();
            checkFiles(output);
        }
        assertThat(tree(files))
                .containsExactly(files.resolve("t-00000-000000.csv"), files.resolve("t-00000-000001.csv"));
    }

    @Test
    void aChangedFileOfAnEarlierRunIsRefused() throws IOException {
        Setup setup = new Setup("t", OutputFormat.Kind.CSV, Compression.NONE, false, new FileLimit(1, Long.MAX_VALUE));
        Path files = directory.resolve("files");
        String run;
        try (SplitJournal journal = journal(directory.resolve("runs"), /* resumes */ null);
                Output output = setup.open(files, journal)) {
            run = journal.id();
            journal.begin(List.of(new Split(List.of(new Split.Range(0, TOKENS)), List.of(), 0)));
            Writer writer = new Writer(setup, output.split(0, Position.START), 0, 0);
            writer.write(new Row(1, "x", 0));
            writer.write(new Row(2, "y", 0));
            writer.sink.reached(writer.position(2, /* isFinished */ false));
            checkpoint(output, journal, Kill.AFTER_NAMES);
        }
        assertThat(tree(files)).hasSize(2);
        Files.delete(files.resolve("t-00000-000001.csv"));
        try (SplitJournal journal = journal(directory.resolve("runs"), run)) {
            assertThatThrownBy(() -> setup.open(files, journal))
                    .hasMessageStartingWith(files + ": the complete files with the number 00000 have ")
                    .hasMessageContaining("and the run that is resumed has written");
        }
    }

    @Test
    void anEmptyTableHasOneFile() throws IOException {
        for (OutputFormat.Kind kind : OutputFormat.Kind.values()) {
            Setup setup = new Setup("t", kind, Compression.NONE, false, new FileLimit(1, 1));
            Path files = directory.resolve(kind.name());
            try (Output output = setup.open(files, /* journal */ null)) {
                output.split(0, Position.START).end(Position.START);
                output.finish(0);
            }
            assertThat(tree(files)).hasSize(1);
            assertThat(read(tree(files).get(0))).isEmpty();
        }
    }

    @Test
    void aLimitNeedsADirectory() {
        OutputFormat format = OutputFormat.builder(OutputFormat.Kind.CSV).build();
        for (FileLimit limit : List.of(new FileLimit(1, Long.MAX_VALUE), new FileLimit(Long.MAX_VALUE, 1))) {
            assertThatThrownBy(() -> new UnloadOptions(
                            null,
                            directory.resolve("t.csv"),
                            null,
                            format,
                            ValueFormat.DEFAULT,
                            "none",
                            /* threads */ 1,
                            Mapping.BY_NAME,
                            Assignments.NONE,
                            /* keepTimes */ false,
                            /* listsFiles */ false,
                            /* after */ null,
                            limit))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage((limit.rows() == 1 ? "fileRows" : "fileBytes")
                            + " makes several files: name a directory as the output");
        }
        assertThatThrownBy(() -> new FileLimit(0, 1)).hasMessageContaining("fileRows is 0");
    }
}
