package io.overdrive.jobs.copy;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.RowCursor;
import io.overdrive.RowWriter;
import io.overdrive.ScriptedCopies;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.WriteOptions;
import io.overdrive.WriteTimes;
import io.overdrive.jobs.KeyJson;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.RowSink;
import io.overdrive.jobs.RowTarget;
import io.overdrive.jobs.expression.Assignments;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which rows are written for a row that is read with its times. */
class RowCopierTest {
    private static final Column K = new Column("k", DataTypes.INT, Role.PARTITION_KEY);
    private static final Column C = new Column("c", DataTypes.INT, Role.CLUSTERING);
    private static final Column V = new Column("v", DataTypes.INT, Role.REGULAR);
    private static final Column W = new Column("w", DataTypes.INT, Role.REGULAR);
    private static final TableSchema TABLE = table(K, C, V, W);

    /** The written rows, and how they were written. */
    private final List<String> taken = new ArrayList<>();

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
        List<String> key = plan.read().subList(0, plan.keyColumns()).stream()
                .map(Column::name)
                .toList();
        List<DataType> types = new ArrayList<>(Collections.nCopies(20, DataTypes.INT));
        return new RowCopier(
                plan,
                writers,
                new Target(taken),
                new KeyJson(key, Collections.nCopies(key.size(), DataTypes.INT)),
                /* keepTimes */ true,
                keepsMarkers,
                types);
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
}
