package io.overdrive.bench.spark;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.Isolation;
import io.overdrive.bench.experiments.kit.KeyedRows;
import io.overdrive.bench.experiments.kit.Layouts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** E16, in Spark: the job of {@link Isolation} maps each key to its group, and sums by group. */
final class SparkDcIsolation extends SparkExperiment {
    /** Spark forms the groups; no server can aggregate by a part of the key. */
    private static final String QUERY = String.format(
            "SELECT substring(key, 1, %d) AS name, sum(c1) AS s, count(c1) AS n FROM %s GROUP BY 1",
            KeyedRows.DIGITS, SparkJob.ROWS);

    SparkDcIsolation(SparkOptions options) {
        super(options);
    }

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(10_000);
            case LAPTOP -> Size.rows(500_000).repeat(3).datacenters(2);
            case DC2 -> Size.rows(2_000_000).repeat(5).datacenters(2).nodes(2).replicationFactor(2);
            case PAPER ->
                Size.rows(400_000_000).repeat(5).datacenters(2).nodes(3).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        List<Map.Entry<String, ? extends List<?>>> factors = new ArrayList<>();
        factors.add(Map.entry(CONNECTOR, connectors()));
        factors.addAll(Isolation.factors(size));
        return Arm.grid(factors);
    }

    @Override
    Jobs jobs(ExperimentContext context) {
        Isolation isolation = Isolation.prepare(context);
        return new Jobs() {
            @Override
            public Run run(Arm arm) {
                ExperimentContext cluster = isolation.cluster(arm);
                Map<String, String> from =
                        SparkJob.table(cluster, Layouts.ofOthers(cluster), KeyedRows.TABLE, Map.of());
                return new Run(
                        SparkJob.reading(QUERY, from, Map.of("rows", "sum(n)", "sum", "sum(s)")),
                        KeyedRows.READ_BYTES,
                        answer -> checked(
                                answer, KeyedRows.sum(cluster), cluster.size().rows()));
            }

            @Override
            public Work around(Arm arm, SparkWork work) {
                return isolation.beside(arm, work);
            }
        };
    }

    @Override
    public Figure mainFigure() {
        return Figure.SECONDS;
    }

    @Override
    public List<Figure> tableFigures() {
        return Isolation.tableFigures();
    }

    @Override
    public List<Chart> charts() {
        return Isolation.charts();
    }

    @Override
    public List<Check> check(Findings findings) {
        List<Check> checks = new ArrayList<>();
        for (Connector connector : connectors()) {
            checks.addAll(connector.claims(Isolation.check(findings.where(CONNECTOR, connector))));
        }
        return checks;
    }
}
