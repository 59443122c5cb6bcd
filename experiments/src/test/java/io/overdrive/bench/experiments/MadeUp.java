package io.overdrive.bench.experiments;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Check;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.Size;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Figures that were not measured, to see what an experiment concludes from them. */
final class MadeUp {
    private MadeUp() {}

    /** Three blocks of all arms, each a hundredth above the one before, with the same number for each of these figures. */
    static Findings findings(
            Experiment experiment, Size size, int nodes, ToDoubleFunction<Arm> value, Figure... figures) {
        List<Measurement> runs = new ArrayList<>();
        for (int block = 1; block <= 3; block++) {
            double factor = 1 + block / 100.0;
            for (Arm arm : experiment.arms(size)) {
                Map<Figure, Double> measured = Arrays.stream(figures)
                        .collect(Collectors.toMap(figure -> figure, figure -> factor * value.applyAsDouble(arm)));
                runs.add(new Measurement(arm, block, measured, List.of(), null));
            }
        }
        return findings(runs, nodes, size);
    }

    /** Findings without any run. */
    static Findings none(Size size, int nodes) {
        return findings(List.of(), nodes, size);
    }

    /** Findings on a cluster of other machines. */
    static Findings findings(List<Measurement> runs, int nodes, Size size) {
        return new Findings(runs, new Findings.Conditions(nodes, size, /* onThisMachine */ false));
    }

    static List<Check.Verdict> verdicts(Experiment experiment, Findings findings) {
        return experiment.check(findings).stream().map(Check::verdict).toList();
    }
}
