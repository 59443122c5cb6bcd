package io.overdrive.bench;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One of the things that an experiment compares: a level for each of its factors, such as order = shuffled, grouping = partition.
 *
 * @param levels factor to level, in the order of the experiment's factors; both are words for people as well
 */
public record Arm(Map<String, String> levels) {
    public Arm {
        levels = Collections.unmodifiableMap(new LinkedHashMap<>(levels));
    }

    /** @throws IllegalArgumentException if there is no such factor */
    public String level(String factor) {
        String level = levels.get(factor);
        if (level == null) {
            throw new IllegalArgumentException("no factor '" + factor + "' in " + levels);
        }
        return level;
    }

    /** The levels, without their factors: {@code shuffled, partition}. */
    @Override
    public String toString() {
        return String.join(", ", levels.values());
    }
}
