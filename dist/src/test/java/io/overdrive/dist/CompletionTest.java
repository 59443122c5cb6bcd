package io.overdrive.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.cli.Main;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Proposals of bash, by bash itself. */
class CompletionTest {
    private final Path directory;

    CompletionTest(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeEach
    void write() throws IOException {
        Files.writeString(directory.resolve("completion"), Completion.bash("overdrive", Main.commandLine()));
        Files.writeString(
                directory.resolve("config.toml"),
                "[default]\n[profiles.prod]\nhost = \"h\"\n [profiles.\"test-2\"] # a test\n");
        Files.createDirectories(directory.resolve("runs/20260131-134500-abcd"));
    }

    /** The proposals for the last word, after the others. */
    private List<String> propose(String... words) throws IOException, InterruptedException {
        String script = ". ./completion; COMP_WORDS=(overdrive \"$@\"); COMP_CWORD=$#; _overdrive 2>/dev/null;"
                + " printf '%s\\n' \"${COMPREPLY[@]}\"";
        ProcessBuilder bash = new ProcessBuilder("bash", "--norc", "-c", script, "bash").directory(directory.toFile());
        bash.command().addAll(List.of(words));
        bash.environment()
                .put("OVERDRIVE_CONFIG", directory.resolve("config.toml").toString());
        bash.environment().put("OVERDRIVE_STATE", directory.toString());
        Process process = bash.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }

    @Test
    void valuesAreTheWordsOfTheHelp() throws Exception {
        assertThat(propose("load", "--format", "")).containsExactly("csv", "json", "arrow", "parquet");
        assertThat(propose("load", "--blob-encoding", "")).containsExactly("auto", "hex", "base64");
        assertThat(propose("unload", "--blob-encoding", "")).containsExactly("hex", "base64");
        assertThat(propose("unload", "--compress", "z")).containsExactly("zstd");
        assertThat(propose("bench", "--preset", "")).containsExactly("tiny", "laptop", "dc2", "paper");
        assertThat(propose("load", "--grouping", "")).containsExactly("partition", "replica_set", "none");
        assertThat(propose("load", "--consistency", "LOCAL_"))
                .containsExactly("LOCAL_ONE", "LOCAL_QUORUM", "LOCAL_SERIAL");
    }

    @Test
    void runsAndProfilesAreThoseOfTheUser() throws Exception {
        assertThat(propose("resume", "")).containsExactly("20260131-134500-abcd");
        assertThat(propose("load", "@")).containsExactly("prod", "test-2");
        assertThat(propose("load", "@", "p")).containsExactly("prod");
        assertThat(propose("load", "--profile", "t")).containsExactly("test-2");
    }

    @Test
    void theProposedProfilesAreInTheFile() throws Exception {
        String file = directory.resolve("config.toml").toString();
        for (String each : propose("load", "@")) {
            assertThat(Main.run("config", "show", "load", "--config", file, "--profile", each))
                    .as(each)
                    .isZero();
        }
    }

    @Test
    void configShowTakesCommands() throws Exception {
        assertThat(propose("config", "show", "un")).containsExactly("unload");
        assertThat(propose("config", "show", "--j")).containsExactly("--json");
    }

    @Test
    void commandsAndOptionsAreThoseOfPicocli() throws Exception {
        assertThat(propose("ver")).containsExactly("verify");
        assertThat(propose("load", "--pati")).containsExactly("--patience");
    }
}
