package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.internal.cql.OwnQuery;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settings for batches that a server reports, by their names in Cassandra 4.1. Immutable.
 *
 * @param values as text; without those that the server does not report
 */
public record ServerSettings(Map<String, String> values) {
    static final String WARN_PARTITIONS = "unlogged_batch_across_partitions_warn_threshold";
    static final String WARN_SIZE = "batch_size_warn_threshold";
    static final String FAIL_SIZE = "batch_size_fail_threshold";
    static final String MUTATION_SIZE = "max_mutation_size";

    private static final Logger LOG = LoggerFactory.getLogger(ServerSettings.class);
    /** End of a setting's name that gives its unit, before Cassandra 4.1 and in ScyllaDB. */
    private static final String KIBIBYTES = "_in_kb";

    /** Where settings are: in Cassandra from 4.0 on, and in ScyllaDB. Other servers have neither table. */
    private static final List<String> TABLES = List.of("system_views.settings", "system.config");

    private static final Pattern SIZE = Pattern.compile("(\\d{1,9}) *(B|KiB|MiB|GiB)?");

    public ServerSettings {
        values = Map.copyOf(values);
    }

    /** Asks the server. */
    static ServerSettings of(CqlSession session) {
        for (String table : TABLES) {
            try {
                Map<String, String> values = new HashMap<>();
                for (Row row : session.execute(OwnQuery.of("SELECT name, value FROM " + table + " WHERE name IN ('"
                        + WARN_PARTITIONS
                        + "', '" + WARN_SIZE + "', '" + WARN_SIZE + KIBIBYTES + "', '" + FAIL_SIZE + "', '" + FAIL_SIZE
                        + KIBIBYTES + "', '" + MUTATION_SIZE + "', '" + MUTATION_SIZE + KIBIBYTES + "')"))) {
                    String name = String.valueOf(row.getString(0));
                    String value = row.getString(1);
                    if (value != null) {
                        values.put(
                                name.endsWith(KIBIBYTES) ? name.substring(0, name.length() - KIBIBYTES.length()) : name,
                                value);
                    }
                }
                return new ServerSettings(values);
            } catch (DriverException e) {
                LOG.debug("the server does not report settings in {}: {}", table, e.getMessage());
            }
        }
        return new ServerSettings(Map.of());
    }

    /** {@code 50KiB}, {@code 1MiB} or, where the unit was in the name, just {@code 50}; empty for anything else. */
    OptionalLong bytes(String name) {
        return bytesOf(values.getOrDefault(name, ""));
    }

    /** As {@link #bytes}, of the text of a setting. */
    public static OptionalLong bytesOf(String text) {
        Matcher size = SIZE.matcher(text);
        if (!size.matches()) {
            return OptionalLong.empty();
        }
        String unit = size.group(2) == null ? "KiB" : size.group(2);
        int shift =
                switch (unit) {
                    case "B" -> 0;
                    case "KiB" -> 10;
                    case "MiB" -> 20;
                    default -> 30;
                };
        return OptionalLong.of(Long.parseLong(size.group(1)) << shift);
    }
}
