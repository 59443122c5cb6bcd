package io.overdrive;

import com.datastax.oss.driver.api.core.CqlSession;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.cql.Columns;
import io.overdrive.internal.cql.SameTable;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.internal.flow.ThreadWaits;
import io.overdrive.internal.flow.Waits;
import io.overdrive.internal.request.RememberedSizes;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.internal.wire.Transport;
import io.overdrive.internal.write.BatchLimit;
import io.overdrive.internal.write.Gathering;
import io.overdrive.internal.write.Grouper;
import io.overdrive.internal.write.RepeatedKeys;
import io.overdrive.internal.write.WriteClock;
import io.overdrive.internal.write.WriteLayout;
import io.overdrive.internal.write.WritePlanner;
import io.overdrive.internal.write.WriteRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows to a table: groups rows of a partition, sends them to a replica, and limits requests in flight. Confined to one
 * producer thread; {@link #fork} makes a writer for another thread, {@link #separate} one for an independent job. On the hot
 * path (write step 2).
 *
 * <pre>{@code
 * try (RowWriter users = overdrive.writer(WriteOptions.into("shop", "users").columns("id", "name").build())) {
 *     for (User u : source) {
 *         users.row().setLong(0, u.id()).setText(1, u.name());
 *         users.send();
 *     }
 * }
 * }</pre>
 *
 * <p>Above 500 lines because each call that programs use has its contract here, next to the way of a row into its group.
 */
public final class RowWriter implements AutoCloseable {
    private static final int UNSET_VALUE = -2;
    private static final int NO_ATTACHMENT = -1;

    /** State that a writer and those separate from it share; it lives as long as the connection. Thread-safe. */
    private record Shared(
            Transport transport,
            CqlSession session,
            WriteLayout layout,
            WriteOptions options,
            Limiter limiter,
            BatchLimit batchLimit,
            RememberedSizes remembered,
            long baseTimestamp,
            @Nullable Gathering gathering,
            SameTable table) {
        static Shared of(
                Transport transport, CqlSession session, WriteLayout layout, WriteOptions options, long baseTimestamp) {
            RememberedSizes remembered = new RememberedSizes(transport, layout.tableName, layout.prepared.text());
            Limiter limiter = Grouper.limiter(transport, layout, options, remembered);
            SameTable table = SameTable.of(session, layout.keyspace, layout.table, /* columns */ List.of());
            return new Shared(transport, session, layout, options, limiter, remembered, baseTimestamp, table);
        }

        private Shared(
                Transport transport,
                CqlSession session,
                WriteLayout layout,
                WriteOptions options,
                Limiter limiter,
                RememberedSizes remembered,
                long baseTimestamp,
                SameTable table) {
            this(
                    transport,
                    session,
                    layout,
                    options,
                    limiter,
                    BatchLimit.of(session, layout, options, limiter),
                    remembered,
                    baseTimestamp,
                    Gathering.of(transport, session, layout, options),
                    table);
        }

        /** Makes the same for other rows of the table, which share the limits and the write times. */
        Shared with(WriteLayout other) {
            return new Shared(transport, session, other, options, limiter, remembered, baseTimestamp, table);
        }

        void keepFoundSizes() {
            remembered.keep(WriteSetting.BATCH_BYTES.name(), limiter.foundBytes());
        }
    }

    /** State that a writer and its forks share. Thread-safe. */
    private static final class Job {
        final Shared shared;
        final Grouper grouper;
        final AtomicLong nextPosition = new AtomicLong();
        final LongAdder rowsTaken = new LongAdder();
        final Queue<Highest> highest = new ConcurrentLinkedQueue<>();
        final AtomicBoolean closed = new AtomicBoolean();
        final @Nullable RepeatedKeys repeatedKeys;

        Job(Shared shared, long groupingMemory) {
            this.shared = shared;
            this.repeatedKeys = shared.options.countsRepeatedKeys() && shared.layout.rules.replacesRows()
                    ? new RepeatedKeys()
                    : null;
            this.grouper = new Grouper(
                    shared.transport,
                    shared.layout,
                    shared.options,
                    shared.limiter,
                    shared.batchLimit,
                    groupingMemory,
                    shared.baseTimestamp,
                    shared.gathering);
        }
    }

    /** The highest position whose row got its write time from this writer. Written by its thread; exact once that has ended. */
    private static final class Highest {
        long position = -1;
    }

    private final Job job;
    private final boolean isFork;
    private final WriteLayout layout;
    private final Grouper grouper;
    private final long baseTimestamp;
    private final RowBuffer row;
    private final Highest highest = new Highest();
    private final boolean attachments;
    private final RepeatedKeys.@Nullable Part repeatedKeys;
    private final List<WriteRequest> ready = new ArrayList<>();
    private final Bytes key = new Bytes(128);
    private final RoutingKey routingKey = new RoutingKey();
    private final Bytes record = new Bytes(512);
    private byte[] lastKey = {};
    private int lastKeyLength = -1;
    private long lastToken;

    RowWriter(Transport transport, CqlSession session, WriteLayout layout, WriteOptions options, long baseTimestamp) {
        this(
                new Job(Shared.of(transport, session, layout, options, baseTimestamp), options.groupingMemory()),
                /* isFork */ false);
    }

    private RowWriter(Job job, boolean isFork) {
        this.job = job;
        this.isFork = isFork;
        this.layout = job.shared.layout;
        this.grouper = job.grouper;
        this.baseTimestamp = job.shared.baseTimestamp;
        this.row = new RowBuffer(layout);
        this.attachments = job.shared.options.attachments();
        this.repeatedKeys = job.repeatedKeys == null ? null : job.repeatedKeys.part();
        job.highest.add(highest);
    }

    /**
     * A writer for another producer thread that shares everything with this one: groups, limits, totals and failures. Its
     * {@link #close} does nothing; closing the original writer writes the rows of all forks. May be called by any thread.
     */
    public RowWriter fork() {
        return new RowWriter(job, /* isFork */ true);
    }

    /** Like {@link #separate(long)}, with the grouping memory of the options. */
    public RowWriter separate() {
        return separate(job.shared.options.groupingMemory());
    }

    /**
     * An independent writer for the same prepared statement: it has its own groups, totals, failures and {@link #close}, and
     * shares the limits of requests in flight to each node, the rate limits, the reject handler and the base of write times with
     * this one. Rows without a {@link RowBuffer#position} are numbered from 0 in each writer, so jobs that may write the same
     * row should set it. Either writer may be closed first. May be called by any thread, even after this writer was closed.
     *
     * @param groupingMemory memory in bytes for rows of the new writer that wait for others, in addition to this writer's
     * @throws IllegalArgumentException if it is less than 1 MiB, or too much for the Java heap
     */
    public RowWriter separate(long groupingMemory) {
        WriteOptions.checkGroupingMemory(groupingMemory);
        return new RowWriter(new Job(job.shared, groupingMemory), /* isFork */ false);
    }

    /**
     * A writer for the static columns of partitions that have no row: it has those columns of this writer, without the clustering columns.
     * It has its own groups, totals, failures and {@link #close}, and shares the limits of requests in flight to each node, the rate limits
     * and the reject handler with this one, and the write times of positions. Empty if this writer has no static column or no clustering
     * column, or writes by a statement. For Overdrive's own modules.
     */
    public Optional<RowWriter> forStatics() {
        WriteOptions options = job.shared.options;
        Optional<TableSchema> table = options.statement() != null
                ? Optional.empty()
                : Columns.relation(job.shared.session.getMetadata(), layout.keyspace, layout.table)
                        .map(TableSchema::of);
        if (table.isEmpty() || !has(table.get(), Role.STATIC) || !has(table.get(), Role.CLUSTERING)) {
            return Optional.empty();
        }
        WriteLayout ofStatics = new WritePlanner(job.shared.session, options).forStatics(table.get(), layout);
        return Optional.of(
                new RowWriter(new Job(job.shared.with(ofStatics), options.groupingMemory()), /* isFork */ false));
    }

    private boolean has(TableSchema table, Role role) {
        return table.columns().stream()
                .anyMatch(c -> c.role() == role && columns().contains(c.name()));
    }

    /** Keyspace of the table, not quoted. */
    public String keyspace() {
        return layout.keyspace.asInternal();
    }

    /** Name of the table, not quoted. */
    public String table() {
        return layout.table.asInternal();
    }

    /** The columns' names as in the schema, or the bind markers' names, in the order of the setters. */
    public List<String> columns() {
        return layout.columnNames();
    }

    /** The columns' types, in the order of the setters. */
    public List<com.datastax.oss.driver.api.core.type.DataType> types() {
        return layout.columnTypes();
    }

    /** The statement that the server prepared. */
    public String statement() {
        return layout.prepared.text();
    }

    /** Whether rows get no row marker ({@link WriteOptions#cellsOnly}). For Overdrive's own modules. */
    public boolean writesCellsOnly() {
        return job.shared.options.cellsOnly();
    }

    /**
     * Counts the key of the current row, which has all of it, as {@link #send} does ({@link Totals#repeatedKeys}), and does not write the
     * row. For Overdrive's own modules.
     */
    public void countKey() {
        if (repeatedKeys != null) {
            repeatedKeys.add(keyHash(token()));
        }
    }

    /** As {@link #countKey()}, with the token of the row's partition. For Overdrive's own modules. */
    public void countKey(long token) {
        if (repeatedKeys != null) {
            repeatedKeys.add(keyHash(token));
        }
    }

    /** The token of the current row's partition; the row has all of its key. For Overdrive's own modules. */
    public long partitionToken() {
        return token();
    }

    /** Bytes of the current row in a request with other rows of its partition. For Overdrive's own modules. */
    public int rowBytes() {
        int bytes = layout.rowHeader.length + (layout.pinsTimestamp ? Integer.BYTES + Long.BYTES : 0);
        for (int slot = 0; slot < layout.givenMarkers; slot++) {
            bytes += row.starts[slot] < 0 ? Integer.BYTES : row.ends[slot] - row.starts[slot];
        }
        boolean getsWriteTime = row.timestampSlot >= 0 && row.starts[row.timestampSlot] < 0;
        return bytes + (getsWriteTime ? Long.BYTES : 0);
    }

    /** Whether rows may have values that the server would hide ({@link RowBuffer#hiddenValue}). For Overdrive's own modules. */
    public boolean mayHideValues() {
        return layout.hidden.isPossible();
    }

    /** The write time of position 0, in microseconds since 1970. */
    public long baseTimestamp() {
        return baseTimestamp;
    }

    /** The write time of a row at this position that does not carry its own, in microseconds since 1970. */
    public long writeTime(long position) {
        return layout.writeTime(baseTimestamp, position);
    }

    /** Write times of all rows taken until now, including those of forks; empty if the server sets them, or each row its own. */
    public Optional<WriteTimes> writeTimes() {
        return layout.rules.setsWriteTime()
                ? Optional.of(new WriteTimes(
                        baseTimestamp, WriteClock.SYSTEM.ahead(lastWriteTime()), layout.rules.isRepeatable()))
                : Optional.empty();
    }

    /**
     * As {@link #writeTimes()}, for rows of which this writer has made only the write times, up to a position. For Overdrive's own
     * modules.
     */
    public WriteTimes writeTimes(long lastPosition) {
        return new WriteTimes(
                baseTimestamp,
                WriteClock.SYSTEM.ahead(layout.lastWriteTime(baseTimestamp, lastPosition)),
                layout.rules.isRepeatable());
    }

    /** 0 if no row was taken yet. */
    private long lastWriteTime() {
        long last = job.highest.stream().mapToLong(h -> h.position).max().orElse(-1);
        return last < 0 ? 0 : layout.lastWriteTime(baseTimestamp, last);
    }

    /**
     * The grouping in effect: NONE if each partition is a single row, or if rows of the statement cannot share a request. Whether single
     * rows share requests may change at any time: {@link Totals#batches} counts these.
     */
    public Grouping grouping() {
        return layout.grouping;
    }

    /** Whether single rows share requests while that is faster ({@link WriteOptions#gathersSingles}). */
    public boolean gathersSingles() {
        return job.shared.gathering != null;
    }

    /** Maximum number of single rows in a request; 1 if they never share one. For Overdrive's own modules. */
    public int maxGatheredRows() {
        Gathering gathering = job.shared.gathering;
        return gathering == null ? 1 : gathering.maxRows();
    }

    /** The effect of writing the same rows a second time from the same {@link #baseTimestamp}. */
    public Repetition repetition() {
        return layout.rules.repetition();
    }

    /** Which nodes the rows reach. */
    public Reach reach() {
        return Reach.of(
                job.shared.transport.metadata(),
                layout.keyspace,
                layout.table,
                job.shared.options.consistency(),
                layout.rules.hasConditions());
    }

    /** Starts a row and discards values that were set since the last {@link #send}. Always the same buffer. */
    public RowBuffer row() {
        row.clear();
        return row;
    }

    /**
     * Takes the row, copying its bytes; waits while the limits of requests in flight are reached. The row is then pending: it will
     * be written or rejected. If this throws, the row was not taken.
     *
     * @throws OverdriveException of kind ROW if a key column is not set, or the row brings a write time from before one of its columns
     *     was dropped and added again, so that the server would hide the value; or INTERRUPTED; the writer can continue. Or of the
     *     kind of the first failure, WRITE or DISK, if the writer has failed
     */
    public void send() {
        take(null, /* mayWait */ true);
    }

    /**
     * As {@link #send()}, and calls back when the row is written, or will not be by this writer. If this throws, the row was not taken,
     * and the callback is not called for it. A row with a callback is never spilled to disk. Without a linger ({@link
     * WriteOptions#linger}) the row may wait until {@link #flush}.
     */
    public void send(RowCallback callback) {
        take(callback, /* mayWait */ true);
    }

    /**
     * As {@link #send(RowCallback)}, with a future that completes when the row is written. It completes exceptionally with an {@link
     * OverdriveException}, as {@link RowCallback#ended} says. Actions that depend on it run on the thread of the callbacks, which must not be made
     * to wait; use the {@code …Async} methods for longer work. Cancelling it has no effect on the row.
     *
     * @throws OverdriveException as {@link #send()} does
     */
    public CompletableFuture<@Nullable Void> sendAsync() {
        RowFuture future = new RowFuture();
        take(future, /* mayWait */ true);
        return future;
    }

    /**
     * As {@link #send()}, without waiting for the cluster: takes the row and returns true, or returns false at once and leaves the row in
     * the buffer, for another call, or to be dropped by {@link #row()}. It returns false while a request of earlier rows waits for the
     * limits of requests in flight, while a rate limit or the guard holds rows back, and while the reject handler does not keep up. Rows
     * then come faster than the cluster takes them; {@link Totals#rowsPending} is the backlog.
     *
     * <p>With a linger ({@link WriteOptions#linger}), rows first gather in the grouping memory. Without one, rows that do not fit there are
     * written to disk, and the call waits for the disk.
     *
     * @throws OverdriveException as {@link #send()} does
     */
    public boolean trySend() {
        return trySend(null);
    }

    /** As {@link #trySend()}, and calls back as {@link #send(RowCallback)} does if the row is taken. */
    public boolean trySend(@Nullable RowCallback callback) {
        grouper.failIfFailed();
        if (!grouper.isReady()) {
            return false;
        }
        take(callback, /* mayWait */ false);
        return true;
    }

    private static final class RowFuture extends CompletableFuture<@Nullable Void> implements RowCallback {
        @Override
        public void ended(long position, @Nullable OverdriveException failure) {
            if (failure == null) {
                complete(null);
            } else {
                completeExceptionally(failure);
            }
        }
    }

    private void take(@Nullable RowCallback callback, boolean mayWait) {
        grouper.failIfFailed();
        if (Thread.currentThread().isInterrupted()) {
            throw new OverdriveException(Kind.INTERRUPTED, "the thread is interrupted");
        }
        int missing = row.missingKeyColumn();
        if (missing >= 0) {
            throw new OverdriveException(
                    Kind.ROW,
                    "[" + layout.tableName + "] key column \""
                            + layout.columnNames().get(missing) + "\" is not set: every row needs it");
        }
        String hidden = row.hiddenValue();
        if (hidden != null) {
            throw new OverdriveException(Kind.ROW, "[" + layout.tableName + "] " + hidden);
        }
        if (row.position < 0) {
            row.position = job.nextPosition.getAndIncrement();
        }
        boolean hasItsOwnTime = row.timestampSlot >= 0 && row.starts[row.timestampSlot] >= 0;
        if (!hasItsOwnTime) {
            if (row.timestampSlot >= 0) {
                row.setTimestamp(layout.writeTime(baseTimestamp, row.position));
            }
            if (row.position > highest.position) {
                highest.position = row.position;
            }
        }
        job.rowsTaken.increment();
        long token = token();
        if (repeatedKeys != null) {
            repeatedKeys.add(keyHash(token));
        }
        switch (layout.grouping) {
            case PARTITION -> group(token, token, key.array(), key.length(), layout.prefixMarkers, callback, mayWait);
            case REPLICA_SET -> {
                Ring.ReplicaSet set = grouper.ring().replicas(token);
                key.clear();
                key.putInt(set.id());
                group(set.id() * 0x9E3779B97F4A7C15L, token, key.array(), key.length(), 0, callback, mayWait);
                lastKeyLength = -1;
            }
            case NONE -> sendSingle(token, callback, mayWait);
        }
        row.clear();
        record.clear(); // frees a large buffer: the next row of this thread may be a long time away
    }

    /**
     * The partition's token; leaves the key's values, each with its length, in {@link #key}. If the bind markers do not cover the
     * key, an arbitrary token, so that all nodes coordinate.
     */
    private long token() {
        int[] slots = layout.keyMarkers;
        if (slots.length == 0) {
            return row.position * 0x9E3779B97F4A7C15L;
        }
        byte[] values = row.values.array();
        key.clear();
        for (int slot : slots) {
            key.put(values, row.starts[slot], row.ends[slot] - row.starts[slot]);
        }
        int length = key.length();
        if (length == lastKeyLength && Arrays.equals(key.array(), 0, length, lastKey, 0, length)) {
            return lastToken;
        }
        lastToken = row.token(slots, routingKey);
        if (lastKey.length < length) {
            lastKey = new byte[2 * length];
        }
        System.arraycopy(key.array(), 0, lastKey, 0, length);
        lastKeyLength = length;
        return lastToken;
    }

    private long keyHash(long token) {
        int[] slots = row.requiredSlots;
        byte[] values = row.values.array();
        long hash = token;
        for (int i = layout.prefixMarkers; i < slots.length; i++) {
            hash = RepeatedKeys.mix(hash, values, row.starts[slots[i]] + 4, row.ends[slots[i]]);
        }
        return hash;
    }

    private void group(
            long hash,
            long token,
            byte[] groupKey,
            int keyLength,
            int prefixSlots,
            @Nullable RowCallback callback,
            boolean mayWait) {
        Bytes out = record;
        out.clear();
        out.putInt(0);
        out.putLong(row.position);
        putValues(out, prefixSlots, layout.givenMarkers);
        out.setInt(0, out.length() - 12);
        if (attachments) {
            byte[] attachment = row.attachment;
            out.putInt(attachment == null ? NO_ATTACHMENT : attachment.length);
            if (attachment != null) {
                out.put(attachment);
            }
        }
        try {
            grouper.add(hash, token, groupKey, keyLength, out.array(), out.length(), callback, ready);
        } finally {
            if (!ready.isEmpty()) {
                grouper.sendAll(ready, mayWait);
            }
        }
    }

    private void sendSingle(long token, @Nullable RowCallback callback, boolean mayWait) {
        Bytes out = record;
        out.clear();
        putValues(out, 0, layout.givenMarkers);
        long timestamp = layout.writeTime(baseTimestamp, row.position);
        if (layout.pinsTimestamp) {
            out.putInt(8);
            out.putLong(timestamp);
        }
        byte[] body = new byte[layout.executeOverhead() + out.length()];
        int at = layout.beginExecute(body);
        System.arraycopy(out.array(), 0, body, at, out.length());
        layout.endExecute(body, at + out.length(), timestamp);
        grouper.addSingle(body, token, row.position, row.attachment, callback, mayWait);
    }

    private void putValues(Bytes out, int fromSlot, int toSlot) {
        byte[] values = row.values.array();
        for (int slot = fromSlot; slot < toSlot; slot++) {
            int start = row.starts[slot];
            if (start < 0) {
                out.putInt(UNSET_VALUE);
            } else {
                out.put(values, start, row.ends[slot] - start);
            }
        }
    }

    /** Sends the rows that wait for others of their partition; for input that pauses. Spilled rows stay spilled. */
    public void flush() {
        grouper.flush();
    }

    /** The failure after which no more rows are taken or sent; null if there is none. May be called by any thread. */
    public @Nullable OverdriveException failure() {
        return grouper.failure();
    }

    /** A snapshot over this writer and its forks. May be called by any thread. */
    public Totals totals() {
        return grouper.totals(job.rowsTaken.sum(), job.repeatedKeys);
    }

    /**
     * Where this writer, its forks and those separate from it have waited; for the modules of this project. From the
     * first call on, an empty request is sent to each busy node twice a second ({@link Waits.Node#emptyNanos}). May be
     * called by any thread.
     */
    public Waits waits() {
        return grouper.waits();
    }

    /**
     * How long threads have waited in this writer, its forks and those separate from it; unlike {@link #waits} without a request, and
     * for the modules of this project. May be called by any thread.
     */
    public ThreadWaits threadWaits() {
        return job.shared.limiter.threadWaits();
    }

    /**
     * Drops the pending rows of this writer and its forks, in memory and on disk: they are neither written nor rejected.
     * Requests in flight may or may not be applied. {@link #close} then does nothing, and {@link #send} throws. Does not wait.
     * May be called by any thread.
     */
    public void abandon() {
        if (job.closed.compareAndSet(false, true)) {
            grouper.close();
            job.shared.keepFoundSizes();
        }
    }

    /**
     * Writes all pending rows and waits until each is written or rejected; on a fork, does nothing. Forks must have sent their
     * last row. If the last write time is in the future, waits up to 10 s until it has passed, so that later writes win.
     *
     * @throws OverdriveException of kind WRITE or DISK if a row was neither written nor rejected, the table, or a column with its values,
     *     was dropped while rows were written, or the reject handler threw; INTERRUPTED if the thread is interrupted while it waits
     * @throws IllegalStateException if the reject handler or a callback calls it, for which it would wait
     */
    @Override
    public void close() {
        if (isFork || job.closed.get()) {
            return;
        }
        grouper.requireOtherThread();
        if (!job.closed.compareAndSet(false, true)) {
            return;
        }
        try {
            grouper.finish();
        } finally {
            grouper.close();
            job.shared.keepFoundSizes();
            if (job.repeatedKeys != null) {
                job.repeatedKeys.complete();
            }
        }
        if (layout.rules.setsWriteTime()) {
            WriteClock.SYSTEM.awaitPast(layout.tableName, lastWriteTime());
        }
        if (job.rowsTaken.sum() > 0) {
            if (job.shared.table.dropped(Kind.WRITE) != null) {
                throw new OverdriveException(
                        Kind.WRITE,
                        "[" + layout.tableName
                                + "] the table was dropped while rows were written: those that were acknowledged"
                                + " before are gone, even if it was created again; write the rows again");
            }
            layout.hidden.refuseIfDroppedMeanwhile(job.shared.session);
        }
    }
}
