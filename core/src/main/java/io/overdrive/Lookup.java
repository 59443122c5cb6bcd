package io.overdrive;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.flow.ThreadWaits;
import io.overdrive.internal.flow.Waits;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.internal.scan.Fetcher;
import io.overdrive.internal.scan.PageReader;
import io.overdrive.internal.scan.ScanLayout;
import io.overdrive.internal.wire.Transport;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows by key, with many keys in flight. Thread-safe; each thread opens its own {@link Queue}.
 *
 * <pre>{@code
 * try (Lookup users = overdrive.lookup(ScanOptions.from("shop", "users").columns("name").build(), List.of("id"));
 *         Lookup.Queue queue = users.open(64)) {
 *     for (int submitted = 0, taken = 0; taken < ids.length; taken++) {
 *         for (; submitted < ids.length && !queue.isFull(); submitted++) {
 *             queue.key().setLong(0, ids[submitted]);
 *             queue.submit();
 *         }
 *         for (RowCursor row = queue.take(); row.next(); ) {
 *             found(ids[taken], row.text(0));
 *         }
 *     }
 * }
 * }</pre>
 */
public final class Lookup implements AutoCloseable {
    private final ScanOptions options;
    private final ScanLayout layout;
    private final Fetcher fetcher;

    Lookup(Transport transport, ScanOptions options, ScanLayout layout) {
        this.options = options;
        this.layout = layout;
        this.fetcher = new Fetcher(transport, layout, options);
    }

    /** Names of the columns, in the order of the cursor, as in the schema. */
    public List<String> columns() {
        return layout.columns.names();
    }

    /** Types of the columns, in the order of the cursor. */
    public List<DataType> types() {
        return layout.columns.types();
    }

    /** Names of the key columns, in the order of {@link Queue#key}. */
    public List<String> keyColumns() {
        return layout.prepared.markerNames();
    }

    /** Types of the key columns, in the order of {@link Queue#key}. */
    public List<DataType> keyTypes() {
        return layout.prepared.markerTypes();
    }

    /** The query that the server prepared; its bind markers are the key columns. */
    public String query() {
        return layout.prepared.text();
    }

    /** A snapshot over all queues. */
    public ScanTotals totals() {
        return fetcher.totals(0, 0);
    }

    /** As {@link Scan#waits}, without the time of threads; for the modules of this project. */
    public Waits waits() {
        return fetcher.waits(0);
    }

    /** As {@link Scan#threadWaits}, for all queues; for the modules of this project. */
    public ThreadWaits threadWaits() {
        return fetcher.threadWaits();
    }

    /**
     * Opens a queue for one thread. It holds one page for each key that was submitted and not taken yet, and two for the key that
     * was taken last: of {@link ScanOptions#pageBytes} each, or less if the queue would exceed {@link ScanOptions#pageMemory}. With a
     * guard ({@link ConnectOptions#guard}) the first call may wait until the latency before the job is measured.
     *
     * @param inFlight the maximum number of keys that are submitted and not taken yet, 1 or more
     * @throws IllegalArgumentException if it is less
     */
    public Queue open(int inFlight) {
        if (inFlight < 1) {
            throw new IllegalArgumentException("inFlight is " + inFlight + ", must be 1 or more");
        }
        fetcher.begin();
        return new Queue(inFlight);
    }

    /** Threads that are waiting for rows get an exception of kind INTERRUPTED. */
    @Override
    public void close() {
        fetcher.close();
    }

    /** Keys that were submitted, and their rows in the same order. Confined to one thread; on the hot path. */
    public final class Queue implements AutoCloseable {
        private final int inFlight;
        private final int pageBytes;
        private final RowBuffer key = new RowBuffer(layout);
        private final RowCursor rows = new RowCursor(layout);
        private final ArrayDeque<PageReader> submitted = new ArrayDeque<>();
        private final int[] partitionMarkers = layout.prepared.partitionMarkers();
        private final RoutingKey routingKey = new RoutingKey();
        private final Bytes values = new Bytes(64);

        private Queue(int inFlight) {
            this.inFlight = inFlight;
            this.pageBytes =
                    (int) Math.max(1024, Math.min(options.pageBytes(), options.pageMemory() / (inFlight + 2L)));
        }

        /** Starts a key and discards values that were set since the last {@link #submit}. Always the same buffer. */
        public RowBuffer key() {
            key.clear();
            return key;
        }

        /** Whether a key must be taken before the next one can be submitted. */
        public boolean isFull() {
            return submitted.size() >= inFlight;
        }

        /**
         * Requests the rows of the key from the live replica with the fewest pages in flight. Does not wait. The same key may
         * be submitted more than once; its rows are then read each time.
         *
         * @throws IllegalStateException if the queue is full
         * @throws OverdriveException of kind ROW if a key column is not set, or null; the queue can continue
         */
        public void submit() {
            if (isFull()) {
                throw new IllegalStateException("the queue is full with " + inFlight + " keys: take one first");
            }
            int missing = key.missingKeyColumn();
            if (missing >= 0) {
                throw new OverdriveException(
                        Kind.ROW,
                        "[" + layout.tableName() + "] key column \""
                                + keyColumns().get(missing) + "\" is null or not set: no row has such a key");
            }
            values.clear();
            for (int i = 0; i < key.starts.length; i++) {
                values.put(key.values.array(), key.starts[i], key.ends[i] - key.starts[i]);
            }
            PageReader reader =
                    new PageReader(fetcher, values.toByteArray(), key.token(partitionMarkers, routingKey), pageBytes);
            submitted.add(reader);
            key.clear();
            reader.request();
        }

        /**
         * The rows of the oldest key that was submitted and not taken yet; null if there is none. Does not wait: the cursor waits
         * for pages. It is always the same object, valid until the next call. It throws if the rows of this key cannot be
         * read, for example because the server refuses an empty partition key; the queue can then continue with the next key.
         */
        public @Nullable RowCursor take() {
            PageReader oldest = submitted.poll();
            if (oldest == null) {
                rows.close();
                return null;
            }
            rows.reset(oldest);
            return rows;
        }

        /** Drops the keys that were not taken. Pages in flight are dropped when they arrive. */
        @Override
        public void close() {
            submitted.clear();
            rows.close();
        }
    }
}
