package io.overdrive.internal.write;

import com.datastax.oss.protocol.internal.ProtocolConstants;
import io.overdrive.Grouping;
import io.overdrive.OverdriveException;
import io.overdrive.Totals;
import io.overdrive.WriteOptions;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Brings the rows of all producers together and hands full requests to the {@link Sender}. Thread-safe: each
 * {@link Shard} is locked while a row goes in, and never while a producer waits for the cluster.
 */
public final class Grouper implements AutoCloseable {
    private static final int SHARD_BITS = 3;
    /** Requests to all nodes of a large cluster together must fit into the heap: into an eighth of it. */
    private static final int SHARE_OF_HEAP_IN_FLIGHT = 8;

    private static final long MIN_IN_FLIGHT_BYTES = 64 << 10;

    private final Sender sender;
    private final Shard[] shards;

    /** @param limiter of {@link #limiter}; others may send by it, too */
    public Grouper(
            Wire wire, WritePlan plan, WriteOptions options, Limiter limiter, long groupingMemory, long baseTimestamp) {
        this.sender = new Sender(wire, plan, options, limiter, baseTimestamp);
        if (plan.grouping() == Grouping.REPLICA_SET) {
            sender.batchLimit().stayBelowThreshold(wire.session());
        }
        this.shards = new Shard[plan.grouping() == Grouping.NONE ? 0 : 1 << SHARD_BITS];
        for (int i = 0; i < shards.length; i++) {
            shards[i] = new Shard(
                    plan,
                    plan.grouping() == Grouping.PARTITION && plan.prefixSlots() > 0,
                    options.attachments(),
                    baseTimestamp,
                    sender.batchLimit(),
                    options.batchRows(),
                    groupingMemory >> SHARD_BITS,
                    options.spillDirectory(),
                    Spill::temporaryFile,
                    i,
                    sender::failWith);
        }
    }

    /** The bounds that the options ask for, at the cluster as it is now. */
    public static Limiter limiter(Wire wire, WritePlan plan, WriteOptions options) {
        int nodes = Math.max(
                1, wire.ring(plan.keyspace).now().allLocalNodes().nodes().size());
        long share = Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP_IN_FLIGHT / nodes;
        return new Limiter(
                options.inFlightRequests(),
                Math.min(options.inFlightBytes(), Math.max(MIN_IN_FLIGHT_BYTES, share)),
                options.rowsPerSecond(),
                options.bytesPerSecond());
    }

    /** Throws where the run has failed, so that no further row can be taken. */
    public void failIfFailed() {
        sender.failIfFailed();
    }

    /** Which nodes hold a partition. */
    public Ring ring() {
        return sender.ring();
    }

    /**
     * Takes a row, and sends what is ready because of it; waits for the cluster where too much is under way.
     *
     * @param ready empty; the producer's own, so that no list is made for each row
     * @see Shard#add
     */
    public void add(
            long hash,
            long token,
            byte[] key,
            int keyFrom,
            int keyTo,
            byte[] record,
            int recordLength,
            List<WriteRequest> ready) {
        Shard shard = shards[(int) (hash >>> Long.SIZE - SHARD_BITS)];
        try {
            synchronized (shard) {
                shard.add(hash, token, key, keyFrom, keyTo, record, recordLength, ready);
            }
        } finally {
            if (!ready.isEmpty()) {
                sendAll(ready);
            }
        }
    }

    /** Sends a row by itself: {@code body} is an EXECUTE. */
    public void addAlone(byte[] body, long token, long position, byte @Nullable [] attachment) {
        sender.send(new WriteRequest(
                ProtocolConstants.Opcode.EXECUTE,
                body,
                token,
                new long[] {position},
                attachment == null ? null : new byte[][] {attachment}));
    }

    private void sendAll(List<WriteRequest> ready) {
        try {
            for (int i = 0; i < ready.size(); i++) {
                sender.send(ready.get(i));
            }
        } finally {
            ready.clear();
        }
    }

    /** Sends all that waits in memory. What is spilled stays spilled. */
    public void flush() {
        List<WriteRequest> ready = new ArrayList<>();
        for (Shard shard : shards) {
            boolean more = true;
            while (more) {
                synchronized (shard) {
                    more = shard.emitSome(ready);
                }
                sendAll(ready);
            }
        }
    }

    /** Sends all that waits in memory or is spilled, and returns when all of it is done. */
    public void finish() {
        try {
            flush();
            unspill();
        } finally {
            sender.drain();
        }
        sender.failIfFailed();
    }

    /** What ended the run; null if nothing did. */
    public @Nullable OverdriveException failure() {
        return sender.failure();
    }

    private void unspill() {
        List<Shard> spilled = new ArrayList<>();
        for (Shard shard : shards) {
            synchronized (shard) {
                if (shard.rowsSpilled() > 0) {
                    spilled.add(shard);
                }
            }
        }
        int threads = Math.min(spilled.size(), Runtime.getRuntime().availableProcessors());
        if (threads == 0) {
            return;
        }
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            AtomicInteger next = new AtomicInteger();
            List<Future<?>> parts = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                parts.add(pool.submit(() -> {
                    for (int n = next.getAndIncrement(); n < spilled.size(); n = next.getAndIncrement()) {
                        try {
                            unspill(spilled.get(n));
                        } catch (OverdriveException e) {
                            sender.failWith(e); // then the other shards' rows are rejected
                        } catch (RuntimeException | Error e) {
                            sender.failWith(new OverdriveException(
                                    OverdriveException.Kind.DISK, "spilled rows cannot be taken back: " + e, e));
                        }
                    }
                }));
            }
            for (Future<?> part : parts) {
                Futures.await(part);
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private void unspill(Shard shard) {
        List<WriteRequest> ready = new ArrayList<>();
        boolean more = true;
        while (more) {
            synchronized (shard) {
                more = shard.unspill(ready);
            }
            sendAll(ready);
        }
    }

    /** What has been done, with {@code rowsTaken} and {@code repeatedKeys} as given. */
    public Totals totals(long rowsTaken, long repeatedKeys) {
        long grouping = 0;
        long spilled = 0;
        for (Shard shard : shards) {
            synchronized (shard) {
                grouping += shard.used();
                spilled += shard.rowsSpilled();
            }
        }
        Histogram latencies = sender.latencies();
        return new Totals(
                rowsTaken,
                sender.rowsWritten(),
                sender.rowsRejected(),
                sender.rowsExisting(),
                repeatedKeys,
                sender.bytesWritten(),
                sender.requests(),
                sender.batches(),
                sender.batchedRows(),
                sender.retries(),
                sender.splits(),
                spilled,
                sender.requestsInFlight(),
                sender.bytesInFlight(),
                grouping,
                micros(latencies.getValueAtPercentile(50)),
                micros(latencies.getValueAtPercentile(99)),
                micros(latencies.getValueAtPercentile(99.9)),
                micros(latencies.getMaxValue()),
                sender.waiting(),
                sender.nodesLost());
    }

    private static Duration micros(long value) {
        return Duration.ofNanos(1000 * value);
    }

    /** Drops what waits in memory or is spilled, and takes no more. Waits for nothing. */
    @Override
    public void close() {
        sender.close();
        for (Shard shard : shards) {
            synchronized (shard) {
                shard.abandon();
            }
        }
    }
}
