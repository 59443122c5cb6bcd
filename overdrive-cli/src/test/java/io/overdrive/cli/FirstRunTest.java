package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The first run of a command by the launcher, which makes the archive of its classes: with a Java that is a script. */
@Timeout(60)
class FirstRunTest {
    /** Makes the archive, as Java does at its end. */
    private static final String ARCHIVES =
            """
            for each; do
                case $each in
                -XX:ArchiveClassesAtExit=*) : > "${each#*=}" ;;
                esac
            done
            """;

    private final Path directory;
    /** Of a user whose name has a space. */
    private final Path cache;

    FirstRunTest(@TempDir Path directory) {
        this.directory = directory;
        this.cache = directory.resolve("a user/.cache");
    }

    private Process launch(String java) throws IOException {
        Path launcher = directory.resolve("installed/bin/overdrive");
        Files.createDirectories(launcher.getParent());
        Files.copy(Path.of("src/main/dist/bin/overdrive"), launcher);
        Path home = directory.resolve("java");
        Files.createDirectories(home.resolve("lib/server"));
        Files.createFile(home.resolve("lib/server/classes.jsa"));
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"17.0.15\"\n");
        Files.createDirectories(home.resolve("bin"));
        Path program = Files.writeString(home.resolve("bin/java"), "#!/bin/sh\n" + java);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", launcher.toString(), "load");
        builder.environment().put("JAVA_HOME", home.toString());
        builder.environment().put("OVERDRIVE_HOME", cache.toString());
        return builder.redirectErrorStream(true).start();
    }

    private List<String> archives() throws IOException {
        try (Stream<Path> files = Files.list(cache)) {
            return files.map(each -> String.valueOf(each.getFileName())).toList();
        }
    }

    @Test
    void keepsTheArchiveOfARunThatSucceeded() throws Exception {
        Process run = launch(ARCHIVES + "cat\n");
        try (OutputStream input = run.getOutputStream()) {
            input.write("rows".getBytes(StandardCharsets.UTF_8));
        }
        assertThat(new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("rows");
        assertThat(run.waitFor()).isZero();
        assertThat(archives()).singleElement().asString().matches("classes-load-[0-9a-f]+\\.jsa");
    }

    @Test
    void dropsTheArchiveOfARunThatFailed() throws Exception {
        Process run = launch(ARCHIVES + "exit 2\n");
        run.getInputStream().readAllBytes();
        assertThat(run.waitFor()).isEqualTo(2);
        assertThat(archives()).isEmpty();
    }

    /** As by docker stop: the run ends its work, and the launcher ends after it. */
    @Test
    void passesASignalOn() throws Exception {
        Process run = launch(
                ARCHIVES
                        + """
                trap 'echo asked to end' TERM
                echo started
                read -r line || read -r line
                echo "ended after $line"
                exit 130
                """);
        try (BufferedReader output = run.inputReader();
                OutputStream input = run.getOutputStream()) {
            assertThat(output.readLine()).isEqualTo("started");
            Child.signal(run, "TERM");
            input.write("its work\n".getBytes(StandardCharsets.UTF_8));
            input.flush();
            assertThat(output.lines()).containsExactlyInAnyOrder("asked to end", "ended after its work");
        }
        assertThat(run.waitFor()).isEqualTo(Main.INTERRUPTED);
        assertThat(archives()).isEmpty();
    }
}
