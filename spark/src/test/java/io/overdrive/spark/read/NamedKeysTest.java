package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.TypeZoo;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamedKeysTest {
    private static final long MAX_KEYS = 6;

    private static TableSchema table(DataType... keys) {
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < keys.length; i++) {
            columns.add(new Column(i == 0 ? "p" : "Q", keys[i], Role.PARTITION_KEY));
        }
        columns.add(new Column("c", DataTypes.INT, Role.CLUSTERING));
        return new TableSchema("ks", "t", columns);
    }

    private static NamedKeys keys(String conditions, DataType... types) {
        return NamedKeys.of(table(types), conditions, MAX_KEYS).orElseThrow();
    }

    @Test
    void findsTheListsOfThePartitionKey() {
        assertThat(keys("p IN (1, 2,-3 ,2)", DataTypes.INT)).isEqualTo(new NamedKeys(List.of(List.of(1, 2, -3)), ""));
        assertThat(keys("c > 4 and \"Q\" in ('a''b' , ') AND p') AND P = 7", DataTypes.BIGINT, DataTypes.TEXT))
                .isEqualTo(new NamedKeys(List.of(List.of(7L), List.of("a'b", ") AND p")), "c > 4"));
        assertThat(keys("c IN (1, 2) AND p IN (0x0a, 0x)\nAND s = 'AND p'", DataTypes.BLOB)
                        .where())
                .isEqualTo("c IN (1, 2) AND s = 'AND p'");
        assertThat(keys("\"p\"IN(1,2)AND(c)=(3)", DataTypes.INT).where()).isEqualTo("(c)=(3)");
    }

    @Test
    void readsLiteralsAsTheServerDoes() {
        UUID id = UUID.randomUUID();
        assertThat(keys("p IN (" + id + ", " + new UUID(1, 2) + ")", DataTypes.UUID)
                        .values())
                .containsExactly(List.of(id, new UUID(1, 2)));
        assertThat(keys("p IN ('2013-01-31', '1969-12-31')", DataTypes.DATE).values())
                .containsExactly(List.of(LocalDate.of(2013, 1, 31), LocalDate.of(1969, 12, 31)));
        assertThat(keys("p IN (0, -1)", DataTypes.TIMESTAMP).values())
                .containsExactly(List.of(Instant.EPOCH, Instant.ofEpochMilli(-1)));
    }

    /** Values are in the form that values of markers get. */
    @Test
    void readsEachValueThatItFindsAsTheSame() {
        int found = 0;
        for (TypeZoo.TypeSamples samples : TypeZoo.all()) {
            for (TypeZoo.Sample sample : samples.samples()) {
                String literal = Conditions.format(samples.type(), sample.value());
                var keys = NamedKeys.of(
                        table(samples.type(), DataTypes.INT), "p = " + literal + " AND \"Q\" IN (1, 2)", MAX_KEYS);
                if (keys.isPresent()) {
                    assertThat(keys.get().values())
                            .as(samples.name() + " " + literal)
                            .containsExactly(List.of(sample.value()), List.of(1, 2));
                    found++;
                }
            }
        }
        assertThat(found).isGreaterThan(40);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "c IN (1, 2)",
                "p > 1",
                "p = 1", // one key: a query
                "p IN (1)",
                "p IN (1, 1)",
                "p IN (1, 2, 3, 4, 5, 6, 7)",
                "p IN (1, 2) AND p = 1",
                "token(p) > 3 AND p IN (1, 2)",
                "p IN (1, 2) AND c = 1 ALLOW FILTERING",
                "p IN (1, 2) -- AND c = 1",
                "p IN (1, 2) /* AND c = 1 */",
                "p IN (1, $$2$$)",
                "p IN (1, 'x')",
                "p IN (1, null)",
                "p IN (1, f(2))",
                "p IN (1 2)",
                "p IN (1, 2,)",
                "p IN (1, 2",
                "p IN 1, 2)",
                "(p) IN ((1), (2))",
                "p IN (1, 2) AND",
                "p IN (1, 2) AND v = 'open",
                "p IN ()",
                "1 IN (p, 2)"
            })
    void leavesOtherConditionsToTheServer(String conditions) {
        assertThat(NamedKeys.of(table(DataTypes.INT), conditions, MAX_KEYS)).isEmpty();
    }

    @Test
    void leavesLiteralsToTheServerThatMayMeanAnotherValueThere() {
        assertThat(NamedKeys.of(table(DataTypes.TIMESTAMP), "p IN ('2013-01-31', '2013-02-01')", MAX_KEYS))
                .isEmpty();
        assertThat(NamedKeys.of(table(DataTypes.TIMESTAMP), "p IN ('2013-01-31T10:00Z', 7)", MAX_KEYS))
                .isEmpty();
        assertThat(NamedKeys.of(table(DataTypes.DOUBLE), "p IN (0.0, 1.5)", MAX_KEYS))
                .isEmpty();
        assertThat(NamedKeys.of(table(DataTypes.INT, DataTypes.INT), "p IN (1, 2)", MAX_KEYS))
                .isEmpty();
    }
}
