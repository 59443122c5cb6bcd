package io.overdrive.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of an experiment or of some of its arms, and their statistics. A run, not a second of it, counts as one
 * observation. Failed runs are not among the figures. If there are too few runs, the answer is an {@link Estimate} that says so.
 * Immutable.
 *
 * <pre>{@code
 * Findings grouped = findings.where("grouping", "partition");
 * atLeast(1.3, "Rows in order go at least 1.3 times as fast as rows in random order",
 *         grouped.where("order", "in order").ratioTo(grouped.where("order", "random"), ROWS_PER_SECOND))
 * }</pre>
 *
 * @param measurements the runs, those that failed among them
 * @param conditions of the runs; null in a report, which does not know the cluster and needs only statistics
 */
public record Findings(List<Measurement> measurements, @Nullable Conditions conditions) {
    private static final int RESAMPLES = 2000;

    /**
     * The environment that an experiment ran in.
     *
     * @param nodes of the cluster, in the local data centre
     * @param size of the experiment
     * @param onThisMachine whether all nodes share the machine of the client
     */
    public record Conditions(int nodes, Size size, boolean onThisMachine) {}

    public Findings {
        measurements = List.copyOf(measurements);
    }

    /** The findings of a result, for a report. */
    public static Findings of(Result result) {
        return ofRuns(result.measurements());
    }

    /** The findings of some runs, for a report. */
    public static Findings ofRuns(List<Measurement> runs) {
        return new Findings(runs, null);
    }

    /** @throws IllegalStateException in a report */
    public int nodes() {
        return known().nodes();
    }

    /** @throws IllegalStateException in a report */
    public Size size() {
        return known().size();
    }

    /** @throws IllegalStateException in a report */
    public boolean onThisMachine() {
        return known().onThisMachine();
    }

    private Conditions known() {
        if (conditions == null) {
            throw new IllegalStateException("these findings are of a report, which does not know the cluster");
        }
        return conditions;
    }

    /** Only the arms that have one of these levels. */
    public Findings where(String factor, Object... levels) {
        List<String> wanted = Stream.of(levels).map(Object::toString).toList();
        return where(arm -> wanted.contains(arm.level(factor)));
    }

    /** Only the arms of which this is true: {@code where(arm -> arm.number("size") < 4096)}. */
    public Findings where(Predicate<Arm> condition) {
        return new Findings(
                measurements.stream().filter(m -> condition.test(m.arm())).toList(), conditions);
    }

    /** Only the level with the best mean of the figure; of several best, the first. Nothing, if there is nothing. */
    public Findings best(String factor, Figure figure) {
        return best(levels(factor).stream().map(level -> where(factor, level)), figure);
    }

    /** Only the arm with the best mean of the figure; of several best, the first. Nothing, if there is nothing. */
    public Findings best(Figure figure) {
        return best(arms().stream().map(arm -> where(arm::equals)), figure);
    }

    private Findings best(Stream<Findings> parts, Figure figure) {
        Comparator<Findings> byMean =
                Comparator.comparingDouble(part -> part.mean(figure).value());
        return parts.filter(part -> !part.mean(figure).isMissing())
                .reduce(BinaryOperator.maxBy(figure.better() == Figure.Better.LOWER ? byMean.reversed() : byMean))
                .orElseGet(() -> where(arm -> false));
    }

    /** The levels of a factor, in the order in which they first ran. */
    public Set<String> levels(String factor) {
        return measurements.stream()
                .map(m -> m.arm().level(factor))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** The arms, in the order in which they first ran. */
    public Set<Arm> arms() {
        return measurements.stream().map(Measurement::arm).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Mean of all runs. */
    public Estimate mean(Figure figure) {
        double[] values =
                runs(figure).stream().mapToDouble(m -> value(m, figure)).toArray();
        return values.length == 0
                ? Estimate.missing(figure.unit(), "no " + figure.label() + " of " + name())
                : Estimate.mean(values, figure.unit(), "");
    }

    /** Median of all runs; NaN if there is none. */
    public double median(Figure figure) {
        double[] values = runs(figure).stream()
                .mapToDouble(m -> value(m, figure))
                .sorted()
                .toArray();
        int middle = values.length / 2;
        return values.length == 0
                ? Double.NaN
                : values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    }

    /**
     * How many times the figure of the other this figure is: the geometric mean over the blocks, from a t test of the logarithms' differences
     * within each block. If both have several arms, those are compared that differ in nothing but the factors on which the two share no level.
     */
    public Estimate ratioTo(Findings other, Figure figure) {
        Set<String> compared = comparedFactors(other);
        Map<List<Object>, List<Double>> mine = logarithms(figure, compared);
        Map<List<Object>, List<Double>> theirs = other.logarithms(figure, compared);
        Map<Object, List<Double>> blocks = new TreeMap<>();
        mine.forEach((pair, logs) -> {
            List<Double> others = theirs.get(pair);
            if (others != null) {
                blocks.computeIfAbsent(pair.get(0), b -> new ArrayList<>()).add(mean(logs) - mean(others));
            }
        });
        return blocks.isEmpty()
                ? noRatioTo(other, figure, ", or they have no block in common")
                : Estimate.pairedRatio(
                        blocks.values().stream().mapToDouble(Findings::mean).toArray(), means(other, figure));
    }

    /**
     * As {@link #ratioTo}, for runs of another session, whose blocks are others: Welch's t test of the logarithms.
     *
     * @param alpha how often the interval may miss the truth
     */
    public Estimate unpairedRatioTo(Findings other, Figure figure, double alpha) {
        double[] mine = logarithms(figure);
        double[] theirs = other.logarithms(figure);
        return mine.length == 0 || theirs.length == 0
                ? noRatioTo(other, figure, "")
                : Estimate.ratio(mine, theirs, alpha, means(other, figure));
    }

    /**
     * The growth of a figure with each unit of x, from a straight line through all runs (least squares).
     *
     * @param x where an arm stands: {@code arm -> arm.number("rows per task")}
     */
    public Estimate slope(Figure figure, ToDoubleFunction<Arm> x) {
        return line(figure, x, false);
    }

    /** The figure where x is 0, by the straight line of {@link #slope}. */
    public Estimate intercept(Figure figure, ToDoubleFunction<Arm> x) {
        return line(figure, x, true);
    }

    /**
     * Where on a numeric factor this figure begins to be larger than the other's, or smaller, if it is larger at first. Between levels
     * that were measured the means are joined by straight lines. The interval is from a bootstrap over blocks (percentiles).
     *
     * @return in the factor's numbers; infinite if this figure is smaller at every level, minus infinity if it is larger at every level
     */
    public Estimate crossOver(Findings other, Figure figure, String factor) {
        Map<Integer, Map<Double, Double>> mine = curves(figure, factor);
        Map<Integer, Map<Double, Double>> theirs = other.curves(figure, factor);
        List<Integer> blocks =
                mine.keySet().stream().filter(theirs::containsKey).toList();
        double value = crossing(blocks, mine, theirs);
        if (Double.isNaN(value)) {
            return Estimate.missing(
                    "",
                    "no " + figure.label() + " of both " + name() + " and " + other.name() + " at two levels of "
                            + factor);
        }
        String note = !Double.isInfinite(value)
                ? ""
                : name() + " stays " + (value > 0 ? "below " : "above ") + other.name() + " at every " + factor;
        int n = blocks.size();
        if (n < 2) {
            return Estimate.student(value, Double.NaN, Double.NaN, 0, "", n, note);
        }
        Random random = new Random(1);
        double[] crossings = new double[RESAMPLES];
        for (int i = 0; i < RESAMPLES; i++) {
            crossings[i] = crossing(random.ints(n, 0, n).mapToObj(blocks::get).toList(), mine, theirs);
        }
        Arrays.sort(crossings);
        return new Estimate(
                value,
                crossings[(int) (RESAMPLES * Estimate.ALPHA / 2)],
                crossings[(int) Math.ceil(RESAMPLES * (1 - Estimate.ALPHA / 2)) - 1],
                "",
                Double.NaN,
                Double.NaN,
                n,
                note);
    }

    /**
     * The arm with the best mean, and those that a paired test cannot distinguish from it. Empty if these are more than half
     * of all arms, or if neither direction of the figure is better.
     */
    public Set<Arm> bestArms(Figure figure) {
        List<Arm> arms = arms().stream()
                .filter(arm -> !where(arm::equals).mean(figure).isMissing())
                .toList();
        if (arms.size() < 2 || figure.better() == Figure.Better.NEITHER) {
            return Set.of();
        }
        Findings best = best(figure);
        double bestMean = best.mean(figure).value();
        List<Estimate> ratios = Estimate.family(arms.stream()
                .map(arm -> where(arm::equals).ratioTo(best, figure))
                .toList());
        Set<Arm> equals = new LinkedHashSet<>();
        for (int i = 0; i < arms.size(); i++) {
            boolean same = ratios.get(i).isMissing()
                    ? where(arms.get(i)::equals).mean(figure).value() == bestMean
                    : !ratios.get(i).differs();
            if (same) {
                equals.add(arms.get(i));
            }
        }
        return equals.size() * 2 > arms.size() ? Set.of() : equals;
    }

    /** The levels that all arms here have in common: {@code in order, partition}; or why there are none. */
    String name() {
        if (measurements.isEmpty()) {
            return "an arm that was not run";
        }
        Map<String, String> common =
                new LinkedHashMap<>(measurements.get(0).arm().levels());
        measurements.forEach(m -> common.entrySet().retainAll(m.arm().levels().entrySet()));
        String name = common.isEmpty() ? "all arms" : String.join(", ", common.values());
        long failed = measurements.stream().filter(m -> m.failure() != null).count();
        return failed == 0 ? name : name + " (" + failed + " of " + measurements.size() + " runs failed)";
    }

    private Estimate noRatioTo(Findings other, Figure figure, String or) {
        Estimate above = mean(figure);
        Estimate below = other.mean(figure);
        String why = above.isMissing()
                ? above.note()
                : below.isMissing() ? below.note() : "no ratio: " + figure.label() + " is 0 in one of the two" + or;
        return Estimate.missing("times", why);
    }

    private String means(Findings other, Figure figure) {
        return Estimate.text(mean(figure).value()) + " against "
                + Estimate.text(other.mean(figure).value()) + " " + figure.unit();
    }

    private List<Measurement> runs(Figure figure) {
        return measurements.stream()
                .filter(m -> m.failure() == null && m.figures().containsKey(figure))
                .toList();
    }

    private Set<String> comparedFactors(Findings other) {
        Set<String> factors = measurements.stream()
                .flatMap(m -> m.arm().levels().keySet().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        factors.removeIf(factor -> !Collections.disjoint(levels(factor), other.levels(factor)));
        return factors;
    }

    private double[] logarithms(Figure figure) {
        return runs(figure).stream()
                .mapToDouble(m -> value(m, figure))
                .filter(v -> v > 0)
                .map(Math::log)
                .toArray();
    }

    /** Logarithms of the runs, by block and levels, without the levels of the compared factors. */
    private Map<List<Object>, List<Double>> logarithms(Figure figure, Set<String> compared) {
        Map<List<Object>, List<Double>> logarithms = new LinkedHashMap<>();
        for (Measurement run : runs(figure)) {
            if (value(run, figure) > 0) {
                Map<String, String> rest = new LinkedHashMap<>(run.arm().levels());
                rest.keySet().removeAll(compared);
                logarithms
                        .computeIfAbsent(List.of(run.block(), rest), pair -> new ArrayList<>())
                        .add(Math.log(value(run, figure)));
            }
        }
        return logarithms;
    }

    private Estimate line(Figure figure, ToDoubleFunction<Arm> position, boolean atZero) {
        List<Measurement> runs = runs(figure);
        int n = runs.size();
        double[] x =
                runs.stream().mapToDouble(m -> position.applyAsDouble(m.arm())).toArray();
        double[] y = runs.stream().mapToDouble(m -> value(m, figure)).toArray();
        if (Arrays.stream(x).distinct().count() < 2) {
            return Estimate.missing(figure.unit(), "no line through " + figure.label() + " of " + name());
        }
        double meanX = mean(x, v -> v);
        double meanY = mean(y, v -> v);
        double squares = n * mean(x, v -> (v - meanX) * (v - meanX));
        double products = 0;
        for (int i = 0; i < n; i++) {
            products += (x[i] - meanX) * (y[i] - meanY);
        }
        double slope = products / squares;
        double intercept = meanY - slope * meanX;
        double residuals = 0;
        for (int i = 0; i < n; i++) {
            double residual = y[i] - intercept - slope * x[i];
            residuals += residual * residual;
        }
        double sd = Math.sqrt(residuals / (n - 2));
        double error = atZero ? sd * Math.sqrt(1.0 / n + meanX * meanX / squares) : sd / Math.sqrt(squares);
        return Estimate.student(atZero ? intercept : slope, sd, error, n - 2, figure.unit(), n, "");
    }

    /** Block to number of the level to figure. */
    private Map<Integer, Map<Double, Double>> curves(Figure figure, String factor) {
        Map<Integer, Map<Double, Double>> curves = new TreeMap<>();
        runs(figure).forEach(m -> curves.computeIfAbsent(m.block(), block -> new TreeMap<>())
                .put(m.arm().number(factor), value(m, figure)));
        return curves;
    }

    /** Where the difference of the mean curves changes its sign; NaN if there are not two levels. */
    private static double crossing(
            List<Integer> blocks, Map<Integer, Map<Double, Double>> mine, Map<Integer, Map<Double, Double>> theirs) {
        Map<Double, List<Double>> differences = new TreeMap<>();
        for (Integer block : blocks) {
            Map<Double, Double> others = Objects.requireNonNull(theirs.get(block));
            Objects.requireNonNull(mine.get(block)).forEach((x, y) -> {
                Double other = others.get(x);
                if (other != null) {
                    differences.computeIfAbsent(x, level -> new ArrayList<>()).add(y - other);
                }
            });
        }
        if (differences.size() < 2) {
            return Double.NaN;
        }
        double lastX = Double.NaN;
        double last = Double.NaN;
        for (Map.Entry<Double, List<Double>> level : differences.entrySet()) {
            double x = level.getKey();
            double difference = mean(level.getValue());
            if (last * difference <= 0) {
                return difference == last ? x : lastX + (x - lastX) * last / (last - difference);
            }
            lastX = x;
            last = difference;
        }
        return last < 0 ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
    }

    private static double value(Measurement run, Figure figure) {
        return Objects.requireNonNull(run.figures().get(figure));
    }

    private static double mean(Collection<Double> values) {
        return values.stream().mapToDouble(v -> v).average().orElse(Double.NaN);
    }

    private static double mean(double[] values, DoubleUnaryOperator of) {
        return Arrays.stream(values).map(of).average().orElse(Double.NaN);
    }
}
