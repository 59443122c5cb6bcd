package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A program that reads standard output is not led to believe that it has all: what could not be written is a failure. */
class StandardOutputTest {
    @ParameterizedTest
    @ValueSource(strings = {"runs --json", "config show --json", "config path", "bench list"})
    @EnabledOnOs(OS.LINUX)
    void aFullOrClosedOneIsAFailure(String words) throws Exception {
        for (String redirection : new String[] {">/dev/full", ">&-"}) {
            List<String> command = new ArrayList<>(List.of("sh", "-c", "\"$@\" " + redirection, "sh"));
            command.addAll(Child.command(words.split(" ")));
            Process process = new ProcessBuilder(command).start();
            String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(redirection + " " + err).isEqualTo(Main.FAILED);
            assertThat(err)
                    .endsWith(
                            "overdrive: standard output is closed, or its disk is full: what it has is not complete\n");
        }
    }
}
