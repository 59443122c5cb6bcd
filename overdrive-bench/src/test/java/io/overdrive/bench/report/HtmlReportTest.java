package io.overdrive.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.MadeUp;
import io.overdrive.bench.Result;
import java.util.List;
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
    void marksTheBestAndThoseThatDoNotDifferFromIt() {
        String page = HtmlReport.of(MadeUp.order(5, 1, 1));
        String row = page.substring(page.indexOf("<tbody>", page.indexOf("<h2>Figures")));
        row = row.substring(row.indexOf("in order"), row.indexOf("random"));
        assertThat(row.split("</tr>", -1)[0]).doesNotContain("best");
        assertThat(row.split("</tr>", -1)[1]).contains("value best");
    }
}
