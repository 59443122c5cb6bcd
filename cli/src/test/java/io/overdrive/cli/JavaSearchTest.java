package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Which Java the launcher of an installation runs: with Javas that only print how they were called, and the usual places of all
 * systems moved into a directory.
 */
class JavaSearchTest {
    private final Path directory;
    private final Path launcher;

    JavaSearchTest(@TempDir Path directory) throws IOException {
        this.directory = directory.toRealPath();
        launcher = this.directory.resolve("installed/bin/overdrive");
    }

    @BeforeEach
    void install() throws IOException {
        String text = Files.readString(Path.of("src/main/dist/bin/overdrive"))
                .replaceAll("(?<= )/(?=(?:usr|opt|Library)/\\S*/bin/java)", directory + "/");
        assertThat(text).contains(directory + "/usr/lib/jvm/*/bin/java", directory + "/Library/");
        executable(launcher, text);
    }

    private static void executable(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** A Java installation whose release file says its version. */
    private Path java(String home, String version) throws IOException {
        Path java = directory.resolve(home);
        executable(java.resolve("bin/java"), "#!/bin/sh\necho \"$0 $*\"\n");
        Files.writeString(
                java.resolve("release"), "IMPLEMENTOR=\"Acme\"\nJAVA_VERSION=\"" + version + "\"\nOS_NAME=\"Linux\"\n");
        return java;
    }

    private String launch(String javaHome, Path... onPath) throws IOException, InterruptedException {
        return launch("--version", javaHome, onPath);
    }

    /** Runs it with the java of these directories on the PATH, and no other. */
    private String launch(String command, String javaHome, Path... onPath) throws IOException, InterruptedException {
        Path tools = directory.resolve("tools");
        if (Files.notExists(tools.resolve("dirname"))) {
            Files.createDirectories(tools);
            for (String tool : new String[] {
                "dirname", "readlink", "sed", "ls", "cksum", "md5sum", "cut", "stty", "mkdir", "mv", "find"
            }) {
                Process which = new ProcessBuilder("sh", "-c", "command -v " + tool).start();
                String path = new String(which.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
                Files.createSymbolicLink(tools.resolve(tool), Path.of(path));
            }
        }
        StringBuilder path = new StringBuilder(tools.toString());
        for (Path home : onPath) {
            path.append(':').append(home.resolve("bin"));
        }
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", launcher.toString(), command);
        builder.environment().put("PATH", path.toString());
        builder.environment().put("HOME", directory.resolve("user").toString());
        builder.environment().put("OVERDRIVE_HOME", directory.resolve("cache").toString());
        builder.environment().put("JAVA_HOME", javaHome);
        builder.environment().keySet().removeIf(name -> name.equals("LANG") || name.startsWith("LC_"));
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    /** The launcher asks standard error and standard output, the latter outside of a substitution, which makes it a pipe. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void passesTheWidthOfTheTerminal() throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder("script", "-qec", "stty cols 77; sh '" + launcher + "' --version", "/dev/null");
        builder.environment().put("JAVA_HOME", java("home", "21").toString());
        builder.environment().put("OVERDRIVE_HOME", directory.resolve("cache").toString());
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        assertThat(output).contains(" -Doverdrive.columns=77 ", " -Doverdrive.stdout.columns=77 ");
    }

    @Test
    void runsTheJavaOnThePath() throws Exception {
        java("usr/lib/jvm/newer", "25.0.1");
        Path java = java("on path", "17.0.15");
        assertThat(launch("", java)).startsWith(java.resolve("bin/java") + " ").contains(" --version");
    }

    @Test
    void prefersJavaHome() throws Exception {
        Path home = java("home", "21");
        assertThat(launch(home.toString(), java("on path", "17.0.15"))).startsWith(home.resolve("bin/java") + " ");
    }

    @Test
    void runsTheNewestOfTheUsualPlacesIfTheOneOnThePathIsTooOld() throws Exception {
        java("usr/lib/jvm/a", "17.0.15");
        Path newest = java("user/.jdks/b", "21.0.2");
        java("opt/java/c", "11.0.2");
        assertThat(launch("", java("old", "1.8.0_392"))).startsWith(newest.resolve("bin/java") + " ");
        assertThat(launch("")).startsWith(newest.resolve("bin/java") + " ");
    }

    @Test
    void asksAJavaWithoutAReleaseFile() throws Exception {
        Path java = directory.resolve("plain");
        executable(
                java.resolve("bin/java"),
                "#!/bin/sh\nif [ \"$1\" = -version ]; then echo 'openjdk version \"21\" 2023-09-19' >&2; else echo ran; fi\n");
        assertThat(launch("", java)).isEqualTo("ran\n");
    }

    /** The JVM would refuse to start. */
    @Test
    void makesNoArchiveOfClassesIfTheJavaHasNone() throws Exception {
        Path java = java("on path", "17");
        assertThat(launch("load", java.toString())).doesNotContain("ArchiveClassesAtExit");
        Files.createDirectories(java.resolve("lib/server"));
        Files.createFile(java.resolve("lib/server/classes.jsa"));
        assertThat(launch("load", java.toString())).contains("-XX:ArchiveClassesAtExit=");
    }

    /** Such as the Java that pip installs; an ahead-of-time cache has the classes of the JDK, too. */
    @Test
    void recordsForAnAheadOfTimeCacheWithoutAnArchiveOfTheJava() throws Exception {
        Path java = java("on path", "25.0.2");
        assertThat(launch("calls", java.toString())).contains("-XX:AOTConfiguration=");
    }

    /** Starts it like cron: the JVM would read text that is not ASCII as U+FFFD. */
    @Test
    void givesJavaALocaleForUtf8IfThatOfTheUserIsAscii() throws Exception {
        Path java = java("on path", "17");
        executable(java.resolve("bin/java"), "#!/bin/sh\necho \"$LC_ALL\"\n");
        locales("C en_US.utf8 de_DE.ISO-8859-1", "ANSI_X3.4-1968");
        assertThat(launch("", java)).as("as there is no C.UTF-8").isEqualTo("en_US.utf8\n");
        locales("C.UTF-8 en_US.utf8", "ANSI_X3.4-1968");
        assertThat(launch("", java)).isEqualTo("C.UTF-8\n");
        locales("C de_DE.ISO-8859-1", "ANSI_X3.4-1968");
        assertThat(launch("", java)).as("there is none").isEqualTo("\n");
        Files.delete(directory.resolve("tools/locale"));
        assertThat(launch("", java)).as("as in Alpine Linux").isEqualTo("C.UTF-8\n");
    }

    @Test
    void leavesTheLocaleOfTheUserIfItHasOtherLetters() throws Exception {
        Path java = java("on path", "17");
        executable(java.resolve("bin/java"), "#!/bin/sh\necho \"$LC_ALL\"\n");
        for (String encoding : new String[] {"UTF-8", "ISO-8859-1", "EUC-JP"}) {
            locales("C.UTF-8", encoding);
            assertThat(launch("", java)).as(encoding).isEqualTo("\n");
        }
    }

    /** A program "locale" of a system that has only these; without one, the encoding is the given one. */
    private void locales(String names, String encoding) throws IOException {
        executable(
                directory.resolve("tools/locale"),
                """
                #!/bin/sh
                case $1 in
                -a) echo %1$s ;;
                charmap)
                    for each in %1$s; do
                        if [ "$LC_ALL" = $each ]; then
                            case $each in
                            *.utf8 | *.UTF-8) echo UTF-8 ;;
                            *) echo "${each#*.}" ;;
                            esac
                            exit
                        fi
                    done
                    echo %2$s
                    ;;
                esac
                """
                        .formatted(names, encoding));
    }

    /** Some builds of BusyBox have none. */
    @Test
    void runsWithoutCksum() throws Exception {
        Path java = java("on path", "17");
        launch("", java);
        Files.delete(directory.resolve("tools/cksum"));
        assertThat(launch("", java)).startsWith(java.resolve("bin/java") + " ");
    }

    @Test
    void runsByALinkFromElsewhere() throws Exception {
        Path java = java("on path", "17");
        Path link = directory.resolve("usr/bin/overdrive");
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, Path.of("../../installed/bin/overdrive"));
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", link.toString(), "--version");
        builder.environment().put("JAVA_HOME", java.toString());
        Process process = builder.start();
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("-Doverdrive.home=" + directory.resolve("installed") + " ");
    }

    @Test
    void keepsNewJavasFromWarningOfLibraries() throws Exception {
        String[] options = {"--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"};
        assertThat(launch(java("new", "25").toString())).contains(options);
        assertThat(launch(java("old", "21.0.1").toString())).doesNotContain(options);
    }

    @Test
    void saysWhereItSearchedIfThereIsNone() throws Exception {
        assertThat(launch(""))
                .startsWith("overdrive: no Java 17 or newer found: JAVA_HOME is not set, there is no java on the PATH,")
                .contains("/usr/lib/jvm", "apt install", "or set JAVA_HOME to one");
        Path old = java("old", "11.0.2");
        assertThat(launch("", old))
                .contains("java on the PATH is 11 (" + old.resolve("bin/java") + "), and there is none");
        assertThat(launch("", java("older", "1.8.0_392"))).contains("java on the PATH is 8 (");
    }

    @Test
    void refusesAJavaHomeThatIsTooOldOrNone() throws Exception {
        Path old = java("old", "11.0.2");
        assertThat(launch(old.toString()))
                .isEqualTo("overdrive: JAVA_HOME is " + old + ", which is Java 11: Overdrive needs 17 or newer;"
                        + " set JAVA_HOME to one, or to nothing, and it is searched for\n");
        assertThat(launch("/none"))
                .isEqualTo("overdrive: JAVA_HOME is /none, which has no bin/java: set it to a JDK, 17 or newer\n");
    }
}
