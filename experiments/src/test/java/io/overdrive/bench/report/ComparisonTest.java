package io.overdrive.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.bench.Figure;
import io.overdrive.bench.MadeUp;
import io.overdrive.bench.report.Comparison.Change;
import io.overdrive.bench.report.Comparison.Row;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    @Test
    void findsNoDifferenceIfNothingChanged() {
        Comparison comparison = Comparison.of(MadeUp.order(10, 1, 1), MadeUp.order(10, 2, 1));
        assertThat(rows(comparison, Figure.ROWS_PER_SECOND))
                .allSatisfy(row -> assertThat(row.verdict()).isEqualTo("no difference shown"));
        assertThat(comparison.notes()).isEmpty();
        assertThat(comparison.summary()).isEqualTo("rows per second, 9 variants: 9 no difference shown");
    }

    @Test
    void callsMoreRowsOrLessTimeFasterAndLessCpuBetter() {
        Comparison comparison = Comparison.of(MadeUp.order(10, 1, 1), MadeUp.order(10, 2, 1.5));
        assertThat(rows(comparison, Figure.ROWS_PER_SECOND)).allSatisfy(row -> {
            assertThat(row.ratio().value()).isBetween(1.3, 1.7);
            assertThat(row.change()).isEqualTo(Change.BETTER);
            assertThat(row.verdict()).isEqualTo("faster");
        });
        assertThat(rows(comparison, Figure.P99)).extracting(Row::verdict).containsOnly("faster");
        assertThat(rows(comparison, Figure.CLIENT_CPU)).extracting(Row::verdict).containsOnly("better");
        Comparison reversed = Comparison.of(MadeUp.order(10, 2, 1.5), MadeUp.order(10, 1, 1));
        assertThat(rows(reversed, Figure.ROWS_PER_SECOND))
                .extracting(Row::verdict)
                .containsOnly("slower");
        assertThat(rows(reversed, Figure.CLIENT_CPU)).extracting(Row::verdict).containsOnly("worse");
    }

    @Test
    void reportsTheSmallestDifferenceThatWouldBeSignificant() {
        for (Row row :
                Comparison.of(MadeUp.order(5, 1, 1), MadeUp.order(5, 9, 1.12)).rows()) {
            double difference = Math.abs(Math.log(row.ratio().value()));
            if (row.change() == Change.NONE) {
                assertThat(difference).isLessThan(Math.log1p(row.visible()));
            }
        }
    }

    @Test
    void saysThatAFigureOfZeroHasNoRatio() {
        Comparison comparison = Comparison.of(MadeUp.order(3, 1, 1), MadeUp.order(3, 2, 1));
        assertThat(rows(comparison, Figure.RETRIES)).allSatisfy(row -> {
            assertThat(row.change()).isEqualTo(Change.UNKNOWN);
            assertThat(row.verdict()).isEqualTo("no ratio: retries is 0 in one of the two");
        });
    }

    @Test
    void namesOtherChanges() {
        Comparison comparison = Comparison.of(MadeUp.order(3, 1, 1), MadeUp.order(4, 2, 1.1));
        assertThat(comparison.notes())
                .containsExactly("environment: Cassandra was 5.0.9 and is 5.0.10", "settings: repeat was 3 and is 4");
    }

    @Test
    void isATableOnTheTerminal() {
        String text = TextReport.of(Comparison.of(MadeUp.order(5, 1, 1), MadeUp.order(5, 9, 1.12)));
        assertThat(text)
                .startsWith("Grouping & <order> of rows: rows per second, 9 variants: ")
                .contains(
                        "  rows per second, rows/s                         before    after  ratio  95 % interval  would show from\n")
                .containsPattern("  in order, partition +faster ")
                .contains("what else differs:\n  environment: Cassandra was 5.0.9 and is 5.0.10\n");
    }

    @Test
    void refusesResultsOfDifferentExperiments() {
        assertThatThrownBy(() -> Comparison.of(MadeUp.grid(), MadeUp.sizes()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "the first result is of made-up-grid and the second of made-up-sizes: give two results of the"
                                + " same experiment");
    }

    private static List<Row> rows(Comparison comparison, Figure figure) {
        return comparison.rows().stream().filter(row -> row.figure() == figure).toList();
    }
}
