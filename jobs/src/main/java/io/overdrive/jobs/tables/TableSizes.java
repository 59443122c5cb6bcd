package io.overdrive.jobs.tables;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DriverException;
import io.overdrive.Overdrive;
import io.overdrive.internal.cql.OwnQuery;
import io.overdrive.jobs.tables.TablesJob.Table;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How much of each table of a keyspace is on a node. Stateless. */
public final class TableSizes {
    private static final Logger LOG = LoggerFactory.getLogger(TableSizes.class);

    private static final String DISK_USAGE =
            "SELECT table_name, mebibytes FROM system_views.disk_usage WHERE keyspace_name = ?";

    private TableSizes() {}

    /** The tables with their sizes on one node, as it has them on disk now; 0 if the user may not ask for them. */
    public static List<Table> of(Overdrive overdrive, CqlIdentifier keyspace, List<CqlIdentifier> tables) {
        Map<String, Long> bytes = new HashMap<>();
        try {
            overdrive
                    .session()
                    .execute(OwnQuery.of(DISK_USAGE, keyspace.asInternal()))
                    .forEach(row -> bytes.put(String.valueOf(row.getString(0)), row.getLong(1) << 20));
        } catch (DriverException e) {
            LOG.debug("no sizes of the tables of {}: {}", keyspace, e.getMessage());
        }
        return tables.stream()
                .map(name -> new Table(keyspace, name, bytes.getOrDefault(name.asInternal(), 0L)))
                .toList();
    }
}
