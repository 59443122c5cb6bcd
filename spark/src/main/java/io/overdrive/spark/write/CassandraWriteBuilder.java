package io.overdrive.spark.write;

import io.overdrive.TableSchema;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend;

/**
 * Negotiates with Spark what a write does in Cassandra. An update by a streaming query is an append, as rows of the
 * same key replace each other. Plans (on the driver). Confined to the planning thread.
 */
public final class CassandraWriteBuilder implements WriteBuilder, SupportsTruncate, SupportsStreamingUpdateAsAppend {
    private final Settings settings;
    private final TableSchema table;
    private final WriteColumns columns;
    private final LogicalWriteInfo info;
    private final boolean isInCatalog;
    private final boolean isRead;
    private final Runnable requireNotRead;
    private final Supplier<OptionalLong> bytes;
    private boolean truncates;

    /**
     * @param isInCatalog whether Spark finds functions of this connector for the table
     * @param isRead whether the running query reads the table
     * @param requireNotRead refuses to empty the table if the running query reads it
     * @param bytes of the rows of the running query
     */
    public CassandraWriteBuilder(
            Settings settings,
            TableSchema table,
            WriteColumns columns,
            LogicalWriteInfo info,
            boolean isInCatalog,
            boolean isRead,
            Runnable requireNotRead,
            Supplier<OptionalLong> bytes) {
        this.settings = settings;
        this.table = table;
        this.columns = columns;
        this.info = info;
        this.isInCatalog = isInCatalog;
        this.isRead = isRead;
        this.requireNotRead = requireNotRead;
        this.bytes = bytes;
    }

    @Override
    public WriteBuilder truncate() {
        if (columns.deletes()) {
            throw new IllegalArgumentException("[" + table.cqlName() + "] option \"" + Setting.DELETE.option
                    + "\" deletes single rows, and this write empties the table first: use mode append");
        }
        Truncation.requireConfirmed(settings, table, "overwriting empties");
        requireNotRead.run();
        truncates = true;
        return this;
    }

    @Override
    public Write build() {
        if (settings.isOn(Setting.SSTABLES)) {
            return new SstableTableWrite(settings, table, columns, info, isInCatalog, truncates, bytes);
        }
        return new CassandraWrite(settings, table, columns, info, isRead, requireNotRead, truncates, bytes);
    }
}
