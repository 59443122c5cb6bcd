package io.overdrive.jobs.diff;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.Overdrive;
import io.overdrive.ScanOptions;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.diff.DiffOptions.Comparison;
import io.overdrive.jobs.diff.DiffOptions.Repaired;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Tables of the same name in two keyspaces, which tests compare. The fields are the options of the next comparison. */
abstract class TwoKeyspaces {
    final List<String> found = new ArrayList<>();
    List<String> warnings = List.of();
    Set<Repaired> repairs = Set.of();
    boolean keepsTimes;
    Comparison comparison = Comparison.DEFAULT;
    long maxDifferences = Long.MAX_VALUE;

    private final Overdrive overdrive;
    private final String left;
    private final String right;

    TwoKeyspaces(Overdrive overdrive, String left, String right) {
        this.overdrive = overdrive;
        this.left = left;
        this.right = right;
    }

    final List<Row> execute(String cql) {
        return overdrive.session().execute(cql).all();
    }

    /** Creates a table on both sides. */
    final void create(String table, String columns) {
        onBoth("CREATE TABLE $" + table + " (" + columns + ")");
    }

    /** @param statement has $ before the name of a table */
    final void onLeft(String statement) {
        execute(statement.replace("$", left + "."));
    }

    final void onRight(String statement) {
        execute(statement.replace("$", right + "."));
    }

    final void onBoth(String statement) {
        onLeft(statement);
        onRight(statement);
    }

    final DiffOptions options(int threads) {
        return new DiffOptions(
                comparison, repairs, keepsTimes, DefaultConsistencyLevel.LOCAL_QUORUM, maxDifferences, threads);
    }

    final DiffSummary diff(String table) {
        return diff(ScanOptions.from(left, table), ScanOptions.from(right, table));
    }

    final DiffSummary diff(ScanOptions.Builder leftRows, ScanOptions.Builder rightRows) {
        found.clear();
        try (Differ differ = Differ.open(
                overdrive, leftRows, overdrive, rightRows, options(/* threads */ 4), d -> found.add(d.toJson()))) {
            warnings = differ.warnings();
            DiffSummary summary = differ.run();
            assertThat(summary.failure()).isNull();
            assertThat(summary.outcome()).isEqualTo(Outcome.DONE);
            return summary;
        }
    }
}
