package io.overdrive;

import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.internal.wire.Wire;
import io.overdrive.internal.write.Grouper;
import io.overdrive.internal.write.RepeatedKeys;
import io.overdrive.internal.write.WritePlan;
import io.overdrive.internal.write.WriteRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Takes rows and writes them: together with others of their partition, to a replica, with a bounded amount under way.
 * Confined to one producer thread; {@link #fork} makes a further one for another thread, {@link #separate} one for a job of
 * its own. On the hot path (write step 2).
 *
 * <pre>{@code
 * try (RowWriter users = overdrive.writer(WriteOptions.into("shop", "users").columns("id", "name").build())) {
 *     for (User u : source) {
 *         users.row().setLong(0, u.id()).setText(1, u.name());
 *         users.send();
 *     }
 * }
 * }</pre>
 */
public final class RowWriter implements AutoCloseable {
    private static final int UNSET_VALUE = -2;
    private static final int NO_ATTACHMENT = -1;

    /** What a writer shares with its separate ones: nothing that ends before the connection does. Thread-safe. */
    private record Shared(Wire wire, WritePlan plan, WriteOptions options, Limiter limiter, long baseTimestamp) {}

    /** What a writer shares with its forks. Thread-safe. */
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
            this.repeatedKeys =
                    shared.options.countsRepeatedKeys() && shared.plan.replacesRows() ? new RepeatedKeys() : null;
            this.grouper = new Grouper(
                    shared.wire, shared.plan, shared.options, shared.limiter, groupingMemory, shared.baseTimestamp);
        }
    }

    /** The highest position whose row got its write time here. Written by the writer's thread; exact once that is done. */
    private static final class Highest {
        long position = -1;
    }

    private final Job job;
    private final boolean isFork;
    private final WritePlan plan;
    private final Grouper grouper;
    private final long baseTimestamp;
    private final RowBuffer row;
    private final Highest highest = new Highest();
    private final boolean attachments;
    private final @Nullable RepeatedKeys repeatedKeys;
    private final List<WriteRequest> ready = new ArrayList<>();
    private final Bytes key = new Bytes(128);
    private final RoutingKey routingKey = new RoutingKey();
    private final Bytes record = new Bytes(512);
    private byte[] lastKey = {};
    private int lastKeyLength = -1;
    private long lastToken;

    RowWriter(Wire wire, WritePlan plan, WriteOptions options, long baseTimestamp) {
        this(
                new Job(
                        new Shared(wire, plan, options, Grouper.limiter(wire, plan, options), baseTimestamp),
                        options.groupingMemory()),
                /* isFork */ false);
    }

    private RowWriter(Job job, boolean isFork) {
        this.job = job;
        this.isFork = isFork;
        this.plan = job.shared.plan;
        this.grouper = job.grouper;
        this.baseTimestamp = job.shared.baseTimestamp;
        this.row = new RowBuffer(plan);
        this.attachments = job.shared.options.attachments();
        this.repeatedKeys = job.repeatedKeys;
        job.highest.add(highest);
    }

    /**
     * A writer for another producer thread, which shares everything with this one: rows of all of them come together,
     * and bounds hold for all. Its own {@link #close} only says that its thread is done.
     */
    public RowWriter fork() {
        return new RowWriter(job, /* isFork */ true);
    }

    /** Like {@link #separate(long)}, with as much grouping memory as the options say. */
    public RowWriter separate() {
        return separate(job.shared.options.groupingMemory());
    }

    /**
     * A writer for a job of its own on the same table or statement, which is not prepared again. Its groups, pending rows,
     * rejected rows, totals and failures are its own, and so is its {@link #close}, which writes all that is left of it; each of
     * them may be closed before the other. The bounds of what is under way at each node, and the ceilings in rows and bytes
     * a second, hold for both together. So does the base of write times: rows that were left alone are numbered from 0 in each,
     * so that jobs which may write the same row should tell its {@link RowBuffer#position}. The reject handler is the same.
     * May be called by any thread, and after this writer was closed.
     *
     * @param groupingMemory bytes that rows of the new writer take at most while they wait for others, on top of what
     *     this one takes
     * @throws IllegalArgumentException where it is less than 1 MiB, or does not fit into the Java heap
     */
    public RowWriter separate(long groupingMemory) {
        WriteOptions.checkGroupingMemory(groupingMemory);
        return new RowWriter(new Job(job.shared, groupingMemory), /* isFork */ false);
    }

    /** The columns' names as the schema has them, or the markers' names, in the order of the setters. */
    public List<String> columns() {
        return plan.columnNames();
    }

    /** The columns' types, in the order of the setters. */
    public List<com.datastax.oss.driver.api.core.type.DataType> types() {
        return plan.columnTypes();
    }

    /** The statement that the server prepared. */
    public String statement() {
        return plan.cql();
    }

    /** The write time of position 0, in microseconds since 1970. */
    public long baseTimestamp() {
        return baseTimestamp;
    }

    /** The write time of a row at this position that has none of its own, in microseconds since 1970. */
    public long writeTime(long position) {
        return plan.writeTime(baseTimestamp, position);
    }

    /** The write times of all rows so far, those of forks included; empty if the server sets them, or each row has its own. */
    public Optional<WriteTimes> writeTimes() {
        return plan.setsWriteTime()
                ? Optional.of(
                        new WriteTimes(baseTimestamp, WriteClock.SYSTEM.ahead(lastWriteTime()), plan.isRepeatable()))
                : Optional.empty();
    }

    /** 0 if there is none yet. */
    private long lastWriteTime() {
        long last = job.highest.stream().mapToLong(h -> h.position).max().orElse(-1);
        return last < 0 ? 0 : plan.lastWriteTime(baseTimestamp, last);
    }

    /** The grouping in force: NONE where a partition is one row, or where rows of a statement may not share a request. */
    public Grouping grouping() {
        return plan.grouping();
    }

    /** Starts a row and forgets what was set since the last {@link #send}. Always the same buffer. */
    public RowBuffer row() {
        row.clear();
        return row;
    }

    /**
     * Takes the row; its bytes are copied. Waits where the bounds are reached. Where it throws, the row is not taken.
     *
     * @throws OverdriveException of kind ROW where a key column is missing, or INTERRUPTED; the writer can go on. Of the
     *     kind of the first failure, WRITE or DISK, where the run has failed
     */
    public void send() {
        grouper.failIfFailed();
        if (Thread.currentThread().isInterrupted()) {
            throw new OverdriveException(Kind.INTERRUPTED, "the thread is interrupted");
        }
        int missing = row.missingKeyColumn();
        if (missing >= 0) {
            throw new OverdriveException(
                    Kind.ROW,
                    "[" + plan.tableName() + "] key column \""
                            + plan.columnNames().get(missing) + "\" is not set: every row needs it");
        }
        if (row.position < 0) {
            row.position = job.nextPosition.getAndIncrement();
        }
        boolean hasItsOwnTime = plan.timestampSlot() >= 0 && row.starts[plan.timestampSlot()] >= 0;
        if (!hasItsOwnTime) {
            if (plan.timestampSlot() >= 0) {
                row.setTimestamp(plan.writeTime(baseTimestamp, row.position));
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
        switch (plan.grouping()) {
            case PARTITION -> group(token, token, key.array(), key.length(), plan.prefixSlots());
            case REPLICA_SET -> {
                Ring.ReplicaSet set = grouper.ring().replicas(token);
                key.clear();
                key.putInt(set.id());
                group(set.id() * 0x9E3779B97F4A7C15L, token, key.array(), key.length(), 0);
                lastKeyLength = -1;
            }
            case NONE -> sendSingle(token);
        }
        row.clear();
        record.clear(); // this thread may wait long for its next row, and this one may have been large
    }

    /**
     * The partition's token; leaves the key's values, each with its length, in {@link #key}. Where markers do not make up the
     * key, any token, so that all nodes coordinate.
     */
    private long token() {
        int[] slots = plan.keySlots();
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
        int[] slots = plan.requiredSlots();
        byte[] values = row.values.array();
        long hash = token;
        for (int i = plan.prefixSlots(); i < slots.length; i++) {
            hash = RepeatedKeys.mix(hash, values, row.starts[slots[i]] + 4, row.ends[slots[i]]);
        }
        return hash;
    }

    private void group(long hash, long token, byte[] groupKey, int keyLength, int prefixSlots) {
        Bytes out = record;
        out.clear();
        out.putInt(0);
        out.putLong(row.position);
        int slots = plan.pinsTimestamp() ? plan.slots() - 1 : plan.slots();
        putValues(out, prefixSlots, slots);
        out.setInt(0, out.length() - 12);
        if (attachments) {
            byte[] attachment = row.attachment;
            out.putInt(attachment == null ? NO_ATTACHMENT : attachment.length);
            if (attachment != null) {
                out.put(attachment);
            }
        }
        grouper.add(hash, token, groupKey, 0, keyLength, out.array(), out.length(), ready);
    }

    private void sendSingle(long token) {
        Bytes out = record;
        out.clear();
        putValues(out, 0, plan.pinsTimestamp() ? plan.slots() - 1 : plan.slots());
        long timestamp = plan.writeTime(baseTimestamp, row.position);
        if (plan.pinsTimestamp()) {
            out.putInt(8);
            out.putLong(timestamp);
        }
        byte[] body = new byte[plan.executeOverhead() + out.length()];
        int at = plan.beginExecute(body);
        System.arraycopy(out.array(), 0, body, at, out.length());
        plan.endExecute(body, at + out.length(), timestamp);
        grouper.addAlone(body, token, row.position, row.attachment);
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

    /** Sends what waits for other rows of its partition; for input that pauses. What is spilled stays spilled. */
    public void flush() {
        grouper.flush();
    }

    /** What ended the run, so that no row is taken or sent any more; null if nothing did. From any thread. */
    public @Nullable OverdriveException failure() {
        return grouper.failure();
    }

    /** A snapshot over this writer and its forks; from any thread. */
    public Totals totals() {
        return grouper.totals(job.rowsTaken.sum(), repeatedKeys == null ? 0 : repeatedKeys.count());
    }

    /**
     * Gives up this writer and its forks, so that {@link #close} does nothing: rows that wait for others are dropped, in memory
     * and on disk, and neither written nor given to the reject handler. What is on its way may be written or not. Waits
     * for nothing. May be called by any thread; {@link #send} then throws.
     */
    public void abandon() {
        if (job.closed.compareAndSet(false, true)) {
            grouper.close();
        }
    }

    /**
     * Writes everything that is left and waits for it; on a fork, does nothing. Forks must have sent their last row.
     * If the last write time is in the future, waits up to 10 s until it has passed, so that later writes of others win.
     *
     * @throws OverdriveException of kind WRITE or DISK where a row was neither written nor given to the reject handler, or the
     *     handler threw; INTERRUPTED where the thread is interrupted while it waits
     */
    @Override
    public void close() {
        if (isFork || !job.closed.compareAndSet(false, true)) {
            return;
        }
        try {
            grouper.finish();
        } finally {
            grouper.close();
        }
        if (plan.setsWriteTime()) {
            WriteClock.SYSTEM.awaitPast(plan.tableName(), lastWriteTime());
        }
    }
}
