package io.overdrive.jobs.diff;

import com.datastax.oss.driver.api.core.type.ListType;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Reach;
import io.overdrive.RowBuffer;
import io.overdrive.RowCursor;
import io.overdrive.RowWriter;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.WriteOptions;
import io.overdrive.internal.flow.Waits;
import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.CellConverter;
import io.overdrive.jobs.CellTimes;
import io.overdrive.jobs.KeptTimes;
import io.overdrive.jobs.diff.DiffOptions.Repaired;
import io.overdrive.jobs.journal.Acknowledged;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes to the right table what it lacks, with the write time of the comparison or with the times of the left table. Thread-safe; each
 * thread uses its own {@link Part}.
 */
final class Repair implements AutoCloseable {
    /** The grouping memory of writers that get few rows. */
    private static final long MEMORY_OF_FEW = 4 << 20;

    private final DiffPlan plan;
    private final DiffOptions options;
    /** The compared columns of the right table, the primary key first. */
    private final List<Column> columns;

    private final @Nullable RowWriter rows;
    /** Further cells of rows that count already, with other times. */
    private final @Nullable RowWriter moreOfRows;

    private final @Nullable RowWriter statics;
    /** Static columns of partitions whose rows count, and further ones with other times. */
    private final @Nullable RowWriter moreOfStatics;

    private final @Nullable RowWriter deletes;

    /** Held by each thread while it sends, and alone by the one that waits for acknowledgements. */
    private final ReadWriteLock sending = new ReentrantReadWriteLock();

    private Repair(
            DiffPlan plan,
            DiffOptions options,
            @Nullable RowWriter rows,
            @Nullable RowWriter statics,
            @Nullable RowWriter deletes) {
        this.plan = plan;
        this.options = options;
        this.columns = plan.rightColumns();
        this.rows = rows;
        this.statics = statics;
        this.deletes = deletes;
        moreOfRows = rows == null || !options.keepsTimes() ? null : rows.separate(MEMORY_OF_FEW);
        moreOfStatics = statics == null ? null : statics.separate(MEMORY_OF_FEW);
    }

    static Repair open(
            Overdrive overdrive,
            TableSchema left,
            TableSchema table,
            DiffPlan plan,
            DiffOptions options,
            Duration patience) {
        if (table.isCounter()) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    "[" + table.cqlName() + "] holds counters, which can be incremented, but not set to a value: they"
                            + " cannot be repaired");
        }
        List<Column> columns = plan.rightColumns();
        if (options.keepsTimes()) {
            KeptTimes.refuseCounters(left);
            columns.forEach(column -> refuseList(table, column));
        }
        List<RowWriter> open = new ArrayList<>();
        try {
            RowWriter rows = null;
            RowWriter statics = null;
            RowWriter deletes = null;
            boolean hasStatics = columns.stream().anyMatch(c -> c.role() == Role.STATIC);
            if (options.writes()) {
                WriteOptions.Builder ofRows = into(table, options)
                        .columns(names(columns, c -> c.role() != Role.STATIC))
                        .patience(patience);
                rows = writer(overdrive, open, timed(ofRows, options));
            }
            if (hasStatics) {
                WriteOptions.Builder ofPartitions = into(table, options)
                        .columns(names(columns, c -> c.role() == Role.STATIC || c.role() == Role.PARTITION_KEY))
                        .patience(patience);
                statics = writer(overdrive, open, timed(ofPartitions, options));
            }
            if (options.repairs(Repaired.EXTRA)) {
                String delete = "DELETE FROM " + table.cqlName() + " WHERE "
                        + columns.stream()
                                .filter(Column::isKey)
                                .map(c -> c.cqlName() + " = ?")
                                .collect(Collectors.joining(" AND "));
                deletes = writer(
                        overdrive,
                        open,
                        WriteOptions.statement(delete)
                                .consistency(options.writeConsistency())
                                .patience(patience));
            }
            return new Repair(plan, options, rows, statics, deletes);
        } catch (RuntimeException e) {
            open.forEach(RowWriter::close);
            throw e;
        }
    }

    /** The server gives each element a new key, so that a request that is sent again would add the elements again. */
    private static void refuseList(TableSchema table, Column column) {
        if (column.type() instanceof ListType && CellConverter.isMultiCell(column.type())) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    words -> "[" + table.cqlName() + "] column \"" + column.name() + "\" is a list: with "
                            + words.of(JobOption.KEEP_TIMES) + ", a request that is sent again would add its elements"
                            + " again; choose other columns with " + words.of(JobOption.COLUMNS)
                            + ", or repair without " + words.of(JobOption.KEEP_TIMES));
        }
    }

    private static List<String> names(List<Column> columns, Predicate<Column> chosen) {
        return columns.stream().filter(chosen).map(Column::name).toList();
    }

    private static WriteOptions.Builder into(TableSchema table, DiffOptions options) {
        return WriteOptions.into(table.keyspace(), table.table()).consistency(options.writeConsistency());
    }

    private static WriteOptions.Builder timed(WriteOptions.Builder write, DiffOptions options) {
        return options.keepsTimes() ? write.rowTimestamp().rowTtl() : write;
    }

    private static RowWriter writer(Overdrive overdrive, List<RowWriter> open, WriteOptions.Builder options) {
        RowWriter writer = overdrive.writer(options.bulk().build());
        open.add(writer);
        return writer;
    }

    Part part() {
        return new Part();
    }

    private Stream<RowWriter> writers() {
        return Stream.of(rows, moreOfRows, statics, moreOfStatics, deletes).filter(Objects::nonNull);
    }

    /** Which nodes its writes reach. */
    Reach reach() {
        return writers().findFirst().orElseThrow().reach();
    }

    /** Differences that are repaired: rows, and static columns of partitions. */
    long repaired() {
        return written(rows) + written(statics) + written(deletes);
    }

    /** Where each of its writers has waited. */
    List<Waits> waits() {
        return writers().map(RowWriter::waits).toList();
    }

    private static long written(@Nullable RowWriter writer) {
        return writer == null ? 0 : writer.totals().rowsWritten();
    }

    /**
     * Waits until all repairs are acknowledged that were sent before; further ones wait meanwhile.
     *
     * @return false if they are not, after a while
     */
    boolean awaitWritten() {
        sending.writeLock().lock();
        try {
            return Acknowledged.await(writers().toList());
        } finally {
            sending.writeLock().unlock();
        }
    }

    /** Waits until all is written. */
    @Override
    public void close() {
        RuntimeException failure = null;
        for (RowWriter writer : writers().toList()) {
            try {
                writer.close();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void send(RowWriter writer) {
        sending.readLock().lock();
        try {
            writer.send();
        } finally {
            sending.readLock().unlock();
        }
    }

    private static @Nullable RowWriter fork(@Nullable RowWriter writer) {
        return writer == null ? null : writer.fork();
    }

    /** Confined to one thread. */
    final class Part {
        private static final int NO_GROUP = -1;

        private final @Nullable RowWriter toRows = fork(rows);
        private final @Nullable RowWriter toMoreOfRows = fork(moreOfRows);
        private final @Nullable RowWriter toStatics = fork(statics);
        private final @Nullable RowWriter toMoreOfStatics = fork(moreOfStatics);
        private final @Nullable RowWriter toDeletes = fork(deletes);
        private final LeftCells cells = new LeftCells(plan, /* tolerance */ 0);
        private final CellTimes times = new CellTimes(columns.size(), CellTimes::now);
        private final int[] groups = new int[columns.size()];
        private final boolean[] all = new boolean[columns.size()];

        private Part() {
            Arrays.fill(all, true);
        }

        /**
         * Writes a row of the left table that the right one lacks.
         *
         * @param withStatics whether the right table has nothing of the partition, and this is its first row, so that static columns are
         *     written, too
         * @return false if it cannot be written
         */
        boolean insert(RowCursor row, boolean isStaticsOnly, boolean withStatics) {
            RowWriter ofPartition = isStaticsOnly ? toStatics : toMoreOfStatics;
            if (!options.repairs(Repaired.MISSING) || toRows == null) {
                return true;
            }
            boolean done = true;
            if (!isStaticsOnly) {
                done = write(row, Role.REGULAR, all, /* isChange */ false, toRows);
            }
            if (withStatics && ofPartition != null) {
                done &= write(row, Role.STATIC, all, /* isChange */ false, ofPartition);
            }
            return done;
        }

        /**
         * Writes the values of a row, or of static columns, that differ in the right table; nulls too.
         *
         * @return false if they cannot be written
         */
        boolean change(RowCursor row, boolean[] differs, boolean ofStatics) {
            RowWriter writer = ofStatics ? toStatics : toRows;
            return !options.repairs(Repaired.DIFFERENT)
                    || writer == null
                    || write(row, ofStatics ? Role.STATIC : Role.REGULAR, differs, /* isChange */ true, writer);
        }

        /**
         * Writes cells as one row for all of the same times.
         *
         * @param role of the cells
         * @param isChange whether nulls are written, too, unless times are kept: a null has no time, so that a newer value of the right
         *     table would be lost
         * @param first the writer of the first of these rows
         * @return false if a cell cannot be written with its value and its time, or a column of the key differs
         */
        private boolean write(RowCursor row, Role role, boolean[] chosen, boolean isChange, RowWriter first) {
            boolean isComplete = true;
            cells.begin();
            times.age(row);
            times.startGroups();
            for (int i = 0; i < columns.size(); i++) {
                groups[i] = NO_GROUP;
                if (columns.get(i).isKey()) {
                    cells.take(row, i);
                    isComplete &= !isChange || !chosen[i]; // an equal key with other bytes stays as it is
                } else if (columns.get(i).role() == role && chosen[i]) {
                    if (!cells.take(row, i) || !takeTimes(row, i)) {
                        return false;
                    }
                    boolean isLeft = isChange && cells.length(i) < 0 && options.keepsTimes();
                    isComplete &= !isLeft;
                    groups[i] = cells.length(i) >= 0 || (isChange && !isLeft) ? times.groupOf(i) : NO_GROUP;
                }
            }
            if (times.groups() == 0 && role == Role.REGULAR && !isChange) { // a row may have only its key
                times.group(CellTimes.OF_JOB, 0);
            }
            for (int group = 0; group < times.groups(); group++) {
                write(group == 0 ? first : more(role), group);
            }
            return isComplete;
        }

        private boolean takeTimes(RowCursor row, int column) {
            times.clear(column);
            return !options.keepsTimes()
                    || cells.length(column) < 0
                    || times.read(
                            column,
                            row,
                            columns.size() + 2 * (column - plan.keyColumns()),
                            CellConverter.isMultiCell(plan.columns().get(column).type()));
        }

        private RowWriter more(Role role) {
            return Objects.requireNonNull(role == Role.STATIC ? toMoreOfStatics : toMoreOfRows);
        }

        private void write(RowWriter writer, int group) {
            RowBuffer to = writer.row();
            List<String> names = writer.columns();
            for (int i = 0; i < names.size(); i++) {
                int from = indexOf(names.get(i));
                if (columns.get(from).isKey() || groups[from] == group) {
                    put(to, i, from);
                }
            }
            if (times.writeTimeOf(group) != CellTimes.OF_JOB) {
                to.setTimestamp(times.writeTimeOf(group)).setTtl(times.timeToLiveOf(group));
            }
            send(writer);
        }

        private void put(RowBuffer to, int column, int from) {
            if (cells.length(from) < 0) {
                to.setNull(column);
            } else if (cells.isConverted(from)) {
                to.begin(column).put(cells.array(from), cells.offset(from), cells.length(from));
                to.end(column);
            } else {
                to.setBytes(column, cells.array(from), cells.offset(from), cells.length(from));
            }
        }

        /**
         * Deletes a row that the left table lacks.
         *
         * @param withStatics whether the left table has nothing of the partition, and this is its first row, so that static columns are
         *     deleted too
         */
        void delete(RowCursor row, boolean isStaticsOnly, boolean withStatics) {
            RowWriter writer = toDeletes;
            if (writer == null) {
                return;
            }
            if (!isStaticsOnly) {
                RowBuffer to = writer.row();
                for (int i = 0; i < writer.columns().size(); i++) {
                    to.setBytes(i, row.array(), row.offset(i), row.length(i));
                }
                send(writer);
            }
            RowWriter ofPartition = isStaticsOnly ? toStatics : toMoreOfStatics;
            if (withStatics && ofPartition != null) {
                RowBuffer to = ofPartition.row();
                for (int i = 0; i < ofPartition.columns().size(); i++) {
                    int from = indexOf(ofPartition.columns().get(i));
                    if (columns.get(from).isKey()) {
                        to.setBytes(i, row.array(), row.offset(from), row.length(from));
                    } else {
                        to.setNull(i);
                    }
                }
                send(ofPartition);
            }
        }

        private int indexOf(String name) {
            for (int i = 0; i < columns.size(); i++) {
                if (columns.get(i).name().equals(name)) {
                    return i;
                }
            }
            throw new IllegalStateException("no column " + name);
        }
    }
}
