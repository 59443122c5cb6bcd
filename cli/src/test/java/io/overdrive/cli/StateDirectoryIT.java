package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A state directory that cannot be written, as in a container with a read-only home; here a file stands in its place. */
@Tag("server")
@Timeout(300)
class StateDirectoryIT {
    private static final String TABLE = TestCluster.keyspace("cli_state") + ".t";

    private final Path home;
    private final Path out;
    private final Path err;

    StateDirectoryIT(@TempDir Path directory) throws IOException {
        home = Files.createFile(directory.resolve("home"));
        out = directory.resolve("out");
        err = directory.resolve("err");
    }

    @BeforeAll
    static void fill() {
        TestCluster.execute("CREATE TABLE " + TABLE + " (id int PRIMARY KEY)");
        TestCluster.execute("INSERT INTO " + TABLE + " (id) VALUES (1)");
    }

    /** Counts in a separate process, as the directory follows from its environment. */
    private int count(Map<String, String> environment, String... more) throws Exception {
        List<String> command = Child.command("count", TABLE, "--host", TestCluster.host());
        command.addAll(List.of(more));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().remove("XDG_STATE_HOME");
        builder.environment().remove("OVERDRIVE_STATE");
        builder.environment().put("HOME", home.toString());
        builder.environment().putAll(environment);
        Process process = builder.start();
        assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Test
    void aRunThatBeginsSaysThatItCannotBeResumed() throws Exception {
        assertThat(count(Map.of())).as(Files.readString(err)).isEqualTo(Main.DONE);
        assertThat(out).content().startsWith("1 row\n");
        assertThat(Files.readAllLines(err).get(0))
                .isEqualTo("overdrive: no journal is kept, so this run cannot be resumed: " + home
                        + "/.local/state/overdrive/runs cannot be written (Not a directory); name another directory by the"
                        + " environment variable OVERDRIVE_STATE");
        assertThat(err).content().containsOnlyOnce("overdrive: ").doesNotContain("\tat ");
        assertThat(count(Map.of(), "--no-journal")).isEqualTo(Main.DONE);
        assertThat(err).content().doesNotContain("overdrive: ");
    }

    @Test
    void aRunIsNotResumed() throws Exception {
        assertThat(count(Map.of(), "--resume")).isEqualTo(Main.FAILED);
        assertThat(err)
                .content()
                .isEqualTo("overdrive: there is no unfinished run of this command to resume; see: overdrive runs\n");
    }

    @Test
    void aDirectoryThatTheUserNamesHasToBeWritable() throws Exception {
        assertThat(count(Map.of("OVERDRIVE_STATE", home + "/state"))).isEqualTo(Main.FAILED);
        assertThat(err)
                .content()
                .startsWith("overdrive: " + home + "/state/runs/")
                .contains(": the directory of the run cannot be created: ")
                .endsWith("name another one by the environment variable OVERDRIVE_STATE, or do without a journal with"
                        + " --no-journal\n");
    }
}
