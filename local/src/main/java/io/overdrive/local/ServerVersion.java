package io.overdrive.local;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A release of Cassandra to run. Immutable.
 *
 * @param release for example {@code 5.0.9}
 */
record ServerVersion(String release) {
    /** The version that is started unless the user names one. */
    static final String DEFAULT = "5.0";

    /** The release that a series stands for. */
    private static final Map<String, String> NEWEST = Map.of("4.0", "4.0.19", "4.1", "4.1.10", "5.0", "5.0.9");

    /** A series, such as {@code 4.1}, or a release of it, such as {@code 4.1.10}. */
    static ServerVersion of(String text) {
        String newest = NEWEST.get(text);
        if (newest != null) {
            return new ServerVersion(newest);
        }
        if (text.matches("\\d+\\.\\d+\\.\\d{1,4}") && NEWEST.containsKey(seriesOf(text))) {
            return new ServerVersion(text);
        }
        throw new LocalOptions.OutOfRange(
                "cassandra",
                "is \"" + text + "\", must be "
                        + String.join(", ", new TreeMap<>(NEWEST).keySet()) + " or a release of these, such as "
                        + NEWEST.get(DEFAULT));
    }

    /** {@code 4.1} for {@code 4.1.10}. */
    String series() {
        return seriesOf(release);
    }

    /** The versions of Java that it runs on, best first. */
    List<Integer> javas() {
        return series().startsWith("4.") ? List.of(11) : List.of(17, 11);
    }

    /** Whether cassandra.yaml has the names that 4.1 has replaced, such as {@code read_request_timeout_in_ms}. */
    boolean hasOldSettings() {
        return series().equals("4.0");
    }

    private static String seriesOf(String release) {
        return release.substring(0, release.lastIndexOf('.'));
    }

    @Override
    public String toString() {
        return "Cassandra " + release;
    }
}
