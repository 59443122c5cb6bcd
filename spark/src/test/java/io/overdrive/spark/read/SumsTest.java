package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.spark.cell.SparkTypes;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.expressions.FieldReference;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.Max;
import org.apache.spark.sql.connector.expressions.aggregate.Min;
import org.apache.spark.sql.connector.expressions.aggregate.Sum;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SumsTest {
    private static final TableSchema TABLE = new TableSchema(
            "ks",
            "t",
            List.of(
                    new Column("p", DataTypes.INT, Role.PARTITION_KEY),
                    new Column("i", DataTypes.INT, Role.REGULAR),
                    new Column("small", DataTypes.SMALLINT, Role.REGULAR),
                    new Column("big", DataTypes.BIGINT, Role.REGULAR),
                    new Column("f", DataTypes.FLOAT, Role.REGULAR),
                    new Column("d", DataTypes.DOUBLE, Role.REGULAR),
                    new Column("v", DataTypes.VARINT, Role.REGULAR),
                    new Column("Text", DataTypes.TEXT, Role.REGULAR),
                    new Column("b", DataTypes.BLOB, Role.REGULAR),
                    new Column("u", DataTypes.UUID, Role.REGULAR)));

    private static final StructType COLUMNS = SparkTypes.schema(TABLE, Set.of());

    private static NamedReference column(String name) {
        return FieldReference.column(name);
    }

    private static @Nullable Sums of(AggregateFunc... functions) {
        return Sums.of(functions, TABLE, COLUMNS, Set.of());
    }

    private static Sums pushed(AggregateFunc... functions) {
        return Objects.requireNonNull(of(functions));
    }

    private static InternalRow row(@Nullable Object... values) {
        return new GenericInternalRow(values);
    }

    @Test
    void selectsAggregatesThenCountsThenMinimums() {
        Sums sums = pushed(
                new CountStar(),
                new Count(column("i"), /* isDistinct */ false),
                new Sum(column("i"), /* isDistinct */ false),
                new Sum(column("f"), /* isDistinct */ false),
                new Min(column("i")),
                new Max(column("Text")));
        assertThat(sums.selection())
                .containsExactly(
                        "count(*)",
                        "count(i)",
                        "sum(CAST(i AS bigint))",
                        "sum(CAST(f AS double))",
                        "min(i)",
                        "max(\"Text\")",
                        "count(i)",
                        "count(f)",
                        "count(i)",
                        "min(i)",
                        "min(i)",
                        "min(f)");
        assertThat(sums.rangeColumns().length()).isEqualTo(sums.selection().size());
        assertThat(sums.columns().fieldNames()).hasSize(6);
        assertThat(sums.rowColumns(COLUMNS).fieldNames()).containsExactly("i", "f", "Text");
    }

    @Test
    void leavesToSparkWhatTheServerComputesDifferently() {
        assertThat(of(new Count(column("i"), /* isDistinct */ true))).isNull();
        assertThat(of(new Sum(column("i"), /* isDistinct */ true))).isNull();
        assertThat(of(new Sum(column("big"), /* isDistinct */ false))).isNull(); // may overflow
        assertThat(of(new Sum(column("v"), /* isDistinct */ false))).isNull();
        assertThat(of(new Min(column("u")))).isNull(); // another order than that of its text
        assertThat(of(new Max(column("nowhere")))).isNull();
        assertThat(of(new CountStar(), new Min(column("u")))).isNull();
        assertThat(of(new Count(column("u"), /* isDistinct */ false))).isNotNull();
    }

    /** Cassandra does not count an empty collection. */
    @Test
    void leavesCountsOfCollectionsThatAreNeverNullToSpark() {
        AggregateFunc[] count = {new CountStar(), new Count(column("i"), /* isDistinct */ false)};
        assertThat(Sums.of(count, TABLE, COLUMNS, Set.of("b"))).isNotNull();
        assertThat(Sums.of(count, TABLE, COLUMNS, Set.of("i"))).isNull();
    }

    @Test
    void leavesNumbersThatAreReadAsTextToSpark() {
        AggregateFunc[] max = {new Max(column("v"))};
        assertThat(Sums.of(max, TABLE, COLUMNS, Set.of())).isNotNull();
        assertThat(Sums.of(max, TABLE, SparkTypes.schema(TABLE, Set.of("v")), Set.of()))
                .isNull();
    }

    @Test
    void mergesRangesAndIgnoresThoseWithoutValues() {
        Sums sums = pushed(
                new CountStar(), new Sum(column("small"), false), new Min(column("small")), new Max(column("Text")));
        Sums.Adder adder = sums.adder();
        // count(*), sum, min, max, then the count of the sum
        assertThat(adder.add(row(3L, 30L, (short) 5, UTF8String.fromString("b"), 2L)))
                .isTrue();
        assertThat(adder.add(row(0L, 0L, null, null, 0L))).isTrue();
        assertThat(adder.add(row(1L, -7L, (short) -7, UTF8String.fromString("a"), 1L)))
                .isTrue();
        InternalRow merged = adder.row();
        assertThat(merged.getLong(0)).isEqualTo(4);
        assertThat(merged.getLong(1)).isEqualTo(23);
        assertThat(merged.getShort(2)).isEqualTo((short) -7);
        assertThat(merged.getUTF8String(3)).hasToString("b");
    }

    @Test
    void noRowsHaveACountOfZeroAndNoOtherAggregates() {
        InternalRow none = pushed(new CountStar(), new Sum(column("small"), false), new Max(column("small")))
                .adder()
                .row();
        assertThat(none.getLong(0)).isZero();
        assertThat(none.isNullAt(1)).isTrue();
        assertThat(none.isNullAt(2)).isTrue();
    }

    /** The server counts an empty value, and its minimum is then empty, which is decoded as null. */
    @Test
    void findsRangesWithEmptyValues() {
        Sums counts = pushed(new Count(column("i"), /* isDistinct */ false));
        assertThat(counts.adder().add(row(2L, 7))).isTrue();
        assertThat(counts.adder().add(row(2L, null))).isFalse();
        assertThat(counts.adder().add(row(0L, null))).isTrue();
        Sums minimums = pushed(new Min(column("i")));
        assertThat(minimums.adder().add(row(7, 2L))).isTrue();
        assertThat(minimums.adder().add(row(null, 2L))).isFalse();
        assertThat(minimums.adder().add(row(null, 0L))).isTrue();
    }

    @Test
    void aggregatesRowsWithNullsAsSparkDoes() {
        Sums sums = pushed(
                new CountStar(),
                new Count(column("i"), false),
                new Sum(column("i"), false),
                new Min(column("i")),
                new Max(column("b")));
        StructType columns = sums.rowColumns(COLUMNS);
        Sums.Adder adder = sums.adder();
        adder.addRow(row(Integer.MAX_VALUE, new byte[] {1}), columns);
        adder.addRow(row(null, new byte[] {(byte) 0xFF}), columns);
        adder.addRow(row(Integer.MAX_VALUE, null), columns);
        InternalRow merged = adder.row();
        assertThat(merged.getLong(0)).isEqualTo(3);
        assertThat(merged.getLong(1)).isEqualTo(2);
        assertThat(merged.getLong(2)).isEqualTo(2L * Integer.MAX_VALUE);
        assertThat(merged.getInt(3)).isEqualTo(Integer.MAX_VALUE);
        assertThat(merged.getBinary(4)).containsExactly(0xFF); // bytes are unsigned
    }

    @Test
    void copiesTextOutOfTheReusedRow() {
        Sums sums = pushed(new Max(column("Text")));
        byte[] reused = {0, 'b', 0};
        Sums.Adder adder = sums.adder();
        adder.add(row(UTF8String.fromBytes(reused, 1, 1)));
        reused[1] = 'a';
        adder.add(row(UTF8String.fromBytes(reused, 1, 1)));
        assertThat(adder.row().getUTF8String(0)).hasToString("b");
    }

    @Test
    void failsInsteadOfOverflowing() {
        Sums.Adder adder = pushed(new CountStar()).adder();
        adder.add(row(Long.MAX_VALUE));
        assertThatThrownBy(() -> adder.add(row(1L))).isInstanceOf(ArithmeticException.class);
    }
}
