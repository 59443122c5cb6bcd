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
    private final Path directory;

    ServerTest(@TempDir Path directory) {
        this.directory = directory;
    }

    @Test
    void prefersJava17ToElevenAndEverythingElse() throws IOException {
        Path eleven = Fakes.jdk(directory.resolve("eleven"), "11.0.2", "");
        Path seventeen = Fakes.jdk(directory.resolve("seventeen"), "17.0.15", "");
        Path twentyFive = Fakes.jdk(directory.resolve("twentyfive"), "25", "");

        assertThat(ServerJdk.choose(List.of(twentyFive, eleven, seventeen)).home())
                .isEqualTo(seventeen);
        assertThat(ServerJdk.choose(List.of(twentyFive, eleven)).home()).isEqualTo(eleven);
    }

    @Test
    void namesTheInstalledJdksIfNoneFits() throws IOException {
        Path twentyFive = Fakes.jdk(directory.resolve("twentyfive"), "25.0.3", "");

        assertThatThrownBy(() -> ServerJdk.choose(List.of(twentyFive, directory.resolve("missing"))))
                .isInstanceOf(LocalClusterException.class)
                .hasMessageContaining("runs on Java 17 or 11, and there is only 25.0.3 in " + twentyFive)
                .hasMessageContaining("JAVA_HOME");
        assertThatThrownBy(() -> ServerJdk.choose(List.of())).hasMessageContaining("none at all");
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

        assertThat(Server.findMaven(Map.of("M2_HOME", directory + "/home", "PATH", path.toString()), directory))
                .isEqualTo(home.resolve("mvn"));
        assertThat(Server.findMaven(Map.of("PATH", "/nowhere:" + path), directory))
                .isEqualTo(path.resolve("mvn"));
    }

    @Test
    void saysWhatToDoWithoutMaven() {
        assertThatThrownBy(() -> Server.findMaven(Map.of("PATH", directory.toString()), directory.resolve("lib")))
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
