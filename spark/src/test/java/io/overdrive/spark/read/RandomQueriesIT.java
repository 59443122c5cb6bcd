package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.spark.TestSpark;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** Random queries of random tables return the same with all that Cassandra does for Spark as without it. */
class RandomQueriesIT {
    private static final String KEYSPACE = "spark_random";
    private static final long FIRST_SEED = 1;
    private static final int TABLES = 4;
    private static final int ROWS = 70;
    private static final int QUERIES = 25;

    /** Parts that the plans must show, so that the queries are of use. */
    private static final List<String> PARTS =
            List.of("PushedFilters", "Lookups", "PushedLimit", "PushedTopN", "TokenBuckets", "CONTAINS", "DirectJoin");

    /** A value in CQL, and in Spark's SQL. */
    private record Value(String cql, String sql) {}

    private record Column(String name, String type, boolean isDescending) {}

    /** Each type with values that some order, equality or rounding may treat in its own way: CQL, and SQL if it differs. */
    private static final String TYPES =
            """
            int        -5; 0; 7; 2147483647; blobAsInt(0x) ~ NULL
            bigint     -1 ~ -1L; 0 ~ 0L; 3000000000 ~ 3000000000L; blobAsBigint(0x) ~ NULL
            smallint   -300 ~ -300S; 0 ~ 0S; 300 ~ 300S
            tinyint    -1 ~ -1Y; 0 ~ 0Y; 1 ~ 1Y
            boolean    true; false; blobAsBoolean(0x) ~ NULL
            float      -1.5 ~ float('-1.5'); -0.0 ~ float('-0.0'); 0.0 ~ float('0'); NaN ~ float('NaN'); 2.25 ~ float('2.25')
            double     -1.5 ~ -1.5D; -0.0 ~ -0.0D; 0.0 ~ 0D; NaN ~ double('NaN'); 2.25 ~ 2.25D; Infinity ~ double('inf')
            text       ''; 'a'; 'ab'; 'abc'; 'Z'; 'b'; '\u00e4'; '\u00e4b'; '\ud83d\ude00'; '\uffee'
            ascii      ''; 'a'; 'ab'; 'B'; '~'
            blob       0x ~ X''; 0x01 ~ X'01'; 0x7fff ~ X'7FFF'; 0x80 ~ X'80'
            varint     -5 ~ -5BD; 0 ~ 0BD; 123456789012345678901234 ~ 123456789012345678901234BD; blobAsVarint(0x) ~ NULL
            decimal    -3 ~ -3BD; 1.5 ~ 1.5BD; 1.50 ~ 1.50BD; 1.55 ~ 1.55BD; 0 ~ 0BD; blobAsDecimal(0x) ~ NULL
            timestamp  0 ~ timestamp_millis(0); -1 ~ timestamp_millis(-1); 1000 ~ timestamp_micros(1000500); -62135596800000 ~ timestamp '0001-01-01'
            date       '1970-01-01' ~ date '1970-01-01'; '1500-01-01' ~ date '1500-01-01'; '9999-12-31' ~ date '9999-12-31'
            time       '00:00:00' ~ 0L; '12:00:00.000000001' ~ 43200000000001L
            uuid       00000000-0000-1000-8000-000000000001 ~ '00000000-0000-1000-8000-000000000001'; f81d4fae-7dec-41d0-a765-00a0c91e6bf6 ~ 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6'
            timeuuid   f81d4fae-7dec-11d0-a765-00a0c91e6bf6 ~ 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'; 00000000-0000-1000-8000-000000000001 ~ 'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6'
            inet       '127.0.0.1'; '::1' ~ '0:0:0:0:0:0:0:1'; '10.0.0.2'; blobAsInet(0x00000000000000000000ffff7f000001) ~ '0:0:0:0:0:ffff:7f00:1'
            """;

    private static final Map<String, List<Value>> VALUES = new LinkedHashMap<>();

    static {
        TYPES.lines().forEach(line -> {
            String[] parts = line.split("\\s+", 2);
            VALUES.put(
                    parts[0],
                    Arrays.stream(parts[1].split(";\\s*"))
                            .map(each -> each.split(" ~ "))
                            .map(each -> new Value(each[0], each[each.length - 1]))
                            .toList());
        });
    }

    private static final Set<String> KEY_TYPES = Set.of("int", "text", "timestamp", "uuid", "inet", "blob", "bigint");
    private static final List<String> NUMBERS = List.of("int", "double", "float", "smallint", "tinyint");

    @BeforeAll
    static void prepare() {
        TestSpark.keyspace(KEYSPACE);
        // These many small queries would take longer to compile than to run.
        TestSpark.spark().conf().set("spark.sql.codegen.wholeStage", "false");
        TestSpark.spark().conf().set("spark.sql.codegen.factoryMode", "NO_CODEGEN");
        TestSpark.spark().conf().set("spark.sql.sources.v2.bucketing.enabled", "true");
    }

    @AfterAll
    static void restore() {
        TestSpark.spark().conf().unset("spark.sql.codegen.wholeStage");
        TestSpark.spark().conf().unset("spark.sql.codegen.factoryMode");
        TestSpark.spark().conf().unset("spark.sql.sources.v2.bucketing.enabled");
    }

    @Test
    @DisabledIfSystemProperty(
            named = "overdrive.local.cassandra",
            matches = "4\\..*",
            disabledReason = "there is no SAI")
    void returnTheSameWithAndWithoutCassandrasPart() {
        Set<String> used = new TreeSet<>();
        for (long seed = FIRST_SEED; seed < FIRST_SEED + TABLES; seed++) {
            new Trial(seed).run(used);
        }
        assertThat(used).contains(PARTS.toArray(new String[0]));
    }

    /** A table, and queries of it. */
    private static final class Trial {
        private final String table;
        private final Random random;
        private final List<Column> key = new ArrayList<>();
        private final List<Column> clustering = new ArrayList<>();
        private final List<Column> others = new ArrayList<>();
        private final boolean hasStatic;

        Trial(long seed) {
            table = "t" + seed;
            random = new Random(seed);
            int keys = 1 + random.nextInt(2);
            for (int i = 0; i < keys; i++) {
                key.add(column("p" + i, List.copyOf(new TreeSet<>(KEY_TYPES))));
            }
            int columns = 1 + random.nextInt(3);
            for (int i = 0; i < columns; i++) {
                clustering.add(column("C" + i, List.copyOf(VALUES.keySet())));
            }
            hasStatic = random.nextInt(3) > 0;
            if (hasStatic) {
                others.add(column("s", List.of("int", "text", "double")));
            }
            for (int i = 0; i < 4; i++) {
                others.add(column("v" + i, List.copyOf(VALUES.keySet())));
            }
            others.add(column("n", NUMBERS));
            create();
            fill();
        }

        private Column column(String name, List<String> types) {
            return new Column(name, types.get(random.nextInt(types.size())), random.nextBoolean());
        }

        private static String quoted(Column column) {
            return '"' + column.name + '"';
        }

        private void create() {
            List<String> columns = new ArrayList<>();
            key.forEach(each -> columns.add(quoted(each) + " " + each.type));
            clustering.forEach(each -> columns.add(quoted(each) + " " + each.type));
            others.forEach(
                    each -> columns.add(quoted(each) + " " + each.type + (each.name.equals("s") ? " STATIC" : "")));
            TestSpark.cql("CREATE TABLE " + KEYSPACE + "." + table + " (" + String.join(", ", columns)
                    + ", l list<int>, m map<text, int>, PRIMARY KEY (("
                    + key.stream().map(Trial::quoted).collect(Collectors.joining(", ")) + "), "
                    + clustering.stream().map(Trial::quoted).collect(Collectors.joining(", "))
                    + ")) WITH CLUSTERING ORDER BY ("
                    + clustering.stream()
                            .map(each -> quoted(each) + (each.isDescending ? " DESC" : " ASC"))
                            .collect(Collectors.joining(", "))
                    + ")");
            index("l");
            index(random.nextBoolean() ? "KEYS(m)" : "ENTRIES(m)");
            List<Column> indexed = new ArrayList<>(others);
            indexed.addAll(clustering);
            indexed.addAll(key.size() > 1 ? key : List.of());
            for (Column each : indexed) {
                if (random.nextInt(3) == 0 && !each.type.equals("blob")) {
                    index(quoted(each));
                }
            }
        }

        private void index(String target) {
            TestSpark.cql("CREATE INDEX ON " + KEYSPACE + "." + table + " (" + target + ") USING 'sai'");
        }

        private void fill() {
            for (int i = 0; i < ROWS; i++) {
                boolean isStatic = hasStatic && i % 30 == 0;
                Map<String, String> row = new LinkedHashMap<>();
                key.forEach(each -> row.put(quoted(each), one(each, /* mayBeEmpty */ false)));
                if (isStatic) {
                    row.put("\"s\"", one(others.get(0), /* mayBeEmpty */ true));
                } else {
                    // Without static columns, Spark takes no null for a key.
                    clustering.forEach(each -> row.put(quoted(each), one(each, hasStatic)));
                    for (Column each : others) {
                        if (random.nextInt(5) > 0) {
                            row.put(quoted(each), one(each, /* mayBeEmpty */ true));
                        }
                    }
                    row.put("l", "[" + random.nextInt(4) + ", " + random.nextInt(4) + "]");
                    row.put("m", "{'k" + random.nextInt(3) + "': " + random.nextInt(3) + "}");
                }
                TestSpark.cql("INSERT INTO " + KEYSPACE + "." + table + " (" + String.join(", ", row.keySet())
                        + ") VALUES (" + String.join(", ", row.values()) + ")");
            }
        }

        private String one(Column column, boolean mayBeEmpty) {
            List<Value> values = VALUES.getOrDefault(column.type, List.of()).stream()
                    .filter(value -> mayBeEmpty || !value.sql.equals("NULL"))
                    .filter(value ->
                            !key.contains(column) || !Set.of("0x", "''").contains(value.cql))
                    .limit(key.contains(column) ? 3 : Long.MAX_VALUE)
                    .toList();
            return values.get(random.nextInt(values.size())).cql;
        }

        void run(Set<String> used) {
            TestSpark.inMemory(TestSpark.read(KEYSPACE, table, "pushdown", "false"))
                    .createOrReplaceTempView("in_memory");
            TestSpark.inMemory(
                            TestSpark.spark().sql("SELECT DISTINCT " + columns(key, "k%d") + " FROM in_memory LIMIT 5"))
                    .createOrReplaceTempView("some_keys");
            for (int i = 0; i < QUERIES; i++) {
                String where = " FROM @ WHERE " + where();
                switch (random.nextInt(7)) {
                    case 6 -> assertSame(join() + " WHERE " + where(), used);
                    case 0, 1 -> assertSame("SELECT " + columns(all()) + where, used);
                    case 2, 3 -> assertSameInOrder(where, used);
                    case 4 -> assertLimited("SELECT " + columns(all()) + where, used);
                    default -> assertSame(aggregates() + where + groups(), used);
                }
            }
        }

        private List<Column> all() {
            List<Column> all = new ArrayList<>(key);
            all.addAll(clustering);
            all.addAll(others);
            return all;
        }

        /** Some of them, at least one. */
        private String columns(List<Column> from) {
            List<Column> some =
                    from.stream().filter(each -> random.nextInt(3) == 0).toList();
            return (some.isEmpty() ? from : some).stream().map(Trial::shown).collect(Collectors.joining(", "));
        }

        /** A row shows bytes as an object. */
        private static String shown(Column column) {
            return column.type.equals("blob") ? "hex(" + column.name + ")" : column.name;
        }

        private static String columns(List<Column> of, String as) {
            List<String> columns = new ArrayList<>();
            of.forEach(each -> columns.add(each.name + " AS " + as.formatted(columns.size())));
            return String.join(", ", columns);
        }

        /** A join with keys of the table. */
        private String join() {
            List<String> equal = new ArrayList<>();
            key.forEach(each -> equal.add("k" + equal.size() + " = " + each.name));
            return "SELECT " + columns(all()) + " FROM some_keys "
                    + List.of("", "LEFT ", "RIGHT ").get(random.nextInt(3)) + "JOIN @ ON "
                    + String.join(" AND ", equal);
        }

        private String where() {
            List<String> all = new ArrayList<>();
            if (random.nextInt(3) == 0) {
                key.forEach(each -> all.add(equality(each)));
            }
            if (random.nextInt(2) == 0) {
                int prefix = random.nextInt(clustering.size() + 1);
                clustering.subList(0, prefix).forEach(each -> all.add(equality(each)));
                if (prefix < clustering.size()) {
                    all.add(condition(clustering.get(prefix)));
                }
            }
            int more = random.nextInt(3);
            for (int i = 0; i < more; i++) {
                String one = condition(all().get(random.nextInt(all().size())));
                all.add(
                        random.nextInt(6) == 0
                                ? "(" + one + " OR " + condition(others.get(0)) + ")"
                                : random.nextInt(8) == 0 ? "NOT (" + one + ")" : one);
            }
            switch (random.nextInt(9)) {
                case 0 -> all.add("array_contains(l, " + random.nextInt(4) + ")");
                case 1 -> all.add("m['k" + random.nextInt(3) + "'] = " + random.nextInt(3));
                case 2 -> all.add("map_contains_key(m, 'k" + random.nextInt(3) + "')");
                default -> {}
            }
            return all.isEmpty() ? "true" : String.join(" AND ", all);
        }

        private String equality(Column column) {
            return random.nextInt(3) == 0
                    ? column.name + " IN (" + sql(column) + ", " + sql(column) + ", " + sql(column) + ")"
                    : column.name + " = " + sql(column);
        }

        private String condition(Column column) {
            boolean isText = Set.of("text", "ascii").contains(column.type);
            boolean isInOrderOfText = !column.type.equals("timeuuid"); // others are refused, or evaluated by time
            return switch (random.nextInt(isText ? 9 : isInOrderOfText ? 7 : 4)) {
                case 0, 1 -> equality(column);
                case 2 -> column.name + " <=> " + sql(column);
                case 3 -> column.name + (random.nextBoolean() ? " IS NULL" : " IS NOT NULL");
                case 4 -> column.name + " >= " + sql(column) + " AND " + column.name + " < " + sql(column);
                case 7 -> column.name + " LIKE 'a%'";
                case 8 -> "startswith(" + column.name + ", '\u00e4')";
                default -> column.name + List.of(" < ", " <= ", " > ", " >= ").get(random.nextInt(4)) + sql(column);
            };
        }

        private String sql(Column column) {
            List<Value> values = VALUES.getOrDefault(column.type, List.of());
            return values.get(random.nextInt(values.size())).sql;
        }

        private String aggregates() {
            Column one = all().get(random.nextInt(all().size()));
            boolean isSorted = !Set.of("uuid", "timeuuid", "inet").contains(one.type) && !one.type.equals("blob");
            return "SELECT count(*), count(" + one.name + "), sum(n)"
                    + (isSorted ? ", min(" + one.name + "), max(" + one.name + ")" : "");
        }

        private String groups() {
            return random.nextBoolean()
                    ? ""
                    : " GROUP BY " + key.stream().map(Column::name).collect(Collectors.joining(", "));
        }

        private void assertSameInOrder(String where, Set<String> used) {
            boolean isBackwards = random.nextBoolean();
            List<Column> by = new ArrayList<>();
            List<String> orders = new ArrayList<>();
            for (Column each : random.nextInt(5) == 0 ? all() : clustering) {
                if (by.isEmpty() || random.nextInt(3) > 0) {
                    by.add(each);
                    boolean isDescending = random.nextInt(8) == 0 || each.isDescending != isBackwards;
                    String nulls =
                            random.nextInt(8) == 0 ? (random.nextBoolean() ? " NULLS FIRST" : " NULLS LAST") : "";
                    orders.add(each.name + (isDescending ? " DESC" : "") + nulls);
                }
            }
            String query = "SELECT " + by.stream().map(Trial::shown).collect(Collectors.joining(", ")) + where
                    + " ORDER BY " + String.join(", ", orders) + " LIMIT " + (1 + random.nextInt(12));
            assertThat(read(query, used)).as(table + ": " + query).isEqualTo(expected(query));
        }

        private void assertLimited(String query, Set<String> used) {
            int limit = random.nextInt(12);
            List<String> found = read(query + " LIMIT " + limit, used);
            List<String> all = expected(query);
            assertThat(found).as(table + ": " + query).hasSize(Math.min(limit, all.size()));
            found.forEach(row -> assertThat(all.remove(row))
                    .as(table + ": " + query + ": " + row)
                    .isTrue());
        }

        private void assertSame(String query, Set<String> used) {
            assertThat(read(query, used).stream().sorted().toList())
                    .as(table + ": " + query)
                    .isEqualTo(expected(query).stream().sorted().toList());
        }

        private List<String> expected(String query) {
            return rows(TestSpark.spark().sql(query.replace("@", "in_memory")));
        }

        private List<String> read(String query, Set<String> used) {
            String options = List.of(
                            "pageRows = 3", "splitCount = 2", "tokenBuckets = 3, pageRows = 5", "directJoin = 'on'")
                    .get(random.nextInt(4));
            Dataset<Row> rows = TestSpark.spark()
                    .sql(query.replace("@", "cass." + KEYSPACE + "." + table + " WITH (" + options + ")"));
            String plan = TestSpark.explain(rows).replace("PushedFilters: []", "");
            for (String part : PARTS) {
                if (plan.contains(part)) {
                    used.add(part);
                }
            }
            return rows(rows);
        }

        /** 0.0 and -0.0 are equal in Spark, so that either may be returned for both. */
        private static List<String> rows(Dataset<Row> query) {
            return new ArrayList<>(query.collectAsList().stream()
                    .map(row -> row.toString().replaceAll("(?<![\\d.])-0\\.0(?![\\d])", "0.0"))
                    .toList());
        }
    }
}
