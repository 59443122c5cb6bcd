package io.overdrive.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Figure;
import io.overdrive.bench.MadeUp;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.Result;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class HtmlReportTest {
    @Test
    void escapesTextsOfExperiments() {
        String page = HtmlReport.of(MadeUp.order(2, 1, 1));
        assertThat(page)
                .contains("<h1>Grouping &amp; &lt;order&gt; of rows</h1>")
                .doesNotContain("<script>alert(1)");
        // the library, the script, and the two blocks of data
        assertThat(Pattern.compile("</script").matcher(page).results()).hasSize(4);
    }

    @Test
    void loadsNothingFromElsewhere() {
        List<Result> results = List.of(MadeUp.order(2, 1, 1), MadeUp.grid());
        String comparison = HtmlReport.of(Comparison.of(MadeUp.order(2, 1, 1), MadeUp.order(2, 9, 2)));
        for (String page : List.of(HtmlReport.of(results.get(0)), HtmlReport.suite(results), comparison)) {
            assertThat(page)
                    .contains("default-src 'none'")
                    .doesNotContain("src=")
                    .doesNotContain("<link")
                    .doesNotContain("@import")
                    .doesNotContain("url(")
                    .doesNotContain("sourceMappingURL");
        }
    }

    @Test
    void onlyPagesThatHaveScriptsPermitThem() {
        String policy = "script-src 'unsafe-inline'";
        assertThat(HtmlReport.of(MadeUp.order(2, 1, 1))).contains("<script>", policy);
        String comparison = HtmlReport.of(Comparison.of(MadeUp.order(2, 1, 1), MadeUp.order(2, 9, 2)));
        assertThat(HtmlReport.suite(List.of(MadeUp.grid()))).doesNotContain("<script", policy);
        assertThat(comparison).doesNotContain("<script", policy);
    }

    /** The order of {@link Map#of} differs from one JVM to the next. */
    @Test
    void theSameResultMakesTheSamePageInEachJvm() {
        assertThat(HtmlReport.of(MadeUp.order(2, 1, 1)))
                .contains("id=\"plots\">{\"charts\":[{")
                .contains("],\"figures\":{");
    }

    @Test
    void staysSmall() {
        assertThat(HtmlReport.of(MadeUp.order(5, 1, 1))).hasSizeLessThan(300_000);
    }

    @Test
    void showsAResultWithoutRuns() {
        Result full = MadeUp.order(2, 1, 1);
        Result empty = new Result(
                full.description(),
                full.started(),
                1,
                false,
                full.command(),
                full.settings(),
                full.environment(),
                full.arms(),
                List.of(),
                full.mainFigure(),
                full.tableFigures(),
                full.charts(),
                List.of(),
                List.of());
        assertThat(HtmlReport.of(empty)).contains("Ended early: 0 runs").doesNotContain("<canvas");
    }

    @Test
    void aPanelOfAHeatMapHasOnlyItsOwnLevelsAndRange() {
        Result grid = MadeUp.grid();
        List<Measurement> runs = List.of(
                run("write", "1 KiB", "4 requests", 10_000),
                run("write", "64 KiB", "4 requests", 20_000),
                run("read", "500 rows", "1 split", 1_000_000),
                run("read", "500 rows", "16 splits", 2_000_000));
        Result jobs = new Result(
                grid.description(),
                grid.started(),
                1,
                true,
                grid.command(),
                grid.settings(),
                grid.environment(),
                runs.stream().map(Measurement::arm).toList(),
                runs,
                grid.mainFigure(),
                grid.tableFigures(),
                List.of(new Chart("Jobs", Chart.Kind.HEAT_MAP, Figure.ROWS_PER_SECOND, "request", "in flight")),
                List.of(),
                List.of());
        String page = HtmlReport.of(jobs);
        String writes = page.substring(page.indexOf("<h4>job: write</h4>"), page.indexOf("<h4>job: read</h4>"));
        assertThat(writes)
                .contains("1 KiB", "64 KiB", "4 requests", "--heat:0%", "--heat:100%")
                .doesNotContain("500 rows", "split");
    }

    private static Measurement run(String job, String request, String inFlight, double rate) {
        Map<String, String> levels = new LinkedHashMap<>();
        levels.put("job", job);
        levels.put("request", request);
        levels.put("in flight", inFlight);
        return new Measurement(new Arm(levels), 1, Map.of(Figure.ROWS_PER_SECOND, rate), List.of(), null);
    }

    @Test
    void marksTheBestAndThoseThatDoNotDifferFromIt() {
        String page = HtmlReport.of(MadeUp.order(5, 1, 1));
        String row = page.substring(page.indexOf("<tbody>", page.indexOf("<h2>Figures")));
        row = row.substring(row.indexOf("in order"), row.indexOf("random"));
        assertThat(row.split("</tr>", -1)[0]).doesNotContain("best");
        assertThat(row.split("</tr>", -1)[1]).contains("value best");
    }
}
