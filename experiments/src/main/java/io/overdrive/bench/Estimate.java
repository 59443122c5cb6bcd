package io.overdrive.bench;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * An estimate from several runs, with its 95 % confidence interval. Immutable.
 *
 * @param value the point estimate; infinite for a cross-over beyond what was measured; NaN if unknown
 * @param low lower end of the interval; infinite if there is none, as after a single run
 * @param high upper end of the interval
 * @param unit of all three, {@code times} for a ratio; empty for a number without one
 * @param sd standard deviation of the runs, of the logarithms for a ratio; NaN if there is none
 * @param p the p-value: how often chance alone would bring it as far from 1 (for a ratio) or 0; NaN after a single run
 * @param n runs, or blocks of runs for a comparison within blocks
 * @param note the figures behind it, or why it is unknown; may be empty
 */
public record Estimate(double value, double low, double high, String unit, double sd, double p, int n, String note) {
    /** The significance level: the share of false alarms. */
    public static final double ALPHA = 0.05;

    /** Smaller differences count as noise, whatever the test says: no machine behaves the same way twice. */
    public static final double NOISE = 0.01;

    private static final double ROUNDING = 1e-12;

    static Estimate missing(String unit, String why) {
        return new Estimate(Double.NaN, Double.NaN, Double.NaN, unit, Double.NaN, Double.NaN, 0, why);
    }

    /** Mean of runs, with the interval of the t distribution. */
    static Estimate mean(double[] values, String unit, String note) {
        double mean = mean(values);
        double sd = values.length < 2 ? Double.NaN : sd(values);
        return student(mean, sd, sd / Math.sqrt(values.length), values.length - 1, unit, values.length, note);
    }

    /** A number that was estimated with a standard error, with the interval of the t distribution. */
    static Estimate student(double value, double sd, double error, double freedom, String unit, int n, String note) {
        return student(value, sd, error, freedom, ALPHA, unit, n, note);
    }

    private static Estimate student(
            double value, double sd, double error, double freedom, double alpha, String unit, int n, String note) {
        if (freedom <= 0) {
            return new Estimate(
                    value, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, unit, Double.NaN, Double.NaN, n, note);
        }
        TDistribution t = TDistribution.of(freedom);
        double half = t.inverseSurvivalProbability(alpha / 2) * error;
        double p = error > 0 ? 2 * t.survivalProbability(Math.abs(value) / error) : value == 0 ? 1 : 0;
        return new Estimate(value, value - half, value + half, unit, sd, p, n, note);
    }

    /** Ratio of two arms that ran in the same blocks: t test of the differences of their logarithms. */
    static Estimate pairedRatio(double[] differences, String note) {
        return mean(differences, "times", note).exp();
    }

    /**
     * Ratio of unpaired runs: Welch's t test of their logarithms.
     *
     * @param alpha the share of intervals that may miss the true value
     */
    static Estimate ratio(double[] above, double[] below, double alpha, String note) {
        double difference = mean(above) - mean(below);
        int n = Math.min(above.length, below.length);
        if (n < 2) {
            return student(difference, Double.NaN, Double.NaN, 0, "times", n, note)
                    .exp();
        }
        double a = square(sd(above)) / above.length;
        double b = square(sd(below)) / below.length;
        double freedom =
                a + b == 0 ? n - 1 : square(a + b) / (square(a) / (above.length - 1) + square(b) / (below.length - 1));
        return student(difference, Math.sqrt((a + b) * n / 2), Math.sqrt(a + b), freedom, alpha, "times", n, note)
                .exp();
    }

    /**
     * The same estimates with p-values adjusted for the family: all of them together give a false alarm 5 times out of 100. From S. Holm, A
     * Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6 (1979). Estimates without a p-value stay
     * unchanged.
     */
    public static List<Estimate> family(List<Estimate> estimates) {
        List<Estimate> adjusted = new ArrayList<>(estimates);
        int[] order = IntStream.range(0, estimates.size())
                .filter(i -> !Double.isNaN(estimates.get(i).p))
                .boxed()
                .sorted(Comparator.comparingDouble(i -> estimates.get(i).p))
                .mapToInt(i -> i)
                .toArray();
        double p = 0;
        for (int rank = 0; rank < order.length; rank++) {
            Estimate e = estimates.get(order[rank]);
            p = Math.max(p, Math.min(1, e.p * (order.length - rank)));
            adjusted.set(order[rank], new Estimate(e.value, e.low, e.high, e.unit, e.sd, p, e.n, e.note));
        }
        return adjusted;
    }

    /** Whether nothing was measured. */
    public boolean isMissing() {
        return Double.isNaN(value);
    }

    /** Whether there is more than a single run, and so a confidence interval. */
    public boolean hasInterval() {
        return !isMissing() && n > 1;
    }

    /** Whether a ratio differs from 1, by the test and by more than 1 %. */
    public boolean differs() {
        return p < ALPHA && Math.abs(value - 1) > NOISE;
    }

    /** Half of the interval: the number after ±. */
    public double half() {
        return (high - low) / 2;
    }

    /** Readable text: {@code 1.83 times (1.62 to 2.07, n = 5)}, or why it is unknown. */
    @Override
    public String toString() {
        if (isMissing()) {
            return note;
        }
        String text = Double.isInfinite(value) ? note : (text(value) + " " + unit).strip();
        String interval = hasInterval() ? text(low) + " to " + text(high) + ", n = " + n : "n = " + n + ": no interval";
        return text + " (" + interval + ")" + (note.isEmpty() || Double.isInfinite(value) ? "" : ", " + note);
    }

    /** Formats a number with three digits: {@code 0.123}, {@code 12.3}, {@code 12,300}. */
    public static String text(double number) {
        return text(number, 3);
    }

    public static String text(double number, int digits) {
        if (Double.isInfinite(number)) {
            return number > 0 ? "∞" : "−∞";
        }
        if (number == 0 || Double.isNaN(number)) {
            return number == 0 ? "0" : "";
        }
        BigDecimal rounded = new BigDecimal(number).round(new MathContext(digits, RoundingMode.HALF_UP));
        int decimals = Math.max(0, digits - rounded.precision() + rounded.scale());
        return String.format(Locale.ROOT, "%,." + decimals + "f", rounded);
    }

    private Estimate exp() {
        return new Estimate(Math.exp(value), Math.exp(low), Math.exp(high), unit, sd, p, n, note);
    }

    private static double mean(double[] values) {
        return Arrays.stream(values).average().orElse(Double.NaN);
    }

    /** Exactly zero for equal values; the rounding of their mean would leave a tiny rest. */
    private static double sd(double[] values) {
        double first = values[0];
        if (Arrays.stream(values).allMatch(value -> Math.abs(value - first) <= Math.abs(first) * ROUNDING)) {
            return 0;
        }
        double mean = mean(values);
        return Math.sqrt(Arrays.stream(values).map(v -> square(v - mean)).sum() / (values.length - 1));
    }

    private static double square(double x) {
        return x * x;
    }
}
