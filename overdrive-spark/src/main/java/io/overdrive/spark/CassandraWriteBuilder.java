package io.overdrive.spark;

import io.overdrive.TableSchema;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend;

/**
 * Settles with Spark what a write does in Cassandra. A streaming query's update is an append: rows of the same key
 * replace each other. Confined to the thread that plans.
 */
final class CassandraWriteBuilder implements WriteBuilder, SupportsTruncate, SupportsStreamingUpdateAsAppend {
    private final Settings settings;
    private final TableSchema table;
    private final WriteColumns columns;
    private final LogicalWriteInfo info;
    private boolean truncates;

    CassandraWriteBuilder(Settings settings, TableSchema table, WriteColumns columns, LogicalWriteInfo info) {
        this.settings = settings;
        this.table = table;
        this.columns = columns;
        this.info = info;
    }

    @Override
    public WriteBuilder truncate() {
        if (!settings.isOn(Setting.CONFIRM_TRUNCATE)) {
            throw new IllegalArgumentException("[" + table.cqlName()
                    + "] overwriting empties the table before the first row is written: set option \""
                    + Setting.CONFIRM_TRUNCATE.option + "\" to true to confirm it, or use mode append");
        }
        truncates = true;
        return this;
    }

    @Override
    public Write build() {
        return new CassandraWrite(settings, table, columns, info, truncates);
    }
}
