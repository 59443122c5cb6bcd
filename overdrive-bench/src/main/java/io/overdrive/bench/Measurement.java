package io.overdrive.bench;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one run of one arm gave.
 *
 * @param arm what was run
 * @param block the repeat it belongs to, from 1: all arms run once in each block, in random order
 * @param figures means or totals over the run
 * @param timeline how it went, second by second, where the experiment is about that; else empty
 * @param failure why the run did not come to its end, or null; figures then say how far it came
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
     * @param figures what was measured since the point before
     */
    public record Moment(double second, Map<Figure, Double> figures) {
        public Moment {
            EnumMap<Figure, Double> copy = new EnumMap<>(Figure.class);
            copy.putAll(figures);
            figures = Collections.unmodifiableMap(copy);
        }
    }
}
