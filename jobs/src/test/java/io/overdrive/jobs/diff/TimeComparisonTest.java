package io.overdrive.jobs.diff;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.RowCursor;
import io.overdrive.ScriptedCopies;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Times of cells whose rows arrived at different times. */
class TimeComparisonTest {
    private static final List<Column> COLUMNS = List.of(
            new Column("p", DataTypes.INT, Role.PARTITION_KEY),
            new Column("v", DataTypes.INT, Role.REGULAR),
            new Column("m", DataTypes.setOf(DataTypes.INT), Role.REGULAR));
    private static final int V = 1;
    private static final int M = 2;

    /** A row whose value and whose only element were written at 5, and have this time to live. */
    private static RowCursor row(long arrived, @Nullable Integer timeToLive) {
        Object elements = timeToLive == null ? null : List.of(timeToLive);
        return ScriptedCopies.rowAt(arrived, 1, 1, List.of(1), 5L, timeToLive, List.of(5L), elements);
    }

    private static boolean isSame(RowCursor a, RowCursor b, int toleranceSeconds) {
        TimeComparison times = new TimeComparison(COLUMNS, Duration.ofSeconds(toleranceSeconds));
        boolean value = times.isSame(a, b, V);
        assertThat(times.isSame(a, b, M)).isEqualTo(value);
        return value;
    }

    @Test
    void expiriesAreComparedAndNotWhatWasLeftWhenRowsArrived() {
        assertThat(isSame(row(1000, 100), row(1040, 60), 0)).isTrue();
        assertThat(isSame(row(1040, 60), row(1000, 100), 0)).isTrue();
        assertThat(isSame(row(1000, 100), row(1040, 100), 39)).isFalse();
        assertThat(isSame(row(1000, 100), row(1040, 100), 40)).isTrue();
    }

    @Test
    void aCellThatDoesNotExpireIsNotLikeOneThatDoes() {
        assertThat(isSame(row(1000, null), row(1040, null), 0)).isTrue();
        assertThat(isSame(row(1000, null), row(1000, 100), 1000)).isFalse();
        assertThat(isSame(row(1000, 100), row(1000, null), 1000)).isFalse();
    }
}
