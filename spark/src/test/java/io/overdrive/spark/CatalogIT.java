package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.spark.config.Setting;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

@Tag("server")
class CatalogIT {
    private static final String KEYSPACE = "spark_catalog_it";

    @BeforeAll
    static void fill() {
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".city (country text, name text, people int, area double,"
                + " PRIMARY KEY (country, name)) WITH CLUSTERING ORDER BY (name DESC) AND comment = 'it''s here'");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".city (country, name, people) VALUES ('FR', 'Lyon', 522)");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".city (country, name, people) VALUES ('FR', 'Nice', 348)");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".city (country, name, people) VALUES ('DE', 'Ulm', 128)");
    }

    private static List<Row> sql(String text) {
        return TestSpark.spark().sql(text).collectAsList();
    }

    private static List<String> firsts(List<Row> rows) {
        return rows.stream().map(row -> String.valueOf(row.get(0))).toList();
    }

    private static Map<String, String> pairs(List<Row> rows) {
        return rows.stream().collect(Collectors.toMap(row -> row.getString(0), row -> row.getString(1), (a, b) -> b));
    }

    @Test
    void readsATableByItsName() {
        assertThat(sql("SELECT country, sum(people) FROM cass." + KEYSPACE + ".city GROUP BY country ORDER BY country"))
                .containsExactly(RowFactory.create("DE", 128L), RowFactory.create("FR", 870L));
        assertThat(TestSpark.spark().table("cass." + KEYSPACE + ".city").collectAsList())
                .hasSize(3);
    }

    @Test
    void readsATableOfTheKeyspaceThatIsUsed() {
        sql("USE cass." + KEYSPACE);
        try {
            assertThat(sql("SELECT name FROM city WHERE country = 'DE'")).containsExactly(RowFactory.create("Ulm"));
        } finally {
            sql("USE spark_catalog.default");
        }
    }

    @Test
    void readsByTheCatalogOfTheConnectorForSpark3() {
        TestSpark.spark()
                .conf()
                .set("spark.sql.catalog.older", "com.datastax.spark.connector.datasource.CassandraCatalog");
        TestSpark.spark().conf().set("spark.sql.catalog.older.keyspace", KEYSPACE);
        assertThat(sql("SELECT people FROM older." + KEYSPACE + ".city WHERE name = 'Nice'"))
                .containsExactly(RowFactory.create(348));
        sql("USE older");
        assertThat(sql("SELECT people FROM city WHERE name = 'Nice'")).hasSize(1);
        sql("USE spark_catalog.default");
    }

    @Test
    void joinsTwoTables() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".country (code text PRIMARY KEY, \"fullName\" text)");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".country (code, \"fullName\") VALUES ('FR', 'France')");
        assertThat(sql("SELECT fullName, name FROM cass." + KEYSPACE + ".city JOIN cass." + KEYSPACE
                        + ".country ON code = country ORDER BY name"))
                .containsExactly(RowFactory.create("France", "Lyon"), RowFactory.create("France", "Nice"));
    }

    @Test
    void listsNamespacesAndTables() {
        assertThat(firsts(sql("SHOW NAMESPACES IN cass"))).contains(KEYSPACE);
        assertThat(sql("SHOW TABLES IN cass." + KEYSPACE).stream().map(row -> row.getString(1)))
                .contains("city");
    }

    @Test
    void createsKeyspacesOfAllStrategies() {
        sql("CREATE NAMESPACE cass.spark_ns1");
        sql("CREATE NAMESPACE IF NOT EXISTS cass.spark_ns1");
        sql("CREATE DATABASE cass.spark_ns2 WITH DBPROPERTIES ("
                + "class = 'SimpleStrategy', replication_factor = '2', durable_writes = 'false')");
        sql("CREATE DATABASE cass.`SparkNs3` WITH DBPROPERTIES (class = 'NetworkTopologyStrategy', dc1 = '2')");
        sql("CREATE DATABASE cass.spark_ns4 WITH DBPROPERTIES (replication_factor = '1')");
        assertThat(replication("spark_ns1")).containsEntry("dc1", "1").containsEntry("durable_writes", "true");
        assertThat(replication("spark_ns2"))
                .containsEntry("class", "SimpleStrategy")
                .containsEntry("replication_factor", "2")
                .containsEntry("durable_writes", "false");
        assertThat(replication("`SparkNs3`"))
                .containsEntry("class", "NetworkTopologyStrategy")
                .containsEntry("dc1", "2");
        assertThat(replication("spark_ns4"))
                .containsEntry("class", "NetworkTopologyStrategy")
                .containsEntry("dc1", "1");
        assertThatThrownBy(() -> sql("CREATE NAMESPACE cass.spark_ns1")).hasMessageContaining("spark_ns1");
        assertThatThrownBy(() -> sql("CREATE NAMESPACE cass.spark_ns5 LOCATION '/x'"))
                .hasMessageContaining("no location");
        assertThatThrownBy(() -> sql("CREATE NAMESPACE cass.spark_ns5 WITH DBPROPERTIES (durable_writes = 'maybe')"))
                .hasMessage("durable_writes is \"maybe\", must be true or false");
        assertThatThrownBy(() -> sql("CREATE NAMESPACE cass.spark_ns5 WITH DBPROPERTIES"
                        + " (class = 'NetworkTopologyStrategy', nowhere = '1')"))
                .isInstanceOf(IllegalArgumentException.class) // which PySpark maps to its own
                .hasMessageStartingWith("the server refuses \"CREATE KEYSPACE spark_ns5")
                .hasMessageContaining("nowhere");
    }

    private static Map<String, String> replication(String keyspace) {
        String text = pairs(sql("DESCRIBE NAMESPACE EXTENDED cass." + keyspace)).getOrDefault("Properties", "");
        return java.util.Arrays.stream(text.substring(2, text.length() - 2).split("\\), ?\\("))
                .map(pair -> pair.split(",", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    }

    @Test
    void changesTheReplicationOfAKeyspace() {
        sql("CREATE NAMESPACE cass.spark_alter WITH DBPROPERTIES (class = 'SimpleStrategy', replication_factor = '1')");
        sql("ALTER NAMESPACE cass.spark_alter SET DBPROPERTIES (replication_factor = '3')");
        assertThat(replication("spark_alter"))
                .containsEntry("class", "SimpleStrategy")
                .containsEntry("replication_factor", "3");
        sql("ALTER NAMESPACE cass.spark_alter SET DBPROPERTIES (class = 'NetworkTopologyStrategy', dc1 = '2')");
        assertThat(replication("spark_alter"))
                .containsEntry("class", "NetworkTopologyStrategy")
                .containsEntry("dc1", "2")
                .doesNotContainKey("replication_factor");
    }

    @Test
    void dropsAKeyspaceWithTablesOnlyByCascade() {
        sql("CREATE NAMESPACE cass.spark_drop");
        sql("CREATE TABLE cass.spark_drop.t (id INT) PARTITIONED BY (id)");
        assertThatThrownBy(() -> sql("DROP NAMESPACE cass.spark_drop")).hasMessageContaining("SCHEMA_NOT_EMPTY");
        sql("DROP NAMESPACE cass.spark_drop CASCADE");
        assertThat(firsts(sql("SHOW NAMESPACES IN cass"))).doesNotContain("spark_drop");
        sql("DROP NAMESPACE IF EXISTS cass.spark_drop");
        assertThatThrownBy(() -> sql("DROP NAMESPACE cass.spark_drop")).isInstanceOf(NoSuchNamespaceException.class);
    }

    @Test
    void namesWhatDoesNotExist() {
        assertThatThrownBy(() -> sql("SELECT * FROM cass." + KEYSPACE + ".nowhere"))
                .hasMessageContaining("TABLE_OR_VIEW_NOT_FOUND")
                .hasMessageContaining("nowhere");
        assertThatThrownBy(() -> sql("SELECT * FROM cass.no_keyspace.t"))
                .hasMessageContaining("TABLE_OR_VIEW_NOT_FOUND");
        assertThatThrownBy(() -> sql("SHOW TABLES IN cass.no_keyspace")).hasMessageContaining("SCHEMA_NOT_FOUND");
        assertThatThrownBy(() -> sql("CREATE TABLE cass.no_keyspace.t (id INT) PARTITIONED BY (id)"))
                .hasMessageContaining("SCHEMA_NOT_FOUND");
        assertThatThrownBy(() -> sql("DROP TABLE cass." + KEYSPACE + ".nowhere"))
                .hasMessageContaining("TABLE_OR_VIEW_NOT_FOUND");
        sql("DROP TABLE IF EXISTS cass." + KEYSPACE + ".nowhere");
    }

    @Test
    void readsATableAsItIsNowOnly() {
        sql("CREATE TABLE cass." + KEYSPACE + ".now_only (id INT) USING cassandra PARTITIONED BY (id)");
        for (String past : List.of("VERSION AS OF 1", "TIMESTAMP AS OF '2026-01-01'")) {
            assertThatThrownBy(() -> sql("SELECT * FROM cass." + KEYSPACE + ".now_only " + past))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("now_only can only be read as it is now")
                    .hasMessageEndingWith(
                            "restore it into another table (overdrive copy --from-sstables), and read that");
            assertThatThrownBy(() -> sql("SELECT * FROM cass." + KEYSPACE + ".nowhere " + past))
                    .hasMessageContaining("TABLE_OR_VIEW_NOT_FOUND");
        }
    }

    @Test
    void createsATableWithAKeyAnOrderAndOptions() {
        sql("CREATE TABLE cass." + KEYSPACE + ".made (id BIGINT, day DATE, at TIMESTAMP, `Mixed Name` STRING, b BINARY,"
                + " n DECIMAL(38, 0), m DECIMAL(10, 2), tags ARRAY<STRING>, deep MAP<STRING, ARRAY<INT>>)"
                + " USING cassandra PARTITIONED BY (id, DAY) COMMENT 'made by \\'Spark\\''"
                + " TBLPROPERTIES (clustering_key = 'at.desc,Mixed Name', gc_grace_seconds = '3600',"
                + " default_time_to_live = 86400, compaction = \"{'class': 'LeveledCompactionStrategy'}\","
                + " caching = '{\"keys\": \"ALL\", \"rows_per_partition\": \"10\"}')");
        String made = definition("made");
        assertThat(made)
                .contains("id bigint", "day date", "at timestamp", "\"Mixed Name\" text", "b blob", "n varint")
                .contains("m decimal", "tags list<text>", "deep map<text, frozen<list<int>>>")
                .contains("PRIMARY KEY ((id, day), at, \"Mixed Name\")")
                .contains("CLUSTERING ORDER BY (at DESC, \"Mixed Name\" ASC)")
                .contains("comment = 'made by ''Spark'''", "gc_grace_seconds = 3600", "default_time_to_live = 86400")
                .contains("LeveledCompactionStrategy", "'rows_per_partition': '10'");
    }

    private static String definition(String table) {
        return TestSpark.cql("DESCRIBE TABLE " + KEYSPACE + ".\"" + table + "\"")
                .get(0)
                .getString("create_statement");
    }

    @Test
    @DisabledIfSystemProperty(
            named = "overdrive.local.cassandra",
            matches = "4\\..*",
            disabledReason = "there are no vectors")
    void readsTheKeyAndTypesFromProperties() {
        sql("CREATE TABLE cass." + KEYSPACE
                + ".typed (a STRING, b STRING, v ARRAY<FLOAT>, s ARRAY<STRING>, `order` INT)"
                + " TBLPROPERTIES (partition_key = 'a,b', 'cql.type.a' = 'uuid', 'cql.type.v' = 'vector<float, 3>',"
                + " 'cql.type.s' = 'set<text>')");
        assertThat(definition("typed"))
                .contains("a uuid", "v vector<float, 3>", "s set<text>", "\"order\" int", "PRIMARY KEY ((a, b))");
    }

    @Test
    void acceptsOptionsAsTheConnectorForSpark3DoesAndNamesWithDashesAndDigits() {
        String table = "cass." + KEYSPACE + ".`1oddTable`";
        sql("CREATE TABLE " + table + " (`1` INT, `select` STRING, `a-b` DOUBLE) USING cassandra TBLPROPERTIES ("
                + "partition_key = '1', clustering_key = 'select.DESC',"
                + " compaction = '{class=SizeTieredCompactionStrategy,max_threshold=11}')");
        assertThat(definition("1oddTable"))
                .contains("PRIMARY KEY (\"1\", \"select\")", "'max_threshold': '11'", "SizeTieredCompactionStrategy");
        sql("ALTER TABLE " + table + " SET TBLPROPERTIES (compaction ="
                + " '{class=SizeTieredCompactionStrategy, max_threshold=12}')");
        assertThat(definition("1oddTable")).contains("'max_threshold': '12'");
        sql("INSERT INTO " + table + " VALUES (1, 'x', 0.5)");
        assertThat(sql("SELECT `a-b`, `select` FROM " + table + " WHERE `1` = 1"))
                .containsExactly(RowFactory.create(0.5, "x"));
    }

    @Test
    void warnsAboutWhatCassandraDoesNotStore() {
        String table = "cass." + KEYSPACE + ".commented";
        assertThat(TestSpark.logged(
                        TableDdl.class,
                        () -> sql("CREATE TABLE " + table + " (id INT NOT NULL COMMENT 'the key', a INT COMMENT 'x',"
                                + " b INT NOT NULL) PARTITIONED BY (id) COMMENT 'kept'")))
                .containsExactly(
                        "WARN table " + KEYSPACE
                                + ".commented: Cassandra does not store comments of columns; ignored"
                                + " for \"id\", \"a\"",
                        "WARN table " + KEYSPACE
                                + ".commented: Cassandra does not check NOT NULL outside of the primary"
                                + " key; ignored for \"b\"");
        assertThat(TestSpark.logged(
                        TableDdl.class, () -> sql("ALTER TABLE " + table + " ADD COLUMNS (c INT COMMENT 'y', d INT)")))
                .singleElement()
                .asString()
                .endsWith("ignored for \"c\"");
        assertThat(definition("commented")).contains("comment = 'kept'");
        assertThat(TestSpark.logged(
                        TableDdl.class,
                        () -> sql("CREATE TABLE cass." + KEYSPACE
                                + ".limited (id INT, c CHAR(3), v ARRAY<VARCHAR(3)>, s STRING) PARTITIONED BY (id)")))
                .containsExactly("WARN table " + KEYSPACE
                        + ".limited: Cassandra does not check the length of CHAR and VARCHAR, and adds no blanks;"
                        + " ignored for \"c\", \"v\"");
        assertThat(TestSpark.logged(
                        TableDdl.class,
                        () -> sql("ALTER TABLE cass." + KEYSPACE + ".limited ADD COLUMNS (d VARCHAR(2), e STRING)")))
                .singleElement()
                .asString()
                .endsWith("ignored for \"d\"");
        assertThatThrownBy(() -> sql("ALTER TABLE " + table + " ALTER COLUMN a COMMENT 'z'"))
                .hasMessageContaining("UpdateColumnComment of column \"a\" is not possible in Cassandra");
        assertThat(TestSpark.logged(
                        TableDdl.class,
                        () -> sql("CREATE TABLE cass." + KEYSPACE + ".uncommented PARTITIONED BY (id)"
                                + " AS SELECT id, 1 AS one FROM range(2)")))
                .isEmpty();
    }

    @Test
    void refusesImpossibleTables() {
        String create = "CREATE TABLE cass." + KEYSPACE + ".wrong ";
        assertThatThrownBy(() -> sql(create + "(id INT)"))
                .hasMessage("table " + KEYSPACE + ".wrong cannot be created: it needs a partition key:"
                        + " PARTITIONED BY (column), or the property partition_key");
        assertThatThrownBy(() -> sql(create + "(id INT, at TIMESTAMP) PARTITIONED BY (id, days(at))"))
                .hasMessageContaining("days(at) is not possible");
        assertThatThrownBy(() -> sql(create + "(id INT) PARTITIONED BY (id) TBLPROPERTIES (clustering_key = 'at')"))
                .hasMessageContaining("property clustering_key names column \"at\", but the columns are id");
        assertThatThrownBy(() -> sql(create + "(id INT) PARTITIONED BY (id) TBLPROPERTIES (clustering_key = 'id')"))
                .hasMessageContaining("is in the partition key and in clustering_key");
        assertThatThrownBy(() -> sql(create + "(a INT, b INT) PARTITIONED BY (a) TBLPROPERTIES (partition_key = 'b')"))
                .hasMessageContaining("the property partition_key says [b]");
        assertThatThrownBy(() -> sql(create + "(id INT, s STRUCT<x: INT>) PARTITIONED BY (id)"))
                .hasMessageContaining(
                        "column \"s\" is STRUCT<x: INT>, which no Cassandra type corresponds to; name a type of the"
                                + " keyspace with property cql.type.s");
        assertThatThrownBy(() -> sql(create + "(id INT, t TIMESTAMP_NTZ) PARTITIONED BY (id)"))
                .hasMessageContaining("column \"t\" is TIMESTAMP_NTZ, which no Cassandra type corresponds to; cast it");
        assertThatThrownBy(() -> sql(create + "(id INT) PARTITIONED BY (id) LOCATION '/x'"))
                .hasMessageContaining("remove LOCATION");
        assertThatThrownBy(() -> sql(create + "(id INT) USING parquet PARTITIONED BY (id)"))
                .hasMessageContaining("remove USING parquet");
        assertThatThrownBy(() -> sql(create + "(id INT) PARTITIONED BY (id) TBLPROPERTIES (gc_grace_second = 1)"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("the server refuses \"CREATE TABLE " + KEYSPACE + ".wrong (")
                .hasMessageContaining("gc_grace_second");
        assertThatThrownBy(() -> sql("CREATE TABLE cass." + KEYSPACE + ".city (id INT) PARTITIONED BY (id)"))
                .hasMessageContaining("TABLE_OR_VIEW_ALREADY_EXISTS");
        sql("CREATE TABLE IF NOT EXISTS cass." + KEYSPACE + ".city (id INT) PARTITIONED BY (id)");
    }

    @Test
    void refusesTablesWithACollation() {
        String wrong = "cass." + KEYSPACE + ".collated";
        assertThatThrownBy(() ->
                        sql("CREATE TABLE " + wrong + " (id INT, s STRING COLLATE UTF8_LCASE) PARTITIONED BY (id)"))
                .hasMessage(
                        "table " + KEYSPACE + ".collated cannot be created: column \"s\" is STRING COLLATE UTF8_LCASE,"
                                + " but Cassandra has no collations, and compares text byte by byte: remove COLLATE, or cast"
                                + " the column to a type without");
        assertThatThrownBy(() -> sql("CREATE TABLE " + wrong
                        + " (id INT, s STRING) PARTITIONED BY (id) DEFAULT COLLATION UTF8_LCASE"))
                .hasMessageContaining("Cassandra has no collations");
        assertThatThrownBy(() -> sql("CREATE TABLE " + wrong
                        + " PARTITIONED BY (id) AS SELECT 1 AS id, 'Ada' COLLATE UNICODE_CI AS s"))
                .hasMessageContaining("column \"s\" is STRING COLLATE UNICODE_CI");
        assertThat(sql("SHOW TABLES IN cass." + KEYSPACE + " LIKE 'collated'")).isEmpty();

        String table = "cass." + KEYSPACE + ".binary";
        sql("CREATE TABLE " + table + " (id INT, s STRING) PARTITIONED BY (id)");
        assertThatThrownBy(() -> sql("ALTER TABLE " + table + " ADD COLUMNS (t STRING COLLATE UTF8_LCASE)"))
                .hasMessageContaining("cannot be changed: column \"t\" is STRING COLLATE UTF8_LCASE");
        assertThatThrownBy(() -> sql("ALTER TABLE " + table + " DEFAULT COLLATION UTF8_LCASE"))
                .hasMessageContaining("DEFAULT COLLATION is UTF8_LCASE");
        sql("INSERT INTO " + table + " SELECT 1 AS id, 'Ada' COLLATE UTF8_LCASE AS s");
        assertThat(sql("SELECT s FROM " + table + " WHERE s = 'ADA'")).isEmpty();
        assertThat(sql("SELECT s FROM " + table + " WHERE s = 'ADA' COLLATE UTF8_LCASE"))
                .containsExactly(RowFactory.create("Ada"));
        assertThat(sql("SELECT s FROM " + table + " WHERE s IN ('ADA' COLLATE UTF8_LCASE, 'x')"))
                .hasSize(1);
        assertThat(sql("SELECT s FROM " + table + " WHERE s COLLATE UTF8_LCASE >= 'ada'"))
                .hasSize(1);
    }

    @Test
    void comparesKeysByTheCollationOfTheQuery() {
        String table = "cass." + KEYSPACE + ".names";
        sql("CREATE TABLE " + table
                + " (name STRING, n INT) PARTITIONED BY (name) TBLPROPERTIES (clustering_key = 'n')");
        sql("INSERT INTO " + table + " VALUES ('Ada', 1)");
        assertThat(sql("SELECT n FROM " + table + " WHERE name = 'ADA' COLLATE UTF8_LCASE"))
                .hasSize(1);
        assertThat(sql("SELECT n FROM " + table + " WHERE name IN ('ADA' COLLATE UTF8_LCASE, 'x')"))
                .hasSize(1);
        assertThat(sql("SELECT n FROM " + table + " WHERE name COLLATE UTF8_LCASE LIKE 'aD%'"))
                .hasSize(1);
        TestSpark.spark().sql("SELECT 'ADA' COLLATE UTF8_LCASE AS name").createOrReplaceTempView("collated_names");
        assertThat(sql("SELECT /*+ BROADCAST(c) */ n FROM collated_names c JOIN " + table
                        + " t ON c.name = t.name COLLATE UTF8_LCASE"))
                .hasSize(1);
        sql("DELETE FROM " + table + " WHERE name = 'ADA' COLLATE UTF8_LCASE");
        assertThat(sql("SELECT n FROM " + table)).isEmpty();
    }

    /** The table and its rows would be lost for a statement that cannot succeed. */
    @Test
    void keepsATableThatCannotBeReplaced() {
        String table = "cass." + KEYSPACE + ".kept";
        sql("CREATE TABLE " + table + " (id INT, v STRING) PARTITIONED BY (id)");
        sql("INSERT INTO " + table + " VALUES (1, 'a')");
        assertThatThrownBy(() -> sql("CREATE OR REPLACE TABLE " + table + " (id INT) PARTITIONED BY (id)"))
                .hasMessage("[" + KEYSPACE + ".kept] replacing drops the table and its rows: set"
                        + " \"spark.overdrive.confirm.truncate\" to true in the session to confirm it");
        TestSpark.spark().conf().set("spark.overdrive.confirm.truncate", "true");
        try {
            for (String replace : List.of("CREATE OR REPLACE TABLE ", "REPLACE TABLE ")) {
                assertKept(table, replace + table + " (id INT)", "it needs a partition key");
                assertKept(table, replace + table + " AS SELECT 1 AS id", "it needs a partition key");
                String key = " PARTITIONED BY (id) ";
                assertKept(table, replace + table + " (id INT, t TIMESTAMP_NTZ)" + key, "TIMESTAMP_NTZ");
                assertKept(table, replace + table + " (id INT, s STRUCT<x: INT>)" + key, "STRUCT<x: INT>");
                assertKept(table, replace + table + " (id INT)" + key + "LOCATION '/x'", "remove LOCATION");
                assertKept(table, replace + table + " USING parquet" + key + "AS SELECT 1 AS id", "remove USING");
                assertKept(
                        table,
                        replace + table + key + "TBLPROPERTIES (clustering_key = 'at') AS SELECT 1 AS id",
                        "property clustering_key names column \"at\"");
                assertKept(
                        table,
                        replace + table + key + "AS SELECT 1 AS id, 'x' COLLATE UTF8_LCASE AS s",
                        "Cassandra has no collations");
            }
            assertThatThrownBy(() -> TestSpark.spark()
                            .sql("SELECT 2 AS id")
                            .write()
                            .mode("overwrite")
                            .option("confirm.truncate", "true")
                            .saveAsTable(table))
                    .hasMessageContaining("it needs a partition key");
            assertThat(sql("SELECT * FROM " + table)).hasSize(1);

            assertThat(TestSpark.logged(
                            TableDdl.class,
                            () -> sql(
                                    "REPLACE TABLE " + table + " (id INT, w BIGINT COMMENT 'x') PARTITIONED BY (id)")))
                    .hasSize(1);
        } finally {
            TestSpark.spark().conf().unset("spark.overdrive.confirm.truncate");
        }
        assertThat(definition("kept")).contains("w bigint").doesNotContain("v text");
        assertThat(sql("SELECT * FROM " + table)).isEmpty();
        TestSpark.spark()
                .sql("SELECT 3 AS id, 'b' AS v")
                .write()
                .mode("overwrite")
                .partitionBy("id")
                .option("confirm.truncate", "true")
                .saveAsTable(table);
        assertThat(sql("SELECT id, v FROM " + table)).containsExactly(RowFactory.create(3, "b"));
    }

    private static void assertKept(String table, String statement, String reason) {
        assertThatThrownBy(() -> sql(statement)).as(statement).hasMessageContaining(reason);
        assertThat(sql("SELECT id, v FROM " + table)).as(statement).containsExactly(RowFactory.create(1, "a"));
    }

    /** Whatever the names under which they are given. */
    @Test
    void optionsOfAStatementOverrideThoseOfTheCatalog() {
        TestSpark.spark().conf().set("spark.sql.catalog.short", "io.overdrive.spark.CassandraCatalog");
        TestSpark.spark().conf().set("spark.sql.catalog.short.ttl", "86400");
        String table = "short." + KEYSPACE + ".expiring";
        sql("CREATE TABLE " + table + " (id INT, v STRING) PARTITIONED BY (id)");
        sql("INSERT INTO " + table + " WITH (`spark.cassandra.output.ttl` = 60) VALUES (1, 'a')");
        sql("INSERT INTO " + table + " WITH (`output.ttl` = 60) VALUES (2, 'a')");
        sql("INSERT INTO " + table + " VALUES (3, 'a')");
        assertThat(TestSpark.cql("SELECT id, ttl(v) AS ttl FROM " + KEYSPACE + ".expiring").stream()
                        .collect(Collectors.toMap(row -> row.getInt("id"), row -> row.getInt("ttl") <= 60)))
                .isEqualTo(Map.of(1, true, 2, true, 3, false));
    }

    @Test
    void settingsOfTheSessionOverrideThoseOfTheApplication() {
        String ofApplication = "spark.overdrive.lookupsInFlight";
        assertThat(TestSpark.spark().sparkContext().getConf().get(ofApplication))
                .isEqualTo("255");
        assertThat(CassandraSource.settings(Map.of()).number(Setting.LOOKUPS_IN_FLIGHT))
                .isEqualTo(255);
        TestSpark.spark().conf().set("spark.cassandra.concurrent.reads", "3");
        try {
            assertThat(CassandraSource.settings(Map.of()).number(Setting.LOOKUPS_IN_FLIGHT))
                    .isEqualTo(3);
            TestSpark.spark().conf().set(ofApplication, "4");
            assertThat(CassandraSource.settings(Map.of()).number(Setting.LOOKUPS_IN_FLIGHT))
                    .isEqualTo(4);
            TestSpark.spark().conf().unset("spark.cassandra.concurrent.reads");
            TestSpark.spark().conf().unset(ofApplication);
            assertThat(CassandraSource.settings(Map.of()).isGiven(Setting.LOOKUPS_IN_FLIGHT))
                    .isFalse();
        } finally {
            TestSpark.spark().conf().unset("spark.cassandra.concurrent.reads");
            TestSpark.spark().conf().set(ofApplication, "255");
        }
    }

    @Test
    void describesATableWithItsKeyAndOptions() {
        Map<String, String> columns = pairs(sql("DESCRIBE TABLE cass." + KEYSPACE + ".city"));
        assertThat(columns)
                .containsEntry("country", "string")
                .containsEntry("people", "int")
                .containsEntry("area", "double");
        assertThat(pairs(sql("DESCRIBE TABLE EXTENDED cass." + KEYSPACE + ".city")))
                .containsEntry("Provider", "cassandra")
                .containsEntry("Comment", "it's here")
                .hasEntrySatisfying("Table Properties", text -> assertThat(text)
                        .contains("partition_key=country", "clustering_key=name.DESC", "gc_grace_seconds=864000"));
        assertThat(pairs(sql("SHOW TBLPROPERTIES cass." + KEYSPACE + ".city")))
                .containsEntry("partition_key", "country")
                .hasEntrySatisfying(
                        "compaction",
                        text -> assertThat(text).startsWith("{'class': '").contains("Strategy'"));
    }

    @Test
    void recreatesATableFromShowCreateTable() {
        sql("CREATE TABLE cass." + KEYSPACE + ".again (a INT, b INT, c STRING) PARTITIONED BY (a)"
                + " COMMENT 'x' TBLPROPERTIES (clustering_key = 'b.desc', gc_grace_seconds = 60)");
        String before = definition("again");
        String create =
                sql("SHOW CREATE TABLE cass." + KEYSPACE + ".again").get(0).getString(0);
        sql("DROP TABLE cass." + KEYSPACE + ".again");
        sql(create);
        assertThat(definition("again")).isEqualTo(before);
    }

    @Test
    void changesColumnsAndOptions() {
        String table = "cass." + KEYSPACE + ".altered";
        sql("CREATE TABLE " + table + " (id INT, a STRING, b STRING) PARTITIONED BY (id)");
        sql("ALTER TABLE " + table + " ADD COLUMNS (c INT, `D` ARRAY<DATE>)");
        sql("ALTER TABLE " + table + " DROP COLUMN a");
        sql("ALTER TABLE " + table + " DROP COLUMN IF EXISTS zz");
        sql("ALTER TABLE " + table + " SET TBLPROPERTIES (comment = 'new', gc_grace_seconds = '7')");
        assertThat(definition("altered"))
                .contains("c int", "\"D\" list<date>", "comment = 'new'", "gc_grace_seconds = 7")
                .doesNotContain("a text");
        assertThat(TestSpark.spark().table(table).columns()).containsExactly("id", "D", "b", "c");
        assertThatThrownBy(() -> sql("ALTER TABLE " + table + " DROP COLUMN id"))
                .hasMessageContaining("column \"id\" is in the primary key");
        assertThatThrownBy(() -> sql("ALTER TABLE " + table + " RENAME COLUMN b TO bb"))
                .hasMessageContaining("RenameColumn of column \"b\" is not possible in Cassandra");
        assertThatThrownBy(() -> sql("ALTER TABLE " + table + " ALTER COLUMN c TYPE BIGINT"))
                .hasMessageContaining("UpdateColumnType of column \"c\" is not possible in Cassandra");
        assertThatThrownBy(() -> sql("ALTER TABLE " + table + " ADD COLUMN e INT AFTER b"))
                .hasMessageContaining("column \"e\" can only be added without NOT NULL");
        assertThatThrownBy(() -> sql("ALTER TABLE " + table + " UNSET TBLPROPERTIES (comment)"))
                .hasMessageContaining("unsetting property \"comment\" is not possible");
        assertThatThrownBy(() -> sql("ALTER TABLE " + table + " RENAME TO " + KEYSPACE + ".other"))
                .hasMessageContaining("Cassandra cannot rename tables");
    }

    @Test
    void dropsAndEmptiesTables() {
        String table = KEYSPACE + ".\"Gone\"";
        TestSpark.cql("CREATE TABLE " + table + " (id int PRIMARY KEY)");
        TestSpark.cql("INSERT INTO " + table + " (id) VALUES (1)");
        sql("TRUNCATE TABLE cass." + KEYSPACE + ".Gone");
        assertThat(TestSpark.cql("SELECT * FROM " + table)).isEmpty();
        sql("DROP TABLE cass." + KEYSPACE + ".Gone");
        assertThat(sql("SHOW TABLES IN cass." + KEYSPACE + " LIKE 'Gone'")).isEmpty();
    }

    @Test
    void readsMaterializedViewsAndDoesNotChangeThem() throws InterruptedException {
        TestSpark.cql("CREATE MATERIALIZED VIEW " + KEYSPACE + ".by_people AS SELECT * FROM " + KEYSPACE + ".city"
                + " WHERE people IS NOT NULL AND country IS NOT NULL AND name IS NOT NULL"
                + " PRIMARY KEY (people, country, name)");
        String view = "cass." + KEYSPACE + ".by_people";
        while (TestSpark.cql("SELECT * FROM " + KEYSPACE + ".by_people").size() < 3) {
            Thread.sleep(100);
        }
        assertThat(sql("SELECT name FROM " + view + " WHERE people = 128")).containsExactly(RowFactory.create("Ulm"));
        assertThat(sql("SHOW TABLES IN cass." + KEYSPACE + " LIKE 'by_people'")).hasSize(1);
        assertThatThrownBy(() -> sql("TRUNCATE TABLE " + view))
                .hasMessage(KEYSPACE + ".by_people is a materialized view of city: it can be read, and cannot be"
                        + " emptied from Spark");
        assertThatThrownBy(() -> sql("DROP TABLE " + view)).hasMessageContaining("cannot be dropped");
        assertThatThrownBy(() -> sql("ALTER TABLE " + view + " ADD COLUMN x INT"))
                .hasMessageContaining("cannot be changed");
    }

    @Test
    void createsATableFromAQueryAndMatchesColumnsByName() {
        String city = "cass." + KEYSPACE + ".city";
        sql("CREATE TABLE cass." + KEYSPACE + ".big PARTITIONED BY (country)"
                + " TBLPROPERTIES (clustering_key = 'name.desc', 'cql.type.people' = 'bigint')"
                + " AS SELECT people, upper(name) AS name, country FROM " + city + " WHERE people > 200");
        assertThat(definition("big")).contains("people bigint", "CLUSTERING ORDER BY (name DESC)");
        assertThat(sql("SELECT country, name, people FROM cass." + KEYSPACE + ".big ORDER BY name"))
                .containsExactly(RowFactory.create("FR", "LYON", 522L), RowFactory.create("FR", "NICE", 348L));
        assertThatThrownBy(() -> sql("CREATE TABLE cass." + KEYSPACE + ".failed PARTITIONED BY (country)"
                        + " AS SELECT country, CAST(raise_error('stop') AS STRING) AS x FROM " + city))
                .hasStackTraceContaining("stop");
        assertThat(sql("SHOW TABLES IN cass." + KEYSPACE + " LIKE 'failed'")).isEmpty();
    }

    @Test
    void createsAndFillsATableFromADataFrame() throws Exception {
        String table = "cass." + KEYSPACE + ".frame";
        var frame = TestSpark.spark().range(10).selectExpr("id", "id * 2 AS Twice", "array(id) AS list");
        frame.writeTo(table)
                .partitionedBy(org.apache.spark.sql.functions.col("id"))
                .create();
        frame.selectExpr("id + 10 AS id", "Twice").writeTo(table).append();
        assertThat(sql("SELECT count(id), sum(Twice), count(list) FROM " + table))
                .containsExactly(RowFactory.create(20L, 180L, 20L));
        frame.write().mode("append").saveAsTable(table);
        frame.write().mode("append").insertInto(table);
        assertThat(sql("SELECT id FROM " + table)).hasSize(20);
    }

    @Test
    void insertsInTheOrderOfTheTableUnlessColumnsAreNamed() throws Exception {
        String table = "cass." + KEYSPACE + ".inserted";
        sql("CREATE TABLE " + table + " (id INT, b STRING, a STRING) PARTITIONED BY (id)");
        sql("INSERT INTO " + table + " (b, id) VALUES ('b1', 1), ('b2', 2)");
        sql("INSERT INTO " + table + " (id, a) VALUES (1, 'a1')");
        sql("INSERT INTO " + table + " BY NAME SELECT 'b3' AS b, 3 AS id");
        sql("INSERT INTO " + table + " VALUES (4, 'a4', 'b4'), (5, NULL, 'b5')");
        sql("INSERT INTO " + table + " SELECT 6, 'a6' AS x, concat('b', 6)");
        sql("WITH one AS (SELECT 7 AS n) INSERT INTO " + table + " SELECT n, 'a7', 'b7' FROM one");
        sql("FROM (SELECT 8 AS n) INSERT INTO " + table + " SELECT n, 'a8', 'b8' INSERT INTO " + table
                + " SELECT n + 1, 'a9', 'b9'");
        TestSpark.spark().sql("SELECT 10 AS x, 'a10' AS y, 'b10' AS z").write().insertInto(table);
        TestSpark.spark()
                .sql("SELECT 'b11' AS b, 'a11' AS a, 11 AS id")
                .writeTo(table)
                .append();
        assertThat(sql("SELECT id, a, b FROM " + table + " ORDER BY id"))
                .containsExactly(
                        RowFactory.create(1, "a1", "b1"),
                        RowFactory.create(2, null, "b2"),
                        RowFactory.create(3, null, "b3"),
                        RowFactory.create(4, "a4", "b4"),
                        RowFactory.create(5, null, "b5"),
                        RowFactory.create(6, "a6", "b6"),
                        RowFactory.create(7, "a7", "b7"),
                        RowFactory.create(8, "a8", "b8"),
                        RowFactory.create(9, "a9", "b9"),
                        RowFactory.create(10, "a10", "b10"),
                        RowFactory.create(11, "a11", "b11"));
        assertThat(sql("EXPLAIN INSERT INTO " + table + " SELECT 1, 'a', 'b'").toString())
                .contains("cassandra " + KEYSPACE + ".inserted [id, a, b]");
    }

    @Test
    void refusesToInsertInTheOrderOfTheTableWhatIsNamedInAnother() {
        String table = "cass." + KEYSPACE + ".ordered";
        sql("CREATE TABLE " + table + " (id INT, b STRING, a STRING) PARTITIONED BY (id)");
        assertThatThrownBy(() -> sql("INSERT INTO " + table + " SELECT 1 AS id, 'b' AS b, 'a' AS a"))
                .hasMessage("[" + KEYSPACE
                        + ".ordered] an INSERT without column names must have the columns \"id\", \"a\", \"b\""
                        + " in this order, got \"id\", \"b\", \"a\": name the columns, INSERT INTO table"
                        + " (column, …) …, or write INSERT INTO table BY NAME …");
        assertThatThrownBy(() -> sql("INSERT INTO " + table + " VALUES (1, 'a')"))
                .hasMessageContaining("got \"col1\", \"col2\": name the columns");
        assertThatThrownBy(() -> sql("INSERT INTO " + table + " VALUES (1, 'a', 'b', 'c')"))
                .hasMessageContaining("\"col4\": name the columns");
        assertThatThrownBy(() -> sql("INSERT INTO " + table + " BY NAME SELECT 1 AS id, 'c' AS c"))
                .hasMessageContaining("has no column \"c\"");
        assertThat(sql("SELECT * FROM " + table)).isEmpty();
    }

    @Test
    void copiesFromOneCatalogIntoAnother() {
        TestSpark.spark().conf().set("spark.sql.catalog.other", "io.overdrive.spark.CassandraCatalog");
        TestSpark.spark().conf().set("spark.sql.catalog.other.writeConsistency", "ONE");
        sql("CREATE NAMESPACE other.spark_other");
        sql("CREATE TABLE other.spark_other.city (country STRING, name STRING, people INT, area DOUBLE)"
                + " PARTITIONED BY (country) TBLPROPERTIES (clustering_key = 'name')");
        sql("INSERT INTO other.spark_other.city SELECT * FROM cass." + KEYSPACE + ".city");
        assertThat(sql("SELECT * FROM other.spark_other.city ORDER BY name"))
                .isEqualTo(sql("SELECT * FROM cass." + KEYSPACE + ".city ORDER BY name"));
    }

    @Test
    void suggestsNamesIfATableDoesNotExist() {
        assertThatThrownBy(() -> TestSpark.read(KEYSPACE, "citi"))
                .hasMessageContaining("has no table \"citi\"")
                .hasMessageEndingWith(": did you mean \"city\"?");
        assertThatThrownBy(() -> TestSpark.read("spark_catalog_id", "city"))
                .hasMessage("there is no keyspace \"spark_catalog_id\": did you mean \"spark_catalog_it\"?");
        assertThatThrownBy(() -> TestSpark.spark()
                        .read()
                        .format("cassandra")
                        .option("keyspace", KEYSPACE)
                        .option("tabel", "city")
                        .load())
                .hasMessageContaining("there is no option \"tabel\": did you mean \"table\"?");
    }
}
