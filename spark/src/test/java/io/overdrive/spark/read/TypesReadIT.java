package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.data.CqlVector;
import com.datastax.oss.driver.api.core.data.GettableByIndex;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import io.overdrive.TypeZoo;
import io.overdrive.TypeZoo.Sample;
import io.overdrive.TypeZoo.TypeSamples;
import io.overdrive.spark.TestSpark;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;

/** Spark reads every value of every type unchanged, or refuses it. */
@Tag("server")
class TypesReadIT {
    private static final String KEYSPACE = "spark_types";
    private static final BigDecimal LIMIT = BigDecimal.TEN.pow(20);
    private static final List<TypeSamples> ZOO = TypeZoo.all(KEYSPACE).stream()
            .filter(type -> !type.type().equals(DataTypes.COUNTER))
            .toList();

    @BeforeAll
    static void define() {
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql(TypeZoo.udtDdl(KEYSPACE));
        TestSpark.spark().conf().set("spark.sql.datetime.java8API.enabled", "true");
    }

    @AfterAll
    static void restore() {
        TestSpark.spark().conf().unset("spark.sql.datetime.java8API.enabled");
    }

    private static void create(String table, List<TypeSamples> types) {
        StringBuilder cql = new StringBuilder("CREATE TABLE " + KEYSPACE + "." + table + " (id int PRIMARY KEY");
        types.forEach(type -> cql.append(", ").append(type.name()).append("_c ").append(type.cql()));
        TestSpark.cql(cql + ")");
    }

    private static void insert(String table, int id, String name, Object value) {
        TestSpark.overdrive()
                .session()
                .execute(SimpleStatement.newInstance(
                        "INSERT INTO " + KEYSPACE + "." + table + " (id, " + name + "_c) VALUES (?, ?)", id, value));
    }

    @Test
    void readsEveryValueThatSparkCanHold() {
        create("zoo", ZOO);
        int rows = 0;
        for (TypeSamples type : ZOO) {
            for (int id = 0; id < type.samples().size(); id++) {
                Object value = type.samples().get(id).value();
                if (fits(value)) {
                    insert("zoo", id, type.name(), value);
                    rows = Math.max(rows, id + 1);
                }
            }
        }
        List<Row> read = TestSpark.read(KEYSPACE, "zoo").orderBy("id").collectAsList();
        assertThat(read).hasSize(rows);
        for (TypeSamples type : ZOO) {
            for (int id = 0; id < rows; id++) {
                Sample sample = id < type.samples().size() ? type.samples().get(id) : null;
                Object expected = sample == null ? missing(type.type()) : fits(sample.value()) ? sample.value() : null;
                assertThat(plain(type.type(), read.get(id).getAs(type.name() + "_c")))
                        .as(type.name() + " " + id)
                        .isEqualTo(plain(type.type(), expected));
            }
        }
    }

    /** Cassandra stores no difference between an empty collection and none, unless it is frozen. */
    private static @Nullable Object missing(DataType type) {
        if (type instanceof MapType map) {
            return map.isFrozen() ? null : Map.of();
        }
        boolean isList = type instanceof ListType list && !list.isFrozen();
        boolean isSet = type instanceof SetType set && !set.isFrozen();
        return isList || isSet ? List.of() : null;
    }

    /** The next test shows that the other values are refused. */
    private static boolean fits(Object value) {
        if (value instanceof BigInteger integer) {
            return new BigDecimal(integer).precision() <= 38;
        }
        if (value instanceof BigDecimal decimal) {
            return decimal.scale() <= 18 && decimal.abs().compareTo(LIMIT) < 0;
        }
        return !(value instanceof Instant time)
                || (time.isAfter(Instant.parse("-200000-01-01T00:00:00Z"))
                        && time.isBefore(Instant.parse("+200000-01-01T00:00:00Z")));
    }

    @Test
    void refusesWhatSparkCannotHoldUnlessItIsReadAsText() {
        for (String name : List.of("varint", "decimal", "timestamp")) {
            TypeSamples type = ZOO.stream()
                    .filter(each -> each.name().equals(name))
                    .findFirst()
                    .orElseThrow();
            create(name, List.of(type));
            List<Object> refused = type.samples().stream()
                    .map(Sample::value)
                    .filter(value -> !fits(value))
                    .toList();
            assertThat(refused).isNotEmpty();
            for (int id = 0; id < refused.size(); id++) {
                insert(name, id, name, refused.get(id));
                Dataset<Row> one = TestSpark.read(KEYSPACE, name).filter("id = " + id);
                assertThatThrownBy(one::collectAsList).hasMessageContaining("column \"" + name + "_c\"");
            }
            if (!name.equals("timestamp")) {
                Dataset<Row> text = TestSpark.spark()
                        .read()
                        .format("cassandra")
                        .option("keyspace", KEYSPACE)
                        .option("table", name)
                        .option("textColumns", name + "_c")
                        .load();
                assertThat(text.orderBy("id").collectAsList().stream().map(row -> row.getString(1)))
                        .containsExactlyElementsOf(
                                refused.stream().map(Object::toString).toList());
                assertThat(text.filter(name + "_c = '" + refused.get(0) + "'").collectAsList())
                        .hasSize(1);
            }
        }
    }

    @Test
    void readsCounters() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".counters (id int PRIMARY KEY, n counter)");
        TestSpark.cql("UPDATE " + KEYSPACE + ".counters SET n = n + 9007199254740993 WHERE id = 1");
        Dataset<Row> read = TestSpark.read(KEYSPACE, "counters");
        assertThat(read.collectAsList().get(0).getLong(1)).isEqualTo(9007199254740993L);
        assertThat(read.selectExpr("max(n)", "count(n)").collectAsList().get(0)).hasToString("[9007199254740993,1]");
        assertThat(read.filter("n > 5").count()).isEqualTo(1);
    }

    /** A value of Spark or of the driver as a plain Java object, so that both can be compared. */
    private static @Nullable Object plain(DataType type, @Nullable Object value) {
        if (value instanceof scala.collection.Map<?, ?> map) {
            return plain(type, CollectionConverters.asJava(map));
        }
        if (value instanceof scala.collection.Seq<?> list) {
            return plain(type, CollectionConverters.asJava(list));
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> plain = new HashMap<>();
            map.forEach((key, element) -> plain.put(plain(type, key), String.valueOf(plain(type, element))));
            return plain;
        }
        if (value instanceof Collection<?> collection) {
            List<Object> plain = new ArrayList<>();
            collection.forEach(element -> plain.add(String.valueOf(plain(type, element))));
            return type instanceof SetType || value instanceof java.util.Set
                    ? List.copyOf(new java.util.TreeSet<>(
                            plain.stream().map(Object::toString).toList()))
                    : plain;
        }
        if (value instanceof CqlVector<?> vector) {
            List<Object> elements = new ArrayList<>();
            vector.forEach(elements::add);
            return plain(type, elements);
        }
        if (value instanceof Row row) {
            List<Object> parts = new ArrayList<>();
            for (int i = 0; i < row.size(); i++) {
                parts.add(String.valueOf(plain(type, row.get(i))));
            }
            return parts;
        }
        if (value instanceof GettableByIndex parts) {
            List<Object> plain = new ArrayList<>();
            for (int i = 0; i < parts.size(); i++) {
                // a null list would be read as an empty one
                Object part = parts.isNull(i) ? null : parts.getObject(i);
                plain.add(String.valueOf(plain(type, part)));
            }
            return plain;
        }
        if (value instanceof byte[] bytes) {
            return Arrays.toString(bytes);
        }
        if (value instanceof ByteBuffer bytes) {
            byte[] copy = new byte[bytes.remaining()];
            bytes.duplicate().get(copy);
            return Arrays.toString(copy);
        }
        if (value instanceof BigInteger integer) {
            return new BigDecimal(integer).stripTrailingZeros();
        }
        if (value instanceof BigDecimal decimal) {
            return decimal.stripTrailingZeros();
        }
        if (value instanceof InetAddress address) {
            return address.getHostAddress();
        }
        if (value instanceof LocalTime time) {
            return time.toNanoOfDay();
        }
        if (value instanceof com.datastax.oss.driver.api.core.data.CqlDuration duration) {
            return duration.toString().isEmpty() ? "0s" : duration.toString();
        }
        return value instanceof java.util.UUID ? value.toString() : value;
    }
}
