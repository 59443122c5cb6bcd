package io.overdrive.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerTest {
    private static final ServerVersion NEW = ServerVersion.of("5.0");
    private static final ServerVersion OLD = ServerVersion.of("4.1.10");

    private final Path directory;

    ServerTest(@TempDir Path directory) {
        this.directory = directory;
    }

    @Test
    void prefersJava17ToElevenAndEverythingElse() throws IOException {
        Path eleven = Fakes.jdk(directory.resolve("eleven"), "11.0.2", "");
        Path seventeen = Fakes.jdk(directory.resolve("seventeen"), "17.0.15", "");
        Path twentyFive = Fakes.jdk(directory.resolve("twentyfive"), "25", "");

        assertThat(ServerJdk.choose(NEW, List.of(twentyFive, eleven, seventeen)).home())
                .isEqualTo(seventeen);
        assertThat(ServerJdk.choose(NEW, List.of(twentyFive, eleven)).home()).isEqualTo(eleven);
        assertThat(ServerJdk.choose(OLD, List.of(twentyFive, seventeen, eleven)).home())
                .isEqualTo(eleven);
    }

    @Test
    void namesTheInstalledJdksIfNoneFits() throws IOException {
        Path twentyFive = Fakes.jdk(directory.resolve("twentyfive"), "25.0.3", "");

        assertThatThrownBy(() -> ServerJdk.choose(NEW, List.of(twentyFive, directory.resolve("missing"))))
                .isInstanceOf(LocalClusterException.class)
                .hasMessageContaining("runs on Java 17 or 11, and there is only 25.0.3 in " + twentyFive)
                .hasMessageContaining("JAVA_HOME");
        assertThatThrownBy(() -> ServerJdk.choose(NEW, List.of())).hasMessageContaining("none at all");
    }

    @Test
    void looksForJdksWhereVariablesSay() {
        assertThat(ServerJdk.candidates(Map.of("JAVA_HOME_11_X64", "/eleven", "JAVA_HOME", "/mine", "JAVA_OPTS", "/x")))
                .containsSubsequence(Path.of("/mine"), Path.of("/eleven"))
                .doesNotContain(Path.of("/x"));
        assertThatThrownBy(() -> ServerJdk.choose(OLD, List.of()))
                .hasMessage("Cassandra 4.1.10 runs on Java 11, and there is none at all; install a JDK 11 and set"
                        + " JAVA_HOME_11 to it (Overdrive itself may run on another)");
    }

    @Test
    void knowsTheNewestReleaseOfASeries() {
        assertThat(ServerVersion.of("4.0").release()).matches("4\\.0\\.[0-9]+");
        assertThat(ServerVersion.of("4.1.7")).hasToString("Cassandra 4.1.7");
        assertThat(ServerVersion.of("4.1.7").series()).isEqualTo("4.1");
        assertThatThrownBy(() -> ServerVersion.of("3.11"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cassandra is \"3.11\", must be 4.0, 4.1, 5.0 or a release of these, such as 5.0.9");
    }

    @Test
    void readsOldAndNewVersionNumbers() {
        assertThat(new ServerJdk(directory, "1.8.0_392").feature()).isEqualTo(8);
        assertThat(new ServerJdk(directory, "25").feature()).isEqualTo(25);
        assertThat(new ServerJdk(directory, "24-ea+5").feature()).isEqualTo(24);
        assertThat(new ServerJdk(directory, "unknown").feature()).isZero();
    }

    @Test
    void findsMavenAtItsHomeBeforeThePath() throws IOException {
        Path home = Files.createDirectories(directory.resolve("home/bin"));
        Path path = Files.createDirectories(directory.resolve("path"));
        Fakes.script(home.resolve("mvn"), "");
        Fakes.script(path.resolve("mvn"), "");

        assertThat(Server.findMaven(NEW, Map.of("M2_HOME", directory + "/home", "PATH", path.toString()), directory))
                .isEqualTo(home.resolve("mvn"));
        assertThat(Server.findMaven(NEW, Map.of("PATH", "/nowhere:" + path), directory))
                .isEqualTo(path.resolve("mvn"));
    }

    @Test
    void saysWhatToDoWithoutMaven() {
        assertThatThrownBy(() -> Server.findMaven(NEW, Map.of("PATH", directory.toString()), directory.resolve("lib")))
                .isInstanceOf(LocalClusterException.class)
                .hasMessageContaining("Cassandra 5.0.9 is not in " + directory.resolve("lib"))
                .hasMessageContaining("install Maven 3.8 or newer");
    }

    @Test
    void leavesOutNativePartsOfOtherSystems() {
        assertThat(Server.isForeign("a-1-osx-x86_64.jar", "Linux")).isTrue();
        assertThat(Server.isForeign("a-1-linux-x86_64.jar", "Linux")).isFalse();
        assertThat(Server.isForeign("a-1-linux-x86_64.jar", "Mac OS X")).isTrue();
        assertThat(Server.isForeign("a-1-windows-x86_64.jar", "Linux")).isTrue();
        assertThat(Server.isForeign("guava-1.jar", "Mac OS X")).isFalse();
    }
}
