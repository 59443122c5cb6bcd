package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports of runs that do not come to their work. */
class ReportTest {
    private final Path page;
    private final Path json;

    ReportTest(@TempDir Path directory) {
        page = directory.resolve("report.html");
        json = directory.resolve("report.json");
    }

    private Cli diff(String... more) {
        return Cli.run(Stream.concat(
                        Stream.of(
                                "diff",
                                "shop.\"<b>Orders</b>\"",
                                "other.x",
                                "--host",
                                "127.0.0.1:1",
                                "--no-journal",
                                "--report",
                                page.toString(),
                                "--report",
                                json.toString()),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    @Test
    void aRunThatFailsSaysSo() throws IOException {
        Cli failed = diff();
        assertThat(failed.code()).isNotZero();
        JsonNode report = new JsonMapper().readTree(json.toFile());
        assertThat(report.at("/verdict/result").asText()).isEqualTo("failed");
        assertThat(report.get("exitCode").asInt()).isEqualTo(failed.code());
        assertThat(report.get("failure").asText()).isNotEmpty();
        assertThat(failed.err()).contains(report.get("failure").asText());
        assertThat(Files.readString(page))
                .contains("<h1 class=\"verdict bad\">Failed</h1>", "&lt;b&gt;Orders&lt;/b&gt;")
                .doesNotContain("<b>Orders");
        assertThat(diff().code()).isEqualTo(failed.code()); // replaces its own reports
        try (Stream<Path> files = Files.list(page.getParent())) {
            assertThat(files).containsExactlyInAnyOrder(page, json);
        }
    }

    @Test
    void otherFilesStay() throws IOException {
        Files.writeString(page, "<html>mine</html>");
        Cli refused = diff();
        assertThat(refused.code()).isEqualTo(Main.USAGE);
        assertThat(refused.err()).contains(page + " exists, and is not such a report: it is not overwritten");
        assertThat(page).hasContent("<html>mine</html>");
        assertThat(json).doesNotExist();
    }

    @Test
    void anotherFormIsRefused() {
        assertThat(diff("--report", "report.pdf").err()).contains("--report is report.pdf, must end in .html or .json");
        assertThat(Cli.run("unload", "shop.x", "out/", "--dry-run", "--report", json.toString())
                        .err())
                .contains("--report is about the rows of a run: it does not go with --dry-run");
        assertThat(json).doesNotExist();
    }

    /** A report of an earlier run is evidence. */
    @Test
    void noReportIsReplacedIfAnotherCannotBe() throws IOException {
        diff();
        String before = Files.readString(json);
        Path nowhere = page.resolveSibling("nowhere/report.html");
        Cli refused = diff("--report", nowhere.toString());
        assertThat(refused.code()).isEqualTo(Main.USAGE);
        assertThat(refused.err()).contains("--report " + nowhere + " cannot be written");
        assertThat(json).hasContent(before);
        Cli twice = diff("--report", page.resolveSibling("./report.json").toString());
        assertThat(twice.code()).isEqualTo(Main.USAGE);
        assertThat(twice.err()).contains("twice: name two files, or one");
        assertThat(json).hasContent(before);
        try (Stream<Path> files = Files.list(page.getParent())) {
            assertThat(files).containsExactlyInAnyOrder(page, json);
        }
    }
}
