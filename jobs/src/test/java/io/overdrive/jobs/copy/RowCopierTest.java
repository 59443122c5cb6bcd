package io.overdrive.jobs.copy;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.RowCursor;
import io.overdrive.RowWriter;
import io.overdrive.ScriptedCopies;
import io.overdrive.Seeds;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.WriteOptions;
import io.overdrive.WriteTimes;
import io.overdrive.jobs.KeyJson;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.RejectLimit;
import io.overdrive.jobs.RowSink;
import io.overdrive.jobs.RowTarget;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.expression.Assignments;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which rows are written for a row that is read with its times. */
class RowCopierTest {
    private static final Column K = new Column("k", DataTypes.INT, Role.PARTITION_KEY);
    private static final Column C = new Column("c", DataTypes.INT, Role.CLUSTERING);
    private static final Column V = new Column("v", DataTypes.INT, Role.REGULAR);
    private static final Column W = new Column("w", DataTypes.INT, Role.REGULAR);
    private static final long AFTER = 10;
    private static final TableSchema TABLE = table(K, C, V, W);

    /** The written rows, and how they were written. */
    private final List<String> taken = new ArrayList<>();
    /** The time in seconds since 1970, at which no row has waited. */
    private long now;

    private static TableSchema table(Column... columns) {
        return new TableSchema("ks", "t", List.of(columns));
    }

    private static RowWriter inserts(TableSchema table, String columns, String... names) {
        List<String> markers = new ArrayList<>(List.of(names));
        Collections.addAll(markers, "[ttl]", "[timestamp]");
        return ScriptedCopies.writer(
                table,
                WriteOptions.into("ks", "t").columns(names).rowTtl().rowTimestamp(),
                "INSERT INTO ks.t " + columns + " USING TTL ? AND TIMESTAMP ?",
                markers);
    }

    private static RowWriter inserts() {
        return inserts(TABLE, "(k, c, v, w) VALUES (?, ?, ?, ?)", "k", "c", "v", "w");
    }

    private static RowWriter updates() {
        return ScriptedCopies.writer(
                TABLE,
                WriteOptions.into("ks", "t")
                        .columns("k", "c", "v", "w")
                        .rowTtl()
                        .rowTimestamp()
                        .cellsOnly(),
                "UPDATE ks.t USING TTL ? AND TIMESTAMP ? SET v = ?, w = ? WHERE k = ? AND c = ?",
                List.of("[ttl]", "[timestamp]", "v", "w", "k", "c"));
    }

    /** Takes rows whose TTL is at most 1000. */
    private static final class Sink extends RowSink {
        private final RowWriter writer;
        private final List<String> taken;

        Sink(RowWriter writer, List<String> taken) {
            super(writer);
            this.writer = writer;
            this.taken = taken;
        }

        @Override
        public @Nullable String problem() {
            return buffer.ttl(-1) > 1000 ? "the TTL is " + buffer.ttl(-1) : null;
        }

        @Override
        public boolean mayRefuse() {
            return true;
        }

        @Override
        public void take() {
            StringBuilder shown = new StringBuilder(writer.writesCellsOnly() ? "cells" : "row");
            for (int i = 0; i < buffer.columns(); i++) {
                byte[] value = buffer.bytes(i);
                if (value != null) {
                    shown.append(' ')
                            .append(writer.columns().get(i))
                            .append('=')
                            .append(ByteBuffer.wrap(value).getInt());
                }
            }
            taken.add(shown + " @" + buffer.timestamp(-1) + "/" + buffer.ttl(-1));
        }
    }

    private record Target(List<String> taken) implements RowTarget {
        @Override
        public RowSink sink(RowWriter writer) {
            return new Sink(writer, taken);
        }

        @Override
        public boolean isAllOrNothing() {
            return true;
        }

        @Override
        public long rowsWritten(long rows, long acknowledged, boolean isDone) {
            return rows;
        }

        @Override
        public @Nullable WriteTimes writeTimes(List<RowWriter> writers, long position) {
            return null;
        }
    }

    private static CopyPlan plan(TableSchema source, TableSchema target, String map) {
        return CopyPlan.of(source, target, /* chosen */ null, Mapping.parse(map), Assignments.NONE);
    }

    private RowCopier copier(CopyPlan plan, CopyWriters writers, boolean keepsMarkers) {
        return copier(plan, writers, keepsMarkers, Collections.nCopies(20, DataTypes.INT), WrittenAfter.ANY_TIME);
    }

    private RowCopier copier(
            CopyPlan plan, CopyWriters writers, boolean keepsMarkers, List<DataType> types, long afterMicros) {
        List<String> key = plan.read().subList(0, plan.keyColumns()).stream()
                .map(Column::name)
                .toList();
        CopyOptions options = new CopyOptions(
                Mapping.parse("* = *"), /* keepTimes */ true, RejectLimit.parse("0"), Path.of(""), "rejects", 1);
        return new RowCopier(
                plan,
                writers,
                new Target(taken),
                new KeyJson(key, Collections.nCopies(key.size(), DataTypes.INT)),
                options.writtenAfter(afterMicros == WrittenAfter.ANY_TIME ? null : new WrittenAfter(afterMicros, "")),
                keepsMarkers,
                types,
                () -> now);
    }

    private static @Nullable String copy(RowCopier copier, RowCursor row) {
        return copier.copy(row, /* split */ 0, /* position */ 0, /* withStatics */ false, /* hasRow */ true);
    }

    /** Copies row 1, 2 of the table, whose row marker is known. */
    private @Nullable String copied(@Nullable Number... cellsAndMarker) {
        List<@Nullable Number> row = new ArrayList<>(List.of(1, 2));
        row.addAll(Arrays.asList(cellsAndMarker));
        RowCopier copier = copier(
                plan(TABLE, TABLE, "* = *"), new CopyWriters(inserts(), updates(), null), /* keepsMarkers */ true);
        return copy(copier, ScriptedCopies.row(row.toArray(Number[]::new)));
    }

    @Test
    void cellsOfTheTimesOfTheRowMarkerComeWithIt() {
        assertThat(copied(3, 4, 50L, 100, 50L, 100, 50L, 100)).isNull();
        assertThat(taken).containsExactly("row k=1 c=2 v=3 w=4 @50/100");
    }

    @Test
    void otherCellsComeWithoutARowMarker() {
        assertThat(copied(3, 4, 60L, 100, 50L, 100, 50L, null)).isNull();
        assertThat(taken)
                .containsExactly("row k=1 c=2 @50/0", "cells k=1 c=2 v=3 @60/100", "cells k=1 c=2 w=4 @50/100");
    }

    @Test
    void aRowWithoutARowMarkerGetsNone() {
        assertThat(copied(3, 4, 60L, null, 60L, null, null, null)).isNull();
        assertThat(taken).containsExactly("cells k=1 c=2 v=3 w=4 @60/0");
    }

    @Test
    void aRowOfItsKeyOnlyKeepsItsTimes() {
        assertThat(copied(null, null, null, null, null, null, 50L, 100)).isNull();
        assertThat(taken).containsExactly("row k=1 c=2 @50/100");
    }

    @Test
    void aRowWhoseCellsAreAllLeftOutIsNotWrittenWithoutItsRowMarker() {
        assertThat(copied(null, null, null, null, null, null, null, null)).isNull();
        assertThat(taken).isEmpty();
    }

    @Test
    void aRowOfATableOfKeysKeepsItsTimes() {
        TableSchema keys = table(K, C);
        CopyPlan plan = plan(keys, keys, "* = *");
        assertThat(plan.cellColumns()).isEmpty();
        RowCopier copier = copier(
                plan,
                new CopyWriters(inserts(keys, "(k, c) VALUES (?, ?)", "k", "c"), null, null),
                /* keepsMarkers */ true);
        assertThat(copy(copier, ScriptedCopies.row(1, 2, 50L, null))).isNull();
        assertThat(taken).containsExactly("row k=1 c=2 @50/0");
    }

    @Test
    void withoutRowMarkersEachPartIsARow() {
        RowCopier copier =
                copier(plan(TABLE, TABLE, "* = *"), new CopyWriters(inserts(), null, null), /* keepsMarkers */ false);
        assertThat(copy(copier, ScriptedCopies.row(1, 2, 3, 4, 60L, 100, 50L, null)))
                .isNull();
        assertThat(copy(copier, ScriptedCopies.row(1, 2, null, null, null, null, null, null)))
                .isNull();
        assertThat(taken).containsExactly("row k=1 c=2 v=3 @60/100", "row k=1 c=2 w=4 @50/0", "row k=1 c=2 @-1/-1");
    }

    @Test
    void theTimeThatARowHasWaitedIsNotLivedAgain() {
        RowCopier copier = copier(
                plan(TABLE, TABLE, "* = *"), new CopyWriters(inserts(), updates(), null), /* keepsMarkers */ true);
        RowCursor row = ScriptedCopies.row(1, 2, 3, 4, 60L, 100, 70L, 30, 50L, 200);
        now = row.arrivedSeconds() + 40;
        assertThat(copy(copier, row)).isNull();
        assertThat(taken).containsExactly("row k=1 c=2 @50/160", "cells k=1 c=2 v=3 @60/60", "cells k=1 c=2 w=4 @70/1");
    }

    /** A column that gets a value of the key has no write time. */
    @Test
    void constantsAndValuesOfTheKeyComeWithEachPart() {
        RowCopier copier = copier(
                plan(table(K, C, V), TABLE, "c = c, c = w, * = *"),
                new CopyWriters(inserts(), updates(), null),
                /* keepsMarkers */ true);
        assertThat(copy(copier, ScriptedCopies.row(1, 2, 3, 60L, null, 50L, null)))
                .isNull();
        assertThat(taken).containsExactly("row k=1 c=2 w=2 @50/0", "cells k=1 c=2 v=3 w=2 @60/0");
        taken.clear();
        RowCopier withConstant = copier(
                plan(table(K, C, V), TABLE, "'7' = w, * = *"),
                new CopyWriters(inserts(), updates(), null),
                /* keepsMarkers */ true);
        assertThat(copy(withConstant, ScriptedCopies.row(1, 2, 3, 60L, null, 50L, null)))
                .isNull();
        assertThat(taken).containsExactly("row k=1 c=2 w=7 @50/0", "cells k=1 c=2 v=3 w=7 @60/0");
    }

    @Test
    void aRowIsTakenWholeOrNotAtAll() {
        assertThat(copied(3, 4, 60L, 100, 70L, 1001, 50L, null)).isEqualTo("the TTL is 1001");
        assertThat(taken).isEmpty();
        RowCopier copier =
                copier(plan(TABLE, TABLE, "* = *"), new CopyWriters(inserts(), null, null), /* keepsMarkers */ false);
        assertThat(copy(copier, ScriptedCopies.row(1, 2, 3, 4, 60L, 100, 50L, 1001)))
                .isEqualTo("the TTL is 1001");
        assertThat(taken).isEmpty();
    }

    /** An UPDATE of static columns only has no clustering columns. */
    @Test
    void cellsOfStaticColumnsOnlyAreUpdatedByPartition() {
        Column s = new Column("s", DataTypes.INT, Role.STATIC);
        CopyPlan plan = plan(table(K, C, V), table(K, C, s), "v = s, * = *");
        assertThat(plan.rowColumns()).containsExactly("k", "c", "s");
        assertThat(plan.cellColumns()).containsExactly("k", "s");
        assertThat(plan(TABLE, TABLE, "* = *").cellColumns()).containsExactly("k", "c", "v", "w");
    }

    private static final Column S = new Column("s", DataTypes.INT, Role.STATIC);
    private static final Column M = new Column("m", DataTypes.setOf(DataTypes.INT, /* frozen */ false), Role.REGULAR);
    private static final TableSchema MANY = table(K, C, S, V, M);

    /** A copier of rows with all kinds of columns. */
    private RowCopier catchUp(boolean keepsMarkers) {
        RowWriter rows = inserts(MANY, "(k, c, v, m) VALUES (?, ?, ?, ?)", "k", "c", "v", "m");
        RowWriter cells = ScriptedCopies.writer(
                MANY,
                WriteOptions.into("ks", "t")
                        .columns("k", "c", "v", "m")
                        .rowTtl()
                        .rowTimestamp()
                        .cellsOnly(),
                "UPDATE ks.t USING TTL ? AND TIMESTAMP ? SET v = ?, m = ? WHERE k = ? AND c = ?",
                List.of("[ttl]", "[timestamp]", "v", "m", "k", "c"));
        List<DataType> types = new ArrayList<>(Collections.nCopies(13, DataTypes.INT));
        types.set(9, DataTypes.listOf(DataTypes.BIGINT));
        types.set(10, DataTypes.listOf(DataTypes.INT));
        return copier(
                plan(MANY, MANY, "* = *"),
                new CopyWriters(rows, keepsMarkers ? cells : null, inserts(MANY, "(k, s) VALUES (?, ?)", "k", "s")),
                keepsMarkers,
                types,
                AFTER);
    }

    private static @Nullable Integer timeToLive(Random random) {
        return random.nextBoolean() ? null : 100 + random.nextInt(2);
    }

    private static long time(Random random) {
        return AFTER - 2 + random.nextInt(5);
    }

    private static String cell(String column, int value, long time, @Nullable Integer timeToLive) {
        return column + "=" + value + " @" + time + "/" + (timeToLive == null ? 0 : timeToLive);
    }

    /** The cells of the rows that were taken, with the marker of each row that has one, or that has no cells. */
    private Set<String> takenCells(boolean keepsMarkers) {
        Set<String> cells = new TreeSet<>();
        for (String each : taken) {
            String times = each.substring(each.indexOf(" @"));
            List<String> values = List.of(each.substring(0, each.indexOf(" @")).split(" ")).stream()
                    .skip(1)
                    .filter(value -> !value.startsWith("k=") && !value.startsWith("c="))
                    .toList();
            values.forEach(value -> cells.add(value + times));
            if (each.startsWith("row")
                    && (values.isEmpty() || keepsMarkers && !values.get(0).startsWith("s="))) {
                cells.add("row" + times);
            }
        }
        return cells;
    }

    /** The cells of a drawn row that a catch-up has to write, as a model says, and its values in the order in which they are read. */
    private record Drawn(Set<String> cells, boolean isRejected, List<@Nullable Object> values) {
        static Drawn of(Random random, boolean keepsMarkers, boolean withStatics, boolean hasRow) {
            Set<String> cells = new TreeSet<>();
            List<@Nullable Object> values = new ArrayList<>(Arrays.asList(1, hasRow ? 2 : null));
            List<@Nullable Object> times = new ArrayList<>();
            boolean hasCells = false;
            for (String column : List.of("s", "v")) {
                boolean isStatic = column.equals("s");
                boolean isNull = isStatic ? random.nextInt(3) == 0 : !hasRow || random.nextBoolean();
                long time = time(random);
                Integer timeToLive = timeToLive(random);
                values.add(isNull ? null : 7);
                times.add(isNull ? null : time);
                times.add(isNull ? null : timeToLive);
                hasCells |= !isNull && !isStatic;
                if (!isNull && time > AFTER && (withStatics || !isStatic)) {
                    cells.add(cell(column, 7, time, timeToLive));
                }
            }
            boolean hasSet = hasRow && random.nextBoolean();
            List<Long> ofElements = List.of(time(random), random.nextBoolean() ? time(random) : AFTER);
            Integer timeToLive = random.nextBoolean() ? null : 100;
            values.add(hasSet ? 8 : null);
            times.add(hasSet ? ofElements : null);
            times.add(hasSet ? Arrays.asList(timeToLive, timeToLive) : null);
            boolean isNewer = hasSet && ofElements.stream().anyMatch(each -> each > AFTER);
            boolean isRejected = isNewer && !ofElements.get(0).equals(ofElements.get(1));
            if (isNewer) {
                cells.add(cell("m", 8, ofElements.get(0), timeToLive));
            }
            boolean hasMarker = hasRow && keepsMarkers && random.nextBoolean();
            long ofMarker = time(random);
            if (hasMarker && ofMarker > AFTER) {
                cells.add("row @" + ofMarker + "/0");
            } else if (hasRow && !keepsMarkers && !hasCells && !hasSet) {
                cells.add("row @-1/-1");
            }
            if (isRejected) {
                cells.removeIf(each -> !each.startsWith("s="));
            }
            values.addAll(times);
            values.addAll(Arrays.asList(hasMarker ? ofMarker : null, null));
            return new Drawn(cells, isRejected, values);
        }
    }

    @Test
    void aCatchUpWritesWhatWasWrittenAfterItsTimeAndNothingElse() {
        for (boolean keepsMarkers : List.of(false, true)) {
            RowCopier copier = catchUp(keepsMarkers);
            Seeds.times(500, random -> {
                taken.clear();
                boolean withStatics = random.nextBoolean();
                boolean hasRow = random.nextInt(4) > 0;
                Drawn drawn = Drawn.of(random, keepsMarkers, withStatics, hasRow);
                String problem = copier.copy(
                        ScriptedCopies.row(drawn.values.toArray()), /* split */
                        0, /* position */
                        0,
                        withStatics,
                        hasRow);
                assertThat(takenCells(keepsMarkers)).as("of %s", drawn.values).isEqualTo(drawn.cells);
                assertThat(problem != null).as(problem).isEqualTo(drawn.isRejected);
                assertThat(copier.leftOut() && problem == null).isEqualTo(drawn.cells.isEmpty() && !drawn.isRejected);
            });
        }
    }

    /** A static column in the rows of another table: its time says nothing about the row that it comes with. */
    @Test
    void anOldStaticColumnDoesNotMakeARowOfItsKeyOld() {
        TableSchema source = table(K, C, S);
        RowCopier copier = copier(
                plan(source, TABLE, "s = v, * = *"),
                new CopyWriters(inserts(TABLE, "(k, c, v) VALUES (?, ?, ?)", "k", "c", "v"), null, null),
                /* keepsMarkers */ false,
                Collections.nCopies(20, DataTypes.INT),
                AFTER);
        assertThat(copy(copier, ScriptedCopies.row(1, 2, 7, 5L, null))).isNull();
        assertThat(taken).containsExactly("row k=1 c=2 @-1/-1");
        assertThat(copier.leftOut()).isFalse();
        taken.clear();
        assertThat(copy(copier, ScriptedCopies.row(1, 2, 7, 15L, null))).isNull();
        assertThat(taken).containsExactly("row k=1 c=2 v=7 @15/0");
    }

    @Test
    void aValueThatBecomesAKeyStaysWithItsRow() {
        TableSchema other = table(K, new Column("v", DataTypes.INT, Role.CLUSTERING), W);
        RowCopier copier = copier(
                plan(TABLE, other, "* = -c, * = *"),
                new CopyWriters(inserts(other, "(k, v, w) VALUES (?, ?, ?)", "k", "v", "w"), null, null),
                /* keepsMarkers */ false,
                Collections.nCopies(20, DataTypes.INT),
                AFTER);
        assertThat(copy(copier, ScriptedCopies.row(1, 2, 7, 8, 5L, null, 15L, null)))
                .isNull();
        assertThat(copy(copier, ScriptedCopies.row(1, 2, 7, 8, 5L, null, 6L, null)))
                .isNull();
        assertThat(copier.leftOut()).isTrue();
        assertThat(copy(copier, ScriptedCopies.row(1, 2, 9, 8, 15L, null, 6L, null)))
                .isNull();
        assertThat(taken).containsExactly("row k=1 v=7 w=8 @15/0", "row k=1 v=9 w=8 @6/0");
    }

    /** A value that is not copied need not be copyable. */
    @Test
    void anOldValueThatCannotBeConvertedIsLeftOut() {
        TableSchema texts = table(K, C, new Column("v", DataTypes.TEXT, Role.REGULAR));
        RowCopier copier = copier(
                plan(texts, TABLE, "* = *"),
                new CopyWriters(inserts(TABLE, "(k, c, v) VALUES (?, ?, ?)", "k", "c", "v"), null, null),
                /* keepsMarkers */ false,
                Collections.nCopies(20, DataTypes.INT),
                AFTER);
        assertThat(copy(copier, ScriptedCopies.row(1, 2, 0x61626364, 10L, null)))
                .isNull();
        assertThat(copier.leftOut()).isTrue();
        assertThat(copy(copier, ScriptedCopies.row(1, 2, 0x61626364, 11L, null)))
                .isEqualTo("column \"v\" is int, got \"abcd\"");
        assertThat(copier.leftOut()).isTrue();
        assertThat(taken).isEmpty();
    }
}
