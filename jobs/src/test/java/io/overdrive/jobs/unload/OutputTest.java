package io.overdrive.jobs.unload;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.formats.records.Compression;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.journal.SplitJournal.Reached;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputTest {
    private static final byte[] NO_HEADER = {};
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
    void theJournalHasWhatIsNotKept() {
        Position position = new Position(5, /* isFinished */ true, 1, 2, 3, 4, 6, new NotKept(7, 8, 9));
        Reached reached = position.reached(3);
        assertThat(Position.of(reached)).isEqualTo(position);
        long[] ofAnEarlierVersion = Arrays.copyOf(reached.figures(), Position.EMPTY_ELEMENTS);
        assertThat(Position.of(new Reached(3, 5, /* isFinished */ true, ofAnEarlierVersion))
                        .notKept())
                .isEqualTo(new NotKept(7, 0, 0));
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
            output.finish();
        }
        assertThat(rows).hasContent("1\n");
        assertThat(Files.getPosixFilePermissions(rows)).isEqualTo(usual());
    }

    @Test
    void onlyTheirOwnerMayReadFilesOfADirectoryThatAreIncomplete() throws IOException {
        Path files = directory.resolve("files");
        try (Output output = new DirectoryOutput(files, "t.csv", Compression.NONE, NO_HEADER, /* journal */ null)) {
            Output.Sink sink = output.split(0, Position.START);
            sink.write(text("1\n"));
            assertThat(Files.getPosixFilePermissions(files.resolve("t-00000.csv.part")))
                    .isEqualTo(OWNER_ONLY);
            sink.end(Position.START);
            output.finish();
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
            output.finish();
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
            output.finish();
        }
    }
}
