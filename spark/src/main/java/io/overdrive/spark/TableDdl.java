package io.overdrive.spark;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ClusteringOrder;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import io.overdrive.TableSchema;
import io.overdrive.spark.cell.SparkTypes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Converts between Spark's definition of a table and CQL. Spark's has columns, identity partitions (the partition key)
 * and properties: {@code partition_key}, {@code clustering_key} ("a.asc, b.desc"), {@code cql.type.<column>}, and any
 * table option of Cassandra under its own name. Plans (on the driver). Stateless.
 */
final class TableDdl {
    private static final Logger LOG = LoggerFactory.getLogger(TableDdl.class);
    /** Spark's name for the order of bytes. */
    private static final String BINARY = "UTF8_BINARY";

    private static final String NO_COLLATIONS = ", but Cassandra has no collations, and compares text byte by byte: ";

    static final String PARTITION_KEY = "partition_key";
    static final String CLUSTERING_KEY = "clustering_key";
    static final String CQL_TYPE = "cql.type.";

    /** Properties that Spark itself adds to a table. */
    private static final Set<String> SPARK_NAMES = Set.of(
            TableCatalog.PROP_OWNER,
            TableCatalog.PROP_EXTERNAL,
            TableCatalog.PROP_IS_MANAGED_LOCATION,
            TableCatalog.PROP_PROVIDER);

    private static final Set<String> OUR_PROVIDERS =
            Set.of("cassandra", "org.apache.spark.sql.cassandra", CassandraSource.class.getName());

    private TableDdl() {}

    /** The properties from which {@link #create} creates the same table. */
    static Map<String, String> properties(RelationMetadata table) {
        Map<String, String> properties = new TreeMap<>();
        properties.put(TableCatalog.PROP_PROVIDER, "cassandra");
        properties.put(
                PARTITION_KEY,
                table.getPartitionKey().stream()
                        .map(column -> column.getName().asInternal())
                        .collect(Collectors.joining(",")));
        if (!table.getClusteringColumns().isEmpty()) {
            properties.put(
                    CLUSTERING_KEY,
                    table.getClusteringColumns().entrySet().stream()
                            .map(column -> ordered(column.getKey(), column.getValue()))
                            .collect(Collectors.joining(",")));
        }
        table.getOptions().forEach((option, value) -> {
            if (!option.asInternal().equals("extensions")) { // internal to the server
                properties.put(option.asInternal(), optionText(value));
            }
        });
        return properties;
    }

    private static String ordered(ColumnMetadata column, ClusteringOrder order) {
        return column.getName().asInternal() + "." + order;
    }

    private static String optionText(Object value) {
        if (value instanceof Map<?, ?> map) {
            return new TreeMap<>(map)
                    .entrySet().stream()
                            .map(e -> text(String.valueOf(e.getKey())) + ": " + text(String.valueOf(e.getValue())))
                            .collect(Collectors.joining(", ", "{", "}"));
        }
        return String.valueOf(value);
    }

    /**
     * The statement that creates a table.
     *
     * @throws IllegalArgumentException if there can be no such table in Cassandra
     */
    static String create(Identifier ident, Column[] columns, Transform[] partitions, Map<String, String> properties) {
        String what = "table " + ident + " cannot be created: ";
        refuseClauses(what, properties);
        List<String> names = Arrays.stream(columns).map(Column::name).toList();
        List<String> partitionKey = partitionKey(what, names, partitions, properties.get(PARTITION_KEY));
        Map<String, String> clustering = clusteringKey(what, names, properties.getOrDefault(CLUSTERING_KEY, ""));
        clustering.keySet().stream().filter(partitionKey::contains).findAny().ifPresent(column -> {
            throw new IllegalArgumentException(
                    what + "column \"" + column + "\" is in the partition key and in clustering_key");
        });
        List<String> lines = new ArrayList<>();
        Map<String, String> types = new LinkedHashMap<>();
        properties.forEach((key, value) -> {
            if (key.startsWith(CQL_TYPE)) {
                types.put(resolve(what + "property " + key, names, key.substring(CQL_TYPE.length())), value);
            }
        });
        for (Column column : columns) {
            refuseCollation(what, column);
            String type = types.get(column.name());
            lines.add(quoted(column.name()) + " " + (type != null ? type : cqlType(what, column)));
        }
        lines.add("PRIMARY KEY ((" + quoted(partitionKey) + ")"
                + (clustering.isEmpty() ? "" : ", " + quoted(clustering.keySet())) + ")");
        List<String> with = new ArrayList<>();
        if (!clustering.isEmpty()) {
            with.add(clustering.entrySet().stream()
                    .map(column -> quoted(column.getKey()) + " " + column.getValue())
                    .collect(Collectors.joining(", ", "CLUSTERING ORDER BY (", ")")));
        }
        new TreeMap<>(properties).forEach((key, value) -> {
            if (!key.equals(PARTITION_KEY) && !key.equals(CLUSTERING_KEY) && !key.startsWith(CQL_TYPE)) {
                addOption(what, key, value, with);
            }
        });
        return "CREATE TABLE " + cql(ident) + " (" + String.join(", ", lines) + ")"
                + (with.isEmpty() ? "" : " WITH " + String.join(" AND ", with));
    }

    /**
     * Logs properties that Cassandra ignores in a table that {@link #create} accepts. Warnings, not errors: the same statement may
     * be meant for several systems.
     */
    static void warnIgnored(
            Identifier ident, Column[] columns, Transform[] partitions, Map<String, String> properties) {
        List<String> names = Arrays.stream(columns).map(Column::name).toList();
        Set<String> key = new HashSet<>(partitionKey("", names, partitions, properties.get(PARTITION_KEY)));
        key.addAll(clusteringKey("", names, properties.getOrDefault(CLUSTERING_KEY, ""))
                .keySet());
        warnIgnored(ident, columns);
        warnIgnored(
                ident,
                "does not check NOT NULL outside of the primary key",
                Arrays.stream(columns).filter(column -> !column.nullable() && !key.contains(column.name())));
    }

    private static void warnIgnored(Identifier ident, Column... columns) {
        warnIgnored(
                ident,
                "does not store comments of columns",
                Arrays.stream(columns).filter(column -> column.comment() != null));
        warnIgnored(
                ident,
                "does not check the length of CHAR and VARCHAR, and adds no blanks",
                Arrays.stream(columns).filter(column -> SparkTypes.hasLength(column.dataType())));
    }

    private static void warnIgnored(Identifier ident, String what, Stream<Column> columns) {
        String names = columns.map(column -> "\"" + column.name() + "\"").collect(Collectors.joining(", "));
        if (!names.isEmpty()) {
            LOG.warn("table {}: Cassandra {}; ignored for {}", ident, what, names);
        }
    }

    private static void refuseClauses(String what, Map<String, String> properties) {
        if (properties.containsKey(TableCatalog.PROP_LOCATION)) {
            throw new IllegalArgumentException(what + "a Cassandra table has no location: remove LOCATION");
        }
        String provider = properties.get(TableCatalog.PROP_PROVIDER);
        if (provider != null && !OUR_PROVIDERS.contains(provider)) {
            throw new IllegalArgumentException(what + "this catalog is a Cassandra cluster: remove USING " + provider);
        }
        refuseDefaultCollation(what, properties.getOrDefault(TableCatalog.PROP_COLLATION, BINARY));
    }

    private static void refuseDefaultCollation(String what, String collation) {
        if (!collation.equalsIgnoreCase(BINARY)) {
            throw new IllegalArgumentException(
                    what + "DEFAULT COLLATION is " + collation + NO_COLLATIONS + "remove the clause");
        }
    }

    /** Also in a column whose CQL type is given: Spark would read it back as text that is compared byte by byte. */
    private static void refuseCollation(String what, Column column) {
        if (SparkTypes.hasCollation(column.dataType())) {
            throw new IllegalArgumentException(what + "column \"" + column.name() + "\" is "
                    + column.dataType().sql() + NO_COLLATIONS + "remove COLLATE, or cast the column to a type without");
        }
    }

    private static List<String> partitionKey(
            String what, List<String> names, Transform[] partitions, @Nullable String property) {
        List<String> byClause = new ArrayList<>();
        for (Transform partition : partitions) {
            if (!partition.name().equals("identity")
                    || !(partition.arguments()[0] instanceof NamedReference reference)
                    || reference.fieldNames().length != 1) {
                throw new IllegalArgumentException(what + partition
                        + " is not possible: PARTITIONED BY takes the columns of the partition key, without functions");
            }
            byClause.add(resolve(what + "PARTITIONED BY", names, reference.fieldNames()[0]));
        }
        List<String> byProperty = new ArrayList<>();
        for (String column : words(property == null ? "" : property)) {
            byProperty.add(resolve(what + "property " + PARTITION_KEY, names, column));
        }
        if (byClause.isEmpty() && byProperty.isEmpty()) {
            throw new IllegalArgumentException(
                    what + "it needs a partition key: PARTITIONED BY (column), or the property " + PARTITION_KEY);
        }
        if (!byClause.isEmpty() && !byProperty.isEmpty() && !byClause.equals(byProperty)) {
            throw new IllegalArgumentException(what + "PARTITIONED BY says the partition key is " + byClause
                    + ", and the property " + PARTITION_KEY + " says " + byProperty);
        }
        return byClause.isEmpty() ? byProperty : byClause;
    }

    /** Columns in clustering order, each with ASC or DESC. */
    private static Map<String, String> clusteringKey(String what, List<String> names, String property) {
        Map<String, String> columns = new LinkedHashMap<>();
        for (String word : words(property)) {
            String lower = word.toLowerCase(Locale.ROOT);
            boolean descends = lower.endsWith(".desc");
            int length = word.length() - (descends ? 5 : lower.endsWith(".asc") ? 4 : 0);
            String column = resolve(what + "property " + CLUSTERING_KEY, names, word.substring(0, length));
            columns.put(column, descends ? "DESC" : "ASC");
        }
        return columns;
    }

    private static List<String> words(String text) {
        return Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .toList();
    }

    /** The column with this name, or else the only one whose name differs in letter case alone. */
    private static String resolve(String where, List<String> names, String name) {
        if (names.contains(name)) {
            return name;
        }
        List<String> alike = names.stream().filter(name::equalsIgnoreCase).toList();
        if (alike.size() != 1) {
            throw new IllegalArgumentException(
                    where + " names column \"" + name + "\", but the columns are " + String.join(", ", names));
        }
        return alike.get(0);
    }

    private static void addOption(String what, String key, String value, List<String> with) {
        if (key.equals(TableCatalog.PROP_COLLATION)) {
            refuseDefaultCollation(what, value);
            return;
        }
        if (SPARK_NAMES.contains(key) || key.startsWith(TableCatalog.OPTION_PREFIX)) {
            return;
        }
        if (!key.matches("[A-Za-z_][A-Za-z0-9_]*")) {
            throw new IllegalArgumentException(what + "property \"" + key + "\" is neither a table option of"
                    + " Cassandra nor "
                    + PARTITION_KEY + ", " + CLUSTERING_KEY + " or " + CQL_TYPE + "<column>");
        }
        with.add(key.toLowerCase(Locale.ROOT) + " = " + optionCql(key, value));
    }

    /** Numbers, true, false and maps unchanged, everything else as text. */
    private static String optionCql(String key, String value) {
        String bare = value.strip();
        if (key.equalsIgnoreCase(TableCatalog.PROP_COMMENT)) {
            return text(value);
        }
        if (bare.startsWith("{")) {
            return bare.contains("'") ? bare : bare.contains("\"") ? bare.replace('"', '\'') : quotedMap(bare);
        }
        boolean quoted = bare.length() > 1 && bare.startsWith("'") && bare.endsWith("'");
        return quoted || bare.matches("-?[0-9.]+([eE]-?[0-9]+)?|true|false") ? bare : text(value);
    }

    /** A map as written for the connector for Spark 3: {@code {class=LeveledCompactionStrategy,max_threshold=11}}. */
    private static String quotedMap(String map) {
        return words(map.substring(1, map.length() - (map.endsWith("}") ? 1 : 0))).stream()
                .map(entry -> entry.split("[=:]", 2))
                .map(entry -> text(entry[0].strip()) + ": " + text(entry[entry.length - 1].strip()))
                .collect(Collectors.joining(", ", "{", "}"));
    }

    /** Statements for all changes; refuses them as a whole if one is not possible. */
    static List<String> alter(Identifier ident, CassandraTable table, TableChange... changes) {
        String what = "table " + ident + " cannot be changed: ";
        table.requireNoView("changed");
        TableSchema schema = table.cassandraSchema();
        List<String> names =
                schema.columns().stream().map(TableSchema.Column::name).toList();
        List<String> add = new ArrayList<>();
        List<String> drop = new ArrayList<>();
        List<String> with = new ArrayList<>();
        for (TableChange change : changes) {
            if (change instanceof TableChange.AddColumn column) {
                requireTopLevel(what, column);
                String name = column.fieldNames()[0];
                if (!column.isNullable() || column.position() != null || column.defaultValue() != null) {
                    throw new IllegalArgumentException(what + "column \"" + name
                            + "\" can only be added without NOT NULL, FIRST, AFTER and DEFAULT");
                }
                Column added = Column.create(
                        name, column.dataType(), /* nullable */ true, column.comment(), /* metadataInJSON */ null);
                refuseCollation(what, added);
                add.add(quoted(name) + " " + cqlType(what, added));
                warnIgnored(ident, added);
            } else if (change instanceof TableChange.DeleteColumn column) {
                requireTopLevel(what, column);
                if (Boolean.TRUE.equals(column.ifExists())
                        && names.stream().noneMatch(column.fieldNames()[0]::equalsIgnoreCase)) {
                    continue;
                }
                String name = resolve(what + "DROP COLUMN", names, column.fieldNames()[0]);
                if (schema.column(name).filter(TableSchema.Column::isKey).isPresent()) {
                    throw new IllegalArgumentException(
                            what + "column \"" + name + "\" is in the primary key, which cannot be changed");
                }
                drop.add(quoted(name));
            } else if (change instanceof TableChange.SetProperty property) {
                setOption(what, property, with);
            } else {
                throw new IllegalArgumentException(what + described(change)
                        + " is not possible in Cassandra; what is possible is to add and drop columns outside the"
                        + " primary key, and to set properties");
            }
        }
        List<String> statements = new ArrayList<>();
        if (!add.isEmpty()) {
            statements.add("ALTER TABLE " + cql(ident) + " ADD (" + String.join(", ", add) + ")");
        }
        if (!drop.isEmpty()) {
            statements.add("ALTER TABLE " + cql(ident) + " DROP (" + String.join(", ", drop) + ")");
        }
        if (!with.isEmpty()) {
            statements.add("ALTER TABLE " + cql(ident) + " WITH " + String.join(" AND ", with));
        }
        return statements;
    }

    private static void setOption(String what, TableChange.SetProperty property, List<String> with) {
        String key = property.property();
        if (key.equals(PARTITION_KEY) || key.equals(CLUSTERING_KEY) || key.startsWith(CQL_TYPE)) {
            throw new IllegalArgumentException(
                    what + "property " + key + " is fixed by CREATE TABLE and cannot be changed");
        }
        addOption(what, key, property.value(), with);
    }

    private static void requireTopLevel(String what, TableChange.ColumnChange change) {
        if (change.fieldNames().length != 1) {
            throw new IllegalArgumentException(what + "\"" + String.join(".", change.fieldNames())
                    + "\" is a field of a type; add fields with ALTER TYPE in cqlsh");
        }
    }

    private static String described(TableChange change) {
        String kind = change.getClass().getSimpleName();
        return change instanceof TableChange.ColumnChange column
                ? kind + " of column \"" + String.join(".", column.fieldNames()) + "\""
                : change instanceof TableChange.RemoveProperty property
                        ? "unsetting property \"" + property.property() + "\""
                        : kind;
    }

    private static String cqlType(String what, Column column) {
        String type = SparkTypes.cqlType(column.dataType());
        if (type == null) {
            throw new IllegalArgumentException(what + "column \"" + column.name() + "\" is "
                    + column.dataType().sql() + ", which no Cassandra type corresponds to"
                    + (column.dataType() instanceof StructType
                            ? "; name a type of the keyspace with property " + CQL_TYPE + column.name() + ", like"
                                    + " 'frozen<address>'"
                            : "; cast it, or set the CQL type with property " + CQL_TYPE + column.name()));
        }
        return type;
    }

    /** Keyspace and table, quoted if necessary. */
    static String cql(Identifier ident) {
        return quoted(ident.namespace()[0]) + "." + quoted(ident.name());
    }

    private static String quoted(Collection<String> names) {
        return names.stream().map(TableDdl::quoted).collect(Collectors.joining(", "));
    }

    private static String quoted(String name) {
        return CqlIdentifier.fromInternal(name).asCql(/* pretty */ true);
    }

    /** A CQL text literal. */
    static String text(String value) {
        return "'" + value.replace("'", "''") + "'";
    }
}
