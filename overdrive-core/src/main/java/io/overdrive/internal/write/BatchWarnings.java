package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How large a batch of several partitions may be without a warning in the server's log. Immutable.
 *
 * @param partitions at most this many
 * @param bytes as the server counts them, at most this many
 */
record BatchWarnings(int partitions, int bytes) {
    private static final Logger LOG = LoggerFactory.getLogger(BatchWarnings.class);
    private static final String PARTITIONS = "unlogged_batch_across_partitions_warn_threshold";
    /** As shipped; servers before 4.0 do not report theirs. */
    private static final BatchWarnings DEFAULT = new BatchWarnings(10, 5 << 10);

    /** Asks the server for its thresholds; those that it does not report are taken to be as shipped. */
    static BatchWarnings of(CqlSession session) {
        Map<String, String> settings = new HashMap<>();
        try {
            for (Row row : session.execute("SELECT name, value FROM system_views.settings WHERE name IN ('" + PARTITIONS
                    + "', 'batch_size_warn_threshold', 'batch_size_warn_threshold_in_kb',"
                    + " 'batch_size_fail_threshold', 'batch_size_fail_threshold_in_kb')")) {
                settings.put(String.valueOf(row.getString(0)), String.valueOf(row.getString(1)));
            }
        } catch (DriverException e) {
            LOG.debug("the server does not report its thresholds for batches", e);
        }
        return of(settings);
    }

    /** By name. */
    static BatchWarnings of(Map<String, String> settings) {
        int partitions = DEFAULT.partitions;
        long bytes = Long.MAX_VALUE;
        boolean reported = false;
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            String value = setting.getValue();
            if (setting.getKey().equals(PARTITIONS) && value.matches("-?\\d{1,9}")) {
                partitions = Math.min(Integer.parseInt(value), 0xFFFF);
            } else if (setting.getKey().startsWith("batch_size")) {
                bytes = Math.min(bytes, BatchLimit.bytes(value).orElse(Long.MAX_VALUE));
                reported |= setting.getKey().startsWith("batch_size_warn");
            }
        }
        return new BatchWarnings(
                partitions, (int) Math.min(reported ? bytes : Math.min(bytes, DEFAULT.bytes), Integer.MAX_VALUE));
    }
}
