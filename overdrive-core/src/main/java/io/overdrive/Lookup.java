package io.overdrive;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.internal.scan.Fetcher;
import io.overdrive.internal.scan.PageReader;
import io.overdrive.internal.scan.ScanPlan;
import io.overdrive.internal.wire.Wire;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows by key, many keys at once. Thread-safe; each thread opens a queue of its own.
 *
 * <pre>{@code
 * try (Lookup users = overdrive.lookup(ScanOptions.from("shop", "users").columns("name").build(), List.of("id"));
 *         Lookup.Queue queue = users.open(64)) {
 *     for (int asked = 0, taken = 0; taken < ids.length; taken++) {
 *         for (; asked < ids.length && !queue.isFull(); asked++) {
 *             queue.key().setLong(0, ids[asked]);
 *             queue.ask();
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
    private final ScanPlan plan;
    private final Fetcher fetcher;

    Lookup(Wire wire, ScanOptions options, ScanPlan plan) {
        this.options = options;
        this.plan = plan;
        this.fetcher = new Fetcher(wire, plan, options);
    }

    /** Names of the columns, in the order of the cursor. */
    public List<String> columns() {
        return plan.names();
    }

    /** Types of the columns, in the order of the cursor. */
    public List<DataType> types() {
        return plan.types();
    }

    /** Names of the key's columns, in the order of {@link Queue#key}. */
    public List<String> keyColumns() {
        return plan.markerNames();
    }

    /** Types of the key's columns, in the order of {@link Queue#key}. */
    public List<DataType> keyTypes() {
        return plan.markerTypes();
    }

    /** The query that the server prepared; its markers are the columns of the key. */
    public String query() {
        return plan.cql();
    }

    /** A snapshot over all queues; from any thread. */
    public ScanTotals totals() {
        return fetcher.totals(0, 0);
    }

    /**
     * Opens a queue for one thread. It holds a page for each key that was asked and not taken yet, and two for the one that was
     * taken: of {@link ScanOptions#pageBytes} each, or smaller where {@link ScanOptions#pageMemory} is short for one queue.
     *
     * @param inFlight keys that may be asked and not taken, 1 or more
     */
    public Queue open(int inFlight) {
        if (inFlight < 1) {
            throw new IllegalArgumentException("inFlight is " + inFlight + ", must be 1 or more");
        }
        return new Queue(inFlight);
    }

    /** Who waits for rows gets an exception of kind INTERRUPTED. */
    @Override
    public void close() {
        fetcher.close();
    }

    /** Keys that were asked, in this order, and their rows. Confined to one thread; on the hot path. */
    public final class Queue implements AutoCloseable {
        private final int inFlight;
        private final int pageBytes;
        private final RowBuffer key = new RowBuffer(plan);
        private final RowCursor rows = new RowCursor(plan);
        private final ArrayDeque<PageReader> asked = new ArrayDeque<>();
        private final int[] partitionMarkers = plan.partitionMarkers();
        private final RoutingKey routingKey = new RoutingKey();
        private final Bytes values = new Bytes(64);

        private Queue(int inFlight) {
            this.inFlight = inFlight;
            this.pageBytes =
                    (int) Math.max(1024, Math.min(options.pageBytes(), options.pageMemory() / (inFlight + 2L)));
        }

        /** Starts a key and forgets what was set since the last {@link #ask}. Always the same buffer. */
        public RowBuffer key() {
            key.clear();
            return key;
        }

        /** Whether no more can be asked before something is taken. */
        public boolean isFull() {
            return asked.size() >= inFlight;
        }

        /**
         * Asks the live replica with the fewest pages under way for the rows of the key. Does not wait. A key may be asked again,
         * and its rows then come again.
         *
         * @throws IllegalStateException where the queue is full
         * @throws OverdriveException of kind ROW where a column of the key is not set, or null; the queue can go on
         */
        public void ask() {
            if (isFull()) {
                throw new IllegalStateException(inFlight + " keys were asked and not taken, which is all that may be");
            }
            int missing = key.missingKeyColumn();
            if (missing >= 0) {
                throw new OverdriveException(
                        Kind.ROW,
                        "[" + plan.tableName() + "] key column \""
                                + keyColumns().get(missing) + "\" is not set, or null: no row has such a key");
            }
            values.clear();
            for (int i = 0; i < key.starts.length; i++) {
                values.put(key.values.array(), key.starts[i], key.ends[i] - key.starts[i]);
            }
            PageReader reader =
                    fetcher.reader(values.toByteArray(), key.token(partitionMarkers, routingKey), pageBytes);
            asked.add(reader);
            key.clear();
            reader.request();
        }

        /**
         * The rows of the key that was asked first, of those not taken yet; null where there is none. The cursor is always the
         * same, and good until the next call; it waits for pages, and throws where the rows of this key cannot be had, say
         * because the server refuses an empty partition key. The queue can go on then.
         */
        public @Nullable RowCursor take() {
            PageReader oldest = asked.poll();
            if (oldest == null) {
                rows.close();
                return null;
            }
            rows.reset(oldest);
            return rows;
        }

        /** Where the rows of this queue do not matter any more. Pages on their way are dropped when they come. */
        @Override
        public void close() {
            asked.clear();
            rows.close();
        }
    }
}
