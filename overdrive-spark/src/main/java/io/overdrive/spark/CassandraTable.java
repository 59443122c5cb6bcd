package io.overdrive.spark;

import io.overdrive.TableSchema;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A table or materialized view. Immutable. */
final class CassandraTable implements SupportsRead {
    private final Map<String, String> options;
    private final TableSchema schema;
    private final StructType sparkSchema;

    private CassandraTable(Map<String, String> options, Settings settings, TableSchema schema) {
        this.options = options;
        this.schema = schema;
        this.sparkSchema = SparkTypes.schema(schema, textColumns(settings));
    }

    /**
     * The table that the options name.
     *
     * @throws io.overdrive.OverdriveException where there is none, or the cluster cannot be reached
     */
    static CassandraTable of(Map<String, String> options) {
        Settings settings = CassandraSource.settings(options);
        TableSchema schema = Engines.of(settings).table(settings.get(Setting.KEYSPACE), settings.get(Setting.TABLE));
        return new CassandraTable(Map.copyOf(options), settings, schema);
    }

    static Set<String> textColumns(Settings settings) {
        return Arrays.stream(settings.get(Setting.TEXT_COLUMNS).split(",", -1))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toSet());
    }

    @Override
    public String name() {
        return schema.keyspace() + "." + schema.table();
    }

    @Override
    @SuppressWarnings("deprecation") // columns() of a table is made of it by Spark
    public StructType schema() {
        return sparkSchema;
    }

    @Override
    public Set<TableCapability> capabilities() {
        return EnumSet.of(TableCapability.BATCH_READ);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap more) {
        return new CassandraScanBuilder(settings(more), schema, sparkSchema);
    }

    /** The table's own options, and those of one read or write, which come first. */
    private Settings settings(CaseInsensitiveStringMap more) {
        Map<String, String> all = new HashMap<>(new CaseInsensitiveStringMap(options));
        all.putAll(more);
        return CassandraSource.settings(all);
    }
}
