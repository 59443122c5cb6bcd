package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Text on the command line and in the environment that Java cannot read is refused: it would be written as U+FFFD. */
class UnreadableTextTest {
    /** The name of a city in UTF-8, made by the shell, as the encoding of our own arguments is that of the build. */
    private static final String CITY = "$(printf 'Z\\303\\274rich')";

    @Test
    void refusesAnArgument() {
        Cli refused = Cli.run(Map.of(), "load", "a.csv", "ks.t", "--null", "\uFFFD\uFFFD");
        assertThat(refused.code()).isEqualTo(Main.USAGE);
        assertThat(refused.err()).startsWith("overdrive: argument 5, \"\uFFFD\uFFFD\", ");
    }

    @Test
    void refusesAVariable() {
        Cli refused = Cli.run(Map.of("OVERDRIVE_PASSWORD", "p\uFFFDw", "OTHER", "\uFFFD"), "count", "ks.t");
        assertThat(refused.code()).isEqualTo(Main.USAGE);
        assertThat(refused.err())
                .startsWith("overdrive: the environment variable OVERDRIVE_PASSWORD ")
                .doesNotContain("p\uFFFDw");
    }

    /** A variable of somebody else, and characters of all lengths. */
    @Test
    void takesAllOthers() {
        assertThat(Cli.run(Map.of("OTHER", "\uFFFD"), "cql", "--help", "Zürich € 🚗")
                        .code())
                .isZero();
    }

    /** The program itself, without the launcher, which chooses a locale. */
    @Test
    void saysHowToSetTheLocale() throws Exception {
        assertThat(run("C", "cql", CITY))
                .contains(
                        "argument 2, \"Z\uFFFD\uFFFDrich\", has bytes that are no characters in the encoding of the"
                                + " locale, ",
                        ": set LC_ALL to a locale for UTF-8, such as C.UTF-8\nexit code 2\n");
    }

    private static String run(String locale, String... args) throws Exception {
        String words = String.join(" ", args);
        List<String> command = new ArrayList<>(List.of(
                "sh", "-c", "\"$@\" " + words.replace(CITY, "\"" + CITY + "\"") + "; echo \"exit code $?\"", "sh"));
        command.addAll(Child.command());
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("LC_ALL", locale);
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }
}
