package io.overdrive.sstable.handover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StagingTest {
    private final Path directory;

    StagingTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private Staging create(String name) {
        return Staging.create(directory.resolve(name), "ks", "t", List.of("10.0.0.1:9042"), /* isShared */ false);
    }

    /** A staging directory with a file of an SSTable. */
    private Staging written(String name) throws IOException {
        Staging staging = create(name);
        Files.createFile(staging.sstables(0).resolve("nb-1-big-Data.db"));
        return staging;
    }

    @Test
    void deletesWhatARunThatWasKilledHadWritten() throws IOException {
        Staging killed = written("overdrive-import-1-7");
        killed.close(); // as the system does at the end of a process
        try (Staging next = create("overdrive-import-2-8")) {
            assertThat(next.sweep())
                    .containsExactly("deleted " + killed.root() + ", which a run that was killed had left");
            assertThat(killed.root()).doesNotExist();
            assertThat(next.root()).isDirectory();
        }
    }

    @Test
    void deletesTheDirectoryOfARunThatWasKilledBeforeItHadTheLock() throws IOException {
        Path killed = Files.createDirectory(directory.resolve("overdrive-import-1-7"));
        try (Staging next = create("overdrive-import-2-8")) {
            assertThat(next.sweep()).isEmpty();
            assertThat(killed).doesNotExist();
        }
    }

    @Test
    void leavesARunThatLives() throws IOException {
        try (Staging living = written("overdrive-import-1-7");
                Staging next = create("overdrive-import-2-8")) {
            assertThat(next.sweep()).isEmpty();
            assertThat(living.hasSstables(0)).isTrue();
        }
    }

    @Test
    void namesCompleteSstables() throws IOException {
        Staging killed = written("overdrive-import-1-7");
        killed.complete();
        killed.close();
        try (Staging next = create("overdrive-import-2-8")) {
            assertThat(next.sweep())
                    .containsExactly("an earlier run has left complete SSTables in " + killed.root()
                            + ", which not all nodes have imported: have them imported by nodetool import, or load the"
                            + " rows again; then delete the directory");
            assertThat(killed.hasSstables(0)).isTrue();
        }
    }

    @Test
    void deletesWhatIsLeftAfterTheImport() throws IOException {
        Staging imported = create("overdrive-import-1-7");
        Files.createFile(imported.sstables(0).resolve("nb-1-big-Digest.crc32"));
        imported.complete();
        imported.close();
        try (Staging next = create("overdrive-import-2-8")) {
            assertThat(next.sweep()).isEmpty();
            assertThat(imported.root()).doesNotExist();
        }
    }

    @Test
    void leavesWhatIsNotOfARun() throws IOException {
        Path other = Files.createDirectory(directory.resolve("overdrive-import-of-orders"));
        Path unlocked = Files.createDirectories(
                directory.resolve("overdrive-import-3-9").resolve("files"));
        Path file = Files.createFile(directory.resolve("overdrive-import-notes"));
        Staging named = written("orders");
        named.close();
        try (Staging next = create("overdrive-import-2-8")) {
            assertThat(next.sweep()).isEmpty();
            assertThat(other).exists();
            assertThat(unlocked).exists();
            assertThat(file).exists();
            assertThat(named.hasSstables(0)).isTrue();
        }
    }

    @Test
    void deletesOnlyWhatItHasCreated() throws IOException {
        Path given = Files.createDirectory(directory.resolve("out"));
        Staging staging = written("out");
        Path notes = Files.createFile(given.resolve("notes"));
        staging.deleteAll();
        assertThat(given).isDirectoryContaining(notes::equals);
        assertThat(given.toFile().list()).hasSize(1);
        Files.delete(notes);
        written("out").deleteAll();
        assertThat(given).isEmptyDirectory();
        written("new").deleteAll();
        assertThat(directory.resolve("new")).doesNotExist();
    }

    @Test
    void refusesADirectoryWithFilesAndSaysWhoseTheyAre() throws IOException {
        Staging staging = written("out");
        assertRefused("another run writes SSTables there: wait until it has ended, or choose another one");
        staging.close();
        assertRefused("a run that was killed has left incomplete SSTables there: delete them, or choose another one");
        staging.leave();
        assertRefused("SSTables need a directory that is empty, or does not exist: choose another one");
        assertThat(staging.hasSstables(0)).isTrue();
    }

    private void assertRefused(String why) {
        assertThatThrownBy(() -> create("out"))
                .isInstanceOf(OverdriveException.class)
                .hasMessage(directory.resolve("out") + ": " + why);
    }

    @Test
    void leavesNothingIfItCannotBeCreated() throws IOException {
        Path root = directory.resolve("overdrive-import-1-7");
        assertThatThrownBy(() -> Staging.create(root, "ks", "t", List.of("n1", "x".repeat(300)), /* isShared */ false))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining(root + ": no directory for SSTables can be created there: ");
        assertThat(root).doesNotExist();
    }

    @Test
    void aNodeOfAnotherUserMayReadAndMoveTheFilesOfACompleteDirectory() throws IOException {
        Staging staging = Staging.create(directory.resolve("shared"), "ks", "t", List.of("n1"), /* isShared */ true);
        Path data = Files.createFile(staging.sstables(0).resolve("nb-1-big-Data.db"));
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rw-------")); // as with umask 077
        staging.complete();
        assertThat(permissions(data)).isEqualTo("rw-r--r--");
        assertThat(permissions(staging.sstables(0))).isEqualTo("rwxrwxrwx");
        assertThat(permissions(staging.of(0))).isEqualTo("rwx--x--x");
        assertThat(permissions(staging.root())).isEqualTo("rwx--x--x");
        staging.deleteAll();
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void quotesItsCommandForAShell() {
        Staging staging = create("a b's");
        assertThat(staging.command(0, "nodetool -p 7200"))
                .isEqualTo("nodetool -p 7200 import ks t '" + directory + "/a b'\\''s/10.0.0.1_9042/ks/t'");
        staging.deleteAll();
    }

    @Test
    void takesSstablesOfAttemptsUnderOtherNumbers() throws IOException {
        try (Staging staging = create("overdrive-import-1-7")) {
            staging.createAttempts();
            for (String attempt : List.of("0-1", "1-2")) {
                Staging.createAttempt(staging.root(), attempt);
                Path directory = Staging.createAttempt(staging.root(), attempt, 0);
                Files.writeString(directory.resolve("nb-1-big-Data.db"), "rows of " + attempt);
                Files.writeString(directory.resolve("nb-1-big-TOC.txt"), "names");
            }
            List<String> names = List.of("nb-1-big-Data.db", "nb-1-big-TOC.txt");
            assertThat(staging.take("1-2", 0, names, 1))
                    .containsExactly(
                            staging.sstables(0).resolve("nb-1-big-Data.db"),
                            staging.sstables(0).resolve("nb-1-big-TOC.txt"));
            staging.take("0-1", 0, names, 12);
            assertThat(staging.sstables(0).resolve("nb-1-big-Data.db")).hasContent("rows of 1-2");
            assertThat(staging.sstables(0).resolve("nb-12-big-Data.db")).hasContent("rows of 0-1");
            staging.deleteAttempts();
            assertThat(staging.root())
                    .isDirectoryContaining("glob:**/10.0.0.1_9042")
                    .isDirectoryNotContaining("glob:**/attempts*");
        }
    }

    @Test
    void anAttemptThatStillRunsWhenItsJobEndsFindsNothingToWriteTo() throws IOException {
        Staging staging = create("overdrive-import-1-7");
        staging.createAttempts();
        Staging.createAttempt(staging.root(), "0-1");
        Path late = Staging.createAttempt(staging.root(), "0-1", 0);
        staging.deleteAll();
        assertThat(staging.root()).doesNotExist();
        assertThatThrownBy(() -> Files.createFile(late.resolve("nb-1-big-Data.db")))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Staging.createAttempt(staging.root(), "0-2")).isInstanceOf(NoSuchFileException.class);
        Staging.deleteAttempt(staging.root(), "0-1"); // as the attempt does when it fails
        assertThat(staging.root()).doesNotExist();
    }
}
