package io.overdrive.internal.write;

import com.datastax.oss.protocol.internal.ProtocolConstants;
import io.overdrive.Grouping;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowCallback;
import io.overdrive.Totals;
import io.overdrive.WriteOptions;
import io.overdrive.WriteSetting;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.internal.flow.Limits;
import io.overdrive.internal.flow.Waits;
import io.overdrive.internal.request.RememberedSizes;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.wire.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Groups the rows of all producers and passes complete requests to the {@link Sender}. Thread-safe: each {@link Shard} is
 * locked while a row is added, and never while a producer waits for the cluster. On the hot path (write step 3).
 */
public final class Grouper implements AutoCloseable {
    /** Lower bound of the search for the size of batches. */
    private static final int MIN_BATCH_BYTES = 8 << 10;

    /** Upper bound of the search. */
    public static final int MAX_BATCH_BYTES = 512 << 10;

    private static final int SHARD_BITS = 3;
    /** Rows that wait to share a request are few: this share of the grouping memory comes on top. */
    private static final int SHARE_OF_MEMORY_GATHERED = 16;

    private final Sender sender;
    private final WriteLayout layout;
    private final Shard[] shards;
    private final @Nullable Gatherer gatherer;
    /** Null if rows wait for as long as memory lasts. */
    private final @Nullable Lingering lingering;

    /**
     * @param limiter from {@link #limiter}; may be shared with other groupers
     * @param batchLimit likewise
     * @param gathering likewise; null if single rows never share a request
     */
    public Grouper(
            Transport transport,
            WriteLayout layout,
            WriteOptions options,
            Limiter limiter,
            BatchLimit batchLimit,
            long groupingMemory,
            long baseTimestamp,
            @Nullable Gathering gathering) {
        this.sender = new Sender(transport, layout, options, limiter, batchLimit, baseTimestamp, gathering);
        this.layout = layout;
        this.gatherer = gathering == null
                ? null
                : new Gatherer(gathering, layout, sender, groupingMemory / SHARE_OF_MEMORY_GATHERED);
        this.shards = new Shard[layout.grouping == Grouping.NONE ? 0 : 1 << SHARD_BITS];
        GroupRequests.Form form = new GroupRequests.Form(
                layout,
                layout.grouping == Grouping.PARTITION && layout.prefixMarkers > 0,
                options.attachments(),
                baseTimestamp);
        for (int i = 0; i < shards.length; i++) {
            shards[i] = new Shard(
                    form,
                    batchLimit,
                    options.batchRows(),
                    groupingMemory >> SHARD_BITS,
                    new Spill.Place(options.spillDirectory(), Spill::temporaryFile, i),
                    sender::failWith);
        }
        Duration linger = options.linger();
        if (linger == null || (shards.length == 0 && gatherer == null)) {
            this.lingering = null;
        } else {
            for (Shard shard : shards) {
                shard.stayInMemory();
            }
            this.lingering = new Lingering(transport, linger, new AgedGroups());
        }
    }

    /** The groups that {@link Lingering} sends. */
    private final class AgedGroups implements Lingering.Groups {
        @Override
        public void sendAged() {
            for (Shard shard : shards) {
                synchronized (shard) {
                    shard.tick();
                }
                sendAll(shard, Shard::emitAged);
            }
            sendGathered(/* mayWait */ true);
        }

        @Override
        public boolean holdRows() {
            if (gatherer != null && gatherer.holdsRows()) {
                return true;
            }
            for (Shard shard : shards) {
                synchronized (shard) {
                    if (shard.holdsRows()) {
                        return true;
                    }
                }
            }
            return false;
        }

        @Override
        public void onException(Throwable cause) {
            sender.broken(cause);
        }
    }

    /** The limits of the options, for the current number of nodes. */
    public static Limiter limiter(
            Transport transport, WriteLayout layout, WriteOptions options, RememberedSizes remembered) {
        int nodes =
                transport.ring(layout.keyspace).now().allLocalNodes().nodes().size();
        WriteLimits limits = WriteLimits.of(options, nodes);
        Limiter limiter = new Limiter(
                new Limits(limits.requests(), limits.bytes(), options.rowsPerSecond(), options.bytesPerSecond()),
                options.inFlightControl(),
                limits.startCost(),
                transport::nanoTime,
                "writes to " + layout.tableName,
                transport::decided);
        if (findsBatchBytes(layout, options)) {
            limiter.findSizes(
                    remembered.search(
                            WriteSetting.BATCH_BYTES.name(),
                            options.batchBytes(),
                            MIN_BATCH_BYTES,
                            limits.maxBatchBytes(),
                            "bytes"),
                    /* ofSplits */ null);
        }
        return limiter;
    }

    /** Not if a linger decides when rows are sent, or if partitions have a single row. */
    static boolean findsBatchBytes(WriteLayout layout, WriteOptions options) {
        return options.findsBatchBytes()
                && layout.grouping == Grouping.PARTITION
                && layout.prefixMarkers > 0
                && options.linger() == null;
    }

    /** Throws if the run has failed: then no more rows are taken. */
    public void failIfFailed() {
        sender.failIfFailed();
    }

    /** Whether a row may be added now by a thread that must not wait. Never waits. */
    public boolean isReady() {
        return sender.isReady();
    }

    /** The up-to-date ring of the keyspace. */
    public Ring ring() {
        return sender.ring();
    }

    /**
     * Adds a row, and adds requests that can be sent to {@code ready}, which the caller passes to {@link #sendAll}, even if this throws.
     *
     * @param hash equal for equal keys; chooses the shard, too
     * @param ready one for each producer, so that no list is allocated for each row
     * @see Shard#add
     */
    public void add(
            long hash,
            long token,
            byte[] key,
            int keyLength,
            byte[] record,
            int recordLength,
            @Nullable RowCallback callback,
            List<WriteRequest> ready) {
        Shard shard = shards[(int) (hash >>> Long.SIZE - SHARD_BITS)];
        boolean waitsForDisk = shard.disk.isWaiting();
        if (waitsForDisk) {
            shard.disk.begin(System.nanoTime());
        }
        try {
            synchronized (shard) {
                if (waitsForDisk) {
                    shard.disk.end(System.nanoTime());
                }
                shard.add(hash, token, key, keyLength, record, recordLength, callback, ready);
            }
        } finally {
            if (lingering != null) {
                lingering.wake();
            }
        }
    }

    /** Sends a row that is not grouped with others of its partition: {@code body} is an EXECUTE. See {@link #sendAll} for waits. */
    public void addSingle(
            byte[] body,
            long token,
            long position,
            byte @Nullable [] attachment,
            @Nullable RowCallback callback,
            boolean mayWait) {
        WriteRequest single = new WriteRequest(
                ProtocolConstants.Opcode.EXECUTE,
                body,
                token,
                new long[] {position},
                attachment == null ? null : new byte[][] {attachment},
                callback == null ? null : new RowCallback[] {callback});
        send(single, mayWait);
    }

    /**
     * Sends the requests of the list, and empties it; waits while the limits of requests in flight are reached.
     *
     * @param mayWait if not, which needs {@link #isReady}, requests wait for their permits without this thread
     */
    public void sendAll(List<WriteRequest> ready, boolean mayWait) {
        try {
            for (int i = 0; i < ready.size(); i++) {
                send(ready.get(i), mayWait);
            }
        } finally {
            ready.clear();
        }
    }

    /** Sends a request, or lets its row wait for others if it is a single one and sharing a request is faster. */
    private void send(WriteRequest write, boolean mayWait) {
        if (gatherer == null || write.rows() > 1) {
            sender.send(write, mayWait);
        } else if (gatherer.isOn()) {
            List<WriteRequest> full = gatherer.add(write);
            if (!full.isEmpty()) {
                sendTogether(full, mayWait);
            } else if (lingering != null) {
                lingering.wake();
            }
        } else {
            sendGathered(mayWait); // nothing else may send rows from before it was switched off
            sender.send(write, mayWait);
        }
    }

    private void sendGathered(boolean mayWait) {
        if (gatherer != null && gatherer.holdsRows()) {
            gatherer.takeAll().forEach(rows -> sendTogether(rows, mayWait));
        }
    }

    /** Sends single rows in one request. If there is no memory to make that, the run fails, as these rows are lost. */
    private void sendTogether(List<WriteRequest> singles, boolean mayWait) {
        WriteRequest all;
        try {
            all = WriteRequest.gathered(singles, layout);
        } catch (Throwable e) {
            sender.broken(e);
            singles.forEach(each -> sender.send(each, mayWait)); // the sender drops them, and calls back
            return;
        }
        sender.send(all, mayWait);
    }

    /** Sends all rows that wait in memory. Spilled rows stay spilled. */
    public void flush() {
        for (Shard shard : shards) {
            sendAll(shard, Shard::emitSome);
        }
        sendGathered(/* mayWait */ true);
    }

    /** Sends the requests of each step until there are no more. */
    private void sendAll(Shard shard, BiPredicate<Shard, List<WriteRequest>> step) {
        List<WriteRequest> ready = new ArrayList<>();
        boolean more = true;
        while (more) {
            synchronized (shard) {
                more = step.test(shard, ready);
            }
            sendAll(ready, /* mayWait */ true);
        }
    }

    /** @throws IllegalStateException if {@link #finish} would wait for the caller */
    public void requireOtherThread() {
        sender.requireOtherThread();
    }

    /** Sends all rows that wait in memory or are spilled, and returns when none is pending any more. */
    public void finish() {
        try {
            if (lingering != null) {
                lingering.endAndWait(); // it may hold requests that are not sent yet
            }
            flush();
            unspill();
        } finally {
            sendGathered(/* mayWait */ true);
            sender.drain();
        }
        sender.failIfFailed();
    }

    /** The failure that ended the run; null if there is none. */
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
        if (spilled.isEmpty()) {
            return;
        }
        ExecutorService pool = Executors.newFixedThreadPool(
                Math.min(spilled.size(), Runtime.getRuntime().availableProcessors()));
        try {
            List<Future<?>> parts = new ArrayList<>();
            for (Shard shard : spilled) {
                parts.add(pool.submit(() -> unspill(shard)));
            }
            parts.forEach(Grouper::await);
        } finally {
            pool.shutdownNow();
        }
    }

    private static void await(Future<?> task) {
        try {
            task.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OverdriveException(Kind.INTERRUPTED, "interrupted while writing spilled rows", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private void unspill(Shard shard) {
        try {
            sendAll(shard, Shard::unspill);
        } catch (OverdriveException e) {
            sender.failWith(e); // the rows of the other shards are then dropped
        } catch (RuntimeException | Error e) {
            sender.failWith(new OverdriveException(Kind.DISK, "cannot read spilled rows back: " + e, e));
        }
    }

    /**
     * A snapshot.
     *
     * @param repeatedKeys null if they are not counted
     */
    public Totals totals(long rowsTaken, @Nullable RepeatedKeys repeatedKeys) {
        long grouping = gatherer == null ? 0 : gatherer.heldBytes();
        long rowsSpilled = 0;
        long bytesSpilled = 0;
        for (Shard shard : shards) {
            synchronized (shard) {
                grouping += shard.used();
                rowsSpilled += shard.rowsSpilled();
                bytesSpilled += shard.bytesSpilled();
            }
        }
        WriteCounts counts = sender.counts();
        return new Totals(
                rowsTaken,
                counts.rowsWritten.sum(),
                counts.rowsRejected.sum(),
                counts.rowsExisting.sum(),
                repeatedKeys == null ? 0 : repeatedKeys.count(),
                repeatedKeys != null && repeatedKeys.isExact(),
                counts.bytesWritten.sum(),
                counts.requests.sum(),
                counts.batches.sum(),
                counts.batchedRows.sum(),
                counts.retries.sum(),
                counts.splits.sum(),
                rowsSpilled,
                bytesSpilled,
                sender.requestsInFlight(),
                sender.bytesInFlight(),
                grouping,
                counts.latencies.snapshot(),
                sender.waiting(),
                sender.nodesLost());
    }

    /** Where threads and requests have waited. */
    public Waits waits() {
        long diskNanos = 0;
        long now = System.nanoTime();
        for (Shard shard : shards) {
            diskNanos += shard.disk.nanos(now);
        }
        return sender.waits(diskNanos);
    }

    /** Drops all rows that wait in memory or are spilled, and takes no more. Does not wait. */
    @Override
    public void close() {
        sender.close();
        if (lingering != null) {
            lingering.end();
        }
        for (Shard shard : shards) {
            synchronized (shard) {
                shard.emitAtOnce();
            }
            sendAll(shard, Shard::emitCallbacks); // the sender drops them, and calls back
            synchronized (shard) {
                shard.abandon();
            }
        }
        if (gatherer != null) {
            gatherer.close();
            sendGathered(/* mayWait */ true);
        }
    }
}
