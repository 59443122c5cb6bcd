package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code overdrive bench} before a cluster exists. */
class BenchTest {
    @Test
    void theListHasQuestionsAndWhatTheyNeed() {
        Cli list = Cli.run("bench", "list");
        assertThat(list.code()).isEqualTo(Main.DONE);
        assertThat(list.out())
                .contains("grouping-order\n    How fast are rows written in order and out of order")
                .contains("    laptop  3 nodes, replication factor 1; 160,000 rows, 15 variants, each 5 times\n")
                .contains("    paper   5 nodes, replication factor 3; 2,000,000 rows, ");
    }

    @Test
    void theHelpGivesDefaultsAndExamples() {
        assertThat(Cli.run("bench", "--help").out().replaceAll("\\s+", " "))
                .contains("overdrive bench [OPTIONS] NAME…")
                .contains("Default: laptop.")
                .contains("Default: bench-reports.")
                .contains("--jmx-port=PORT")
                .contains("--host=HOST[:PORT]")
                .contains("overdrive bench grouping-order sort-first --preset tiny");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                " | say which experiment; overdrive bench list has them",
                "groupin-ordr | there is no experiment \"groupin-ordr\": did you mean \"grouping-order\"?",
                "all fastest | there is no experiment \"fastest\"",
                "fastest | there is no experiment \"fastest\": choose one of grouping-order",
                "grouping-order --preset huge | 'huge' is not one of tiny, laptop, dc2, paper",
                "grouping-order --rows 0 | --rows is 0, must be 1 or more",
                "grouping-order --rows many | 'many' is not a number such as 500, 20k or 1.5M",
                "compare before.json | Missing required parameter: 'AFTER'",
                "compare nowhere.json nowhere.json | nowhere.json is not the JSON of an experiment's result",
                "pages /nowhere | /nowhere has no result of an experiment, such as /nowhere/grouping-order.json",
                "ledger /nowhere | /nowhere has no result of an experiment, such as /nowhere/grouping-order.json",
                "grouping-order --foreground-rate 100 | --foreground-rate needs --foreground, such as 'write 0.5 read 0.5'",
                "dc-isolation --foreground write,1 | dc-isolation has its own load: leave --foreground out",
                "grouping-order --foreground write | --foreground 'write' is not a list of pairs",
                "grouping-order --foreground write,1 --foreground-rate 0 | --foreground-rate is 0, must be 1 to 10000000",
                "spark-grouping-order --spark-home /nowhere | --spark-home /nowhere is no Spark: it has no bin/spark-submit",
                "grouping-order --spark-conf a=b | --spark-conf is for experiments that run Spark jobs, whose names begin with spark-",
                "grouping-order --jmx-user app | --jmx-user needs --jmx-port",
            })
    void mistakesAreReportedBeforeAClusterIsStarted(String argumentsAndMessage) {
        String[] parts = argumentsAndMessage.split(" \\| ", 2);
        Cli wrong = Cli.run(("bench " + parts[0]).strip().split(" "));
        assertThat(wrong.err()).contains(parts[1]).doesNotContain("\tat ", "existing cluster");
        assertThat(wrong.code()).isEqualTo(Main.USAGE);
    }

    @Test
    void theLedgerIsWrittenAsAPageAndAsJson(@TempDir Path directory) {
        Path out = directory.resolve("reports");
        Cli ledger = Cli.run("bench", "ledger", "../docs/experiments", "--out", out.toString());
        assertThat(ledger.out())
                .matches("ledger of 133 claims, \\d+ of them by stale results: \\Q" + out.resolve("ledger.html")
                        + "\\E\n");
        assertThat(ledger.code()).isEqualTo(Main.DONE);
        assertThat(out.resolve("ledger.html")).content().contains("<article id=\"s23\"");
        assertThat(out.resolve("ledger.json")).content().contains("{\"id\":\"S23\",");
    }

    @Test
    void aDirectoryThatCannotBeMadeIsNamed() {
        Cli wrong = Cli.run("bench", "grouping-order", "--out", "/dev/null/reports");
        assertThat(wrong.err()).contains("--out /dev/null/reports can't be made");
        assertThat(wrong.code()).isEqualTo(Main.USAGE);
    }
}
