package io.overdrive.jobs.unload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.Split;
import io.overdrive.formats.records.Compression;
import io.overdrive.formats.records.InputFiles;
import io.overdrive.formats.records.InputFormat;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.formats.records.Read;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStore;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.journal.SplitJournal;
import io.overdrive.jobs.journal.SplitJournal.Reached;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OutputTest {
    private static final RecordWriter NO_HEADER = RecordWriter.of(
            OutputFormat.builder(OutputFormat.Kind.CSV).header(false).build(),
            List.of("a"),
            List.of(DataTypes.INT),
            ValueFormat.DEFAULT);
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private final Path directory;

    OutputTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private static Bytes text(String text) {
        Bytes bytes = new Bytes(8);
        bytes.put(text.getBytes(StandardCharsets.UTF_8));
        return bytes;
    }

    private Set<PosixFilePermission> usual() throws IOException {
        return Files.getPosixFilePermissions(Files.createFile(directory.resolve("usual")));
    }

    @Test
    void theJournalHasWhereFilesEndAndWhatIsNotKept() {
        Position position = new Position(
                5, /* isFinished */
                true,
                1,
                2,
                3,
                4,
                new Position.Place(11, 12, 13, 6, List.of(-2, 15)),
                new NotKept(7, 8, 14, 9, 10));
        Reached reached = position.reached(3);
        assertThat(Position.of(reached)).isEqualTo(position);
        long[] ofAnEarlierVersion = Arrays.copyOf(reached.figures(), Position.EMPTY_ELEMENTS);
        Position earlier = Position.of(new Reached(3, 5, /* isFinished */ true, ofAnEarlierVersion));
        assertThat(earlier.notKept()).isEqualTo(new NotKept(7, 0, 0, 0, 0));
        assertThat(earlier.place()).isEqualTo(new Position.Place(0, 0, 0, 6, List.of()));
    }

    @Test
    void onlyItsOwnerMayReadAFileThatIsIncomplete() throws IOException {
        Path rows = directory.resolve("rows.csv");
        try (Output output = new FileOutput(rows, Compression.NONE, NO_HEADER, /* journal */ null)) {
            Output.Sink sink = output.split(0, Position.START);
            sink.write(text("1\n"));
            assertThat(Files.getPosixFilePermissions(directory.resolve("rows.csv.part")))
                    .isEqualTo(OWNER_ONLY);
            sink.end(Position.START);
            output.finish(0);
        }
        assertThat(rows).hasContent("1\n");
        assertThat(Files.getPosixFilePermissions(rows)).isEqualTo(usual());
    }

    @Test
    void onlyTheirOwnerMayReadFilesOfADirectoryThatAreIncomplete() throws IOException {
        Path files = directory.resolve("files");
        try (Output output = new DirectoryOutput(
                files, new FileNames("t", ".csv", Compression.NONE, FileLimit.NONE), NO_HEADER, /* journal */ null)) {
            Output.Sink sink = output.split(0, Position.START);
            sink.write(text("1\n"));
            assertThat(Files.getPosixFilePermissions(files.resolve("t-00000.csv.part")))
                    .isEqualTo(OWNER_ONLY);
            sink.end(Position.START);
            output.finish(0);
        }
        assertThat(Files.getPosixFilePermissions(files.resolve("t-00000.csv"))).isEqualTo(usual());
    }

    @Test
    void anIncompleteFileOfAnEarlierRunIsReplaced() throws IOException {
        Path other = Files.writeString(directory.resolve("other"), "of somebody else");
        Files.createSymbolicLink(directory.resolve("rows.csv.part"), other);
        try (Output output =
                new FileOutput(directory.resolve("rows.csv"), Compression.NONE, NO_HEADER, /* journal */ null)) {
            output.split(0, Position.START).write(text("1\n"));
            output.finish(0);
        }
        assertThat(other).hasContent("of somebody else");
        assertThat(directory.resolve("rows.csv")).hasContent("1\n");
    }

    @Test
    void whatAnEarlierRunKeptOfAFileIsDeleted() throws IOException {
        Path tail = Files.writeString(directory.resolve("rows.csv.part.tail"), "2\n");
        try (Output output =
                new FileOutput(directory.resolve("rows.csv"), Compression.NONE, NO_HEADER, /* journal */ null)) {
            assertThat(tail).doesNotExist();
            output.finish(0);
        }
    }

    @Test
    void aFileOfArrowIsNoStream() {
        OutputFormat format = OutputFormat.builder(OutputFormat.Kind.ARROW).build();
        assertThatThrownBy(() ->
                        new UnloadOptions(null, null, System.out, format, ValueFormat.DEFAULT, "none", /* threads */ 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the output is a stream, and the batches are for a file, which is read for its end: give"
                        + " batches with isStream");
    }

    private SplitJournal journal(@Nullable String resumes) {
        RunStore store = new RunStore(directory.resolve("runs"));
        return SplitJournal.open(
                new RunRequest(store, "unload", List.of(), Path.of("/"), "1", resumes),
                List.of(new RunTarget("c", List.of("h"), "ks.t", "id", List.of("a int PARTITION_KEY"), Map.of())));
    }

    private static void checkpoint(Output output, SplitJournal journal) throws IOException {
        Output.Checkpoint durable = output.checkpoint();
        journal.checkpoint(durable.reached(), durable.shared());
    }

    /** Resumes a run that has written all rows, and was killed before it said so. */
    private void finishAgain(String run, Path file, RecordWriter records) throws IOException {
        try (SplitJournal journal = journal(run);
                Output output = new FileOutput(file, Compression.NONE, records, journal)) {
            checkpoint(output, journal);
            output.finish(0);
        }
    }

    /** A file for each split and value, of which one split has ended before its run was killed. */
    private String killAfterOneSplit(Path files, RecordWriter records, Bytes row) throws IOException {
        try (SplitJournal journal = journal(/* resumes */ null);
                Output output = partitioned(files, records, journal)) {
            journal.begin(List.of(
                    new Split(List.of(new Split.Range(0, 9)), List.of(), 0),
                    new Split(List.of(new Split.Range(9, 19)), List.of(), 0)));
            for (int split = 0; split < 2; split++) {
                Output.Sink sink = output.split(split, Position.START);
                for (String partition : List.of("a=1/b=x%2Fy", "a=2/b=")) {
                    sink.target(partition).write(row);
                    sink.target(partition).write(row);
                }
                if (split == 0) {
                    sink.end(new Position(
                            9, /* isFinished */ true, 4, row.length(), 0, 0, Position.Place.START, NotKept.NOTHING));
                }
            }
            checkpoint(output, journal);
            return journal.id();
        }
    }

    private static Output partitioned(Path files, RecordWriter records, @Nullable SplitJournal journal) {
        FileNames names = new FileNames("t", ".arrow", Compression.NONE, FileLimit.NONE);
        return new PartitionedOutput(files, names, List.of("a", "b"), records, journal);
    }

    /** Else the journal would not have the splits that the failed one had, though their files get names, or more rows. */
    @ParameterizedTest
    @EnumSource
    void noCheckpointFollowsOneThatFailed(Kind kind) throws IOException {
        Path files = Files.createDirectory(directory.resolve("files"));
        try (SplitJournal journal = journal(/* resumes */ null);
                Output output = kind.open(files, journal)) {
            journal.begin(List.of(new Split(List.of(new Split.Range(0, 9)), List.of(), 0)));
            Output.Sink sink = output.split(0, Position.START);
            Output.Target target = kind == Kind.DIRECTORIES ? sink.target("a=1") : sink;
            target.write(text("1\n"));
            sink.end(new Position(9, /* isFinished */ true, 1, 2, 0, 0, Position.Place.START, NotKept.NOTHING));
            Path part = files.resolve(tree(files).get(0));
            Path away = directory.resolve("away");
            Files.move(part, away);
            if (kind == Kind.FILE) {
                Files.move(files, directory.resolve("moved")); // it is open, so that only its directory is missed
            }
            assertThatThrownBy(() -> output.checkpoint(journal)).isInstanceOf(IOException.class);
            Files.createDirectories(part.getParent());
            Files.move(away, part);
            assertThatThrownBy(() -> output.checkpoint(journal)).hasMessage("an earlier checkpoint has failed");
            assertThat(journal.reached()).isEmpty();
            assertThat(tree(files)).containsExactly(files.relativize(part).toString());
        }
    }

    private enum Kind {
        FILE,
        DIRECTORY,
        DIRECTORIES;

        Output open(Path files, SplitJournal journal) {
            FileNames names = new FileNames("t", ".csv", Compression.NONE, FileLimit.NONE);
            return switch (this) {
                case FILE -> new FileOutput(files.resolve("t.csv"), Compression.NONE, NO_HEADER, journal);
                case DIRECTORY -> new DirectoryOutput(files, names, NO_HEADER, journal);
                case DIRECTORIES -> new PartitionedOutput(files, names, List.of("a"), NO_HEADER, journal);
            };
        }
    }

    private static List<String> tree(Path files) throws IOException {
        try (Stream<Path> all = Files.walk(files)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> files.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void aResumedRunKeepsTheDirectoriesOfSplitsThatHaveEnded() throws IOException {
        RecordWriter records = RecordWriter.of(
                OutputFormat.builder(OutputFormat.Kind.ARROW)
                        .partitionBy(List.of("a", "b"))
                        .build(),
                List.of("a", "v", "b"),
                List.of(DataTypes.INT, DataTypes.INT, DataTypes.TEXT),
                ValueFormat.DEFAULT);
        Bytes row = new Bytes(64);
        records.begin(row);
        for (int column = 0; column < 3; column++) {
            records.cell(column, new byte[] {0, 0, 0, 7}, 0, 4, row);
        }
        records.end(row);
        records.complete(row);
        Path files = directory.resolve("files");
        String run = killAfterOneSplit(files, records, row);
        assertThat(tree(files))
                .containsExactly(
                        "a=1/b=x%2Fy/t-00000.arrow.part",
                        "a=1/b=x%2Fy/t-00001.arrow.part", "a=2/b=/t-00000.arrow.part", "a=2/b=/t-00001.arrow.part");
        try (SplitJournal journal = journal(run);
                Output output = partitioned(files, records, journal)) {
            assertThat(tree(files)).containsExactly("a=1/b=x%2Fy/t-00000.arrow", "a=2/b=/t-00000.arrow");
            assertThat(output.files()).hasSize(2);
        }
        assertThat(Read.file(
                                files.resolve("a=1/b=x%2Fy/t-00000.arrow"),
                                InputFormat.builder().build())
                        .records)
                .extracting(Read.Rec::raw)
                .containsExactly("{\"v\":7,\"a\":\"1\",\"b\":\"x/y\"}", "{\"v\":7,\"a\":\"1\",\"b\":\"x/y\"}");
        Files.write(files.resolve("a=2/b=/t-00000.arrow"), new byte[] {0}, StandardOpenOption.APPEND);
        assertThatThrownBy(() -> {
                    try (SplitJournal journal = journal(run)) {
                        partitioned(files, records, journal).close();
                    }
                })
                .hasMessageStartingWith(files + ": the files with the number 00000 have ");
    }

    @Test
    void anEmptyTableHasAFileWithoutRowsInDirectories() throws IOException {
        Path files = directory.resolve("files");
        RecordWriter records = RecordWriter.of(
                OutputFormat.builder(OutputFormat.Kind.PARQUET)
                        .partitionBy(List.of("b"))
                        .build(),
                List.of("a", "b"),
                List.of(DataTypes.INT, DataTypes.INT),
                ValueFormat.DEFAULT);
        try (Output output = new PartitionedOutput(
                files, new FileNames("t", ".parquet", Compression.NONE, FileLimit.NONE), List.of("b"), records, null)) {
            output.finish(0);
        }
        assertThat(tree(files)).containsExactly("b=__HIVE_DEFAULT_PARTITION__/t-00000.parquet");
        assertThat(InputFiles.expand(List.of(files.toString()))).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(OutputFormat.Kind.class)
    void aFileThatAnEarlierRunHasFinishedIsKeptAsItIs(OutputFormat.Kind kind) throws IOException {
        RecordWriter records = RecordWriter.of(
                OutputFormat.builder(kind).build(), List.of("a"), List.of(DataTypes.INT), ValueFormat.DEFAULT);
        Bytes row = new Bytes(64);
        records.begin(row);
        records.cell(0, new byte[] {0, 0, 0, 7}, 0, 4, row);
        records.end(row);
        records.complete(row);
        Path file = directory.resolve("rows");
        String run;
        try (SplitJournal journal = journal(/* resumes */ null);
                Output output = new FileOutput(file, Compression.NONE, records, journal)) {
            run = journal.id();
            journal.begin(List.of(new Split(List.of(new Split.Range(0, 9)), List.of(), 0)));
            Output.Sink sink = output.split(0, Position.START);
            sink.write(row);
            sink.end(new Position(
                    9, /* isFinished */ true, 1, row.length(), 0, 0, Position.Place.START, NotKept.NOTHING));
            checkpoint(output, journal);
            output.finish(0);
        }
        byte[] whole = Files.readAllBytes(file);
        finishAgain(run, file, records);
        assertThat(file).hasBinaryContent(whole);
        finishAgain(run, file, records);
        assertThat(file).hasBinaryContent(whole);

        Files.write(file, new byte[] {0}, StandardOpenOption.APPEND);
        assertThatThrownBy(() -> finishAgain(run, file, records))
                .hasMessageStartingWith(file + ": the file has " + (whole.length + 1)
                        + " bytes, and the run that is resumed has written ");
        Files.write(file, Arrays.copyOf(whole, whole.length - 1));
        assertThatThrownBy(() -> finishAgain(run, file, records))
                .hasMessageStartingWith(file + ": the file has " + (whole.length - 1) + " bytes, and the run");

        Files.delete(file);
        Files.write(directory.resolve("rows.part"), Arrays.copyOf(whole, whole.length - (kind.isColumnar() ? 1 : 0)));
        finishAgain(run, file, records);
        assertThat(file).hasBinaryContent(whole);
    }
}
