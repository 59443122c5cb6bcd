package io.overdrive.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.jobs.Plan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class ReportMixinTest {
    @Command(name = "diff", version = "overdrive 1.0")
    private static final class Diff {
        @Mixin
        private final ReportMixin report = new ReportMixin();
    }

    @Test
    void theReportOfARunThatIsKilledHasItsId(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("report.json");
        Diff diff = new Diff();
        CommandLine line = new CommandLine(diff);
        line.parseArgs("--report", file.toString());
        diff.report.begin(line.getCommandSpec());
        ReportMixin.work(line.getCommandSpec(), "20260131-134500-abcd", new Plan(List.of()), List.of());
        JsonNode report = new JsonMapper().readTree(file.toFile());
        assertThat(report.path("run").asText()).isEqualTo("20260131-134500-abcd");
        assertThat(report.at("/verdict/result").asText()).isEqualTo("notFinished");
        ReportMixin.end(line.getCommandSpec(), 0, /* failure */ null);
    }
}
