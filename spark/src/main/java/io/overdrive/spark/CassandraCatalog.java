package io.overdrive.spark;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.TableSchema;
import io.overdrive.spark.config.Failures;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.SharedEngines;
import io.overdrive.spark.read.TokenBucketFunction;
import io.overdrive.spark.write.TokenRangeFunction;
import io.overdrive.spark.write.Truncation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.analysis.NamespaceAlreadyExistsException;
import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.analysis.NonEmptyNamespaceException;
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.ReplaceTable;
import org.apache.spark.sql.catalyst.plans.logical.ReplaceTableAsSelect;
import org.apache.spark.sql.catalyst.plans.logical.TableSpec;
import org.apache.spark.sql.catalyst.plans.logical.TableSpecBase;
import org.apache.spark.sql.connector.catalog.CatalogV2Util;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.FunctionCatalog;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.catalog.TableWritePrivilege;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.jspecify.annotations.Nullable;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A cluster as a catalog of Spark SQL: keyspaces are its namespaces. {@code spark.sql.catalog.<name>} is set to this
 * class, and {@code spark.sql.catalog.<name>.<setting>} sets any setting; each cluster can have its catalog. Names are
 * case-sensitive. Plans (on the driver). Thread-safe once initialized; connects on first use.
 */
public class CassandraCatalog implements TableCatalog, SupportsNamespaces, FunctionCatalog {
    private static final int REPLICAS = 3;

    private String name = "";
    private Map<String, String> options = Map.of();

    @Override
    public final void initialize(String catalog, CaseInsensitiveStringMap given) {
        SparkVersion.require();
        name = catalog;
        options = Map.copyOf(given.asCaseSensitiveMap());
    }

    @Override
    public final String name() {
        return name;
    }

    /** The keyspace that the catalog's settings name, if any. */
    @Override
    public String[] defaultNamespace() {
        String keyspace = new CaseInsensitiveStringMap(options).get(Setting.KEYSPACE.option);
        return keyspace == null ? new String[0] : new String[] {keyspace};
    }

    // tables

    @Override
    public Identifier[] listTables(String[] namespace) throws NoSuchNamespaceException {
        return relations(keyspace(namespace))
                .map(relation -> Identifier.of(namespace, relation.getName().asInternal()))
                .toArray(Identifier[]::new);
    }

    @Override
    public Table loadTable(Identifier ident) throws NoSuchTableException {
        return load(ident);
    }

    /** Only these privileges show whether a table is the target of UPDATE, DELETE or MERGE. INSERT OVERWRITE has two. */
    @Override
    public Table loadTable(Identifier ident, Set<TableWritePrivilege> privileges) throws NoSuchTableException {
        boolean isChanged = privileges.contains(TableWritePrivilege.UPDATE)
                || privileges.equals(Set.of(TableWritePrivilege.DELETE));
        return isChanged ? load(ident).asChanged() : load(ident);
    }

    @Override
    public Table loadTable(Identifier ident, String version) throws NoSuchTableException {
        throw asItIsNow(load(ident));
    }

    @Override
    public Table loadTable(Identifier ident, long timestamp) throws NoSuchTableException {
        throw asItIsNow(load(ident));
    }

    private static UnsupportedOperationException asItIsNow(Table table) {
        return new UnsupportedOperationException(table.name()
                + " can only be read as it is now, so without VERSION AS OF and TIMESTAMP AS OF: Cassandra keeps no earlier"
                + " versions of rows. To read a snapshot or a backup, restore it into another table (overdrive copy"
                + " --from-sstables), and read that");
    }

    private CassandraTable load(Identifier ident) throws NoSuchTableException {
        if (ident.namespace().length != 1) {
            throw new NoSuchTableException(ident);
        }
        try {
            return CassandraTable.of(options(ident)).inCatalog();
        } catch (OverdriveException e) {
            if (e.kind() == OverdriveException.Kind.SCHEMA) {
                throw new NoSuchTableException(ident);
            }
            throw Failures.ofSpark(e);
        }
    }

    private Map<String, String> options(Identifier ident) {
        Map<String, String> all = new HashMap<>(new CaseInsensitiveStringMap(options));
        all.put(Setting.KEYSPACE.option, ident.namespace()[0]);
        all.put(Setting.TABLE.option, ident.name());
        return all;
    }

    @Override
    public Table createTable(Identifier ident, Column[] columns, Transform[] partitions, Map<String, String> properties)
            throws TableAlreadyExistsException, NoSuchNamespaceException {
        keyspace(ident.namespace());
        if (tableExists(ident)) {
            throw new TableAlreadyExistsException(ident);
        }
        Map<String, String> given = withoutDefaultSource(properties);
        String statement = TableDdl.create(ident, columns, partitions, given);
        TableDdl.warnIgnored(ident, columns, partitions, given);
        changeSchema(statement);
        try {
            return load(ident).asNew();
        } catch (NoSuchTableException e) {
            throw new IllegalStateException(ident + " was created, but someone has dropped it since", e);
        }
    }

    /**
     * If the user names no format, saveAsTable names Spark's default one, which is removed here. A SQL statement names
     * only what the user wrote.
     */
    private static Map<String, String> withoutDefaultSource(Map<String, String> properties) {
        LogicalPlan plan = RunningQuery.plan();
        boolean isStatement = plan == null || plan.origin().sqlText().isDefined();
        if (isStatement || !SQLConf.get().defaultDataSourceName().equals(properties.get(TableCatalog.PROP_PROVIDER))) {
            return properties;
        }
        Map<String, String> without = new HashMap<>(properties);
        without.remove(TableCatalog.PROP_PROVIDER);
        return without;
    }

    /** A refusal by the server is reported with the statement. */
    private void changeSchema(String statement) {
        try {
            engine().changeSchema(statement);
        } catch (OverdriveException e) {
            throw Failures.ofSpark(e);
        } catch (DriverException e) {
            throw Failures.ofSpark(e, statement);
        }
    }

    @Override
    public Table alterTable(Identifier ident, TableChange... changes) throws NoSuchTableException {
        for (String statement : TableDdl.alter(ident, load(ident), changes)) {
            changeSchema(statement);
        }
        return load(ident);
    }

    @Override
    public boolean dropTable(Identifier ident) {
        CassandraTable table;
        try {
            table = load(ident);
        } catch (NoSuchTableException e) {
            return false;
        }
        table.requireNoView("dropped");
        LogicalPlan plan = RunningQuery.plan();
        if (plan instanceof ReplaceTableAsSelect replace) {
            Map<String, String> given = CollectionConverters.asJava(replace.writeOptions());
            Truncation.requireConfirmed(
                    table.settings(new CaseInsensitiveStringMap(given)), table.cassandraSchema(), "replacing drops");
            requirePossible(ident, replace.tableSchema(), replace.partitioning(), replace.tableSpec());
            table.requireNotRead("dropped");
        } else if (plan instanceof ReplaceTable replace) {
            if (!table.settings(CaseInsensitiveStringMap.empty()).isOn(Setting.CONFIRM_TRUNCATE)) {
                throw new IllegalArgumentException("[" + table.name() + "] replacing drops the table and its rows: set"
                        + " \"spark.overdrive." + Setting.CONFIRM_TRUNCATE.option
                        + "\" to true in the session to confirm it");
            }
            requirePossible(ident, replace.tableSchema(), replace.partitioning(), replace.tableSpec());
        }
        changeSchema("DROP TABLE " + TableDdl.cql(ident));
        return true;
    }

    /** Spark creates the table that replaces another one when that is dropped already. */
    private static void requirePossible(
            Identifier ident, StructType schema, Seq<Transform> partitions, TableSpecBase spec) {
        Column[] columns = Arrays.stream(schema.fields())
                .map(field -> Column.create(field.name(), field.dataType(), field.nullable()))
                .toArray(Column[]::new);
        Map<String, String> properties = spec instanceof TableSpec resolved
                ? CollectionConverters.asJava(CatalogV2Util.convertTableProperties(resolved))
                : Map.of();
        var unused = TableDdl.create(
                ident,
                columns,
                CollectionConverters.asJava(partitions).toArray(new Transform[0]),
                withoutDefaultSource(properties));
    }

    @Override
    public void renameTable(Identifier from, Identifier to) {
        throw new UnsupportedOperationException("table " + from + " cannot be renamed to " + to
                + ": Cassandra cannot rename tables; CREATE TABLE " + to + " AS SELECT * FROM " + from
                + " copies it");
    }

    // namespaces

    @Override
    public String[][] listNamespaces() {
        return metadata().getKeyspaces().keySet().stream()
                .map(CqlIdentifier::asInternal)
                .sorted()
                .map(keyspace -> new String[] {keyspace})
                .toArray(String[][]::new);
    }

    /** Keyspaces contain no namespaces. */
    @Override
    public String[][] listNamespaces(String[] namespace) throws NoSuchNamespaceException {
        if (namespace.length == 0) {
            return listNamespaces();
        }
        keyspace(namespace);
        return new String[0][];
    }

    @Override
    public boolean namespaceExists(String[] namespace) {
        return find(namespace).isPresent();
    }

    @Override
    public Map<String, String> loadNamespaceMetadata(String[] namespace) throws NoSuchNamespaceException {
        return KeyspaceDdl.properties(keyspace(namespace));
    }

    @Override
    public void createNamespace(String[] namespace, Map<String, String> properties)
            throws NamespaceAlreadyExistsException {
        if (namespace.length != 1) {
            throw new IllegalArgumentException("\"" + String.join(".", namespace)
                    + "\" cannot be created: a namespace of a Cassandra catalog is a keyspace, which has one name");
        }
        if (namespaceExists(namespace)) {
            throw new NamespaceAlreadyExistsException(namespace);
        }
        Collection<Node> local = metadata().getNodes().values().stream()
                .filter(node -> node.getDistance() == NodeDistance.LOCAL)
                .toList();
        String datacenter =
                String.valueOf(local.stream().findAny().orElseThrow().getDatacenter());
        changeSchema(KeyspaceDdl.create(namespace[0], properties, datacenter, Math.min(REPLICAS, local.size())));
    }

    @Override
    public void alterNamespace(String[] namespace, NamespaceChange... changes) throws NoSuchNamespaceException {
        KeyspaceMetadata keyspace = keyspace(namespace);
        changeSchema(KeyspaceDdl.alter(keyspace, changes));
    }

    @Override
    public boolean dropNamespace(String[] namespace, boolean cascade)
            throws NoSuchNamespaceException, NonEmptyNamespaceException {
        KeyspaceMetadata keyspace = keyspace(namespace);
        if (!cascade && relations(keyspace).findAny().isPresent()) {
            throw new NonEmptyNamespaceException(namespace);
        }
        changeSchema("DROP KEYSPACE " + keyspace.getName().asCql(/* pretty */ true));
        return true;
    }

    // functions

    /** None that users can call. */
    @Override
    public Identifier[] listFunctions(String[] namespace) {
        return new Identifier[0];
    }

    @Override
    public UnboundFunction loadFunction(Identifier ident) throws NoSuchFunctionException {
        if (ident.namespace().length == 0 && TokenBucketFunction.exists(ident.name())) {
            return new TokenBucketFunction(ident.name());
        }
        UnboundFunction range = ident.namespace().length > 0
                ? null
                : TokenRangeFunction.find(
                        ident.name(), (keyspace, table) -> schema(Identifier.of(new String[] {keyspace}, table)));
        if (range != null) {
            return range;
        }
        throw new NoSuchFunctionException(ident);
    }

    private @Nullable TableSchema schema(Identifier ident) {
        try {
            return load(ident).cassandraSchema();
        } catch (NoSuchTableException e) {
            return null;
        }
    }

    // what the cluster has

    private static Stream<RelationMetadata> relations(KeyspaceMetadata keyspace) {
        List<RelationMetadata> relations = new ArrayList<>(keyspace.getTables().values());
        relations.addAll(keyspace.getViews().values());
        return relations.stream();
    }

    private KeyspaceMetadata keyspace(String[] namespace) throws NoSuchNamespaceException {
        return find(namespace).orElseThrow(() -> new NoSuchNamespaceException(namespace));
    }

    /** Refreshes the metadata before it returns nothing: the keyspace may have just been created. */
    private Optional<KeyspaceMetadata> find(String[] namespace) {
        if (namespace.length != 1) {
            return Optional.empty();
        }
        CqlIdentifier keyspace = CqlIdentifier.fromInternal(namespace[0]);
        Optional<KeyspaceMetadata> known = metadata().getKeyspace(keyspace);
        return known.isPresent() ? known : engine().refreshSchema().getKeyspace(keyspace);
    }

    private Metadata metadata() {
        return engine().session().getMetadata();
    }

    private Overdrive engine() {
        return SharedEngines.of(CassandraSource.settings(options));
    }
}
