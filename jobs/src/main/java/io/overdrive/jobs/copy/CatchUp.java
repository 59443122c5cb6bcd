package io.overdrive.jobs.copy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.Overdrive;
import io.overdrive.internal.write.WriteClock;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.journal.RunInfo;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The place of a copy that keeps times in a series of such copies, each of which takes what was written since the one before it began. Its run
 * keeps it. Immutable.
 *
 * @param beganMicros when the copy began, by the slowest clock that is known, in microseconds since 1970
 * @param after the cells that it takes; null for all
 * @param tables of a copy of several: the ids of the source and the target of each, and whether all of its cells are taken
 */
public record CatchUp(long beganMicros, @Nullable WrittenAfter after, Map<CqlIdentifier, Table> tables) {
    private static final String AFTER = "writtenAfter";
    private static final String ORIGIN = "writtenAfterOrigin";
    private static final String TABLE = "table ";
    private static final String WHOLE = "whole ";

    /**
     * One of several tables.
     *
     * @param ids of the source and the target
     * @param isWhole whether all of its cells are taken, as the copy before did not have this table
     */
    public record Table(String ids, boolean isWhole) {}

    public CatchUp {
        tables = Map.copyOf(tables);
    }

    /** The time now, by the slowest clock of this machine and of the nodes of the source. */
    public static long now(Overdrive source) {
        return WriteClock.SYSTEM.earliest(source.session());
    }

    /** The values that a run has kept; null if it has none, as its cells did not keep their times. */
    public static @Nullable CatchUp of(RunInfo run) {
        Map<String, String> values = run.values();
        String began = values.get(RunInfo.BEGAN);
        if (began == null) {
            return null;
        }
        String after = values.get(AFTER);
        Map<CqlIdentifier, Table> tables = new TreeMap<>(CatchUp::compare);
        values.forEach((name, value) -> {
            if (name.startsWith(TABLE)) {
                String table = name.substring(TABLE.length());
                tables.put(CqlIdentifier.fromInternal(table), new Table(value, values.containsKey(WHOLE + table)));
            }
        });
        return new CatchUp(
                Long.parseLong(began),
                after == null ? null : new WrittenAfter(Long.parseLong(after), values.getOrDefault(ORIGIN, "")),
                tables);
    }

    private static int compare(CqlIdentifier one, CqlIdentifier other) {
        return one.asInternal().compareTo(other.asInternal());
    }

    /** The values that the run keeps. */
    public Map<String, String> values() {
        Map<String, String> values = new TreeMap<>();
        values.put(RunInfo.BEGAN, Long.toString(beganMicros));
        if (after != null) {
            values.put(AFTER, Long.toString(after.micros()));
            values.put(ORIGIN, after.origin());
        }
        tables.forEach((name, table) -> {
            values.put(TABLE + name.asInternal(), table.ids);
            if (table.isWhole) {
                values.put(WHOLE + name.asInternal(), "");
            }
        });
        return values;
    }

    /**
     * The same of several tables.
     *
     * @param ids of the source and the target of each
     * @param followsLast whether the copy before had the tables that this one has now, and others are taken as a whole
     */
    public CatchUp ofTables(Map<CqlIdentifier, String> ids, boolean followsLast) {
        Map<CqlIdentifier, Table> all = new TreeMap<>(CatchUp::compare);
        ids.forEach((name, id) -> {
            Table before = tables.get(name);
            all.put(name, new Table(id, followsLast && (before == null || !before.ids.equals(id))));
        });
        return new CatchUp(beganMicros, after, all);
    }

    /** The cells that are taken of one of several tables; null for all. */
    public @Nullable WrittenAfter after(CqlIdentifier table) {
        Table known = tables.get(table);
        return known != null && known.isWhole ? null : after;
    }

    /**
     * The time from which on the next copy takes what was written.
     *
     * @param skew how far clocks may be behind the slowest known one
     */
    public long nextMicros(Duration skew) {
        return beganMicros - TimeUnit.NANOSECONDS.toMicros(skew.toNanos());
    }

    public Instant began() {
        return Instant.EPOCH.plus(beganMicros, ChronoUnit.MICROS);
    }
}
