package io.overdrive;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Checks values of {@link WriteOptions} and {@link ScanOptions}, and prints them with their origin. Stateless. */
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

    /** Between a millisecond and a day. */
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

    /** A rate limit as it is printed: {@code Long.MAX_VALUE} means none. */
    static Object rateLimit(long value) {
        return value == Long.MAX_VALUE ? "none" : value;
    }

    static Map<String, String> withOrigin(Map<String, Object> values, Set<String> setByUser) {
        Map<String, String> printed = new LinkedHashMap<>();
        values.forEach(
                (name, value) -> printed.put(name, value + (setByUser.contains(name) ? " (user)" : " (default)")));
        return printed;
    }
}
