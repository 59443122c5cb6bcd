package io.overdrive.spark;

import io.overdrive.TableSchema;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.types.StructType;

/** Settles with Spark what a scan does in Cassandra: which columns it reads. Confined to the thread that plans. */
final class CassandraScanBuilder implements ScanBuilder, SupportsPushDownRequiredColumns {
    private final Settings settings;
    private final TableSchema table;
    private StructType columns;

    CassandraScanBuilder(Settings settings, TableSchema table, StructType columns) {
        this.settings = settings;
        this.table = table;
        this.columns = columns;
    }

    @Override
    public void pruneColumns(StructType required) {
        columns = required;
    }

    @Override
    public Scan build() {
        return new CassandraScan(settings, table, columns);
    }
}
