package io.overdrive.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.cli.Main;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.OptionSpec;

class ManPagesTest {
    private static final Map<String, String> PAGES =
            new ManPages("2026-01-31", "Overdrive 1.2.3").of(Main.commandLine());

    private static String page(String name) {
        return Objects.requireNonNull(PAGES.get(name), name);
    }

    @Test
    void eachCommandHasAPage() {
        assertThat(PAGES)
                .containsKeys("overdrive.1", "overdrive-load.1", "overdrive-local-start.1", "overdrive-bench.1");
    }

    @Test
    void aPageHasTheSectionsThatReadersExpect() {
        assertThat(page("overdrive-load.1"))
                .startsWith(
                        """
                        .TH "OVERDRIVE\\-LOAD" "1" "2026-01-31" "Overdrive 1.2.3"
                        .nh
                        .ad l
                        .SH "NAME"
                        overdrive\\-load \\- Loads CSV, JSON, Arrow or Parquet files into a table, or an unload of a keyspace into a keyspace
                        .SH "SYNOPSIS"
                        overdrive load [OPTIONS] INPUT\\[u2026] TABLE
                        .SH "DESCRIPTION"
                        Loads CSV, JSON, Arrow or Parquet files into a table, or an unload of a keyspace into a keyspace.
                        .SH "ARGUMENTS"
                        """)
                .contains(".SS \"Connection:\"\n", ".SH \"EXAMPLES\"\n.PP\n.nf\noverdrive load flights.csv.zst")
                .endsWith(".SH \"SEE ALSO\"\noverdrive(1)\n");
        assertThat(page("overdrive.1")).contains("overdrive\\-load(1), ", ".SH \"COMMANDS\"\n");
    }

    @Test
    void aPageHasAllOptionsOfTheHelp() {
        String page = page("overdrive-load.1");
        for (OptionSpec option : Objects.requireNonNull(
                        Main.commandLine().getSubcommands().get("load"))
                .getCommandSpec()
                .options()) {
            if (!option.hidden()) {
                assertThat(page).contains("\\fB" + Roff.escape(String.join(", ", option.names())));
            }
        }
        assertThat(page.lines().filter(line -> line.startsWith("\\fB"))).doesNotHaveDuplicates();
    }

    @Test
    void textCannotBecomeAMacro() {
        assertThat(new Roff().words(".so /etc/passwd\n'x \\fB").toString())
                .isEqualTo("\\&.so /etc/passwd\n\\(aqx \\efB\n");
    }
}
