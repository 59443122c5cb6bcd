package io.overdrive.bench;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A published figure, in the words of a row of the table in the text of its experiment. Immutable.
 *
 * @param check the {@link Check#id} of the claim that it belongs to
 * @param low the number, or the lower end of "130 to 170"
 * @param high the same number, or the upper end
 * @param unit of both, as a {@link Figure} has it
 * @param condition what it is a figure of: "by partition, out of order"
 * @param place where it is in the source: "slide 23"
 * @param figure our figure beside it; null if it is the one that the check judges
 * @param levels of the arms whose figure that is; empty for the figure of the check
 */
public record Published(
        String check,
        double low,
        double high,
        String unit,
        String condition,
        String place,
        @Nullable Figure figure,
        Map<String, String> levels) {
    public Published {
        levels = Collections.unmodifiableMap(new LinkedHashMap<>(levels));
    }

    /**
     * Our figure beside it.
     *
     * @throws NullPointerException if it is that of the check
     */
    public Estimate measuredIn(Findings findings) {
        return findings.where(arm -> arm.levels().entrySet().containsAll(levels.entrySet()))
                .mean(Objects.requireNonNull(figure, "the check has the figure"));
    }

    /** Readable text: {@code 28,000 rows/s}, {@code 130 to 170 times}. */
    @Override
    public String toString() {
        return ((low == high ? "" : number(low) + " to ") + number(high) + " " + unit).strip();
    }

    private static String number(double number) {
        return new DecimalFormat("#,##0.###", DecimalFormatSymbols.getInstance(Locale.ROOT)).format(number);
    }
}
