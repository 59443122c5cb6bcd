package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The first run of a command by the launcher, which makes the archive of its classes: with a script in place of Java. */
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
    /** Cache of a user whose name has a space. */
    private final Path cache;

    private String options = "";

    FirstRunTest(@TempDir Path directory) {
        this.directory = directory;
        this.cache = directory.resolve("a user/.cache");
    }

    private Process launch(String java) throws IOException {
        return launch("17.0.15", java);
    }

    private Process launch(String version, String java) throws IOException {
        Path launcher = directory.resolve("installed/bin/overdrive");
        Files.createDirectories(launcher.getParent());
        Files.copy(Path.of("src/main/dist/bin/overdrive"), launcher, StandardCopyOption.REPLACE_EXISTING);
        Path home = directory.resolve("java");
        Files.createDirectories(home.resolve("lib/server"));
        Files.writeString(home.resolve("lib/server/classes.jsa"), "");
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        Files.createDirectories(home.resolve("bin"));
        Path program = Files.writeString(home.resolve("bin/java"), "#!/bin/sh\n" + java);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", launcher.toString(), "load");
        builder.environment().put("JAVA_HOME", home.toString());
        builder.environment().put("OVERDRIVE_HOME", cache.toString());
        builder.environment().put("OVERDRIVE_JAVA_OPTIONS", options);
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

    /** Java 25 records a run, and makes the cache of it in a separate process, for which the run does not wait. */
    @Test
    void makesAnAheadOfTimeCacheWithANewJava() throws Exception {
        String java =
                """
                for each; do
                    case $each in
                    -XX:AOTMode=*) mode=${each#*=} ;;
                    -XX:AOTConfiguration=*) configuration=${each#*=} ;;
                    -XX:AOTCache=*) cache=${each#*=} ;;
                    esac
                done
                case $mode in
                record) echo profiles > "$configuration" ;;
                create) cp "$configuration" "$cache" ;;
                *) echo "runs with $(cat "$cache")" ;;
                esac
                """;
        Process first = launch("25.0.1", java);
        assertThat(first.getInputStream().readAllBytes()).isEmpty();
        assertThat(first.waitFor()).isZero();
        while (archives().size() != 1 || !archives().get(0).matches("classes-load-[0-9a-f]+\\.aot")) {
            Thread.sleep(10);
        }
        Process second = launch("25.0.1", java);
        assertThat(new String(second.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("runs with profiles\n");
        assertThat(second.waitFor()).isZero();
    }

    /** The JVM would refuse to start. */
    @Test
    void leavesOptionsOfTheUserAloneThatAreAboutTheArchive() throws Exception {
        options = "-Xmx1g -Xshare:off";
        Process run = launch("25.0.1", "echo \"$*\"\n");
        assertThat(new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains(" -Xshare:off ")
                .doesNotContain("AOT");
        assertThat(run.waitFor()).isZero();
    }

    /** A JVM that records prints nothing itself, not even why it does not start. */
    @Test
    void showsWhyJavaDoesNotStartWithOptionsOfTheUser() throws Exception {
        options = "-Xmx100t";
        String java =
                """
                case $* in
                *-XX:-DisplayVMOutput*) ;;
                *) echo "Could not reserve enough space" ;;
                esac
                exit 1
                """;
        Process run = launch("25.0.1", java);
        assertThat(new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("Could not reserve enough space\n");
        assertThat(run.waitFor()).isEqualTo(1);
        assertThat(archives()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Xmx32m", "-Dx=y -Xmx32m", "-XX:MaxHeapSize=32m", "-XX:MaxRAMPercentage=1"})
    void aHeapOfTheUserMayBeSmallerThanTheOneAtTheStart(String given) throws Exception {
        options = given;
        Process run = launch("echo \"$*\"\n");
        assertThat(new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains(given)
                .doesNotContain("-Xms");
        assertThat(run.waitFor()).isZero();
    }

    @Test
    void dropsTheArchiveOfARunThatFailed() throws Exception {
        Process run = launch(ARCHIVES + "exit 2\n");
        run.getInputStream().readAllBytes();
        assertThat(run.waitFor()).isEqualTo(2);
        assertThat(archives()).isEmpty();
    }

    /** Ends it like docker stop: the run ends its work, and the launcher ends after it. */
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
            assertThat(output.readLine()).isEqualTo("asked to end");
            input.write("its work\n".getBytes(StandardCharsets.UTF_8));
            input.flush();
            assertThat(output.lines()).containsExactly("ended after its work");
        }
        assertThat(run.waitFor()).isEqualTo(Main.INTERRUPTED);
        assertThat(archives()).isEmpty();
    }
}
