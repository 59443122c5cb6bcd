package io.overdrive;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** What {@link WriteOptions} and {@link ScanOptions} do alike: check values, and print them with their origin. Stateless. */
final class Settings {
    static final Duration PATIENCE = Duration.ofMinutes(5);

    private Settings() {}

    static int range(String name, long value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is " + value + ", must be " + min + " to " + max);
        }
        return (int) value;
    }

    static long atLeast(String name, long value, long min) {
        if (value < min) {
            throw new IllegalArgumentException(name + " is " + value + ", must be " + min + " or more");
        }
        return value;
    }

    /** At least a millisecond, at most a day. */
    static Duration timeout(String name, Duration value) {
        if (value.compareTo(Duration.ofMillis(1)) < 0 || value.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException(name + " is " + value.toMillis() / 1e3 + " s, must be 0.001 to 86400 s");
        }
        return value;
    }

    static Duration patience(Duration value) {
        if (value.isNegative() || value.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("patience is " + value.toMillis() / 1e3 + " s, must be 0 to 86400 s");
        }
        return value;
    }

    /** As it is printed: {@code Long.MAX_VALUE} is no ceiling. */
    static Object ceiling(long value) {
        return value == Long.MAX_VALUE ? "none" : value;
    }

    static Map<String, String> withOrigin(Map<String, Object> values, Set<String> setByUser) {
        Map<String, String> printed = new LinkedHashMap<>();
        values.forEach(
                (name, value) -> printed.put(name, value + (setByUser.contains(name) ? " (user)" : " (default)")));
        return printed;
    }
}
