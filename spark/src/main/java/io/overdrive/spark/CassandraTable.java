package io.overdrive.spark;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.ViewMetadata;
import io.overdrive.Overdrive;
import io.overdrive.TableSchema;
import io.overdrive.spark.cell.SparkTypes;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import io.overdrive.spark.read.CassandraScanBuilder;
import io.overdrive.spark.read.Indexes;
import io.overdrive.spark.read.NearestRows;
import io.overdrive.spark.read.SstableRead;
import io.overdrive.spark.write.CassandraWriteBuilder;
import io.overdrive.spark.write.Deletion;
import io.overdrive.spark.write.Truncation;
import io.overdrive.spark.write.WriteColumns;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.plans.logical.InsertIntoStatement;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.SupportsDeleteV2;
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.expressions.filter.AlwaysFalse;
import org.apache.spark.sql.connector.expressions.filter.AlwaysTrue;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.RowLevelOperationBuilder;
import org.apache.spark.sql.connector.write.RowLevelOperationInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;

/** A table or materialized view. Plans (on the driver). Immutable. */
final class CassandraTable
        implements SupportsRead, SupportsWrite, SupportsDeleteV2, SupportsRowLevelOperations, SupportsMetadataColumns {
    private final Map<String, String> options;
    /** Settings of the session that has loaded it: they decide which rows it has, and how Spark sees them. */
    private final List<Object> origin;

    private final TableSchema schema;
    private final StructType sparkSchema;
    /** The CQL expressions of columns that options have added, by column name. */
    private final Map<String, String> times;

    /** Conditions on elements of collections in CQL: of other rows, a read may return none. */
    private final List<String> elements;

    private final Use use;
    /** Whether Spark finds functions for this table, which tables of a catalog have. */
    private final boolean isInCatalog;

    /** The statement for which a table was loaded, if that matters. */
    private enum Use {
        ANY,
        /** It is the result of CREATE TABLE, which Spark may then fill from a query. */
        NEW,
        /** Its rows are updated, deleted or merged. */
        CHANGED
    }

    private CassandraTable(
            Map<String, String> options,
            List<Object> origin,
            TableSchema schema,
            StructType sparkSchema,
            Map<String, String> times,
            List<String> elements,
            Use use,
            boolean isInCatalog) {
        this.options = options;
        this.origin = origin;
        this.schema = schema;
        this.sparkSchema = sparkSchema;
        this.times = times;
        this.elements = elements;
        this.use = use;
        this.isInCatalog = isInCatalog;
    }

    /**
     * The table that the options name.
     *
     * @throws io.overdrive.OverdriveException if there is none, or the cluster cannot be reached
     */
    static CassandraTable of(Map<String, String> options) {
        Settings settings = CassandraSource.settings(options);
        TableSchema schema = schema(settings);
        StructType sparkSchema = SparkTypes.schema(schema, textColumns(settings));
        Map<String, String> times = new HashMap<>();
        for (Map.Entry<String, MetadataColumn> time :
                MetadataColumns.named(options, schema).entrySet()) {
            sparkSchema = sparkSchema.add(time.getKey(), time.getValue().dataType());
            times.put(time.getKey(), time.getValue().name());
        }
        Map<String, String> connection = settings.connection();
        connection.remove(Setting.PASSWORD.name());
        return new CassandraTable(
                Map.copyOf(options),
                List.of(connection, settings.isOn(Setting.EMPTY_AS_NULL)),
                schema,
                sparkSchema,
                times,
                List.of(),
                Use.ANY,
                /* isInCatalog */ false);
    }

    /** This table as a table of a catalog. */
    CassandraTable inCatalog() {
        return new CassandraTable(options, origin, schema, sparkSchema, times, elements, use, /* isInCatalog */ true);
    }

    /** This table as the result of CREATE TABLE, which Spark may then fill from a query. */
    CassandraTable asNew() {
        return new CassandraTable(options, origin, schema, sparkSchema, times, elements, Use.NEW, isInCatalog);
    }

    /** This table as the target of UPDATE, DELETE or MERGE. */
    CassandraTable asChanged() {
        return new CassandraTable(options, origin, schema, sparkSchema, times, elements, Use.CHANGED, isInCatalog);
    }

    /**
     * This table, of which only rows are needed that meet these conditions.
     *
     * @param conditions of {@link io.overdrive.spark.read.ElementConditions}
     */
    CassandraTable withElements(List<String> conditions) {
        return new CassandraTable(options, origin, schema, sparkSchema, times, conditions, use, isInCatalog);
    }

    /** The conditions of {@link #withElements}. */
    List<String> elements() {
        return elements;
    }

    private static TableSchema schema(Settings settings) {
        return SharedEngines.of(settings).table(settings.get(Setting.KEYSPACE), settings.get(Setting.TABLE));
    }

    /**
     * Refuses columns that cannot be read as text, if the options of one read name them. The options of a session or a catalog may be meant for
     * another table.
     *
     * @throws IllegalArgumentException says which column it is
     */
    CassandraTable withTextColumnsChecked() {
        for (String name : textColumns(Settings.of(options, Map.of()))) {
            schema.column(name)
                    .filter(column -> !SparkTypes.canBeText(column.type()))
                    .ifPresent(column -> {
                        throw new IllegalArgumentException("[" + schema.cqlName() + "] option \""
                                + Setting.TEXT_COLUMNS.option + "\" names column \"" + name + "\" of type "
                                + SparkTypes.cql(column.type())
                                + ", and only varint and decimal columns are read as text: take it out of the option, and"
                                + " cast the column");
                    });
        }
        return this;
    }

    /** Spark takes the types of a table of a catalog before it knows the options of a read. */
    private void requireNoNewTextColumns(CaseInsensitiveStringMap more) {
        if (!isInCatalog) {
            return;
        }
        Set<String> asText = textColumns(settings(CaseInsensitiveStringMap.empty()));
        for (String name : textColumns(Settings.of(more, Map.of()))) {
            if (schema.column(name).isPresent() && !asText.contains(name)) {
                throw new IllegalArgumentException("[" + schema.cqlName() + "] option \"" + Setting.TEXT_COLUMNS.option
                        + "\" of a read cannot change the type of column \"" + name
                        + "\" of a table in a catalog: set spark.sql.catalog.<catalog>." + Setting.TEXT_COLUMNS.option
                        + " for the session, or read with format(\"cassandra\")");
            }
        }
    }

    private static Set<String> textColumns(Settings settings) {
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
    @SuppressWarnings("deprecation") // Spark derives columns() from it
    public StructType schema() {
        return sparkSchema;
    }

    @Override
    public MetadataColumn[] metadataColumns() {
        return MetadataColumns.of(schema);
    }

    /** The columns of the partition key. */
    @Override
    public Transform[] partitioning() {
        return schema.partitionKey().stream()
                .map(column -> Expressions.identity(SparkTypes.quoted(column.name())))
                .toArray(Transform[]::new);
    }

    @Override
    public Map<String, String> properties() {
        return relation().map(TableDdl::properties).orElse(Map.of());
    }

    /** Its current metadata; empty if it has been dropped. */
    private Optional<RelationMetadata> relation() {
        CqlIdentifier name = CqlIdentifier.fromInternal(schema.table());
        return SharedEngines.of(CassandraSource.settings(options))
                .session()
                .getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(schema.keyspace()))
                .flatMap(keyspace -> {
                    Optional<RelationMetadata> table = keyspace.getTable(name).map(t -> t);
                    return table.isPresent() ? table : keyspace.getView(name).map(v -> v);
                });
    }

    /**
     * A DataFrame or view may be held while its table is created again: the keys and conditions of a query would then be values of the
     * earlier types, which find other rows, or none. The metadata of the session may be up to a second old, so that tasks check the types
     * that they use as well.
     *
     * @throws IllegalArgumentException if a column has another type now
     */
    private void requireSameTypes() {
        relation().ifPresent(now -> {
            for (TableSchema.Column column : schema.columns()) {
                now.getColumn(CqlIdentifier.fromInternal(column.name()))
                        .ifPresent(current -> SparkTypes.requireSame(
                                schema.cqlName(),
                                List.of(column.name()),
                                List.of(SparkTypes.cql(column.type())),
                                List.of(current.getType())));
            }
        });
    }

    TableSchema cassandraSchema() {
        return schema;
    }

    /** @param done for the message, like "dropped" */
    void requireNoView(String done) {
        relation()
                .filter(ViewMetadata.class::isInstance)
                .map(view -> ((ViewMetadata) view).getBaseTable().asInternal())
                .ifPresent(base -> {
                    throw new UnsupportedOperationException(name() + " is a materialized view of " + base
                            + ": it can be read, and cannot be " + done + " from Spark");
                });
    }

    /**
     * Refuses a query that empties or drops this table and reads the rows to write from it: they would be gone by then.
     * Spark may recompute a cached DataFrame, so that is refused as well.
     *
     * @param done like "emptied"
     * @throws IllegalArgumentException if the running query reads this table, or a materialized view of it
     */
    void requireNotRead(String done) {
        for (CassandraTable read : RunningQuery.tablesRead()) {
            if (read.isOf(this)) {
                throw new IllegalArgumentException("[" + schema.cqlName() + "] would be " + done
                        + " before the query has read its rows"
                        + (read.name().equals(name()) ? "" : " through " + read.name())
                        + ", and they would be lost: write the rows to another table or to files first, and then"
                        + " overwrite this one from there");
            }
        }
    }

    /** Whether the running query reads this table, or a materialized view of it, apart from what an UPDATE, MERGE or DELETE changes. */
    boolean isRead() {
        return RunningQuery.tablesRead().stream().anyMatch(read -> read.isOf(this));
    }

    /** Whether this is the same table of the same cluster, or a materialized view of it. */
    private boolean isOf(CassandraTable base) {
        boolean isSame = schema.table().equals(base.schema.table())
                || relation()
                        .filter(ViewMetadata.class::isInstance)
                        .map(view -> ((ViewMetadata) view).getBaseTable().asInternal())
                        .equals(Optional.of(base.schema.table()));
        return isSame && schema.keyspace().equals(base.schema.keyspace()) && engine().isSameCluster(base.engine());
    }

    private Overdrive engine() {
        return SharedEngines.of(CassandraSource.settings(options));
    }

    /**
     * If not, Spark finds the rows, and {@link RowChanges} deletes each of them. Where that is impossible, throws with the
     * reason, which Spark's own error does not give.
     */
    @Override
    public boolean canDeleteWhere(Predicate[] predicates) {
        requireNoView("changed");
        if (!isAll(predicates)) {
            requireNoSstables();
        }
        if (isAll(predicates) || isNothing(predicates) || Deletion.isPossible(schema, List.of(predicates))) {
            return true;
        }
        String obstacle = RowChanges.obstacle(schema);
        if (obstacle != null) {
            Deletion.of(schema, List.of(predicates), obstacle);
        }
        return false;
    }

    @Override
    public RowLevelOperationBuilder newRowLevelOperationBuilder(RowLevelOperationInfo info) {
        requireNoView("changed");
        requireNoSstables();
        return () -> RowChanges.of(this, info.command());
    }

    @Override
    public void deleteWhere(Predicate[] predicates) {
        if (isAll(predicates)) {
            truncateTable();
        } else if (!isNothing(predicates)) {
            Deletion.of(schema, List.of(predicates), RowChanges.obstacle(schema))
                    .run(CassandraSource.settings(options));
        }
    }

    /** The settings are about writes and reads; that a statement goes over CQL all the same would be a surprise. */
    private void requireNoSstables() {
        SstableRead.refuse(CassandraSource.settings(options));
        if (CassandraSource.settings(options).isOn(Setting.SSTABLES)) {
            throw new UnsupportedOperationException("[" + schema.cqlName()
                    + "] UPDATE, MERGE and DELETE cannot be written as SSTables: set \"" + Setting.SSTABLES.option
                    + "\" only as option of a write");
        }
    }

    private static boolean isAll(Predicate[] predicates) {
        return Arrays.stream(predicates).allMatch(AlwaysTrue.class::isInstance);
    }

    private static boolean isNothing(Predicate[] predicates) {
        return Arrays.stream(predicates).anyMatch(AlwaysFalse.class::isInstance);
    }

    @Override
    public boolean truncateTable() {
        requireNoView("emptied");
        Truncation.run(CassandraSource.settings(options), schema);
        return true;
    }

    /** Any columns are accepted and checked here, but Spark assigns values in an UPDATE or MERGE only to those of the table. */
    @Override
    public Set<TableCapability> capabilities() {
        Set<TableCapability> capabilities = EnumSet.of(
                TableCapability.BATCH_READ,
                TableCapability.BATCH_WRITE,
                TableCapability.STREAMING_WRITE,
                TableCapability.TRUNCATE);
        if (use != Use.CHANGED) {
            capabilities.add(TableCapability.ACCEPT_ANY_SCHEMA);
        }
        return capabilities;
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap more) {
        requireSameTypes();
        requireNoNewTextColumns(more);
        Settings settings = settings(more);
        if (isOfRead(Setting.FROM_SSTABLES, settings, more, "would read the same files")) {
            return SstableRead.of(settings, Settings.of(more, Map.of()), schema, sparkSchema, times);
        }
        return isOfRead(Setting.NEAREST, settings, more, "would have few rows")
                ? new NearestRows(settings, schema, sparkSchema, times)
                : new CassandraScanBuilder(settings, schema, indexes(settings), sparkSchema, times, elements);
    }

    /** Whether a setting that is for one read only is given; refuses it in the session or a catalog. */
    private static boolean isOfRead(Setting setting, Settings all, CaseInsensitiveStringMap read, String effect) {
        boolean isGiven = all.isGiven(setting);
        if (isGiven && !Settings.of(read, Map.of()).isGiven(setting)) {
            throw new IllegalArgumentException("\"" + setting.option
                    + "\" is set for a session or a catalog, where every read " + effect
                    + ": set it as option of a read");
        }
        return isGiven;
    }

    Indexes indexes(Settings settings) {
        return Indexes.of(SharedEngines.of(settings).session().getMetadata(), schema);
    }

    @Override
    public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
        requireNoView("written");
        Settings settings = settings(info.options());
        SstableRead.refuse(settings);
        WriteColumns columns;
        if (deletes(settings, info.options())) {
            columns = WriteColumns.ofKeys(settings, schema, info.schema());
        } else if (isInOrder()) {
            columns = WriteColumns.inOrder(settings, schema, info.schema());
        } else {
            columns = WriteColumns.of(settings, schema, info.schema());
        }
        return new CassandraWriteBuilder(
                settings,
                schema,
                columns,
                info,
                isInCatalog,
                isRead(),
                () -> requireNotRead("emptied"),
                RunningQuery::bytesToWrite);
    }

    /**
     * Whether a write deletes. Refuses the setting in the session or a catalog, where it would turn every write into a
     * deletion.
     */
    private static boolean deletes(Settings settings, CaseInsensitiveStringMap options) {
        boolean deletes = settings.isOn(Setting.DELETE);
        if (deletes && !Settings.of(options, Map.of()).isOn(Setting.DELETE)) {
            throw new IllegalArgumentException(
                    "\"" + Setting.DELETE.option
                            + "\" is set for a session or a catalog, where every write would delete: set it as option of a write");
        }
        return deletes;
    }

    /**
     * Whether columns are matched by position: INSERT without column names, and {@code insertInto}. For a table that
     * accepts any schema, Spark does not pass this on, so it is taken from the plan of the running query. CREATE TABLE
     * AS SELECT is planned in the same way, but its table was created from these columns, so they match by name.
     */
    private boolean isInOrder() {
        LogicalPlan plan = use == Use.NEW ? null : RunningQuery.plan();
        if (plan == null) {
            return false;
        }
        return plan.exists(part -> part instanceof InsertIntoStatement insert
                ? !insert.byName() && insert.userSpecifiedCols().isEmpty()
                : part instanceof V2WriteCommand write
                        && !write.isByName()
                        && write.table() instanceof DataSourceV2Relation relation
                        && relation.table().name().equals(name()));
    }

    /** Spark finds by it which cached DataFrames a write makes old, and which queries can use them. The purpose for which the table was loaded does not matter. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other == this
                || (other instanceof CassandraTable table && identity().equals(table.identity()));
    }

    @Override
    public int hashCode() {
        return identity().hashCode();
    }

    private List<Object> identity() {
        return List.of(options, origin, schema, sparkSchema, times, elements, isInCatalog);
    }

    /** The table's options, overridden by those of one read or write. */
    Settings settings(CaseInsensitiveStringMap more) {
        return CassandraSource.settings(List.of(more, options));
    }
}
