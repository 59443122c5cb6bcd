package io.overdrive.spark.read;

import io.overdrive.spark.config.Setting;
import java.io.Serializable;
import java.util.List;

/**
 * An executor's part of a lookup of keys. Executes (on the executors), to which it travels. Immutable.
 *
 * @param scan the table, the selection from it, and the settings
 * @param keyColumns the partition key, and maybe the first clustering columns
 */
public record LookupTask(ScanTask scan, List<String> keyColumns) implements Serializable {
    private static final long serialVersionUID = 1;

    public SharedRead<PacedLookup> open() {
        return PacedLookup.open(scan, keyColumns);
    }

    public int partitionKeyColumns() {
        return scan.keyColumns().size();
    }

    public int inFlight() {
        return Math.toIntExact(scan.settings().number(Setting.LOOKUPS_IN_FLIGHT));
    }

    public String description() {
        return scan.tableName() + " [" + String.join(", ", keyColumns) + "]";
    }
}
