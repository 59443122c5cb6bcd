package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.RowBuffer;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.jobs.RowSink;
import io.overdrive.jobs.TimeField;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which parts a record with the times of its cells is written in. */
class TimedRowsTest {
    private static final Column P = new Column("p", DataTypes.INT, Role.PARTITION_KEY);
    private static final Column C = new Column("c", DataTypes.INT, Role.CLUSTERING);
    private static final Column S = new Column("s", DataTypes.INT, Role.STATIC);
    private static final Column V = new Column("v", DataTypes.INT, Role.REGULAR);
    /** A column that has the name of the times of another one. */
    private static final Column W = new Column("writetime(v)", DataTypes.INT, Role.REGULAR);

    private static final TableSchema TABLE = new TableSchema("ks", "t", List.of(P, C, S, V, W));
    private static final long NOW = 1_000_000;

    private final List<String> taken = new ArrayList<>();
    private final PartCounts counts = new PartCounts(/* journal */ null, 100);

    /** Takes rows whose TTL is at most 1000. */
    private final class Sink extends RowSink {
        private final String name;

        Sink(String name, Column... columns) {
            super(new TableSchema("ks", "t", List.of(columns)));
            this.name = name;
        }

        @Override
        public boolean mayRefuse() {
            return true;
        }

        @Override
        public @Nullable String problem() {
            return buffer.ttl(-1) > 1000 ? "the TTL is " + buffer.ttl(-1) : null;
        }

        @Override
        public void take() {
            StringBuilder shown = new StringBuilder(name);
            for (int i = 0; i < buffer.columns(); i++) {
                byte[] value = buffer.bytes(i);
                if (value != null) {
                    shown.append(' ')
                            .append(columns().get(i))
                            .append('=')
                            .append(ByteBuffer.wrap(value).getInt());
                }
            }
            taken.add(shown + " @" + buffer.timestamp(-1) + "/" + buffer.ttl(-1));
        }
    }

    private TimedRows rows(boolean isWhole) {
        return rows(isWhole, /* hidesOlder */ false);
    }

    private TimedRows rows(boolean isWhole, boolean hidesOlder) {
        return TimedRows.of(
                TABLE,
                new TimedRows.Sinks(
                        new Sink("row", P, C, S, V, W),
                        isWhole ? null : new Sink("cells", P, C, V, W),
                        new Sink("statics", P, S),
                        /* areStatics */ false),
                isWhole,
                hidesOlder,
                counts,
                () -> NOW);
    }

    /** Gives a row: p, c, s, v, w, then the write time and the expiry of s, v and w, and of the row marker. */
    private @Nullable String give(TimedRows rows, @Nullable Number... values) {
        RowBuffer row = rows.row().position(5);
        for (int i = 0; i < values.length; i++) {
            Number value = values[i];
            if (value != null && i < TABLE.columns().size()) {
                row.setInt(i, value.intValue());
            } else if (value != null) {
                row.setLong(i, value.longValue());
            }
        }
        String problem = rows.problem();
        if (problem == null) {
            rows.take();
        }
        return problem;
    }

    private List<String> parts(@Nullable Number... values) {
        taken.clear();
        assertThat(give(rows(/* isWhole */ false), values)).isNull();
        return List.copyOf(taken);
    }

    @Test
    void cellsOfTheSameTimesAreWrittenTogether() {
        assertThat(parts(1, 2, 3, 4, 5, 10, null, 20, null, 20, null))
                .containsExactly("statics p=1 s=3 @10/0", "row p=1 c=2 v=4 writetime(v)=5 @20/0");
        assertThat(parts(1, 2, null, 4, 5, null, null, 20, NOW + 7, 20, null))
                .containsExactly("row p=1 c=2 v=4 @20/7", "row p=1 c=2 writetime(v)=5 @20/0");
    }

    @Test
    void aColumnWithTheNameOfTimesKeepsItsOwn() {
        assertThat(parts(1, 2, null, null, 5, null, null, null, null, 30, NOW + 9))
                .containsExactly("row p=1 c=2 writetime(v)=5 @30/9");
    }

    @Test
    void aRowOfItsKeyIsWrittenByTheTimeOfTheLoad() {
        assertThat(parts(1, 2)).containsExactly("row p=1 c=2 @-1/-1");
    }

    @Test
    void expiredCellsAreLeftOutAndTheirRowIsNotRevived() {
        TimedRows rows = rows(/* isWhole */ false);
        assertThat(give(rows, 1, 2, null, 4, 5, null, null, 20, NOW, 30, null)).isNull();
        assertThat(give(rows, 1, 3, null, 4, null, null, null, 20, NOW - 1)).isNull();
        assertThat(taken).containsExactly("row p=1 c=2 writetime(v)=5 @30/0");
        assertThat(rows.expiredCells()).isEqualTo(2);
        assertThat(counts.rows()).isEqualTo(1); // the row without parts is complete
    }

    @Test
    void expiredCellsHideTheValuesThatTheyReplaced() {
        TimedRows rows = rows(/* isWhole */ false, /* hidesOlder */ true);
        assertThat(give(rows, 1, 2, 3, 4, 5, 10, NOW - 9, 20, NOW, 30, null)).isNull();
        assertThat(taken)
                .containsExactly(
                        "statics p=1 s=3 @10/1", "cells p=1 c=2 v=4 @20/1", "row p=1 c=2 writetime(v)=5 @30/0");
        taken.clear();
        give(rows, 1, 3, null, 4, 5, null, null, 20, NOW - 1, 20, NOW + 1000, 20, NOW - 1);
        assertThat(taken).containsExactly("row p=1 c=3 v=4 @20/1", "cells p=1 c=3 writetime(v)=5 @20/1000");
        taken.clear();
        give(rows, 1, 4, null, 4, null, null, null, 20, NOW - 1, null, null, TimeField.NO_MARKER);
        give(rows, 1, 5, null, null, null, null, null, null, null, null, null, 20, NOW - 1);
        assertThat(taken).containsExactly("cells p=1 c=4 v=4 @20/1", "row p=1 c=5 @20/1");
        assertThat(rows.expiredCells()).isZero();
        assertThat(rows.rowsLeftOut()).isZero();
    }

    @Test
    void anExpiredStaticCellDoesNotTakeRowsOfTheirKeyAlong() {
        for (boolean isWhole : List.of(false, true)) {
            taken.clear();
            TimedRows rows = rows(isWhole);
            assertThat(give(rows, 1, 2, 3, null, null, 10, NOW - 1)).isNull();
            assertThat(taken).as("whole: " + isWhole).containsExactly("row p=1 c=2 @-1/-1");
            assertThat(rows.expiredCells()).isEqualTo(1);
            assertThat(rows.rowsLeftOut()).isZero();
        }
    }

    @Test
    void staticCellsOutliveTheirRow() {
        TimedRows rows = rows(/* isWhole */ false);
        assertThat(give(rows, 1, 2, 3, 4, null, 10, null, 20, NOW - 1)).isNull();
        assertThat(taken).containsExactly("statics p=1 s=3 @10/0");
        assertThat(rows.rowsLeftOut()).isEqualTo(1);
        taken.clear();
        give(rows(/* isWhole */ true), 1, 2, 3, 4, null, 10, null, 20, NOW - 1);
        assertThat(taken).containsExactly("statics p=1 s=3 @-1/-1");
    }

    @Test
    void aRowWhoseMarkerIsKnownIsComparedAsItIsWritten() {
        TimedRows rows = rows(/* isWhole */ true);
        give(rows, 1, 2, null, null, null, null, null, null, null, null, null, 15, NOW + 5);
        give(rows, 1, 3, null, null, null, null, null, null, null, null, null, 15, NOW - 5);
        give(rows, 1, 4, null, 4, null, null, null, 20, NOW - 1, null, null, 15, null);
        give(rows, 1, 5, null, null, null, null, null, null, null, null, null, TimeField.NO_MARKER);
        assertThat(taken).containsExactly("row p=1 c=2 @-1/-1", "row p=1 c=4 @-1/-1");
        assertThat(rows.rowsLeftOut()).isEqualTo(2);
    }

    @Test
    void aKnownRowMarkerKeepsItsTimesAndOtherCellsGetNone() {
        assertThat(parts(1, 2, null, 4, 5, null, null, 20, null, 30, null, 20, null))
                .containsExactly("row p=1 c=2 v=4 @20/0", "cells p=1 c=2 writetime(v)=5 @30/0");
        assertThat(parts(1, 2, null, 4, null, null, null, 20, null, null, null, TimeField.NO_MARKER, null))
                .containsExactly("cells p=1 c=2 v=4 @20/0");
        assertThat(parts(1, 2, null, 4, null, null, null, 20, null, null, null, 20, NOW - 5))
                .containsExactly("cells p=1 c=2 v=4 @20/0");
        assertThat(parts(1, 2, null, null, null, null, null, null, null, null, null, 15, NOW + 5))
                .containsExactly("row p=1 c=2 @15/5");
    }

    @Test
    void staticCellsOfAPartitionAreWrittenOnceAndAgainIfTheyDiffer() {
        TimedRows rows = rows(/* isWhole */ false);
        Stream.of(10, 10, 11).forEach(time -> give(rows, 1, 2, 3, null, null, time, null));
        give(rows, 2, 2, 3, null, null, 11, null);
        assertThat(taken.stream().filter(part -> part.startsWith("statics")))
                .containsExactly("statics p=1 s=3 @10/0", "statics p=1 s=3 @11/0", "statics p=2 s=3 @11/0");
    }

    @Test
    void aRowIsRefusedAsAWhole() {
        TimedRows rows = rows(/* isWhole */ false);
        assertThat(give(rows, 1, 2, 3, 4, 5, 10, null, 20, null, 30, NOW + 1001))
                .isEqualTo("the TTL is 1001");
        assertThat(give(rows, 1, 2, null, 4, 5, null, null, 20, null))
                .startsWith(
                        "column \"writetime(v)\" has a value, and field \"writetime(writetime(v))\" has no write time");
        assertThat(give(rows, 1, 2, null, 4, null, null, null, Long.MIN_VALUE, null))
                .isEqualTo("field \"writetime(v)\" is -9223372036854775808, which is no write time");
        assertThat(give(rows, 1, 2, null, 4, null, null, null, 1, 1_700_000_000_000L))
                .startsWith("field \"expires(v)\" is more than 20 years from now");
        assertThat(taken).isEmpty();
    }

    @Test
    void valuesAreComparedInOneRowWithoutExpiredOnes() {
        TimedRows rows = rows(/* isWhole */ true);
        give(rows, 1, 2, 3, 4, 5, 10, null, 20, NOW - 1, 30, null);
        give(rows, 1, 3, null, 4, null, null, null, 20, NOW - 1);
        give(rows, 1, 4);
        assertThat(taken).containsExactly("row p=1 c=2 s=3 writetime(v)=5 @-1/-1", "row p=1 c=4 @-1/-1");
    }
}
