package io.overdrive;

import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.write.Grouper;
import io.overdrive.internal.write.Write;
import io.overdrive.internal.write.WritePlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Takes rows and writes them: together with others of their partition, to a replica, with a bounded amount under way.
 * Confined to one producer thread; {@link #fork} makes a further one for another thread. On the hot path (write step 2).
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

    /** What a writer shares with its forks. Thread-safe. */
    private static final class Job {
        final WritePlan plan;
        final WriteOptions options;
        final Grouper grouper;
        final long baseTimestamp;
        final AtomicLong nextPosition = new AtomicLong();
        final LongAdder rowsTaken = new LongAdder();

        Job(WritePlan plan, WriteOptions options, Grouper grouper, long baseTimestamp) {
            this.plan = plan;
            this.options = options;
            this.grouper = grouper;
            this.baseTimestamp = baseTimestamp;
        }
    }

    private final Job job;
    private final boolean isFork;
    private final WritePlan plan;
    private final Grouper grouper;
    private final RowBuffer row;
    private final boolean attachments;
    private final List<Write> ready = new ArrayList<>();
    private final Bytes key = new Bytes(128);
    private final Bytes routing = new Bytes(128);
    private final Bytes record = new Bytes(512);
    private byte[] lastKey = {};
    private int lastKeyLength = -1;
    private long lastToken;
    private boolean closed;

    RowWriter(WritePlan plan, WriteOptions options, Grouper grouper, long baseTimestamp) {
        this(new Job(plan, options, grouper, baseTimestamp), /* isFork */ false);
    }

    private RowWriter(Job job, boolean isFork) {
        this.job = job;
        this.isFork = isFork;
        this.plan = job.plan;
        this.grouper = job.grouper;
        this.row = new RowBuffer(plan);
        this.attachments = job.options.attachments();
    }

    /**
     * A writer for another producer thread, which shares everything with this one: rows of all of them come together,
     * and bounds hold for all. Its own {@link #close} only says that its thread is done.
     */
    public RowWriter fork() {
        return new RowWriter(job, /* isFork */ true);
    }

    /** The columns' names as the schema has them, in the order of the setters. */
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
        return job.baseTimestamp;
    }

    /** The grouping in force, which may be NONE where a partition is one row. */
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
     * @throws OverdriveException of kind ROW where a key column is missing; the writer can go on. Of
     *     kind WRITE where the run has failed
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
        if (plan.timestampSlot() >= 0 && row.starts[plan.timestampSlot()] < 0) {
            row.setTimestamp(plan.writeTime(job.baseTimestamp, row.position));
        }
        job.rowsTaken.increment();
        long token = token();
        switch (plan.grouping()) {
            case PARTITION -> group(token, token, key.array(), key.length(), plan.prefixSlots());
            case REPLICA_SET -> {
                Ring.ReplicaSet set = grouper.ring().replicas(token);
                key.clear();
                key.putInt(set.id());
                group(set.id() * 0x9E3779B97F4A7C15L, token, key.array(), key.length(), 0);
                lastKeyLength = -1;
            }
            case NONE -> alone(token);
        }
        row.clear();
    }

    /** The partition's token; leaves the key's values, each with its length, in {@link #key}. */
    private long token() {
        int[] slots = plan.keySlots();
        if (slots.length == 0) {
            return 0;
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
        if (slots.length == 1) {
            lastToken = Murmur3.token(key.array(), 4, length);
        } else {
            routing.clear();
            for (int slot : slots) {
                int from = row.starts[slot] + 4;
                int count = row.ends[slot] - from;
                routing.putShort(count);
                routing.put(values, from, count);
                routing.putByte(0);
            }
            lastToken = Murmur3.token(routing.array(), 0, routing.length());
        }
        if (lastKey.length < length) {
            lastKey = new byte[2 * length];
        }
        System.arraycopy(key.array(), 0, lastKey, 0, length);
        lastKeyLength = length;
        return lastToken;
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

    private void alone(long token) {
        Bytes out = record;
        out.clear();
        putValues(out, 0, plan.pinsTimestamp() ? plan.slots() - 1 : plan.slots());
        long timestamp = plan.writeTime(job.baseTimestamp, row.position);
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

    /** A snapshot over this writer and its forks; from any thread. */
    public Totals totals() {
        return grouper.totals(job.rowsTaken.sum());
    }

    /**
     * Writes everything that is left and waits for it; on a fork, does nothing. Forks must have sent their last row.
     *
     * @throws OverdriveException where a row was neither written nor given to the reject handler
     */
    @Override
    public void close() {
        if (closed || isFork) {
            return;
        }
        closed = true;
        try {
            grouper.finish();
        } finally {
            grouper.close();
        }
    }
}
