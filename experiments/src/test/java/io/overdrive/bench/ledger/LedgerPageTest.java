package io.overdrive.bench.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.experiments.Experiments;
import io.overdrive.bench.spark.SparkOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LedgerPageTest {
    private static final Path RESULTS = Path.of("../docs/experiments");

    private static LedgerFiles files() {
        return LedgerFiles.of(RESULTS, Experiments.all(SparkOptions.NONE));
    }

    private static String page() {
        return LedgerPage.of(files().ledger(), "", "../../");
    }

    @Test
    void loadsNothingFromElsewhere() {
        assertThat(page())
                .contains("default-src 'none'", "script-src 'unsafe-inline'")
                .doesNotContain("src=")
                .doesNotContain("<link")
                .doesNotContain("@import")
                .doesNotContain("url(");
    }

    @Test
    void theIndexLeadsToARowForEachSlide() {
        String page = page();
        assertThat(page)
                .contains(
                        "<a href=\"#s23\">23</a>", "<article id=\"s23\"", "data-words=\"slide 24 slide 27 slide 28\"");
        assertThat(Pattern.compile("href=\"#(\\w+)\"").matcher(page).results().map(link -> link.group(1)))
                .hasSizeGreaterThan(200)
                .allSatisfy(anchor -> assertThat(page).contains("id=\"" + anchor + "\""));
    }

    @Test
    void aRowHasPublishedAndOwnFiguresVerdictAndCommand() {
        String page = page();
        String row = page.substring(page.indexOf("id=\"s23\""), page.indexOf("id=\"s24\""));
        assertThat(row)
                .contains("2.75 times", "4.18 times <small>(3.30 to 5.29)</small>", "28,000 rows/s", "77,000 rows/s")
                .contains("<b>reproduced</b>", "overdrive bench grouping-order", "grouping-order.html", "2026-11-21")
                .contains("chip stale", "commit not recorded");
        assertThat(widths(row)).isNotEmpty().allMatch(width -> width >= 0 && width <= 100);
    }

    private static Stream<Double> widths(String row) {
        return Pattern.compile("(?:width|left):([0-9.]+)%")
                .matcher(row)
                .results()
                .map(each -> Double.parseDouble(each.group(1)));
    }

    @Test
    void escapesTextsAndKeepsPagesThatAreNotThereAsNames() {
        String page = LedgerPage.of(files().ledger(), "results/", null);
        assertThat(page)
                .contains("&quot;perf&quot; rows", "results/grouping-order.html")
                .doesNotContain("href=\"docs/")
                .contains("spark-rdd.md");
    }

    @Test
    void writesBothFilesWithLinksFromTheirDirectory(@TempDir Path directory) throws IOException {
        Path out = directory.resolve("reports");
        assertThat(files().write(out)).startsWith("ledger of 133 claims, ").endsWith("ledger.html");
        assertThat(out.resolve("ledger.json")).content().isEqualTo(LedgerJson.of(files().ledger()));
        String link = Pattern.compile("href=\"([^\"]+grouping-order)\\.html")
                .matcher(Files.readString(out.resolve("ledger.html")))
                .results()
                .map(each -> each.group(1))
                .findFirst()
                .orElseThrow();
        assertThat(out.toRealPath().resolve(link + ".json").normalize()).exists();
    }
}
