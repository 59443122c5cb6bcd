package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.internal.names.Build;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class VersionTest {
    private static Properties properties(String... namesAndValues) {
        Properties properties = new Properties();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            properties.setProperty(namesAndValues[i], namesAndValues[i + 1]);
        }
        return properties;
    }

    @Test
    void namesVersionCommitAndJava() {
        Cli version = Cli.run("--version");
        assertThat(version.code()).isEqualTo(Main.DONE);
        assertThat(version.out().lines())
                .satisfiesExactly(
                        first -> assertThat(first).matches("overdrive \\d+\\.\\d+\\.\\d+(-[A-Z0-9.]+)?"),
                        second -> assertThat(second)
                                .matches("commit ([0-9a-f]{10}(, with changes that were not committed)?|unknown)"),
                        third -> assertThat(third)
                                .startsWith("Java " + Runtime.version().feature() + ".")
                                .endsWith(", " + System.getProperty("java.home")));
    }

    @Test
    void saysWhetherTheSourcesWereThoseOfTheCommit() {
        Properties java = properties("java.runtime.version", "21+1", "java.vendor", "Acme", "java.home", "/100%/jdk");
        assertThat(Version.lines(new Build("1.2.3", "0123456789abcdef", true), java))
                .containsExactly(
                        "overdrive 1.2.3",
                        "commit 0123456789, with changes that were not committed",
                        "Java 21+1, Acme, /100%/jdk");
    }
}
