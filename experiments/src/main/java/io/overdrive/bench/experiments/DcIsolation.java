package io.overdrive.bench.experiments;

import io.overdrive.Overdrive;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.Isolation;
import io.overdrive.bench.experiments.kit.KeyedRows;
import io.overdrive.bench.experiments.kit.Layouts;
import java.util.List;

/** E16. The job of {@link Isolation} is a scan in this process, at several rates of the users. */
final class DcIsolation implements Experiment {
    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(10_000);
            case LAPTOP -> Size.rows(1_000_000).repeat(5).datacenters(2);
            case DC2 -> Size.rows(2_000_000).repeat(5).datacenters(2).nodes(2).replicationFactor(2);
            case PAPER ->
                Size.rows(400_000_000).repeat(5).datacenters(2).nodes(3).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(Isolation.factors(size));
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        Isolation isolation = Isolation.prepare(context);
        return arm -> isolation.beside(arm, new Job(isolation.cluster(arm)));
    }

    /** A scan by a separate connection. Confined to one thread. */
    private static final class Job implements Work {
        private final Overdrive analysts;
        private final KeyedRows.Sums sums;

        Job(ExperimentContext cluster) {
            analysts = cluster.connect(Layouts.ofOthers(cluster));
            sums = new KeyedRows.Sums(cluster, analysts);
        }

        @Override
        public RunOutcome run() {
            return sums.run();
        }

        @Override
        public long rowsFound() {
            return sums.rowsFound();
        }

        @Override
        public void close() {
            sums.close();
            analysts.close();
        }
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
        return Isolation.check(findings);
    }
}
