package io.overdrive.jobs.bottleneck;

import java.util.HashMap;
import java.util.Map;

/**
 * Nanoseconds of threads by what they did or waited for. Immutable.
 *
 * @param silentNanos those of {@link Cause#SILENT_NODE} by node
 */
record CauseTimes(Map<Cause, Double> nanos, Map<String, Double> silentNanos) {
    static final CauseTimes NONE = new CauseTimes(Map.of(), Map.of());

    CauseTimes {
        nanos = Map.copyOf(nanos);
        silentNanos = Map.copyOf(silentNanos);
    }

    double sum() {
        return nanos.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /** The same shares of another sum. */
    CauseTimes ofSum(double sum) {
        double factor = sum() == 0 ? 0 : sum / sum();
        return new CauseTimes(product(nanos, factor), product(silentNanos, factor));
    }

    private static <K> Map<K, Double> product(Map<K, Double> some, double factor) {
        Map<K, Double> product = new HashMap<>(some);
        product.replaceAll((key, value) -> value * factor);
        return product;
    }

    CauseTimes plus(CauseTimes other) {
        return new CauseTimes(sum(nanos, other.nanos), sum(silentNanos, other.silentNanos));
    }

    private static <K> Map<K, Double> sum(Map<K, Double> some, Map<K, Double> others) {
        Map<K, Double> sum = new HashMap<>(some);
        others.forEach((key, value) -> sum.merge(key, value, Double::sum));
        return sum;
    }
}
