package io.overdrive.bench.ledger;

import io.overdrive.bench.Estimate;
import io.overdrive.bench.Published;
import java.util.Locale;
import java.util.Map;

/** Bars of a page, as shares of their width. Stateless. */
final class Bars {
    /** An interval that ends beyond this many times its mean would make all bars short, and ends at the edge. */
    private static final double WIDE = 2;

    private Bars() {}

    /** The right end of a bar with its interval. */
    static double end(Estimate estimate) {
        if (Double.isInfinite(estimate.value())) {
            return 0;
        }
        return Math.max(0, Math.min(estimate.high(), WIDE * Math.max(0, estimate.value())));
    }

    static Map<String, Object> of(Published published, double scale) {
        return bar(
                published.high(),
                published.low(),
                published.high(),
                published.low() < published.high(),
                scale,
                published.toString(),
                "");
    }

    static Map<String, Object> of(Estimate estimate, double scale) {
        String ends = estimate.hasInterval()
                ? "(" + Estimate.text(estimate.low()) + " to " + Estimate.text(estimate.high()) + ")"
                : "";
        return bar(
                estimate.value(),
                estimate.low(),
                estimate.high(),
                estimate.hasInterval(),
                scale,
                (Estimate.text(estimate.value()) + " " + estimate.unit()).strip(),
                ends);
    }

    private static Map<String, Object> bar(
            double value, double low, double high, boolean interval, double scale, String text, String ends) {
        return Map.of(
                "width",
                percent(value, scale),
                "interval",
                interval ? Map.of("from", percent(low, scale), "to", percent(high, scale)) : false,
                "text",
                text,
                "ends",
                ends);
    }

    /** A share such as {@code 36.4}, at least 0 and at most 100. */
    private static String percent(double value, double scale) {
        double share = scale <= 0 ? 0 : value / scale;
        return String.format(Locale.ROOT, "%.1f", 100 * Math.max(0, Math.min(1, share)));
    }
}
