package io.overdrive.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogTailTest {
    private final Path directory;

    LogTailTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private Path log(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    @Test
    void beginsWithTheFirstError() throws IOException {
        Path log = log("a", "INFO one\nERROR two\n\tat three\nINFO four\n");

        assertThat(LogTail.of(log)).isEqualTo("ERROR two\n\tat three\nINFO four");
    }

    @Test
    void takesTheLastTwentyLinesWithoutAnError() throws IOException {
        String lines = IntStream.range(0, 100).mapToObj(i -> "INFO " + i).collect(Collectors.joining("\n"));

        assertThat(LogTail.of(log("a", lines)).lines()).hasSize(20).endsWith("INFO 99");
    }

    @Test
    void findsWhyAProcessEndedItself() throws IOException {
        Path console = log("console", "fine\nTerminating due to java.lang.OutOfMemoryError: Java heap space\n");
        Path quiet = log("quiet", "INFO JVM Arguments: [-XX:+ExitOnOutOfMemoryError]\nERROR a client was rude\n");

        assertThat(LogTail.lastWords(quiet, console))
                .contains("Terminating due to java.lang.OutOfMemoryError: Java heap space");
        assertThat(LogTail.lastWords(quiet, directory.resolve("missing"))).isEmpty();
    }

    @Test
    void prefersTheLogThatHasAnError() throws IOException {
        Path quiet = log("a", "INFO one\n");
        Path loud = log("b", "Error: two\n");

        assertThat(LogTail.of(quiet, loud)).isEqualTo("Error: two");
        assertThat(LogTail.of(directory.resolve("missing"), quiet)).isEqualTo("INFO one");
    }
}
