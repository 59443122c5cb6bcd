package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.FieldReference;
import org.apache.spark.sql.connector.expressions.LiteralValue;
import org.apache.spark.sql.connector.expressions.filter.Not;
import org.apache.spark.sql.connector.expressions.filter.Or;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PushDownTest {
    private static final TableSchema TABLE = new TableSchema(
            "ks",
            "t",
            List.of(
                    new Column("p1", DataTypes.INT, Role.PARTITION_KEY),
                    new Column("p2", DataTypes.INT, Role.PARTITION_KEY),
                    new Column("c1", DataTypes.INT, Role.CLUSTERING),
                    new Column("c2", DataTypes.INT, Role.CLUSTERING),
                    new Column("c3", DataTypes.INT, Role.CLUSTERING),
                    new Column("s", DataTypes.INT, Role.STATIC),
                    new Column("i1", DataTypes.INT, Role.REGULAR),
                    new Column("i2", DataTypes.INT, Role.REGULAR),
                    new Column("odd", DataTypes.INT, Role.REGULAR),
                    new Column("v", DataTypes.INT, Role.REGULAR)));

    /** i1 has an index for equality, i2 one for ranges too, odd one of an unknown kind. */
    private static final Indexes INDEXES = new Indexes(Set.of("i1", "i2", "s"), Set.of("i2"), Set.of("odd"), Set.of());

    private static final Predicate P1 = is("p1", "=", 1);
    private static final Predicate P2 = is("p2", "=", 2);

    @Test
    void looksUpAWholePartitionKey() {
        PushDown pushed = push(P1, P2);
        assertThat(pushed.isLookup()).isTrue();
        assertThat(pushed.keyValues()).containsEntry("p1", List.of(1)).containsEntry("p2", List.of(2));
        assertThat(pushed.conditions()).isEmpty();
        assertThat(pushed.left()).isEmpty();
    }

    @Test
    void leavesAPartOfThePartitionKeyToSpark() {
        assertThat(push(P1).isLookup()).isFalse();
        assertThat(push(P1).left()).containsExactly(P1);
        assertThat(push(P1, is("c1", "=", 3)).conditions()).containsExactly("c1 = 3");
    }

    @Test
    void leavesARangeOfThePartitionKeyToSpark() {
        Predicate range = is("p2", ">", 0);
        assertThat(push(P1, range).left()).containsExactly(P1, range);
    }

    @Test
    void looksUpListsForAnyColumnOfThePartitionKey() {
        PushDown pushed = push(in("p1", 1, 2, 1, null), in("p2", 3, 4));
        assertThat(pushed.left()).isEmpty();
        assertThat(pushed.keyValues()).containsEntry("p1", List.of(1, 2)).containsEntry("p2", List.of(3, 4));
        assertThat(PushDown.keys(pushed.keyValues().values())).isEqualTo(4);
    }

    @Test
    void scansIfThereAreTooManyKeys() {
        Predicate many = in("p1", 1, 2, 3);
        PushDown pushed = PushDown.of(TABLE, INDEXES, 5, List.of(many, in("p2", 1, 2), is("c1", "=", 1)));
        assertThat(pushed.isLookup()).isFalse();
        assertThat(pushed.left()).contains(many).hasSize(2);
        assertThat(pushed.conditions()).containsExactly("c1 = 1");
    }

    @Test
    void countsMoreKeysThanALongCanHold() {
        List<Object> many = java.util.Collections.nCopies(10_000_000, 1);
        assertThat(PushDown.keys(List.of(many, many, many))).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void pushesClusteringColumnsInTheirOrder() {
        assertThat(push(is("c1", "=", 1)).conditions()).containsExactly("c1 = 1");
        assertThat(push(is("c2", "=", 2), is("c1", "=", 1)).conditions()).containsExactly("c1 = 1", "c2 = 2");
        Predicate third = is("c3", "=", 3);
        PushDown gap = push(third, is("c1", "=", 1));
        assertThat(gap.conditions()).containsExactly("c1 = 1");
        assertThat(gap.left()).containsExactly(third);
        assertThat(push(third).left()).containsExactly(third);
    }

    @Test
    void stopsAtTheFirstRangeOfClusteringColumns() {
        Predicate next = is("c2", "=", 2);
        PushDown pushed = push(is("c1", ">", 1), next);
        assertThat(pushed.conditions()).containsExactly("c1 > 1");
        assertThat(pushed.left()).containsExactly(next);
    }

    @Test
    void pushesOneLowerAndOneUpperBound() {
        Predicate more = is("c1", ">=", 0);
        PushDown pushed = push(is("c1", ">", 1), is("c1", "<=", 9), more);
        assertThat(pushed.conditions()).containsExactly("c1 > 1", "c1 <= 9");
        assertThat(pushed.left()).containsExactly(more);
    }

    @Test
    void pushesListsOfClusteringColumns() {
        assertThat(push(in("c1", 1, 2), in("c2", 3, 4), is("c3", "<", 5)).conditions())
                .containsExactly("c1 IN (1, 2)", "c2 IN (3, 4)", "c3 >= -2147483648", "c3 < 5");
    }

    @Test
    void prefersEqualityToARangeAndAShortListToALongOne() {
        Predicate range = is("c1", ">", 0);
        PushDown pushed = push(range, is("c1", "=", 1));
        assertThat(pushed.conditions()).containsExactly("c1 = 1");
        assertThat(pushed.left()).containsExactly(range);
        Predicate longer = in("c1", 1, 2, 3);
        assertThat(push(longer, in("c1", 2, 3)).left()).containsExactly(longer);
        Predicate other = is("c1", "=", 2);
        assertThat(push(is("c1", "=", 1), other).left()).containsExactly(other);
    }

    @Test
    void pushesRegularColumnsOnlyWithAnIndexThatAnswers() {
        assertThat(push(is("i1", "=", 1)).conditions()).containsExactly("i1 = 1");
        Predicate plain = is("v", "=", 1);
        assertThat(push(plain).left()).containsExactly(plain);
        assertThat(push(plain, is("i1", "=", 2)).conditions()).containsExactly("i1 = 2", "v = 1");
        Predicate range = is("i1", ">", 1);
        assertThat(push(range).left()).containsExactly(range);
        assertThat(push(is("i2", ">", 1)).conditions()).containsExactly("i2 > 1");
        Predicate list = in("i1", 1, 2);
        assertThat(push(list).left()).containsExactly(list);
        Predicate unclear = is("odd", "=", 1);
        assertThat(push(unclear, is("i1", "=", 2)).left()).containsExactly(unclear);
    }

    /** Only keys have a maximum length. */
    @Test
    void leavesListsWithLongTextOutsideTheKeyToSpark() {
        TableSchema table = new TableSchema(
                "ks",
                "t",
                List.of(
                        new Column("p", DataTypes.INT, Role.PARTITION_KEY),
                        new Column("c", DataTypes.TEXT, Role.CLUSTERING),
                        new Column("i1", DataTypes.INT, Role.REGULAR),
                        new Column("w", DataTypes.TEXT, Role.REGULAR)));
        String tooLongForAKey = "x".repeat(70_000);
        Predicate list = in("w", "a", tooLongForAKey);
        assertThat(PushDown.of(table, INDEXES, 10, List.of(is("i1", "=", 1), list))
                        .left())
                .containsExactly(list);
        assertThat(PushDown.of(table, INDEXES, 10, List.of(in("c", "a", tooLongForAKey)))
                        .conditions())
                .containsExactly("c = 'a'");
    }

    @Test
    void usesNoIndexThatMayMissRows() {
        Indexes indexes = new Indexes(Set.of("c", "d", "i1"), Set.of("d"), Set.of(), Set.of());
        TableSchema table = new TableSchema(
                "ks",
                "t",
                List.of(
                        new Column("p", DataTypes.INT, Role.PARTITION_KEY),
                        new Column("c", DataTypes.TEXT, Role.CLUSTERING),
                        new Column("d", DataTypes.DOUBLE, Role.REGULAR),
                        new Column("i1", DataTypes.INT, Role.REGULAR)));
        Predicate notIndexed = is("c", "=", "x".repeat(2000));
        Predicate includesNan = is("d", ">", 1.5);
        Predicate other = is("i1", "=", 1);
        for (Predicate left : List.of(notIndexed, includesNan)) {
            assertThat(PushDown.of(table, indexes, 10, List.of(left)).left()).containsExactly(left);
            assertThat(PushDown.of(table, indexes, 10, List.of(left, other)).left())
                    .containsExactly(left);
        }
        assertThat(PushDown.of(table, Indexes.NONE, 10, List.of(notIndexed)).left())
                .isEmpty();
        assertThat(PushDown.of(table, indexes, 10, List.of(includesNan, is("d", "<", 2.5)))
                        .conditions())
                .containsExactly("d > 1.5", "d < 2.5");
        assertThat(PushDown.of(table, indexes, 10, List.of(is("d", "<", 2.5))).conditions())
                .containsExactly("d >= -Infinity", "d < 2.5");
    }

    @Test
    void usesIndexesOfStaticColumnsAndPartsOfTheKey() {
        Indexes indexes = new Indexes(Set.of("p2", "c3", "s"), Set.of("p2", "c3"), Set.of(), Set.of());
        assertThat(push(indexes, P2).conditions()).containsExactly("p2 = 2");
        assertThat(push(indexes, P2).byPartOfKey()).isTrue();
        assertThat(push(indexes, is("c3", ">", 1), is("p2", "<", 5), is("v", "=", 1))
                        .conditions())
                .containsExactly("p2 >= -2147483648", "p2 < 5", "c3 > 1", "v = 1");
        assertThat(push(indexes, is("s", "=", 1)).conditions()).containsExactly("s = 1");
        assertThat(push(indexes, is("s", "=", 1)).byPartOfKey()).isFalse();
        for (Predicate left : List.of(P1, is("s", ">", 1), in("p2", 1, 2), is("c2", "=", 1))) {
            assertThat(push(indexes, left).left()).containsExactly(left);
        }
        assertThat(push(indexes, is("c1", "=", 1), is("c2", "=", 2), is("c3", "=", 3))
                        .conditions())
                .containsExactly("c1 = 1", "c2 = 2", "c3 = 3");
        Predicate list = in("c1", 1, 2);
        assertThat(push(indexes, list, is("c3", "=", 3)).left()).containsExactly(list);
        PushDown lookup = push(indexes, P1, P2, is("c3", "=", 3));
        assertThat(lookup.isLookup()).isTrue();
        assertThat(lookup.byPartOfKey()).isFalse();
        assertThat(lookup.conditions()).containsExactly("c3 = 3");
    }

    @Test
    void usesNoIndexWithSeveralKeysOrWithAList() {
        Predicate index = is("i1", "=", 1);
        assertThat(push(P1, P2, index).conditions()).containsExactly("i1 = 1");
        assertThat(push(P1, in("p2", 1, 2), index).left()).containsExactly(index);
        Predicate list = in("c2", 1, 2);
        PushDown pushed = push(is("c1", "=", 1), list, is("c3", "=", 3), index);
        assertThat(pushed.conditions()).containsExactly("c1 = 1", "i1 = 1");
        assertThat(pushed.left()).containsExactly(list, is("c3", "=", 3));
    }

    @Test
    void pushesHowTextStartsAsARange() {
        assertThat(cql(DataTypes.TEXT, "STARTS_WITH", "it's")).isEqualTo("c >= 'it''s' AND c < 'it''t'");
        assertThat(cql(DataTypes.TEXT, "STARTS_WITH", "\uD83D\uDE00"))
                .isEqualTo("c >= '\uD83D\uDE00' AND c < '\uD83D\uDE01'");
        assertThat(cql(DataTypes.ASCII, "STARTS_WITH", "a~")).isEqualTo("c >= 'a~' AND c < 'a\u007f'");
        assertThat(cql(DataTypes.ASCII, "STARTS_WITH", "\u00e4")).isNull();
        for (String withoutEnd : List.of("", "\u007f", "\ud7ff", Character.toString(Character.MAX_CODE_POINT))) {
            assertThat(cql(DataTypes.TEXT, "STARTS_WITH", withoutEnd)).isNull();
        }
        assertThat(cql(DataTypes.BLOB, "STARTS_WITH", new byte[] {1})).isNull();
        Predicate isStartOf = new Predicate("STARTS_WITH", new Expression[] {literal("a"), FieldReference.column("c")});
        assertThat(PushDown.of(table(DataTypes.TEXT), INDEXES, 10, List.of(isStartOf))
                        .left())
                .containsExactly(isStartOf);
    }

    @Test
    void prefersHowTextStartsToARange() {
        Predicate range = is("c", ">", "b");
        Predicate start = is("c", "STARTS_WITH", "a");
        PushDown pushed = PushDown.of(table(DataTypes.TEXT), INDEXES, 10, List.of(range, start));
        assertThat(pushed.conditions()).containsExactly("c >= 'a' AND c < 'b'");
        assertThat(pushed.left()).containsExactly(range);
        Predicate equal = is("c", "=", "ab");
        assertThat(PushDown.of(table(DataTypes.TEXT), INDEXES, 10, List.of(start, equal))
                        .left())
                .containsExactly(start);
    }

    @Test
    void usesIndexesOfElementsWhereverItUsesOthers() {
        List<String> elements = List.of("l CONTAINS 3");
        assertThat(push(elements).conditions()).containsExactly("l CONTAINS 3");
        assertThat(push(elements, is("v", ">", 1), in("c1", 1, 2)).conditions())
                .containsExactly("v > 1", "l CONTAINS 3");
        assertThat(push(elements, P1, P2).conditions()).containsExactly("l CONTAINS 3");
        PushDown severalKeys = push(elements, P1, in("p2", 1, 2));
        assertThat(severalKeys.isLookup()).isTrue();
        assertThat(severalKeys.conditions()).isEmpty();
    }

    private static PushDown push(List<String> elements, Predicate... predicates) {
        return PushDown.of(TABLE, INDEXES, 1000, List.of(predicates), elements);
    }

    @Test
    void leavesConditionsWithoutAnEquivalentInCqlToSpark() {
        Predicate or = new Or(is("c1", "=", 1), is("c1", "=", 2));
        Predicate not = new Not(is("c1", "=", 1));
        Predicate unequal = is("c1", "<>", 1);
        Predicate starts = new Predicate("STARTS_WITH", parts("c1", 1));
        Predicate nested = new Predicate("=", new Expression[] {FieldReference.apply("c1.part"), literal(1)});
        Predicate unknown = is("nowhere", "=", 1);
        Predicate nothing = is("c1", "=", null);
        Predicate columns =
                new Predicate("=", new Expression[] {FieldReference.column("c1"), FieldReference.column("c2")});
        Predicate[] all = {or, not, unequal, starts, nested, unknown, nothing, columns};
        assertThat(push(all).left()).containsExactly(all);
        assertThat(push(all).conditions()).isEmpty();
    }

    @Test
    void pushesConditionsWithSwappedSides() {
        Predicate flipped = new Predicate("<", new Expression[] {literal(5), FieldReference.column("c1")});
        assertThat(push(flipped).conditions()).containsExactly("c1 > 5");
        assertThat(push(new Predicate("=", new Expression[] {literal(5), FieldReference.column("c1")}))
                        .conditions())
                .containsExactly("c1 = 5");
        assertThat(push(is("c1", "<=>", 5)).conditions()).containsExactly("c1 = 5");
    }

    @Test
    void pushesIsNotNullIfItIsImplied() {
        Predicate notNull = new Predicate("IS_NOT_NULL", new Expression[] {FieldReference.column("i1")});
        assertThat(push(notNull, is("i1", "=", 1)).left()).isEmpty();
        assertThat(push(notNull).left()).containsExactly(notNull);
    }

    @Test
    void pushesTextAndBlobsThatCompareAsBytes() {
        assertThat(cql(DataTypes.TEXT, "=", "it's")).isEqualTo("c = 'it''s'");
        assertThat(cql(DataTypes.TEXT, ">", "")).isEqualTo("c > ''");
        assertThat(cql(DataTypes.ASCII, "=", "a")).isEqualTo("c = 'a'");
        assertThat(cql(DataTypes.ASCII, "=", "\u00e4")).isNull();
        assertThat(cql(DataTypes.TEXT, "=", UTF8String.fromBytes(new byte[] {(byte) 0xff})))
                .isNull();
        assertThat(cql(DataTypes.TEXT, "=", "x".repeat(70_000))).isNull();
        assertThat(cql(DataTypes.BLOB, "<", new byte[] {1, (byte) 0xff})).isEqualTo("c < 0x01ff");
    }

    /** Spark takes them for text: in the order of the low bits of their times. */
    @Test
    void pushesRangesOfTimeuuidsOrRefusesThem() {
        String timeuuid = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
        assertThat(cql(DataTypes.TIMEUUID, ">", timeuuid)).isEqualTo("c > " + timeuuid);
        assertThat(cql(DataTypes.TIMEUUID, "<", timeuuid))
                .isEqualTo("c >= 00000000-0000-1000-8080-808080808080 AND c < " + timeuuid);
        assertThat(cql(DataTypes.TIMEUUID, ">", "f81d4fae-7dec-41d0-a765-00a0c91e6bf6"))
                .isNull(); // of version 4
        TableSchema table = table(DataTypes.TIMEUUID);
        PushDown.requireNoRangeOfTimeuuids(table, List.of(is("c", "=", timeuuid)));
        for (Predicate left :
                List.of(is("c", ">=", "2020"), new Predicate("NOT", new Expression[] {is("c", "<", timeuuid)}))) {
            assertThatThrownBy(() -> PushDown.requireNoRangeOfTimeuuids(table, List.of(left)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("timeuuids of column \"c\" have the order of their times only in Cassandra");
        }
    }

    @Test
    void pushesOnlyEqualityForTypesThatAreTextInSpark() {
        String uuid = "f81d4fae-7dec-41d0-a765-00a0c91e6bf6";
        assertThat(cql(DataTypes.UUID, "=", uuid)).isEqualTo("c = " + uuid);
        assertThat(cql(DataTypes.UUID, "=", uuid.toUpperCase(java.util.Locale.ROOT)))
                .isNull();
        assertThat(cql(DataTypes.UUID, "=", "1-1-1-1-1")).isNull();
        assertThat(cql(DataTypes.UUID, ">", uuid)).isNull();
        assertThat(cql(DataTypes.TIMEUUID, "=", uuid)).isNull();
        String timeuuid = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
        assertThat(cql(DataTypes.TIMEUUID, "=", timeuuid)).isEqualTo("c = " + timeuuid);
        assertThat(cql(DataTypes.INET, "=", "127.0.0.1")).isEqualTo("c = '127.0.0.1'");
        assertThat(cql(DataTypes.INET, "=", "2001:db8:0:0:0:ff00:42:8329"))
                .isEqualTo("c = '2001:db8:0:0:0:ff00:42:8329'");
        assertThat(cql(DataTypes.INET, "=", "2001:db8::ff00:42:8329")).isNull();
        // as text, 16 bytes like these would mean 4 to the server
        assertThat(cql(DataTypes.INET, "=", "0:0:0:0:0:ffff:7f00:1")).isNull();
        assertThat(cql(DataTypes.INET, "=", "127.1")).isNull();
        assertThat(cql(DataTypes.INET, "=", "localhost")).isNull();
        assertThat(cql(DataTypes.INET, ">", "127.0.0.1")).isNull();
        assertThat(cql(DataTypes.DURATION, "=", "1d")).isNull();
    }

    @Test
    void roundsTimestampsToMilliseconds() {
        assertThat(cql(DataTypes.TIMESTAMP, "=", 1_000L)).isEqualTo("c = '1970-01-01T00:00:00.001Z'");
        assertThat(cql(DataTypes.TIMESTAMP, "=", 1_500L)).isNull();
        assertThat(cql(DataTypes.TIMESTAMP, ">", 1_500L)).isEqualTo("c > '1970-01-01T00:00:00.001Z'");
        assertThat(cql(DataTypes.TIMESTAMP, "<=", 1_500L))
                .isEqualTo("c >= -9223372036854775808 AND c <= '1970-01-01T00:00:00.001Z'");
        assertThat(cql(DataTypes.TIMESTAMP, ">=", 1_500L)).isEqualTo("c >= '1970-01-01T00:00:00.002Z'");
        assertThat(cql(DataTypes.TIMESTAMP, "<", 1_500L))
                .isEqualTo("c >= -9223372036854775808 AND c < '1970-01-01T00:00:00.002Z'");
        assertThat(cql(DataTypes.TIMESTAMP, "<", -1_500L))
                .isEqualTo("c >= -9223372036854775808 AND c < '1969-12-31T23:59:59.999Z'");
        assertThat(cql(DataTypes.TIMESTAMP, ">", Long.MAX_VALUE)).isNull();
        assertThat(cql(DataTypes.DATE, "=", 0)).isEqualTo("c = '1970-01-01'");
        assertThat(cql(DataTypes.DATE, "<", Integer.MAX_VALUE)).isNull();
        assertThat(cql(DataTypes.TIME, ">=", 1L)).isEqualTo("c >= '00:00:00.000000001'");
        assertThat(cql(DataTypes.TIME, "<", 86_400_000_000_000L)).isNull();
    }

    @Test
    void pushesNumbersIfSparkAndCassandraAgree() {
        assertThat(cql(DataTypes.DOUBLE, "=", 0.1)).isEqualTo("c = 0.1");
        assertThat(cql(DataTypes.DOUBLE, "<", 1e300)).isEqualTo("c >= -Infinity AND c < 1.0E300");
        assertThat(cql(DataTypes.DOUBLE, "=", -0.0)).isNull();
        assertThat(cql(DataTypes.DOUBLE, ">", 0.0)).isNull();
        assertThat(cql(DataTypes.DOUBLE, "=", Double.NaN)).isNull();
        assertThat(cql(DataTypes.FLOAT, "<", Float.POSITIVE_INFINITY)).isNull();
        assertThat(cql(DataTypes.FLOAT, "=", 0.1f)).isEqualTo("c = 0.1");
        assertThat(cql(DataTypes.VARINT, "=", Decimal.apply("5"))).isEqualTo("c = 5");
        assertThat(cql(DataTypes.VARINT, "=", Decimal.apply("1000"))).isEqualTo("c = 1000");
        assertThat(cql(DataTypes.VARINT, "=", Decimal.apply("5.5"))).isNull();
        assertThat(cql(DataTypes.VARINT, "=", "5")).isEqualTo("c = 5");
        assertThat(cql(DataTypes.VARINT, "=", "05")).isNull();
        assertThat(cql(DataTypes.VARINT, ">", "5")).isNull();
        assertThat(cql(DataTypes.DECIMAL, ">", Decimal.apply("1.50"))).isEqualTo("c > 1.50");
        assertThat(cql(DataTypes.TINYINT, "=", (byte) 1)).isEqualTo("c = 1");
        assertThat(cql(DataTypes.SMALLINT, "=", (short) 1)).isEqualTo("c = 1");
        assertThat(cql(DataTypes.BIGINT, "=", 1L)).isEqualTo("c = 1");
        assertThat(cql(DataTypes.BOOLEAN, "=", true)).isEqualTo("c = true");
        assertThat(cql(DataTypes.COUNTER, "=", 1L)).isNull();
        assertThat(cql(DataTypes.frozenListOf(DataTypes.INT), "=", 1)).isNull();
    }

    @Test
    void looksUpNothingIfNoRowCanHaveTheKey() {
        TableSchema table = table(DataTypes.UUID);
        PushDown pushed = PushDown.of(table, INDEXES, 10, List.of(is("p", "=", "no uuid")));
        assertThat(pushed.isLookup()).isTrue();
        assertThat(pushed.left()).isEmpty();
        assertThat(PushDown.keys(pushed.keyValues().values())).isZero();
    }

    @Test
    void doesNotLookUpDecimalsAsEqualOnesMayBeDifferentKeys() {
        Predicate equal = is("p", "=", Decimal.apply("1.50"));
        assertThat(PushDown.of(table(DataTypes.DECIMAL), INDEXES, 10, List.of(equal))
                        .left())
                .containsExactly(equal);
    }

    @Test
    void quotesNames() {
        TableSchema table = new TableSchema(
                "ks",
                "t",
                List.of(
                        new Column("p", DataTypes.INT, Role.PARTITION_KEY),
                        new Column("Order", DataTypes.INT, Role.CLUSTERING)));
        assertThat(PushDown.of(table, INDEXES, 10, List.of(is("Order", "=", 1))).conditions())
                .containsExactly("\"Order\" = 1");
    }

    @Test
    void leavesListsThatAreTooLongForAStatementToSpark() {
        Integer[] values = java.util.stream.IntStream.range(0, 1001).boxed().toArray(Integer[]::new);
        Predicate tooLong = in("c1", (Object[]) values);
        assertThat(push(tooLong).left()).containsExactly(tooLong);
        assertThat(push(in("c1", (Object[]) java.util.Arrays.copyOf(values, 1000)))
                        .left())
                .isEmpty();
    }

    @Test
    void shortensLongListsOfKeysInThePlan() {
        Column key = TABLE.partitionKey().get(0);
        List<Object> values =
                java.util.stream.IntStream.range(0, 30).<Object>mapToObj(i -> i).toList();
        assertThat(PushDown.describe(key, values.subList(0, 1))).isEqualTo("p1 = 0");
        assertThat(PushDown.describe(key, values.subList(0, 3))).isEqualTo("p1 IN (0, 1, 2)");
        assertThat(PushDown.describe(key, values)).startsWith("p1 IN (0, 1,").endsWith(", 19, ... 30 values)");
    }

    @Test
    void keepsOnlyTheKeysThatCanExist() {
        PushDown pushed = PushDown.of(
                table(DataTypes.ASCII), INDEXES, 10, List.of(in("p", "a", "\u00e4", "b".repeat(70_000), "c")));
        assertThat(pushed.keyValues()).containsEntry("p", List.of("a", "c"));
        assertThat(pushed.left()).isEmpty();
    }

    private static PushDown push(Predicate... predicates) {
        return push(INDEXES, predicates);
    }

    private static PushDown push(Indexes indexes, Predicate... predicates) {
        return PushDown.of(TABLE, indexes, 1000, List.of(predicates));
    }

    private static TableSchema table(DataType type) {
        return new TableSchema(
                "ks", "t", List.of(new Column("p", type, Role.PARTITION_KEY), new Column("c", type, Role.CLUSTERING)));
    }

    /** The CQL of a condition on a clustering column; null if it is left to Spark. */
    private static @Nullable String cql(DataType type, String operator, Object literal) {
        PushDown pushed = PushDown.of(table(type), Indexes.NONE, 10, List.of(is("c", operator, literal)));
        return pushed.conditions().isEmpty() ? null : String.join(" AND ", pushed.conditions());
    }

    private static Predicate is(String column, String operator, @Nullable Object value) {
        return new Predicate(operator, parts(column, value));
    }

    private static Predicate in(String column, @Nullable Object... values) {
        return new Predicate("IN", parts(column, values));
    }

    private static Expression[] parts(String column, @Nullable Object... values) {
        Expression[] parts = new Expression[values.length + 1];
        parts[0] = FieldReference.column(column);
        for (int i = 0; i < values.length; i++) {
            parts[i + 1] = literal(values[i]);
        }
        return parts;
    }

    private static Expression literal(@Nullable Object value) {
        Object internal = value instanceof String text ? UTF8String.fromString(text) : value;
        return new LiteralValue<>(internal, org.apache.spark.sql.types.DataTypes.NullType);
    }
}
