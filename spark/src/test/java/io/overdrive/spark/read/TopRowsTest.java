package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.metadata.schema.ClusteringOrder;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.spark.cell.SparkTypes;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.FieldReference;
import org.apache.spark.sql.connector.expressions.LiteralValue;
import org.apache.spark.sql.connector.expressions.NullOrdering;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TopRowsTest {
    private static final TableSchema TABLE = new TableSchema(
            "ks",
            "t",
            List.of(
                    new Column("p", DataTypes.INT, Role.PARTITION_KEY),
                    new Column("c1", DataTypes.INT, Role.CLUSTERING),
                    new Column("c2", DataTypes.TIMESTAMP, Role.CLUSTERING),
                    new Column("c3", DataTypes.DOUBLE, Role.CLUSTERING),
                    new Column("c4", DataTypes.UUID, Role.CLUSTERING),
                    new Column("i", DataTypes.INT, Role.REGULAR)));

    private static final List<ClusteringOrder> ORDERS =
            List.of(ClusteringOrder.ASC, ClusteringOrder.DESC, ClusteringOrder.ASC, ClusteringOrder.ASC);

    private static final Predicate KEY = is("p", 1);
    private static final Predicate C1 = is("c1", 1);

    @Test
    void readsTheFirstRowsOfEachPartitionOfTheTable() {
        assertThat(clause(List.of(), asc("c1"))).isEqualTo("PER PARTITION LIMIT 7");
        assertThat(clause(List.of(), asc("c1"), desc("c2"))).isEqualTo("PER PARTITION LIMIT 7");
        assertThat(clause(List.of(), asc("c1"), desc("c2"), asc("c3"))).isEqualTo("PER PARTITION LIMIT 7");
        assertThat(clause(List.of(C1), desc("c2"))).isEqualTo("PER PARTITION LIMIT 7");
        assertThat(clause(List.of(C1), desc("c1"), desc("c2"))).isEqualTo("PER PARTITION LIMIT 7");
    }

    @Test
    void readsBackwardsByKeyOnly() {
        String backwards = "ORDER BY c1 DESC PER PARTITION LIMIT 7";
        assertThat(clause(List.of(KEY), desc("c1"))).isEqualTo(backwards);
        assertThat(clause(List.of(KEY), desc("c1"), asc("c2"))).isEqualTo(backwards);
        assertThat(clause(List.of(KEY, C1), asc("c2"))).isEqualTo(backwards);
        assertThat(clause(List.of(KEY), asc("c1"))).isEqualTo("PER PARTITION LIMIT 7");
        assertThat(clause(List.of(), desc("c1"))).isNull();
        assertThat(clause(List.of(C1), asc("c2"))).isNull();
    }

    @Test
    void leavesOtherOrdersToSpark() {
        assertThat(clause(List.of(KEY), asc("c1"), asc("c2"))).isNull();
        assertThat(clause(List.of(KEY), desc("c2"))).isNull();
        assertThat(clause(List.of(KEY), asc("c1"), asc("c3"))).isNull();
        assertThat(clause(List.of(KEY), asc("i"))).isNull();
        assertThat(clause(List.of(KEY), asc("c1"), desc("c2"), asc("i"))).isNull();
        assertThat(clause(List.of(KEY), asc("p"))).isNull();
        assertThat(clause(List.of(KEY), asc("c1.part"))).isNull();
    }

    @Test
    void leavesNullsAtTheOtherEndToSpark() {
        SortOrder last =
                Expressions.sort(FieldReference.column("c1"), SortDirection.ASCENDING, NullOrdering.NULLS_LAST);
        SortOrder first =
                Expressions.sort(FieldReference.column("c1"), SortDirection.DESCENDING, NullOrdering.NULLS_FIRST);
        assertThat(clause(List.of(KEY), last)).isNull();
        assertThat(clause(List.of(KEY), first)).isNull();
    }

    @Test
    void leavesTypesThatSparkSortsOtherwiseToSpark() {
        // -0.0 and 0.0 are equal in Spark, so the next column decides
        assertThat(clause(List.of(KEY), asc("c1"), desc("c2"), asc("c3"), asc("c4")))
                .isNull();
        List<Predicate> all = List.of(KEY, C1, is("c2", 0L), is("c3", 1.5));
        assertThat(clause(all, asc("c4"))).isNull();
    }

    @Test
    void leavesTextThatStandsForNumbersToSpark() {
        TableSchema table = new TableSchema(
                "ks",
                "t",
                List.of(
                        new Column("p", DataTypes.INT, Role.PARTITION_KEY),
                        new Column("c", DataTypes.VARINT, Role.CLUSTERING)));
        for (Set<String> asText : List.of(Set.<String>of(), Set.of("c"))) {
            TopRows top = new TopRows(table, List.of(ClusteringOrder.ASC), SparkTypes.schema(table, asText));
            assertThat(top.clause(PushDown.NOTHING, new SortOrder[] {asc("c")}, 3))
                    .isEqualTo(asText.isEmpty() ? "PER PARTITION LIMIT 3" : null);
        }
    }

    @Test
    void leavesRowsThatAnIndexFindsAndNoRowsToSpark() {
        assertThat(clause(List.of(KEY, is("i", 1)), asc("c1"))).isNull();
        assertThat(top().clause(PushDown.NOTHING, new SortOrder[] {asc("c1")}, 0))
                .isNull();
    }

    private static @Nullable String clause(List<Predicate> conditions, SortOrder... orders) {
        Indexes indexes = new Indexes(Set.of("i"), Set.of(), Set.of(), Set.of());
        PushDown pushDown = PushDown.of(TABLE, indexes, 10, conditions);
        assertThat(pushDown.left()).isEmpty();
        return top().clause(pushDown, orders, 7);
    }

    private static TopRows top() {
        return new TopRows(TABLE, ORDERS, SparkTypes.schema(TABLE, Set.of()));
    }

    private static SortOrder asc(String column) {
        return Expressions.sort(FieldReference.apply(column), SortDirection.ASCENDING);
    }

    private static SortOrder desc(String column) {
        return Expressions.sort(FieldReference.apply(column), SortDirection.DESCENDING);
    }

    private static Predicate is(String column, Object value) {
        return new Predicate("=", new Expression[] {
            FieldReference.column(column), new LiteralValue<>(value, org.apache.spark.sql.types.DataTypes.NullType)
        });
    }
}
