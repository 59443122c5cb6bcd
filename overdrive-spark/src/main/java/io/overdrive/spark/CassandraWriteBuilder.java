package io.overdrive.spark;

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
    private final CassandraTable table;
    private final Settings settings;
    private final WriteColumns columns;
    private final LogicalWriteInfo info;
    private boolean truncates;

    CassandraWriteBuilder(CassandraTable table, Settings settings, WriteColumns columns, LogicalWriteInfo info) {
        this.table = table;
        this.settings = settings;
        this.columns = columns;
        this.info = info;
    }

    @Override
    public WriteBuilder truncate() {
        table.requireConfirmed(settings, "overwriting empties");
        table.requireNotRead("emptied");
        truncates = true;
        return this;
    }

    @Override
    public Write build() {
        return new CassandraWrite(settings, table, columns, info, truncates);
    }
}
