package io.overdrive.jobs.diff;

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
import io.overdrive.jobs.journal.Acknowledged;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes to the right table what it lacks, with the write time of the comparison. Thread-safe; each thread uses its own
 * {@link Part}.
 */
final class Repair implements AutoCloseable {
    private final List<Column> columns;
    private final @Nullable RowWriter rows;
    private final @Nullable RowWriter statics;
    private final @Nullable RowWriter deletes;
    /** Deletes static columns with the first row of their partition, which counts for both. */
    private final @Nullable RowWriter staticsOfDeleted;

    /** Held by each thread while it sends, and alone by the one that waits for acknowledgements. */
    private final ReadWriteLock sending = new ReentrantReadWriteLock();

    private Repair(
            List<Column> columns,
            @Nullable RowWriter rows,
            @Nullable RowWriter statics,
            @Nullable RowWriter deletes,
            @Nullable RowWriter staticsOfDeleted) {
        this.columns = columns;
        this.rows = rows;
        this.statics = statics;
        this.deletes = deletes;
        this.staticsOfDeleted = staticsOfDeleted;
    }

    /** @param columns the compared columns, the primary key first */
    static Repair open(
            Overdrive overdrive, TableSchema table, List<Column> columns, DiffOptions options, Duration patience) {
        if (table.isCounter()) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    "[" + table.cqlName() + "] holds counters, which can be incremented, but not set to a value: they"
                            + " cannot be repaired");
        }
        List<RowWriter> open = new ArrayList<>();
        try {
            RowWriter rows = null;
            RowWriter statics = null;
            RowWriter deletes = null;
            RowWriter staticsOfDeleted = null;
            List<String> names = columns.stream().map(Column::name).toList();
            if (options.repair()) {
                rows = writer(
                        overdrive, open, into(table, options).columns(names).patience(patience));
            }
            if (columns.stream().anyMatch(c -> c.role() == Role.STATIC)) {
                List<String> ofPartition = columns.stream()
                        .filter(c -> c.role() == Role.STATIC || c.role() == Role.PARTITION_KEY)
                        .map(Column::name)
                        .toList();
                statics = writer(
                        overdrive,
                        open,
                        into(table, options).columns(ofPartition).patience(patience));
            }
            if (options.repairDeletes()) {
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
                staticsOfDeleted = statics == null ? null : statics.separate();
            }
            return new Repair(columns, rows, statics, deletes, staticsOfDeleted);
        } catch (RuntimeException e) {
            open.forEach(RowWriter::close);
            throw e;
        }
    }

    private static WriteOptions.Builder into(TableSchema table, DiffOptions options) {
        return WriteOptions.into(table.keyspace(), table.table()).consistency(options.writeConsistency());
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
        return Stream.of(rows, statics, deletes, staticsOfDeleted).filter(Objects::nonNull);
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
        try {
            close(rows);
        } finally {
            try {
                close(statics);
            } finally {
                try {
                    close(deletes);
                } finally {
                    close(staticsOfDeleted);
                }
            }
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

    private static void close(@Nullable RowWriter writer) {
        if (writer != null) {
            writer.close();
        }
    }

    /** Confined to one thread. */
    final class Part {
        private final @Nullable RowWriter toRows = fork(rows);
        private final @Nullable RowWriter toStatics = fork(statics);
        private final @Nullable RowWriter toDeletes = fork(deletes);
        private final @Nullable RowWriter toStaticsOfDeleted = fork(staticsOfDeleted);

        /** Writes a row of the left table that the right one lacks. */
        void insert(RowCursor row, boolean isStaticsOnly) {
            RowWriter writer = isStaticsOnly ? toStatics : toRows;
            if (writer == null || rows == null) {
                return;
            }
            RowBuffer to = writer.row();
            List<String> names = writer.columns();
            for (int i = 0; i < names.size(); i++) {
                int from = isStaticsOnly ? indexOf(names.get(i)) : i;
                if (!row.isNull(from)) {
                    to.setBytes(i, row.array(), row.offset(from), row.length(from));
                }
            }
            send(writer);
        }

        /** Writes the values of a row, or of static columns, that differ in the right table; nulls too. */
        void change(RowCursor row, boolean[] differs, boolean ofStatics) {
            RowWriter writer = ofStatics ? toStatics : toRows;
            if (writer == null || rows == null) {
                return;
            }
            RowBuffer to = writer.row();
            List<String> names = writer.columns();
            for (int i = 0; i < names.size(); i++) {
                int from = ofStatics ? indexOf(names.get(i)) : i;
                if (!columns.get(from).isKey() && !differs[from]) {
                    continue;
                }
                if (row.isNull(from)) {
                    to.setNull(i);
                } else {
                    to.setBytes(i, row.array(), row.offset(from), row.length(from));
                }
            }
            send(writer);
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
            RowWriter ofPartition = isStaticsOnly ? toStatics : toStaticsOfDeleted;
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
