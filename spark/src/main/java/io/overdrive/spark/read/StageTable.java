package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.internal.cql.SameTable;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.TaskContext;

/**
 * The table of a read as the first task of each of Spark's stages has found it in this JVM. All tasks of the stage compare the table with that at their
 * end, and so do further attempts: if it was dropped and created meanwhile, they fail as well, instead of adding rows of another table to
 * those of earlier tasks. A later stage of the same read may find another table. Executes (on the executors). Thread-safe.
 */
final class StageTable {
    private static final int MAX_KNOWN = 100;

    private record Key(Object read, int stage) {}

    /** Tables in the order in which they were found. */
    @GuardedBy("StageTable.class") private static final Map<Key, SameTable> KNOWN = new LinkedHashMap<>();

    private StageTable() {}

    /**
     * The table of the stage whose task calls this.
     *
     * @param read identifies the read
     * @param columns that it needs
     */
    static SameTable of(Object read, Settings settings, String keyspace, String table, List<String> columns) {
        TaskContext task = TaskContext.get();
        Key key = new Key(read, task == null ? -1 : task.stageId());
        synchronized (StageTable.class) {
            SameTable known = KNOWN.get(key);
            if (known != null) {
                return known;
            }
        }
        SameTable found = SameTable.of(
                SharedEngines.of(settings).session(),
                CqlIdentifier.fromInternal(keyspace),
                CqlIdentifier.fromInternal(table),
                columns);
        synchronized (StageTable.class) {
            SameTable earlier = KNOWN.putIfAbsent(key, found);
            if (KNOWN.size() > MAX_KNOWN) {
                KNOWN.remove(KNOWN.keySet().iterator().next());
            }
            return earlier == null ? found : earlier;
        }
    }
}
