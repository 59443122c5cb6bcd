package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.OneCaseIn;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SQL queries on tables of the catalog return what the same queries return for the same rows in memory. */
class SqlIT {
    /** Must be quoted both in CQL and in SQL. */
    private static final String KEYSPACE = "1Sql";

    private static final String CQL = "\"" + KEYSPACE + "\".";
    private static final List<String> TABLES = List.of("city", "visit", "device");

    @BeforeAll
    static void fill() {
        TestSpark.keyspace("\"" + KEYSPACE + "\"");
        TestSpark.cql("CREATE TYPE " + CQL + "place (street text, \"No\" int)");
        TestSpark.cql("CREATE TABLE " + CQL + "city (country text, name text, people int, area double, big varint,"
                + " tags set<text>, at frozen<place>, spot frozen<tuple<int, text>>, PRIMARY KEY (country, name))");
        TestSpark.cql("CREATE INDEX ON " + CQL + "city (people)");
        TestSpark.cql(
                "CREATE TABLE " + CQL + "visit (id int PRIMARY KEY, town text, \"Who\" text, day date, cost decimal)");
        TestSpark.cql("CREATE TABLE " + CQL + "device (id uuid, at timeuuid, address inet, n bigint,"
                + " PRIMARY KEY (id, at))");
        for (int i = 0; i < 24; i++) {
            TestSpark.cql(
                    "INSERT INTO %scity (country, name, people, area, big, tags, at, spot) VALUES ('%s', '%s', %s, %s,"
                                    .formatted(
                                            CQL,
                                            List.of("DE", "FR", "it").get(i % 3),
                                            "town" + i / 2,
                                            i % 5 == 0 ? null : i * 7 % 40,
                                            i / 8.0)
                            + " %d, {'t%d'}, {street: 'S%d', \"No\": %d}, (%d, 'x'))"
                                    .formatted(i * 1000L, i % 2, i % 4, i, i));
            TestSpark.cql(
                    "INSERT INTO %svisit (id, town, \"Who\", day, cost) VALUES (%d, 'town%d', '%s', '2020-02-%02d', %d.5)"
                            .formatted(CQL, i, i * 3 % 15, i % 4 == 0 ? "Ann" : "Bob", 1 + i, i));
            TestSpark.cql("INSERT INTO %sdevice (id, at, address, n) VALUES (00000000-0000-4000-8000-00000000000%x,"
                            .formatted(CQL, i % 8)
                    + " 0000000%x-0000-1000-8000-000000000000, '10.0.0.%d', %d)".formatted(i % 16, i % 6, i));
        }
        for (String table : TABLES) {
            TestSpark.inMemory(TestSpark.spark().table(inCassandra(table))).createOrReplaceTempView(inMemory(table));
        }
        // These many small queries would take longer to compile than to run.
        TestSpark.spark().conf().set("spark.sql.codegen.wholeStage", "false");
        TestSpark.spark().conf().set("spark.sql.codegen.factoryMode", "NO_CODEGEN");
    }

    @AfterAll
    static void restore() {
        TestSpark.spark().conf().unset("spark.sql.codegen.wholeStage");
        TestSpark.spark().conf().unset("spark.sql.codegen.factoryMode");
    }

    private static String inCassandra(String table) {
        return "cass.`" + KEYSPACE + "`." + table;
    }

    private static String inMemory(String table) {
        return "sql_it_" + table;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM @city",
                "SELECT DISTINCT country FROM @city",
                "SELECT name n, c.people FROM @city c WHERE c.country = 'DE' AND c.name > 'town3'",
                "SELECT * FROM @city WHERE people > 10 AND people <= 20",
                "SELECT * FROM @city WHERE people = 14 OR people = 21",
                "SELECT * FROM @city WHERE people != 14",
                "SELECT * FROM @city WHERE people BETWEEN 7 AND 21",
                "SELECT * FROM @city WHERE people IS NULL",
                "SELECT * FROM @city WHERE people IS NOT NULL AND country = 'FR'",
                "SELECT * FROM @city WHERE country IN ('DE', 'it') AND name NOT IN ('town1', 'town2')",
                "SELECT * FROM @city WHERE name LIKE 'town1%' AND lower(country) LIKE '%t'",
                "SELECT * FROM @city WHERE NOT (country = 'DE' AND people > 5)",
                "SELECT * FROM @city WHERE people = 14 AND area < 100 AND country = 'it'",
                "SELECT * FROM @city WHERE big = 14000 OR big > 20000",
                "SELECT * FROM @city WHERE array_contains(tags, 't1') AND at.No > 3 AND spot.`0` < 20",
                "SELECT at.street, count(*), max(spot.`0`) FROM @city GROUP BY at.street",
                "SELECT country, count(*) c, avg(area) FROM @city GROUP BY country HAVING count(*) > 7",
                "SELECT country, name, rank() OVER (PARTITION BY country ORDER BY people DESC, name) r FROM @city",
                "SELECT country, grouping(country), sum(people) FROM @city GROUP BY ROLLUP (country)",
                "SELECT * FROM (SELECT * FROM @city ORDER BY big DESC LIMIT 5) ORDER BY big",
                "SELECT id FROM @visit ORDER BY id LIMIT 3 OFFSET 4",
                "SELECT count(*), count(people), count(DISTINCT people), min(name), max(area) FROM @city WHERE country = 'FR'",
                "SELECT country FROM @city UNION SELECT town FROM @visit",
                "SELECT name FROM @city INTERSECT SELECT town FROM @visit",
                "SELECT town FROM @visit EXCEPT SELECT name FROM @city",
                "SELECT c.name, v.Who, v.cost FROM @city c JOIN @visit v ON c.name = v.town WHERE v.day > DATE'2020-02-10'",
                "SELECT c.name, v.id FROM @city c LEFT JOIN @visit v ON c.name = v.town AND v.Who = 'Ann'",
                "SELECT c.name, v.id FROM @visit v RIGHT JOIN @city c ON c.name = v.town AND c.country = 'DE'",
                "SELECT c.name, v.id FROM @city c FULL JOIN @visit v ON c.name = v.town AND v.id % 2 = 0",
                "SELECT v.* FROM @visit v LEFT SEMI JOIN @city c ON c.name = v.town",
                "SELECT v.* FROM @visit v LEFT ANTI JOIN @city c ON c.name = v.town",
                "SELECT count(*) FROM @visit a CROSS JOIN @visit b WHERE a.cost < b.cost",
                "SELECT a.id, b.id FROM @visit a JOIN @visit b ON a.id = b.id + 1",
                "SELECT * FROM @visit WHERE town IN (SELECT name FROM @city WHERE country = 'FR')",
                "SELECT * FROM @visit v WHERE EXISTS (SELECT 1 FROM @city c WHERE c.name = v.town AND c.people > 20)",
                "SELECT id, (SELECT max(people) FROM @city c WHERE c.name = v.town) m FROM @visit v",
                "WITH ann AS (SELECT * FROM @visit WHERE Who = 'Ann') SELECT sum(cost), min(day) FROM ann",
                "SELECT year(day), sum(cost), first(Who) FROM @visit WHERE cost > 3.5 GROUP BY year(day)",
                "SELECT * FROM @visit WHERE day = '2020-02-05' OR cost = 7.5",
                "SELECT name, tag FROM @city LATERAL VIEW explode(tags) AS tag WHERE country = 'DE'",
                "SELECT * FROM (SELECT country, people FROM @city) PIVOT (max(people) FOR country IN ('DE', 'FR'))",
                "SELECT * FROM @device WHERE id = '00000000-0000-4000-8000-000000000003'",
                "SELECT * FROM @device WHERE id IN ('00000000-0000-4000-8000-000000000003',"
                        + " '00000000-0000-4000-8000-000000000005', 'none') AND address = '10.0.0.3'",
                "SELECT * FROM @device WHERE address > '10.0.0.2' AND address < '10.0.0.4'",
                "SELECT CAST(NULL AS INT) AS nothing, 1 + 1 AS two FROM @device WHERE 1 = 0",
                "SELECT CASE WHEN people > 20 THEN 'big' ELSE 'small' END AS size, sum(people) FROM @city GROUP BY 1"
            })
    @OneCaseIn(4)
    void returnsTheSameAsInMemory(String query) {
        assertThat(sorted(query(query, /* inCassandra */ true)))
                .isEqualTo(sorted(query(query, /* inCassandra */ false)));
    }

    private static List<Row> query(String query, boolean inCassandra) {
        String sql = query;
        for (String table : TABLES) {
            sql = sql.replace("@" + table, inCassandra ? inCassandra(table) : inMemory(table));
        }
        return TestSpark.spark().sql(sql).collectAsList();
    }

    private static List<String> sorted(List<Row> rows) {
        return rows.stream().map(Row::toString).sorted().toList();
    }

    @Test
    void readsAndWritesThroughATemporaryView() {
        TestSpark.cql("CREATE TABLE " + CQL + "\"Viewed\" (id int PRIMARY KEY, v text)");
        TestSpark.spark()
                .sql("CREATE OR REPLACE TEMPORARY VIEW viewed USING org.apache.spark.sql.cassandra"
                        + " OPTIONS (TABLE 'Viewed', KEYSPACE '" + KEYSPACE + "', `spark.cassandra.output.ttl` 1000)");
        TestSpark.spark().sql("INSERT INTO viewed VALUES (1, 'a'), (2, 'b')");
        TestSpark.spark().sql("INSERT INTO TABLE viewed SELECT 3, 'c'");
        assertThat(TestSpark.spark().sql("SELECT v FROM viewed WHERE id = 3").collectAsList())
                .containsExactly(RowFactory.create("c"));
        assertThat(TestSpark.spark()
                        .sql("SELECT count(*), max(ttl(v)) <= 1000 FROM viewed")
                        .collectAsList())
                .containsExactly(RowFactory.create(3L, true));
    }

    @Test
    void acceptsOptionsOfOneQuery() {
        TestSpark.cql("CREATE TABLE " + CQL + "opted (id int PRIMARY KEY, v text)");
        String table = inCassandra("opted");
        TestSpark.spark().sql("INSERT INTO " + table + " WITH (writetime = 77) VALUES (1, 'a')");
        TestSpark.spark().sql("INSERT INTO " + table + " WITH (ifNotExists = 'true') VALUES (1, 'b'), (2, 'b')");
        assertThat(TestSpark.spark()
                        .sql("SELECT id, v, writetime(v) = 77 FROM " + table + " WITH (splitCount = 2) ORDER BY id")
                        .collectAsList())
                .containsExactly(RowFactory.create(1, "a", true), RowFactory.create(2, "b", false));
    }
}
