package io.overdrive.spark.join;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.OneCaseIn;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.join.DirectJoinExec.Kind;
import io.overdrive.spark.read.LookupTask;
import io.overdrive.spark.read.ScanTask;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import scala.jdk.javaapi.CollectionConverters;

/** Joins with a table in memory return the rows of a nested loop join. */
class DirectJoinTest {
    private static final AttributeReference KEY = attribute("k", DataTypes.StringType, 1);
    private static final AttributeReference NUMBER = attribute("n", DataTypes.IntegerType, 2);
    private static final AttributeReference ID = attribute("id", DataTypes.StringType, 3);
    private static final AttributeReference VALUE = attribute("v", DataTypes.IntegerType, 4);
    private static final String IMPOSSIBLE = "impossible";

    private final SQLMetric keysRequested = new SQLMetric("sum", 0);
    private final SQLMetric rowsOut = new SQLMetric("sum", 0);

    private static AttributeReference attribute(String name, DataType type, long id) {
        return new AttributeReference(
                name,
                type,
                /* nullable */ true,
                Metadata.empty(),
                new ExprId(id, new UUID(1, 1)),
                DirectJoinStrategy.seq(List.of()));
    }

    private record Key(@Nullable String key, int number) {
        InternalRow row() {
            return new GenericInternalRow(new Object[] {UTF8String.fromString(key), number});
        }
    }

    private record Found(String id, int value) {}

    /** Input of a join. */
    private record Case(Kind kind, boolean tableIsRight, boolean hasResidual, List<Key> keys, List<Found> table) {
        boolean matches(Key key, Found found) {
            return found.id.equals(key.key) && (!hasResidual || key.number < found.value);
        }

        List<String> expected() {
            List<String> rows = new ArrayList<>();
            for (Key key : keys) {
                List<Found> found =
                        table.stream().filter(row -> matches(key, row)).toList();
                switch (kind) {
                    case INNER -> found.forEach(row -> rows.add(joined(key, row)));
                    case OUTER ->
                        (found.isEmpty() ? Stream.of((Found) null) : found.stream())
                                .forEach(row -> rows.add(joined(key, row)));
                    case SEMI -> rows.addAll(found.isEmpty() ? List.of() : List.of(text(key)));
                    case ANTI -> rows.addAll(found.isEmpty() ? List.of(text(key)) : List.of());
                }
            }
            return rows;
        }

        private static String text(Key key) {
            return key.key + "," + key.number;
        }

        private String joined(Key key, @Nullable Found found) {
            String table = found == null ? "null,null" : found.id + "," + found.value;
            return tableIsRight ? text(key) + "," + table : table + "," + text(key);
        }
    }

    /** Keys are taken in the order of their requests, and only one row at a time is valid. */
    private static final class FakeTable implements DirectJoin.Table {
        private final List<Found> rows;
        private final int maxInFlight;
        private final Deque<String> asked = new ArrayDeque<>();
        private final GenericInternalRow row = new GenericInternalRow(2);
        private Iterator<Found> found = List.<Found>of().iterator();
        private int ends;

        FakeTable(List<Found> rows, int maxInFlight) {
            this.rows = rows;
            this.maxInFlight = maxInFlight;
        }

        @Override
        public boolean isFull() {
            return asked.size() >= maxInFlight;
        }

        @Override
        public boolean ask(UnsafeRow key) {
            String text = key.getUTF8String(0).toString();
            if (text.isEmpty() || text.equals(IMPOSSIBLE)) {
                return false;
            }
            assertThat(isFull()).isFalse();
            asked.add(text);
            return true;
        }

        @Override
        public void take() {
            String key = asked.remove();
            found = rows.stream().filter(each -> each.id.equals(key)).iterator();
        }

        @Override
        public @Nullable InternalRow next() {
            if (!found.hasNext()) {
                return null;
            }
            Found next = found.next();
            row.update(0, UTF8String.fromString(next.id));
            row.update(1, next.value);
            return row;
        }

        @Override
        public void end() {
            assertThat(asked).isEmpty();
            assertThat(++ends).isEqualTo(1);
        }
    }

    private DirectJoin join(Case of) {
        Expression equal = new EqualTo(KEY, ID);
        return new DirectJoin(
                new LookupTask(
                        new ScanTask(
                                new UUID(0, 0),
                                Settings.of(java.util.Map.of(), java.util.Map.of()),
                                "ks",
                                "t",
                                new StructType(),
                                /* emptyForNull */ java.util.Set.of(),
                                List.of(),
                                /* sums */ null,
                                /* where */ "",
                                List.of("id"),
                                Integer.MAX_VALUE,
                                /* rows */ null,
                                /* sstables */ null),
                        List.of("id")),
                DirectJoinStrategy.seq(List.of(KEY)),
                DirectJoinStrategy.seq(List.of(KEY, NUMBER)),
                new DirectJoin.TableSide(
                        DirectJoinStrategy.seq(List.of(ID, VALUE)),
                        DirectJoinStrategy.seq(List.of()),
                        DirectJoinStrategy.seq(List.of(ID, VALUE))),
                of.hasResidual ? new And(equal, new LessThan(NUMBER, VALUE)) : equal,
                of.kind,
                of.tableIsRight,
                new DirectJoin.Metrics(keysRequested, rowsOut, new SQLMetric("sum", 0)));
    }

    private static String text(Case of, InternalRow row) {
        boolean isKeyOnly = of.kind == Kind.SEMI || of.kind == Kind.ANTI;
        DataType[] types = isKeyOnly || of.tableIsRight
                ? new DataType[] {KEY.dataType(), NUMBER.dataType(), ID.dataType(), VALUE.dataType()}
                : new DataType[] {ID.dataType(), VALUE.dataType(), KEY.dataType(), NUMBER.dataType()};
        return String.join(
                ",",
                IntStream.range(0, isKeyOnly ? 2 : 4)
                        .mapToObj(i -> String.valueOf(row.get(i, types[i])))
                        .toList());
    }

    private List<String> run(Case of, int maxInFlight, boolean unsafe) {
        UnsafeProjection project = UnsafeProjection.create(
                DirectJoinStrategy.<Expression>seq(List.of(KEY, NUMBER)), DirectJoinStrategy.seq(List.of(KEY, NUMBER)));
        Iterator<InternalRow> rows = of.keys.stream()
                .map(key -> unsafe ? (InternalRow) project.apply(key.row()) : key.row())
                .iterator();
        scala.collection.Iterator<InternalRow> result =
                join(of).join(CollectionConverters.asScala(rows), new FakeTable(of.table, maxInFlight));
        List<String> texts = new ArrayList<>();
        while (result.hasNext()) {
            texts.add(text(of, result.next()));
        }
        return texts;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @OneCaseIn(4)
    void returnsTheRowsOfANestedLoopJoinForAllKeys(Kind kind) {
        List<String> pool = Arrays.asList(null, "", IMPOSSIBLE, "a", "b", "c", "d", "e", "f");
        for (int seed = 0; seed < 400; seed++) {
            Random random = new Random(seed);
            List<String> some = pool.subList(random.nextInt(4), 4 + random.nextInt(6));
            List<Key> keys = random.ints(random.nextInt(12), 0, some.size())
                    .mapToObj(i -> new Key(some.get(i), random.nextInt(3)))
                    .toList();
            List<Found> table = random.ints(random.nextInt(8), 3, pool.size())
                    .mapToObj(i -> new Found(pool.get(i), random.nextInt(3)))
                    .toList();
            boolean tableIsRight = kind == Kind.SEMI || kind == Kind.ANTI || random.nextBoolean();
            Case of = new Case(kind, tableIsRight, random.nextBoolean(), keys, table);
            assertThat(run(of, 1 + random.nextInt(4), random.nextBoolean()))
                    .as("seed %d, %s", seed, of)
                    .containsExactlyInAnyOrderElementsOf(of.expected());
        }
    }

    /** An endless sequence of keys, of which a join may take only a limited number before it returns a row. */
    private static final class Endless extends scala.collection.AbstractIterator<InternalRow> {
        private final UnsafeRow row;
        private long taken;

        Endless(@Nullable String key) {
            row = UnsafeProjection.create(
                            new StructType().add("k", DataTypes.StringType).add("n", DataTypes.IntegerType))
                    .apply(new Key(key, 0).row());
        }

        @Override
        public boolean hasNext() {
            return true;
        }

        @Override
        public InternalRow next() {
            taken++;
            return row;
        }
    }

    @Test
    void limitsTheRowsThatWaitForTheSameKey() {
        Endless rows = new Endless("a");
        scala.collection.Iterator<InternalRow> joined = join(new Case(
                        Kind.INNER, /* tableIsRight */ true, /* hasResidual */ false, List.of(), List.of()))
                .join(rows, new FakeTable(List.of(new Found("a", 1)), 256));
        long max = DirectJoin.MAX_WAITING_BYTES / (rows.row.getSizeInBytes() + DirectJoin.ROW_OVERHEAD_BYTES) + 1;
        for (long i = 0; i < 3 * max; i++) {
            assertThat(joined.hasNext()).isTrue();
            joined.next();
            assertThat(rows.taken - i).isBetween(0L, max);
        }
        assertThat(keysRequested.value()).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"OUTER", "ANTI"})
    void rowsThatCanHaveNoMatchDoNotWait(Kind kind) {
        for (String key : Arrays.asList(null, IMPOSSIBLE)) {
            Endless rows = new Endless(key);
            scala.collection.Iterator<InternalRow> joined = join(new Case(
                            kind, /* tableIsRight */ true, /* hasResidual */ false, List.of(), List.of()))
                    .join(rows, new FakeTable(List.of(), 256));
            for (long i = 1; i < 1000; i++) {
                assertThat(joined.hasNext()).isTrue();
                joined.next();
                assertThat(rows.taken).isEqualTo(i);
            }
        }
        assertThat(keysRequested.value()).isZero();
    }
}
