package io.overdrive.bench.experiments.kit;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The limits of a cluster's settings for the size of requests. Immutable. */
public final class ServerLimits {
    /** The overhead of the protocol and the server for rows of 100 bytes: about a third. */
    private static final double OVERHEAD = 4.0 / 3;

    private static final List<String> OF_REQUESTS =
            List.of("max_mutation_size", "native_transport_max_frame_size", "native_transport_max_message_size");
    private static final String OF_BATCHES = "batch_size_fail_threshold";
    private static final Pattern SIZE = Pattern.compile("(\\d+)(?:([KMG])iB|B)?");

    private final Map<String, String> settings;

    /** @param settings of the server, by name, with their units in the value or, as before release 4.1, in the name */
    ServerLimits(Map<String, String> settings) {
        this.settings = Map.copyOf(settings);
    }

    /** Limits of the node that answers. Servers older than Cassandra 4 may report none. */
    public static ServerLimits of(CqlSession session) {
        Map<String, String> settings = new HashMap<>();
        try {
            for (Row row : session.execute("SELECT name, value FROM system_views.settings")) {
                settings.put(String.valueOf(row.getString(0)), String.valueOf(row.getString(1)));
            }
        } catch (DriverException e) {
            return new ServerLimits(Map.of()); // then the server's own error says it
        }
        return new ServerLimits(settings);
    }

    /** The setting that refuses a request with this many bytes of values, and its value; empty if none does. */
    public Optional<String> refusesRequest(long bytes) {
        return OF_REQUESTS.stream()
                .map(name -> refuses(name, bytes))
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** Like {@link #refusesRequest}, for a batch. */
    public Optional<String> refusesBatch(long bytes) {
        return refuses(OF_BATCHES, bytes).or(() -> refusesRequest(bytes));
    }

    private Optional<String> refuses(String name, long bytes) {
        return settings.entrySet().stream()
                .filter(setting ->
                        setting.getKey().equals(name) || setting.getKey().startsWith(name + "_in_"))
                .filter(setting -> bytes * OVERHEAD > bytes(setting.getKey(), setting.getValue()))
                .map(setting -> setting.getKey() + " = " + setting.getValue())
                .findFirst();
    }

    /** Infinite if there is no number. */
    private static double bytes(String name, String value) {
        Matcher size = SIZE.matcher(value);
        if (!size.matches()) {
            return Double.POSITIVE_INFINITY;
        }
        String unit =
                size.group(2) != null ? size.group(2) : name.endsWith("_kb") ? "K" : name.endsWith("_mb") ? "M" : "";
        return Double.parseDouble(size.group(1)) * (1L << 10 * ("KMG".indexOf(unit) + (unit.isEmpty() ? 0 : 1)));
    }
}
