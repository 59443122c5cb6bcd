package io.overdrive.jobs.load;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.RowBuffer;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.CellTimes;
import io.overdrive.jobs.Mapping.Special;
import io.overdrive.jobs.Mapping.Target;
import io.overdrive.jobs.RowSink;
import io.overdrive.jobs.TimeField;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes rows with the times of their cells, which are columns after those of the table, and gives them to other sinks: in several parts if the
 * cells have different times, and without cells that have expired, unless these hide older values in the table. Static columns are a part without
 * the clustering columns, which is left out if the record before had the same ones. Confined to that thread; on the hot path.
 */
final class TimedRows extends RowSink {
    private static final int MISSING = -1;
    /** The group of a cell that is null, or has expired and is left out. */
    private static final int NO_GROUP = -1;
    /** Maximum time to live that a server accepts: 20 years. */
    private static final long MAX_SECONDS = 20L * 365 * 24 * 60 * 60;
    /** The time to live of a cell that has expired and hides an older value: the shortest that a server takes. */
    private static final int HIDING_SECONDS = 1;

    /** A sink of parts of rows. */
    private static final class Part {
        final RowSink sink;
        /** The column of a record for each of its columns. */
        final int[] sources;
        /** The same, but negative for a cell of another group. */
        final int[] chosen;

        Part(RowSink sink, List<String> columns) {
            this.sink = sink;
            sources = sink.columns().stream().mapToInt(columns::indexOf).toArray();
            chosen = new int[sources.length];
        }
    }

    private final List<String> names;
    private final Part rows;
    /** The part for cells without the row marker; null if there are none. */
    private final @Nullable Part cellsOnly;
    /** Null if there are no static columns that are written separately. */
    private final @Nullable Part statics;

    private final boolean areStatics;
    private final boolean isWhole;
    /** Whether cells that have expired are written, as the table may have the values that they replaced. */
    private final boolean hidesOlder;
    /** Null if nothing is acknowledged. */
    private final @Nullable PartCounts counts;

    private final LongSupplier seconds;
    /** The times of cells, and the groups of the row. */
    private final CellTimes times;
    /** The groups of its static columns. */
    private final CellTimes staticTimes;
    /** The group of each cell. */
    private final int[] groups;
    /** The column with the write time of each cell, which the expiry follows; negative for columns of the key. */
    private final int[] timeColumns;

    /** Columns that are written by the part for static columns. */
    private final boolean[] isStatic;
    /** Columns whose cells keep a row alive, or a partition if records have only static columns. */
    private final boolean[] keepsAlive;

    private final int markerColumn;

    private final Bytes partition = new Bytes(256);
    private byte[] lastPartition = {};
    /** Whether it is known if the row has a row marker. */
    private boolean isMarkerKnown;

    private boolean hasMarker;
    /** The remaining time to live of the row marker; 0 if it does not expire. */
    private int markerSeconds;
    /** Whether a cell of the row has expired, or its row marker. */
    private boolean hasExpired;
    /** The cells of the record that have expired, also static ones. */
    private int expired;

    private boolean isAlive;
    /** The time in seconds since 1970 at which it is decided which cells of the row have expired. */
    private long now;

    private long expiredCells;
    private long rowsLeftOut;

    /** @param sinks of one thread */
    private TimedRows(
            TableSchema form,
            int count,
            Sinks sinks,
            boolean isWhole,
            boolean hidesOlder,
            @Nullable PartCounts counts,
            LongSupplier seconds) {
        super(form);
        this.names = columns().subList(0, count);
        this.rows = new Part(sinks.rows(), names);
        this.cellsOnly = sinks.cellsOnly() == null ? null : new Part(sinks.cellsOnly(), names);
        this.statics = sinks.statics() == null ? null : new Part(sinks.statics(), names);
        this.areStatics = sinks.areStatics();
        this.isWhole = isWhole;
        this.hidesOlder = hidesOlder;
        this.counts = counts;
        this.seconds = seconds;
        this.times = new CellTimes(count);
        this.staticTimes = new CellTimes(count);
        this.groups = new int[count];
        this.timeColumns = new int[count];
        this.isStatic = new boolean[count];
        this.keepsAlive = new boolean[count];
        int next = count;
        for (int i = 0; i < count; i++) {
            Role role = form.columns().get(i).role();
            boolean isKey = form.columns().get(i).isKey();
            timeColumns[i] = isKey ? MISSING : next;
            next += isKey ? 0 : 2;
            isStatic[i] = statics != null && role == Role.STATIC;
            keepsAlive[i] = !isKey && (areStatics || role != Role.STATIC);
        }
        markerColumn = next;
    }

    /**
     * The sinks of a thread.
     *
     * @param rows of rows, or of the static columns of partitions
     * @param cellsOnly of cells without the row marker; null if there are none
     * @param statics of static columns of rows; null if there are none, or they are written with the rows
     * @param areStatics whether records have only the static columns of a partition
     */
    record Sinks(RowSink rows, @Nullable RowSink cellsOnly, @Nullable RowSink statics, boolean areStatics) {}

    /**
     * Takes rows of a table.
     *
     * @param isWhole whether rows are given as a whole, with the values that they have now
     * @param hidesOlder whether cells and row markers that have expired are written, with a second to live: the table may have the values
     *     that they replaced, which would be seen again without them. Their row markers stay as they are, unless the record knows its own.
     * @param counts of the parts of rows; null if nothing is acknowledged
     * @param seconds gives the time in seconds since 1970
     */
    static TimedRows of(
            TableSchema table,
            Sinks sinks,
            boolean isWhole,
            boolean hidesOlder,
            @Nullable PartCounts counts,
            LongSupplier seconds) {
        List<Column> columns = new ArrayList<>();
        for (String name : sinks.rows().columns()) {
            columns.addAll(table.columns().stream()
                    .filter(column -> column.name().equals(name))
                    .toList());
        }
        int count = columns.size();
        for (Column column : List.copyOf(columns)) {
            if (!column.isKey()) {
                addTimes(column.name(), columns);
            }
        }
        addTimes(/* column */ "", columns);
        return new TimedRows(
                new TableSchema(table.keyspace(), table.table(), columns),
                count,
                sinks,
                isWhole,
                hidesOlder,
                counts,
                seconds);
    }

    private static void addTimes(String column, List<Column> to) {
        for (Special special : List.of(Special.CELL_WRITETIME, Special.CELL_EXPIRY)) {
            to.add(new Column(new Target(column, special).toString(), DataTypes.BIGINT, Role.REGULAR));
        }
    }

    /** The place of a target among the columns of a sink: columns of the table come first, and one may have the name of another one's times. */
    static int[] place(Target target, List<String> columns) {
        int place = target.special() == Special.NONE
                ? columns.indexOf(target.column())
                : columns.lastIndexOf(target.toString());
        return place < 0 ? new int[0] : new int[] {place};
    }

    @Override
    public boolean mayRefuse() {
        return true;
    }

    /** The number of cells of rows that were taken which have expired, and were left out. */
    long expiredCells() {
        return expiredCells;
    }

    /** The number of rows that were taken and left out, because neither a cell nor the row marker keeps them alive. */
    long rowsLeftOut() {
        return rowsLeftOut;
    }

    @Override
    public @Nullable String problem() {
        String problem = readTimes();
        if (problem != null || isWhole) {
            return problem;
        }
        groupStatics();
        groupCells();
        Part apart = statics;
        if (apart != null) {
            problem = problem(apart, staticTimes);
        }
        return problem == null ? problem(rows, times) : problem;
    }

    /** Why one of the groups cannot be written. */
    private @Nullable String problem(Part part, CellTimes of) {
        for (int group = 0; group < of.groups() && part.sink.mayRefuse(); group++) {
            Part to = partOf(part, of, group);
            fill(to, of, group);
            String problem = to.sink.problem();
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    private @Nullable String readTimes() {
        now = seconds.getAsLong();
        hasExpired = false;
        expired = 0;
        readMarker();
        boolean hasCells = false;
        for (int i = 0; i < timeColumns.length; i++) {
            times.clear(i);
            groups[i] = NO_GROUP;
            if (timeColumns[i] < 0 || !has(i)) {
                continue;
            }
            if (!has(timeColumns[i])) {
                return "column \"" + names.get(i) + "\" has a value, and field \""
                        + columns().get(timeColumns[i])
                        + "\" has no write time for it: the elements of a collection or UDT may have had different ones";
            }
            String problem = readTimes(i);
            if (problem != null) {
                return problem;
            }
            hasCells |= keepsAlive[i] && groups[i] != NO_GROUP;
        }
        boolean isOnlyKey = !areStatics && !isMarkerKnown && !hasExpired;
        isAlive = hasCells || hasMarker || isOnlyKey;
        return null;
    }

    private void readMarker() {
        isMarkerKnown = !areStatics && has(markerColumn);
        hasMarker = false;
        if (isMarkerKnown && value(markerColumn) != TimeField.NO_MARKER) {
            long left = left(markerColumn + 1);
            hasMarker = left >= 0;
            hasExpired |= left < 0;
            markerSeconds = (int) left;
        }
    }

    private @Nullable String readTimes(int cell) {
        long micros = value(timeColumns[cell]);
        if (micros == CellTimes.OF_JOB) {
            return "field \"" + columns().get(timeColumns[cell]) + "\" is " + micros + ", which is no write time";
        }
        long left = left(timeColumns[cell] + 1);
        if (left > MAX_SECONDS) {
            return "field \"" + columns().get(timeColumns[cell] + 1) + "\" is more than 20 years from now, which is the"
                    + " maximum time to live; it is in seconds since 1970";
        }
        if (left < 0) {
            hasExpired |= keepsAlive[cell];
            expired++;
        } else {
            times.set(cell, micros, (int) left);
            groups[cell] = 0;
        }
        return null;
    }

    /** The time to live in seconds to write; 0 if there is no expiry, and negative if it has passed and nothing is to be written. */
    private long left(int column) {
        if (!has(column)) {
            return 0;
        }
        long expiry = value(column);
        long expired = hidesOlder ? HIDING_SECONDS : -1;
        return expiry <= now ? expired : expiry - now;
    }

    private boolean has(int column) {
        return buffer.isSet(column) && buffer.length(column) >= 0;
    }

    private long value(int column) {
        return Bytes.getLong(buffer.array(), buffer.offset(column));
    }

    /** Groups the static cells by their times, unless the record before has brought them. */
    private void groupStatics() {
        staticTimes.startGroups();
        boolean isNew = statics != null && !isOfLastPartition();
        for (int i = 0; i < groups.length && isNew; i++) {
            if (isStatic[i] && !times.isOfJob(i)) {
                groups[i] = staticTimes.group(times.writeTime(i), times.timeToLive(i));
            }
        }
    }

    /** Whether the record before has the same partition key, static cells and times of these. */
    private boolean isOfLastPartition() {
        Part apart = statics;
        partition.clear();
        for (int i = 0; apart != null && i < apart.sources.length; i++) {
            int column = apart.sources[i];
            append(column);
            if (timeColumns[column] >= 0) {
                append(timeColumns[column]);
                append(timeColumns[column] + 1);
            }
        }
        return Arrays.equals(partition.array(), 0, partition.length(), lastPartition, 0, lastPartition.length);
    }

    private void append(int column) {
        int length = has(column) ? buffer.length(column) : MISSING;
        partition.putInt(length);
        if (length > 0) {
            partition.put(buffer.array(), buffer.offset(column), length);
        }
    }

    /** Groups the cells of the row by their times, after the row marker if that is known. */
    private void groupCells() {
        times.startGroups();
        if (hasMarker) {
            times.group(value(markerColumn), markerSeconds);
        }
        for (int i = 0; i < groups.length; i++) {
            if (timeColumns[i] >= 0 && !isStatic[i] && !times.isOfJob(i)) {
                groups[i] = times.groupOf(i);
            }
        }
        if (times.groups() == 0 && isAlive) {
            times.group(CellTimes.OF_JOB, 0); // a row may have only its key
        }
    }

    /**
     * The part by which a group is written: if the row marker is known, only its group is written with it. If it is not, cells that hide older ones
     * are written without it, as it would end the life of a row marker that does not expire.
     */
    private Part partOf(Part part, CellTimes of, int group) {
        Part cells = cellsOnly;
        boolean isOfMarker = hasMarker && group == 0;
        boolean isHiding = hidesOlder && of.timeToLiveOf(group) == HIDING_SECONDS;
        boolean isOfCells = (isMarkerKnown && !isOfMarker) || (!isMarkerKnown && isHiding);
        return part == rows && isOfCells && cells != null ? cells : part;
    }

    /** Fills the buffer of a part's sink with the cells of a group. */
    private void fill(Part part, CellTimes of, int group) {
        boolean ofStatics = part == statics;
        for (int n = 0; n < part.sources.length; n++) {
            int source = part.sources[n];
            boolean isKey = timeColumns[source] < 0;
            boolean isOfGroup = groups[source] == group && isStatic[source] == ofStatics;
            part.chosen[n] = isKey || isOfGroup ? source : MISSING;
        }
        RowBuffer row = part.sink.row().copy(buffer, part.chosen);
        if (of.writeTimeOf(group) != CellTimes.OF_JOB) {
            row.setTimestamp(of.writeTimeOf(group)).setTtl(of.timeToLiveOf(group));
        }
    }

    @Override
    public void take() {
        expiredCells += expired;
        rowsLeftOut += isAlive ? 0 : 1;
        if (isWhole) {
            takeWhole();
            return;
        }
        if (counts != null) {
            counts.begin(buffer.position(), staticTimes.groups() + times.groups());
        }
        Part apart = statics;
        if (apart != null && staticTimes.groups() > 0) {
            take(apart, staticTimes, /* isMore */ times.groups() > 0);
            lastPartition = partition.toByteArray();
        }
        take(rows, times, /* isMore */ false);
    }

    /** @param isMore whether none of the groups stands for the row */
    private void take(Part part, CellTimes of, boolean isMore) {
        for (int group = 0; group < of.groups(); group++) {
            Part to = partOf(part, of, group);
            fill(to, of, group);
            if (isMore || group > 0) {
                to.sink.takeMore();
            } else {
                to.sink.take();
            }
        }
    }

    /** Gives the row with all cells that have not expired, or the static ones if nothing keeps the row alive. */
    private void takeWhole() {
        Part to = isAlive ? rows : statics;
        boolean hasCells = false;
        for (int n = 0; to != null && n < to.sources.length; n++) {
            int source = to.sources[n];
            boolean isCell = timeColumns[source] >= 0;
            boolean isLive = !isCell || groups[source] != NO_GROUP;
            hasCells |= isLive && isCell;
            to.chosen[n] = isLive ? source : MISSING;
        }
        if (to != null && (isAlive || hasCells)) {
            to.sink.row().copy(buffer, to.chosen);
            to.sink.take();
        }
    }
}
