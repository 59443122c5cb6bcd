package io.overdrive.spark.rdd;

import static com.datastax.spark.connector.japi.CassandraJavaUtil.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.spark.connector.cql.CassandraConnector;
import com.datastax.spark.connector.japi.CassandraJavaUtil;
import com.datastax.spark.connector.japi.CassandraRow;
import com.datastax.spark.connector.japi.GenericJavaRowReaderFactory;
import com.datastax.spark.connector.japi.Person;
import com.datastax.spark.connector.japi.rdd.CassandraJavaPairRDD;
import com.datastax.spark.connector.japi.rdd.CassandraJavaRDD;
import com.datastax.spark.connector.japi.rdd.CassandraTableScanJavaRDD;
import com.datastax.spark.connector.types.TypeConverter;
import com.datastax.spark.connector.writer.TTLOption;
import io.overdrive.TestCluster;
import java.io.Serializable;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.commons.lang3.tuple.Pair;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import scala.Tuple1;
import scala.Tuple2;
import scala.Tuple3;
import scala.jdk.javaapi.CollectionConverters;

/** RDDs in Java: the programs of the documentation of the connector for Spark 3, and what it tests. */
class JavaApiIT {
    private static final String KS = "rdd_java";
    private static final Person CATHERINE = new Person(10, "Catherine", new Date(565401600000L));
    private static final Person ISADORA = new Person(11, "Isadora", new Date(1094601600000L));
    private static final Person ANNA = new Person(12, "Anna", new Date(23587200000L));

    private static JavaSparkContext sc;

    @BeforeAll
    static void start() {
        TestCluster.keyspace(KS);
        sc = new JavaSparkContext(TestSpark.sc());
        cql("CREATE TABLE %s.people (id int PRIMARY KEY, name text, birth_date timestamp)");
        cql("CREATE INDEX ON %s.people (name)");
        cql("CREATE TABLE %s.people2 (id int PRIMARY KEY, last_name text, date_of_birth timestamp)");
        cql("CREATE TABLE %s.visits (id int, day int, place text, tags list<text>, seen set<int>, n map<text, int>,"
                + " PRIMARY KEY (id, day))");
        javaFunctions(sc.parallelize(List.of(CATHERINE, ISADORA, ANNA)))
                .writerBuilder(KS, "people", mapToRow(Person.class))
                .saveToCassandra();
        for (int day = 1; day <= 3; day++) {
            cql("INSERT INTO %s.visits (id, day, place, tags, seen, n) VALUES (10, " + day
                    + ", 'there', ['a', 'b'], {1, 2}, {'k': 7})");
        }
        cql("INSERT INTO %s.visits (id, day) VALUES (12, 1)");
    }

    private static List<Row> cql(String statement) {
        return TestCluster.execute(statement.formatted(KS));
    }

    private static JavaRDD<String> texts() {
        return javaFunctions(sc).cassandraTable(KS, "people").map(new Function<CassandraRow, String>() {
            @Override
            public String call(CassandraRow cassandraRow) throws Exception {
                return cassandraRow.toString();
            }
        });
    }

    @Test
    void readsRows() {
        assertThat(texts().collect())
                .hasSize(3)
                .contains("CassandraRow{id: 12, birth_date: 1970-10-01T00:00:00Z, name: Anna}");
        assertThat(javaFunctions(sc)
                        .cassandraTable(KS, "people")
                        .select("id")
                        .where("name=?", "Anna")
                        .map(row -> row.getInt("id"))
                        .collect())
                .containsExactly(12);
        CassandraRow visit = javaFunctions(sc)
                .cassandraTable(KS, "visits")
                .where("id = ?", 10)
                .limit(1L)
                .first();
        assertThat(visit.getList("tags")).isEqualTo(List.of("a", "b"));
        assertThat(visit.getSet("seen")).isEqualTo(Set.of(1, 2));
        assertThat(visit.getMap("n")).isEqualTo(Map.of("k", 7));
        assertThat(visit.getObject("n")).isEqualTo(Map.of("k", 7));
        assertThat(visit.toMap()).containsEntry("day", 1).containsEntry("tags", List.of("a", "b"));
        assertThat(visit.getLong("day")).isEqualTo(1);
        CassandraRow empty = javaFunctions(sc)
                .cassandraTable(KS, "visits")
                .where("id = ?", 12)
                .first();
        assertThat(empty.getString("place")).isNull();
        assertThat(empty.isNullAt("place")).isTrue();
        assertThat(empty.getList("tags")).isEmpty();
        assertThat(empty.getObject("n")).isEqualTo(Map.of());
    }

    @Test
    void readsColumnsBeansAndTuples() {
        JavaRDD<Integer> ids = javaFunctions(sc)
                .cassandraTable(KS, "people", mapColumnTo(Integer.class))
                .select("id");
        assertThat(ids.collect()).containsExactlyInAnyOrder(10, 11, 12);
        assertThat(ids.reduce(Integer::sum)).isEqualTo(33);
        assertThat(javaFunctions(sc)
                        .cassandraTable(KS, "visits", mapColumnTo(String.class))
                        .select("place")
                        .where("id = 12")
                        .collect())
                .containsExactly((String) null);
        assertThat(javaFunctions(sc)
                        .cassandraTable(KS, "visits", mapColumnToListOf(String.class))
                        .select("tags")
                        .where("id = 10")
                        .collect())
                .hasSize(3)
                .containsOnly(List.of("a", "b"));
        assertThat(javaFunctions(sc)
                        .cassandraTable(KS, "visits", mapColumnToListOf(String.class))
                        .select("tags")
                        .where("id = 12")
                        .collect())
                .containsExactly(List.of());
        assertThat(javaFunctions(sc)
                        .cassandraTable(KS, "visits", mapColumnToMapOf(String.class, Long.class))
                        .select("n")
                        .where("id = 10")
                        .first())
                .isEqualTo(Map.of("k", 7L));
        JavaRDD<Person> rdd = javaFunctions(sc).cassandraTable(KS, "people", mapRowTo(Person.class));
        assertThat(rdd.collect()).containsExactlyInAnyOrder(CATHERINE, ISADORA, ANNA);
        CassandraJavaRDD<Tuple3<Integer, Integer, String>> tuples = javaFunctions(sc)
                .cassandraTable(KS, "visits", mapRowToTuple(Integer.class, Integer.class, String.class))
                .select("id", "day", "place");
        assertThat(tuples.where("id = 12").first()).isEqualTo(new Tuple3<>(12, 1, null));
        assertThatThrownBy(() -> tuples.select("id").count()).hasMessageContaining("needs 3 columns");
        assertThatThrownBy(() -> javaFunctions(sc)
                        .cassandraTable(KS, "visits", mapRowTo(Duration.class))
                        .count())
                .hasMessageContaining("no property for a column");
    }

    @Test
    void makesKeysOfAllColumnsIfNoneAreNamed() {
        CassandraTableScanJavaRDD<Integer> ids = javaFunctions(sc)
                .cassandraTable(KS, "people", mapColumnTo(Integer.class))
                .select("id");
        CassandraJavaPairRDD<Person, Integer> keyed =
                ids.keyBy(mapRowTo(Person.class), mapToRow(Person.class), Person.class);
        assertThat(keyed.collectAsMap()).isEqualTo(Map.of(CATHERINE, 10, ISADORA, 11, ANNA, 12));
        assertThat(keyed.rdd().partitioner().isDefined()).isTrue();
        CassandraJavaPairRDD<Person, CassandraRow> others = javaFunctions(sc)
                .cassandraTable(KS, "people")
                .keyAndApplyPartitionerFrom(mapRowTo(Person.class), mapToRow(Person.class), Person.class, keyed);
        assertThat(keyed.join(others).count()).isEqualTo(3);
        assertThat(others.spanBy(pair -> pair._2.getInt("id"), Integer.class).count())
                .isEqualTo(3);
    }

    @Test
    void settersGetNulls() {
        cql("CREATE TABLE %s.unnamed (id int PRIMARY KEY, name text, tags list<text>, stars int)");
        cql("INSERT INTO %s.unnamed (id) VALUES (1)");
        Rated rated = javaFunctions(sc)
                .cassandraTable(KS, "unnamed", mapRowTo(Rated.class))
                .first();
        assertThat(rated.name).isNull();
        assertThat(rated.tags).isEmpty();
        assertThat(rated.stars).as("a primitive type has no null").isEqualTo(3);
    }

    /** Has other values before its setters are called. */
    public static class Rated implements Serializable {
        private static final long serialVersionUID = 1;

        private String name = "nobody";
        private List<String> tags = List.of("none");
        private int stars = 3;

        public void setName(String name) {
            this.name = name;
        }

        public void setTags(List<String> tags) {
            this.tags = List.copyOf(tags);
        }

        public void setStars(int stars) {
            this.stars = stars;
        }
    }

    @Test
    void readsPropertiesUnderOtherNames() {
        JavaRDD<Person> rdd = sc.parallelize(List.of(CATHERINE, ANNA));
        Map<String, String> fieldToColumnMapping = new HashMap<>();
        fieldToColumnMapping.put("name", "last_name");
        fieldToColumnMapping.put("birthDate", "date_of_birth");
        javaFunctions(rdd)
                .writerBuilder(KS, "people2", mapToRow(Person.class, fieldToColumnMapping))
                .saveToCassandra();
        javaFunctions(sc.parallelize(List.of(ISADORA)))
                .writerBuilder(
                        KS,
                        "people2",
                        mapToRow(Person.class, Pair.of("name", "last_name"), Pair.of("birthDate", "date_of_birth")))
                .saveToCassandra();
        CassandraJavaRDD<Person> byAlias = javaFunctions(sc)
                .cassandraTable(KS, "people2", mapRowTo(Person.class))
                .select(
                        column("id"),
                        column("last_name").as("name"),
                        column("date_of_birth").as("birthDate"));
        assertThat(byAlias.collect()).containsExactlyInAnyOrder(CATHERINE, ISADORA, ANNA);
        assertThat(byAlias.selectedColumnNames()).containsExactly("id", "last_name", "date_of_birth");
        assertThat(javaFunctions(sc)
                        .cassandraTable(KS, "people2", mapRowTo(Person.class, fieldToColumnMapping))
                        .where("id = 12")
                        .collect())
                .containsExactly(ANNA);
    }

    @Test
    void readsPairs() {
        CassandraJavaPairRDD<Integer, String> columns = javaFunctions(sc)
                .cassandraTable(KS, "people", mapColumnTo(Integer.class), mapColumnTo(String.class))
                .select("id", "name");
        assertThat(columns.collectAsMap()).isEqualTo(Map.of(10, "Catherine", 11, "Isadora", 12, "Anna"));
        CassandraJavaPairRDD<Integer, Person> people = javaFunctions(sc)
                .cassandraTable(KS, "people", mapColumnTo(Integer.class), mapRowTo(Person.class))
                .select("id", "name", "birth_date");
        assertThat(people.collectAsMap()).isEqualTo(Map.of(10, CATHERINE, 11, ISADORA, 12, ANNA));
        assertThat(people.where("id = ?", 11).reduceByKey((one, other) -> one).collect())
                .containsExactly(new Tuple2<>(11, ISADORA));
        assertThat(people.cassandraCount()).isEqualTo(3);
    }

    @Test
    void groupsAndCounts() {
        CassandraTableScanJavaRDD<CassandraRow> visits = javaFunctions(sc).cassandraTable(KS, "visits");
        assertThat(visits.cassandraCount()).isEqualTo(4);
        assertThat(visits.perPartitionLimit(2L).cassandraCount()).isEqualTo(3);
        JavaPairRDD<Integer, Iterable<CassandraRow>> byId = visits.spanBy(row -> row.getInt("id"), Integer.class);
        assertThat(byId.mapValues(rows -> {
                            int count = 0;
                            for (CassandraRow row : rows) {
                                count += row.size() > 0 ? 1 : 0;
                            }
                            return count;
                        })
                        .collectAsMap())
                .isEqualTo(Map.of(10, 3, 12, 1));
        JavaPairRDD<Integer, Collection<Integer>> days = javaFunctions(sc)
                .cassandraTable(KS, "visits", mapColumnTo(Integer.class), mapColumnTo(Integer.class))
                .select("id", "day")
                .spanByKey();
        assertThat(days.collectAsMap()).isEqualTo(Map.of(10, List.of(1, 2, 3), 12, List.of(1)));
        assertThat(visits.where("id = 10")
                        .withDescOrder()
                        .map(row -> row.getInt("day"))
                        .collect())
                .containsExactly(3, 2, 1);
        assertThat(visits.keyBy(mapColumnTo(Integer.class), mapToRow(Integer.class), Integer.class, "id")
                        .keys()
                        .distinct()
                        .collect())
                .containsExactlyInAnyOrder(10, 12);
    }

    @Test
    void writesWithSettingsAndTimes() {
        cql("CREATE TABLE %s.tuples (string_col text PRIMARY KEY, int_col int, double_col double)");
        var builder = javaFunctions(sc.parallelize(List.of(new Tuple3<>("one", 1, 1.5))))
                .writerBuilder(KS, "tuples", mapTupleToRow(String.class, Integer.class, Double.class))
                .withColumnSelector(someColumns("string_col", "int_col", "double_col"))
                .withConsistencyLevel(DefaultConsistencyLevel.ONE)
                .withBatchSize(rowsInBatch(10))
                .withBatchGroupingKey(BATCH_GROUPING_KEY_REPLICA_SET)
                .withConstantTimestamp(42);
        builder.withConstantTTL(Duration.ofHours(1)).saveToCassandra();
        Row row = cql("SELECT int_col, double_col, ttl(int_col), writetime(int_col) FROM %s.tuples")
                .get(0);
        assertThat(row.getInt(0)).isEqualTo(1);
        assertThat(row.getDouble(1)).isEqualTo(1.5);
        assertThat(row.getInt(2)).isBetween(3500, 3600);
        assertThat(row.getLong(3)).isEqualTo(42);
        assertThat(builder.writeConf().timestamp())
                .isNotEqualTo(builder.withAutoTimestamp().writeConf().timestamp());
        assertThatThrownBy(() -> builder.withConsistencyLevel(DefaultConsistencyLevel.TWO)
                        .saveToCassandra())
                .hasMessageContaining("TWO");
        cql("CREATE TABLE %s.timed (id int PRIMARY KEY, name text)");
        javaFunctions(sc.parallelize(Arrays.asList(ANNA, CATHERINE)))
                .writerBuilder(KS, "timed", mapToRow(Person.class))
                .withColumnSelector(someColumns("id", "name"))
                .withPerRowTimestamp("birthDate")
                .saveToCassandra();
        List<Row> timed = cql("SELECT writetime(name) FROM %s.timed WHERE id = 12");
        assertThat(timed.get(0).getLong(0)).isEqualTo(23587200000000L);
        assertThat(builder.withPerRowTTL("left").writeConf().ttl()).isEqualTo(TTLOption.perRow("left"));
    }

    @Test
    void readsCaseClassesOfScala() {
        cql("CREATE TABLE %s.kv (key int PRIMARY KEY, value text)");
        cql("INSERT INTO %s.kv (key, value) VALUES (7, 'x')");
        assertThat(javaFunctions(sc)
                        .cassandraTable(KS, "kv", mapRowTo(KeyValue.class))
                        .collect())
                .containsExactly(new KeyValue(7, "x"));
    }

    /** Spark's UI shows them, and the log those of long stages. */
    @Test
    void stagesSayWhatLimitsTheirReads() throws InterruptedException {
        BlockingQueue<String> said = new LinkedBlockingQueue<>();
        SparkListener listener = new SparkListener() {
            @Override
            public void onStageCompleted(SparkListenerStageCompleted completed) {
                CollectionConverters.asJava(completed.stageInfo().accumulables())
                        .values()
                        .forEach(info ->
                                said.add(info.name().get() + ": " + info.value().get()));
            }
        };
        sc.sc().addSparkListener(listener);
        try {
            javaFunctions(sc)
                    .cassandraTable(KS, "people")
                    .map(JavaApiIT::slowly)
                    .count();
            assertThat(textOf(said, "limited by, reading rdd_java.people: ")).endsWith(" % of the tasks' time");
            withVisits(sc.parallelize(List.of(CATHERINE)))
                    .mapToPair(pair -> slowly(pair))
                    .count();
            assertThat(textOf(said, "limited by, reading rdd_java.visits: ")).endsWith(" % of the tasks' time");
            javaFunctions(sc)
                    .cassandraTable(KS, "visits")
                    .where("id in ?", List.of(10, 12))
                    .map(JavaApiIT::slowly)
                    .count();
            assertThat(textOf(said, "limited by, reading rdd_java.visits: ")).endsWith(" % of the tasks' time");
        } finally {
            sc.sc().removeSparkListener(listener);
        }
    }

    /** Takes as long as several units of the time of a task. */
    private static <T> T slowly(T row) throws InterruptedException {
        Thread.sleep(50);
        return row;
    }

    private static String textOf(BlockingQueue<String> said, String start) throws InterruptedException {
        String text = "";
        while (!text.startsWith(start)) {
            text = said.take();
        }
        return text;
    }

    private static CassandraJavaPairRDD<Person, CassandraRow> withVisits(JavaRDD<Person> people) {
        return javaFunctions(people)
                .joinWithCassandraTable(
                        KS,
                        "visits",
                        allColumns,
                        someColumns("id"),
                        GenericJavaRowReaderFactory.instance,
                        mapToRow(Person.class));
    }

    @Test
    void joinsAndDeletes() {
        JavaRDD<Person> people = sc.parallelize(List.of(CATHERINE, ISADORA, ANNA));
        CassandraJavaPairRDD<Person, CassandraRow> joined = withVisits(people);
        assertThat(joined.mapToPair(pair -> new Tuple2<>(pair._1.getName(), pair._2.getInt("day")))
                        .groupByKey()
                        .mapValues(days -> days.iterator().next())
                        .collectAsMap())
                .isEqualTo(Map.of("Catherine", 1, "Anna", 1));
        assertThat(joined.where("day > ?", 1).select("day").count()).isEqualTo(2);
        assertThat(javaFunctions(people)
                        .repartitionByCassandraReplica(KS, "visits", 3, someColumns("id"), mapToRow(Person.class))
                        .getNumPartitions())
                .isEqualTo(3);
        cql("CREATE TABLE %s.gone (id int PRIMARY KEY, name text)");
        var functions = javaFunctions(people);
        functions
                .writerBuilder(KS, "gone", mapToRow(Person.class))
                .withColumnSelector(someColumns("id", "name"))
                .saveToCassandra();
        functions.deleteFromCassandra(
                KS,
                "gone",
                mapToRow(Person.class),
                someColumns(),
                someColumns("id"),
                functions.defaultWriteConf(),
                functions.defaultConnector());
        assertThat(cql("SELECT id FROM %s.gone")).isEmpty();
        assertThat(CassandraConnector.apply(sc.getConf()))
                .isEqualTo(functions.defaultConnector())
                .extracting(connector -> connector.<String>jWithSessionDo(session ->
                        session.execute("SELECT key FROM system.local").one().getString(0)))
                .isEqualTo("local");
    }

    @Test
    void readsValuesByConverters() {
        CassandraRow visit = javaFunctions(sc)
                .cassandraTable(KS, "visits")
                .where("id = ?", 10)
                .first();
        Map<String, String> texts =
                visit.getMap("n", TypeConverter.StringConverter$.MODULE$, TypeConverter.StringConverter$.MODULE$);
        assertThat(texts).isEqualTo(Map.of("k", "7"));
        List<String> tags = visit.getList("tags", TypeConverter.StringConverter$.MODULE$);
        assertThat(tags).containsExactly("a", "b");
        Set<Long> seen = visit.getSet("seen", TypeConverter.JavaLongConverter$.MODULE$);
        assertThat(seen).containsExactlyInAnyOrder(1L, 2L);
        assertThat(visit.get("day", TypeConverter.JavaLongConverter$.MODULE$)).isEqualTo(1L);
        TypeConverter<Map<String, List<Long>>> nested = typeConverter(typeTag(
                Map.class, typeTag(String.class), CassandraJavaUtil.<List<Long>>typeTag(List.class, Long.class)));
        assertThat(nested.convert(scala.collection.immutable.Map$.MODULE$.empty()))
                .isEmpty();
        CassandraRow empty = javaFunctions(sc)
                .cassandraTable(KS, "visits")
                .where("id = ?", 12)
                .first();
        assertThat(empty.getMap("n", TypeConverter.StringConverter$.MODULE$, TypeConverter.JavaIntConverter$.MODULE$))
                .isEmpty();
    }

    @Test
    void makesRowsItself() {
        CassandraRow row = new CassandraRow(new String[] {"id", "name"}, new Object[] {1, "one"});
        assertThat(row.getInt("id")).isEqualTo(1);
        assertThat(row.getString(1)).isEqualTo("one");
        assertThat(row).isEqualTo(new CassandraRow(new String[] {"id", "name"}, new Object[] {1, "one"}));
    }

    @Test
    void groupsPairsAndSharesPartitions() {
        JavaPairRDD<Boolean, Iterable<Tuple2<Integer, Integer>>> spans = javaFunctions(sc)
                .cassandraTable(KS, "visits", mapColumnTo(Integer.class), mapColumnTo(Integer.class))
                .select("id", "day")
                .where("id = 10")
                .spanBy(pair -> pair._2 < 3, Boolean.class);
        assertThat(spans.mapValues(pairs -> {
                            int count = 0;
                            for (Tuple2<Integer, Integer> pair : pairs) {
                                count += pair._1 == 10 ? 1 : 0;
                            }
                            return count;
                        })
                        .collectAsMap())
                .isEqualTo(Map.of(true, 2, false, 1));
        var key = mapRowToTuple(Integer.class);
        CassandraJavaPairRDD<Tuple1<Integer>, CassandraRow> people =
                javaFunctions(sc).cassandraTable(KS, "people").keyBy(key, mapTupleToRow(Integer.class), tuples(), "id");
        CassandraJavaPairRDD<Tuple1<Integer>, CassandraRow> visits = javaFunctions(sc)
                .cassandraTable(KS, "visits")
                .keyAndApplyPartitionerFrom(key, mapTupleToRow(Integer.class), tuples(), people);
        assertThat(visits.rdd().partitioner()).isEqualTo(people.rdd().partitioner());
        assertThat(people.join(visits).count()).isEqualTo(4);
    }

    @SuppressWarnings("unchecked") // a class has no type parameters
    private static Class<Tuple1<Integer>> tuples() {
        return (Class<Tuple1<Integer>>) (Class<?>) Tuple1.class;
    }
}
