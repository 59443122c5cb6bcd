package io.overdrive.bench;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of one run of one arm.
 *
 * @param arm of the run
 * @param block the repeat it belongs to, from 1: all arms run once in each block, in random order
 * @param figures means or totals over the run
 * @param timeline figures second by second, if the experiment needs them; else empty
 * @param failure why the run failed, or null; the figures then cover the part that ran
 */
public record Measurement(
        Arm arm, int block, Map<Figure, Double> figures, List<Moment> timeline, @Nullable String failure) {
    public Measurement {
        EnumMap<Figure, Double> copy = new EnumMap<>(Figure.class);
        copy.putAll(figures);
        figures = Collections.unmodifiableMap(copy);
        timeline = List.copyOf(timeline);
    }

    /**
     * One point of a timeline.
     *
     * @param second seconds since the start of the run
     * @param figures measured since the previous point
     */
    public record Moment(double second, Map<Figure, Double> figures) {
        public Moment {
            EnumMap<Figure, Double> copy = new EnumMap<>(Figure.class);
            copy.putAll(figures);
            figures = Collections.unmodifiableMap(copy);
        }
    }
}
