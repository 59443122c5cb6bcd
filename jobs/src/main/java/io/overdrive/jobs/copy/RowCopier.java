package io.overdrive.jobs.copy;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import io.overdrive.RowBuffer;
import io.overdrive.RowCursor;
import io.overdrive.RowWriter;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.CellConverter;
import io.overdrive.jobs.CellTimes;
import io.overdrive.jobs.KeyJson;
import io.overdrive.jobs.Mapping.Special;
import io.overdrive.jobs.Mapping.Target;
import io.overdrive.jobs.RowSink;
import io.overdrive.jobs.RowTarget;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.copy.CopyPlan.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Gives the cells of one row of a page to a sink as rows: one, or with times kept, one for each different time. If the times of row
 * markers are known, cells of other times than the row marker go to a sink of rows without a row marker. Confined to one thread at a time;
 * on the hot path.
 */
final class RowCopier {
    private static final int MISSING = -1;
    private static final byte[] NO_KEY = {};
    /** The group of a cell that is null. */
    private static final int NO_GROUP = -1;
    /** The group of a cell without a time if row markers are kept: it joins every group. */
    private static final int EVERY_GROUP = -2;

    /** Which cells go to which columns of one of the sinks. */
    private static final class Part {
        final RowSink sink;
        final int[] keyCells;
        final int[] keyColumns;
        final int[] cells;
        final int[] columns;
        final int[] constantColumns;
        final byte[][] constants;

        Part(RowSink sink, CopyPlan plan) {
            this.sink = sink;
            List<String> names = sink.columns();
            List<int[]> key = new ArrayList<>();
            List<int[]> others = new ArrayList<>();
            List<Entry> entries = plan.entries();
            for (int i = 0; i < entries.size(); i++) {
                var to = entries.get(i).column();
                int column = to == null ? MISSING : names.indexOf(to.name());
                if (to != null && column >= 0) {
                    (to.isKey() ? key : others).add(new int[] {i, column});
                }
            }
            List<Column> computed = plan.computedColumns();
            for (int i = 0; i < computed.size(); i++) {
                int column = names.indexOf(computed.get(i).name());
                if (column >= 0) {
                    (computed.get(i).isKey() ? key : others).add(new int[] {entries.size() + i, column});
                }
            }
            keyCells = key.stream().mapToInt(pair -> pair[0]).toArray();
            keyColumns = key.stream().mapToInt(pair -> pair[1]).toArray();
            cells = others.stream().mapToInt(pair -> pair[0]).toArray();
            columns = others.stream().mapToInt(pair -> pair[1]).toArray();
            List<Map.Entry<Target, byte[]>> all = plan.constants().entrySet().stream()
                    .filter(e -> e.getKey().special() == Special.NONE
                            && names.contains(e.getKey().column()))
                    .toList();
            constantColumns = all.stream()
                    .mapToInt(e -> names.indexOf(e.getKey().column()))
                    .toArray();
            constants = all.stream().map(Map.Entry::getValue).toArray(byte[][]::new);
        }
    }

    private final @Nullable Part rows;
    /** A statement for the same cells as the rows, without the row marker. */
    private final @Nullable Part cellsOnly;

    private final @Nullable Part statics;
    private final KeyJson keys;
    private final Entry[] entries;
    private final @Nullable CellConverter[] converters;
    /** The cells after those of the entries; null if there are none. */
    private final @Nullable ComputedCells computed;

    private final boolean[] ofStatics;
    /** Key columns, TTL and write time, which the row and its static columns both need. */
    private final boolean[] isInEveryPart;
    /** The column with the write time of an entry, followed by its time to live; -1 for none. */
    private final int[] timeColumns;

    private final boolean[] timesAreLists;
    /** Cells that came with a row if it has no others: those of static columns say nothing about a row. */
    private final boolean[] isOfRow;
    /** Cells that were not written after this time are left out, except those of keys. */
    private final long afterMicros;
    /** The entries of the target's key that have times: a row whose key is new is new as a whole. */
    private final int[] timedKeys;

    /** The column with the write time of the row marker, followed by its time to live; -1 if it is not kept. */
    private final int markerColumn;

    private final int ttlEntry;
    private final int writetimeEntry;
    private final byte @Nullable [] ttlConstant;
    private final byte @Nullable [] writetimeConstant;

    // the current row, by entry
    private final byte[][] arrays;
    private final int[] offsets;
    private final int[] lengths;
    private final CellTimes times;
    private boolean hasMarker;
    /** Whether a cell of the row was left out because of its time. */
    private boolean hasOlder;
    /** Whether a cell that is written with the row was not. */
    private boolean hasNewer;
    /** The group of each cell of the part that is sent. */
    private final int[] groups;

    private final Bytes converted = new Bytes(256);
    private boolean keyFailed;
    private boolean staticsSent;
    private int groupsSent;
    private @Nullable String staticsProblem;

    /**
     * @param target makes the sinks of this thread
     * @param keepsMarkers whether the write time and the time to live of the row marker are read, after those of all cells
     * @param types types of the columns that are read
     * @param seconds gives the time in seconds since 1970
     */
    RowCopier(
            CopyPlan plan,
            CopyWriters writers,
            RowTarget target,
            KeyJson keys,
            CopyOptions options,
            boolean keepsMarkers,
            List<DataType> types,
            LongSupplier seconds) {
        this.afterMicros = options.afterMicros();
        rows = part(writers.rows(), target, plan);
        cellsOnly = part(writers.cellsOnly(), target, plan);
        statics = part(writers.statics(), target, plan);
        List<String> staticColumns = statics == null ? List.of() : statics.sink.columns();
        this.keys = keys;
        int count = plan.entries().size();
        entries = plan.entries().toArray(Entry[]::new);
        converters = new CellConverter[count];
        ofStatics = new boolean[count];
        isInEveryPart = new boolean[count];
        timeColumns = new int[count];
        timesAreLists = new boolean[count];
        isOfRow = new boolean[count];
        int ttl = MISSING;
        int writetime = MISSING;
        for (int i = 0; i < count; i++) {
            Entry entry = entries[i];
            converters[i] = entry.needsConverter() ? entry.converter() : null;
            ofStatics[i] = entry.column() != null
                    && !entry.column().isKey()
                    && staticColumns.contains(entry.column().name());
            isInEveryPart[i] = entry.column() == null || entry.column().isKey();
            timeColumns[i] = options.keepTimes() && !entry.source().isKey()
                    ? plan.read().size() + 2 * (entry.from() - plan.keyColumns())
                    : MISSING;
            isOfRow[i] = entry.source().role() != Role.STATIC;
            timesAreLists[i] = timeColumns[i] >= 0 && types.get(timeColumns[i]) instanceof ListType;
            ttl = entry.target().special() == Special.TTL ? i : ttl;
            writetime = entry.target().special() == Special.WRITETIME ? i : writetime;
        }
        timedKeys = IntStream.range(0, count)
                .filter(i -> isInEveryPart[i] && timeColumns[i] >= 0)
                .toArray();
        markerColumn = keepsMarkers ? plan.read().size() + 2 * (plan.read().size() - plan.keyColumns()) : MISSING;
        ttlEntry = ttl;
        writetimeEntry = writetime;
        ttlConstant = constant(plan, Special.TTL);
        writetimeConstant = constant(plan, Special.WRITETIME);
        computed = ComputedCells.of(plan);
        int cells = count + plan.computedColumns().size();
        arrays = new byte[cells][];
        offsets = new int[cells];
        lengths = new int[cells];
        times = new CellTimes(cells, options.keepTimes() ? seconds : null);
        groups = new int[cells];
    }

    private static @Nullable Part part(@Nullable RowWriter writer, RowTarget target, CopyPlan plan) {
        return writer == null ? null : new Part(target.sink(writer), plan);
    }

    private static byte @Nullable [] constant(CopyPlan plan, Special special) {
        return plan.constants().entrySet().stream()
                .filter(e -> e.getKey().special() == special)
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    /**
     * Sends the row. Static columns of a partition and cells of a row fail independently: a static column that cannot
     * be copied is left out, while the others and the row itself are written.
     *
     * @param split number of its split, which comes back before the key if the row is rejected
     * @param position position of the row
     * @param withStatics whether the partition's static columns have not been written yet
     * @param hasRow whether there is a row, not only static columns
     * @return why the row, or a static column to be sent with it, cannot be written; null if everything was sent
     */
    @Nullable String copy(RowCursor row, int split, long position, boolean withStatics, boolean hasRow) {
        staticsSent = false;
        groupsSent = 0;
        String problem = take(row, withStatics);
        if (keyFailed) {
            return problem;
        }
        Part apart = statics;
        Part main = problem != null || isOld(hasRow) ? null : rows;
        byte[] key = main == null && !withStatics ? NO_KEY : keys.bytes(split, row);
        if (apart != null && withStatics) {
            times.startGroups();
            boolean isMore = hasRow && rows != null && (main != null || problem != null);
            String notSent = send(apart, group(apart), position, key, isMore);
            staticsProblem = staticsProblem == null ? notSent : staticsProblem;
            staticsSent = true;
        }
        if (main != null && (hasRow || apart == null)) {
            startGroups(row);
            problem = send(main, group(main), position, key, /* isMore */ false);
        }
        return problem == null ? staticsProblem : problem;
    }

    /** Whether nothing of the row was written after the time. */
    private boolean isOld(boolean hasRow) {
        return afterMicros != WrittenAfter.ANY_TIME
                && !WrittenAfter.takesRow(
                        hasNewer, hasOlder || !hasRow, /* knowsMarker */ markerColumn >= 0, hasMarker);
    }

    /** Whether the last row is left out, as nothing of it was written after the time. */
    boolean leftOut() {
        return afterMicros != WrittenAfter.ANY_TIME && groupsSent == 0;
    }

    /** Whether the partition's static columns were sent with the last row, as far as they can be copied. */
    boolean sentStatics() {
        return staticsSent;
    }

    /**
     * Finds the cells and their times, and converts cells if necessary; returns why a cell of the row itself cannot be
     * copied.
     */
    private @Nullable String take(RowCursor row, boolean withStatics) {
        times.age(row);
        converted.clear();
        keyFailed = false;
        staticsProblem = null;
        hasMarker = markerColumn >= 0 && !row.isNull(markerColumn) && row.getLong(markerColumn) > afterMicros;
        hasOlder = false;
        hasNewer = false;
        boolean takesAll = afterMicros == WrittenAfter.ANY_TIME || isKeyAfter(row);
        String rowProblem = null;
        for (int i = 0; i < entries.length; i++) {
            if (ofStatics[i] && !withStatics) {
                lengths[i] = MISSING;
                continue;
            }
            int from = entries[i].from();
            arrays[i] = row.array();
            offsets[i] = row.offset(from);
            lengths[i] = row.length(from);
            times.clear(i);
            if (!takesAll && isOlder(i, row)) {
                hasOlder |= isOfRow[i];
                if (!isInEveryPart[i]) {
                    lengths[i] = MISSING;
                    continue;
                }
            }
            CellConverter converter = converters[i];
            String problem = converter != null && lengths[i] >= 0 ? convert(i, converter) : null;
            if (problem == null && timeColumns[i] >= 0 && lengths[i] >= 0) {
                hasNewer |= !ofStatics[i] && (takesAll || !isInEveryPart[i]);
                problem = times(i, row);
            }
            if (problem != null) {
                lengths[i] = MISSING;
                if (isInEveryPart[i]) {
                    keyFailed = true;
                    return problem;
                }
                if (ofStatics[i]) {
                    staticsProblem = staticsProblem == null ? problem : staticsProblem;
                } else {
                    rowProblem = rowProblem == null ? problem : rowProblem;
                }
            }
        }
        if (computed != null) {
            String problem = computed.compute(row, entries.length, offsets, lengths, converted);
            keyFailed |= computed.keyFailed();
            rowProblem = rowProblem == null ? problem : rowProblem;
        }
        for (int i = 0; i < lengths.length; i++) {
            if (lengths[i] >= 0 && isConverted(i)) {
                arrays[i] = converted.array(); // a new array if it has grown
            }
        }
        return rowProblem;
    }

    private boolean isKeyAfter(RowCursor row) {
        for (int i : timedKeys) {
            if (CellTimes.isAfter(row, timeColumns[i], timesAreLists[i], afterMicros)) {
                return true;
            }
        }
        return false;
    }

    private boolean isOlder(int i, RowCursor row) {
        return timeColumns[i] >= 0
                && lengths[i] >= 0
                && !CellTimes.isAfter(row, timeColumns[i], timesAreLists[i], afterMicros);
    }

    private boolean isConverted(int cell) {
        return cell >= entries.length || converters[cell] != null;
    }

    private @Nullable String convert(int i, CellConverter converter) {
        if (converter.isNull(lengths[i])) {
            lengths[i] = MISSING;
            return null;
        }
        int start = converted.length();
        try {
            converter.convert(arrays[i], offsets[i], lengths[i], converted);
        } catch (BadValueException e) {
            return "column \"" + entries[i].target().column() + "\" " + e.getMessage();
        }
        offsets[i] = start;
        lengths[i] = converted.length() - start;
        return null;
    }

    private @Nullable String times(int i, RowCursor row) {
        return times.read(i, row, timeColumns[i], timesAreLists[i])
                ? null
                : "column \"" + entries[i].source().name() + "\" "
                        + (timesAreLists[i]
                                ? "has elements of different write times or times to live, which cannot be kept because it"
                                        + " is written as a whole"
                                : "has a value without a write time");
    }

    /** Starts the groups of a row, with the row marker's group if it has one, which cells of the same times join. */
    private void startGroups(RowCursor row) {
        times.startGroups();
        if (hasMarker) {
            times.group(row.getLong(markerColumn), times.secondsOf(row, markerColumn + 1));
        }
    }

    /**
     * Adds the cells of a part to the groups of their times.
     *
     * @return the number of groups
     */
    private int group(Part part) {
        for (int n = 0; n < part.cells.length; n++) {
            int cell = part.cells[n];
            if (lengths[cell] < 0) {
                groups[n] = NO_GROUP;
            } else if (times.isOfJob(cell) && markerColumn >= 0) {
                groups[n] = EVERY_GROUP;
            } else {
                groups[n] = times.groupOf(cell);
            }
        }
        if (times.groups() == 0 && part == rows && markerColumn < 0) { // a row may have only its key
            times.group(CellTimes.OF_JOB, 0);
        }
        return times.groups();
    }

    /**
     * Sends each group as a row, or if one of them has a problem, none.
     *
     * @param isMore whether none of them stands for the row
     */
    private @Nullable String send(Part part, int count, long position, byte[] key, boolean isMore) {
        boolean asksFirst = count > 1 && part.sink.mayRefuse();
        if (asksFirst) {
            for (int group = 0; group < count; group++) {
                Part to = partOf(part, group);
                String problem = problem(to, fill(to, group, position, key));
                if (problem != null) {
                    return problem;
                }
            }
        }
        for (int group = 0; group < count; group++) {
            Part to = partOf(part, group);
            RowBuffer row = fill(to, group, position, key);
            String problem = asksFirst ? null : problem(to, row); // if it is of the key, all groups have it
            if (problem != null) {
                return problem;
            }
            if (isMore || group > 0) {
                to.sink.takeMore();
            } else {
                to.sink.take();
            }
            groupsSent++;
        }
        return null;
    }

    /** The part by which a group is written: if row markers are kept, only the group of the row marker is written with it. */
    private Part partOf(Part part, int group) {
        Part withoutMarker = cellsOnly;
        boolean isOfMarker = hasMarker && group == 0;
        return part == rows && withoutMarker != null && !isOfMarker ? withoutMarker : part;
    }

    private static @Nullable String problem(Part part, RowBuffer row) {
        int missing = row.missingKeyColumn();
        if (missing >= 0) {
            return "key column \"" + part.sink.columns().get(missing) + "\" has no value";
        }
        return part.sink.problem();
    }

    /** The row of a group, with its cells. */
    private RowBuffer fill(Part part, int group, long position, byte[] key) {
        RowBuffer row = begin(part, group, position, key);
        for (int n = 0; n < part.cells.length; n++) {
            if (groups[n] == group || groups[n] == EVERY_GROUP) {
                int cell = part.cells[n];
                put(row, part.columns[n], cell);
            }
        }
        return row;
    }

    /** Values as they are in the source stay so; the order of elements of others is the server's. */
    private void put(RowBuffer row, int column, int cell) {
        if (!isConverted(cell) || lengths[cell] < 0) {
            row.setBytes(column, arrays[cell], offsets[cell], lengths[cell]);
        } else {
            row.begin(column).put(arrays[cell], offsets[cell], lengths[cell]);
            row.end(column);
        }
    }

    /** Starts the row of a group, with all but its cells. */
    private RowBuffer begin(Part part, int group, long position, byte[] key) {
        RowBuffer to = part.sink.row().position(position).attach(key);
        for (int n = 0; n < part.keyCells.length; n++) {
            int cell = part.keyCells[n];
            if (lengths[cell] >= 0) {
                put(to, part.keyColumns[n], cell);
            }
        }
        for (int n = 0; n < part.constants.length; n++) {
            to.begin(part.constantColumns[n]).put(part.constants[n]);
            to.end(part.constantColumns[n]);
        }
        if (ttlConstant != null) {
            to.setTtl(Bytes.getInt(ttlConstant, 0));
        } else if (ttlEntry >= 0 && lengths[ttlEntry] >= 0) {
            to.setTtl(Bytes.getInt(arrays[ttlEntry], offsets[ttlEntry]));
        }
        if (writetimeConstant != null) {
            to.setTimestamp(Bytes.getLong(writetimeConstant, 0));
        } else if (writetimeEntry >= 0 && lengths[writetimeEntry] >= 0) {
            to.setTimestamp(Bytes.getLong(arrays[writetimeEntry], offsets[writetimeEntry]));
        }
        if (times.writeTimeOf(group) != CellTimes.OF_JOB) {
            to.setTimestamp(times.writeTimeOf(group)).setTtl(times.timeToLiveOf(group));
        }
        return to;
    }
}
