package io.overdrive.jobs.keys;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.Lookup;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.RowBuffer;
import io.overdrive.RowCursor;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.ScanTotals;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.TableSchema;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.flow.Waits;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.scan.Page;
import io.overdrive.internal.scan.Pages;
import io.overdrive.internal.scan.RowSource;
import io.overdrive.jobs.KeyJson;
import io.overdrive.jobs.sort.KeyOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a table whose keys are in files, for a job that reads the table ({@link ScanOptions.Builder#source}). A key is the whole
 * partition key, and may have clustering columns from the first on; it stands for all rows that have it. The keys are sorted as the
 * table's rows are, on disk if need be, so that memory is bounded. Then the rows of each key are requested; or, if that takes longer, a
 * scan of the table keeps the rows of the keys. Rows come in the order of the table, each once, however often its key is in the files.
 * Thread-safe.
 */
public final class KeyRows implements RowSource, AutoCloseable {
    /** The number of small rows that a scan reads in the time that a lookup of a key takes: see PERFORMANCE.md, "Rows by key". */
    private static final double ROWS_A_LOOKUP = 16;

    /** The size of a row for which a scan takes twice as long as for a small one. */
    private static final double BYTES_OF_TWO_ROWS = 500;

    /** Splits that are tried for a row, to know its size. */
    private static final int SPLITS_TO_SAMPLE = 8;

    private static final int SAMPLE_BYTES = 64 << 10;
    private static final int MAX_SCAN_THREADS = 64;
    private static final int MIN_IN_FLIGHT = 64;
    private static final int MAX_IN_FLIGHT = 1024;
    private static final int PAGE_BYTES = 256 << 10;
    private static final int PAGE_ROWS = 10_000;

    private final Overdrive overdrive;
    private final ScanOptions options;
    private final SortedKeys keys;
    private final Scan table;
    private final Way way;
    private final MissingKeys.Found missing;
    /** Once rows are read; guarded by this. */
    private @Nullable Reading reading;

    private boolean stopped;

    private KeyRows(Overdrive overdrive, ScanOptions options, SortedKeys keys, @Nullable Way forced) {
        this.overdrive = overdrive;
        this.options = options;
        this.keys = keys;
        this.table = overdrive.scan(
                options.toBuilder().columns(keys.layout().names()).build());
        this.missing = new MissingKeys.Found(new KeyJson(
                keys.layout().names(),
                IntStream.range(0, keys.layout().columns())
                        .mapToObj(keys.layout()::type)
                        .toList()));
        this.way = forced != null ? forced : way(keys.count(), table.estimatedBytes(), rowBytes());
    }

    /**
     * The way that takes less time, if a lookup takes as long as a scan of {@code 16 / (1 + r / 500)} rows of {@code r} bytes.
     *
     * @param tableBytes 0 if they are not known: the table may be of any size
     * @param rowBytes mean size of a row; 0 if none was found
     */
    static Way way(long keys, long tableBytes, double rowBytes) {
        double rows = rowBytes == 0 ? 0 : tableBytes / rowBytes;
        double rowsALookup = ROWS_A_LOOKUP / (1 + rowBytes / BYTES_OF_TWO_ROWS);
        return rows > 0 && keys * rowsALookup > rows ? Way.SCAN : Way.LOOKUPS;
    }

    /** The mean size of rows in a page of the table; 0 if none was found. */
    private double rowBytes() {
        try (Scan sample =
                overdrive.scan(options.toBuilder().pageBytes(SAMPLE_BYTES).build())) {
            for (Split split : table.splits().stream().limit(SPLITS_TO_SAMPLE).toList()) {
                try (RowCursor rows = sample.open(split)) {
                    if (rows.next()) {
                        break;
                    }
                }
            }
            ScanTotals totals = sample.totals();
            return totals.rowsRead() == 0 ? 0 : (double) totals.bytesRead() / totals.rowsRead();
        }
    }

    /**
     * Reads and sorts the keys, and decides how to find their rows. Returns when all keys are read.
     *
     * @param read of a table, without a source and conditions
     * @throws OverdriveException of kind INPUT if a file cannot be read, its fields are not those of a key, or a record has no key; of kind
     *     SCHEMA if there is no such table; of kind DISK if keys cannot be spilled
     */
    public static KeyRows open(Overdrive overdrive, ScanOptions read, KeyOptions keys) {
        return open(overdrive, read, keys, /* forced */ null);
    }

    /** @param forced null if the cheaper way is to be taken */
    static KeyRows open(Overdrive overdrive, ScanOptions read, KeyOptions keys, @Nullable Way forced) {
        overdrive.awaitNode(read.patience());
        TableSchema table =
                overdrive.table(Objects.requireNonNull(read.keyspace()), Objects.requireNonNull(read.table()));
        refuseView(overdrive, table);
        SortedKeys sorted = SortedKeys.read(overdrive, table, keys);
        try {
            return new KeyRows(overdrive, read, sorted, forced);
        } catch (RuntimeException e) {
            sorted.close();
            throw e;
        }
    }

    private static void refuseView(Overdrive overdrive, TableSchema table) {
        overdrive
                .session()
                .getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(table.keyspace()))
                .flatMap(keyspace -> keyspace.getView(CqlIdentifier.fromInternal(table.table())))
                .ifPresent(view -> {
                    throw new OverdriveException(
                            OverdriveException.Kind.SCHEMA,
                            words -> "[" + table.cqlName() + "] is a materialized view, and " + words.of(JobOption.KEYS)
                                    + " reads rows of tables: give keys of its table "
                                    + CqlIdentifier.fromInternal(table.keyspace())
                                            .asCql(true) + "."
                                    + view.getBaseTable().asCql(true));
                });
    }

    /** The number of different keys. */
    public long keys() {
        return keys.count();
    }

    /** Records of the files whose key another one has. */
    public long repeated() {
        return keys.repeated();
    }

    /** The keys that no row has, of the token ranges that were read until now. */
    public MissingKeys missing() {
        return missing.now();
    }

    @Override
    public List<Split> splits() {
        return way == Way.SCAN ? table.splits() : keys.parts();
    }

    @Override
    public Content content() {
        return new Content("key", keys.count(), table.estimatedBytes(), way);
    }

    @Override
    public String identity() {
        return keys.count() + " keys of " + String.join(", ", keys.layout().names()) + " with digest " + keys.digest();
    }

    @Override
    public boolean isOfCluster() {
        return true;
    }

    /** A thread that scans mostly waits for pages. */
    @Override
    public int threads(int wanted) {
        return way == Way.SCAN ? Math.max(wanted, Math.min(MAX_SCAN_THREADS, table.splitsInFlight())) : wanted;
    }

    @Override
    public Pages open(Range range, List<String> columns) {
        KeyCursor of = keys.open(range);
        if (!of.next()) {
            return () -> null;
        }
        return reading(columns).pages(range, of);
    }

    private synchronized Reading reading(List<String> columns) {
        if (stopped) {
            throw new OverdriveException(OverdriveException.Kind.INTERRUPTED, "reading was stopped");
        }
        Reading now = reading;
        if (now == null) {
            now = way == Way.SCAN ? new Scanning(columns) : new LookingUp(columns);
            reading = now;
        }
        return now;
    }

    @Override
    public synchronized @Nullable Requests requests() {
        return reading;
    }

    @Override
    public synchronized void stop() {
        stopped = true;
        if (reading != null) {
            reading.close();
        }
    }

    @Override
    public void close() {
        stop();
        table.close();
        keys.close();
    }

    /** Requests for rows. */
    private interface Reading extends Requests, AutoCloseable {
        /** @param of on the first key of the range */
        Pages pages(Range range, KeyCursor of);

        @Override
        void close();
    }

    private static void append(RowCursor row, int[] columns, Bytes to) {
        for (int column : columns) {
            int length = row.length(column);
            to.putInt(length);
            if (length > 0) {
                to.put(row.array(), row.offset(column), length);
            }
        }
    }

    /** Rows are collected until they fill a page. */
    private abstract static class KeyPages implements Pages {
        private final Range range;
        private final Bytes body = new Bytes(PAGE_BYTES + (PAGE_BYTES >> 2));
        private boolean isAtEnd;

        KeyPages(Range range) {
            this.range = range;
        }

        @Override
        public final @Nullable Page take() {
            if (isAtEnd) {
                return null;
            }
            body.clear();
            int rows = 0;
            while (!isAtEnd && body.length() < PAGE_BYTES && rows < PAGE_ROWS) {
                if (addNext(body)) {
                    rows++;
                } else {
                    isAtEnd = true;
                }
            }
            return new Page(body.toByteArray(), 0, rows, range.start(), range.end(), isAtEnd);
        }

        /** Adds the next row; false if there is none. */
        abstract boolean addNext(Bytes to);
    }

    /** Requests the rows of each key. */
    private final class LookingUp implements Reading {
        private final Lookup lookup;
        private final int[] columns;
        private final int inFlight;

        LookingUp(List<String> wanted) {
            List<String> key = keys.layout().names();
            List<String> read = wanted.isEmpty() ? key.subList(0, 1) : wanted;
            lookup = overdrive.lookup(options.toBuilder().columns(read).build(), key);
            columns = IntStream.range(0, wanted.size()).toArray();
            int nodes = Math.max(1, table.reach().nodes().size());
            inFlight = Math.max(MIN_IN_FLIGHT, Math.min(MAX_IN_FLIGHT, MIN_IN_FLIGHT * nodes));
        }

        @Override
        public Pages pages(Range range, KeyCursor of) {
            return new FoundPages(range, of, lookup.open(inFlight));
        }

        @Override
        public ScanTotals totals() {
            return lookup.totals();
        }

        @Override
        public Waits waits() {
            return lookup.waits();
        }

        @Override
        public void close() {
            lookup.close();
        }

        /** A key that was requested. */
        private record Requested(long token, byte[] key) {}

        private final class FoundPages extends KeyPages {
            private final KeyCursor of;
            private final Lookup.Queue queue;
            private final ArrayDeque<Requested> requested = new ArrayDeque<>();
            private boolean hasKey = true;
            private @Nullable RowCursor rows;
            private boolean isFound;

            FoundPages(Range range, KeyCursor of, Lookup.Queue queue) {
                super(range);
                this.of = of;
                this.queue = queue;
            }

            @Override
            boolean addNext(Bytes to) {
                while (true) {
                    RowCursor from = rows;
                    if (from == null) {
                        request();
                        from = queue.take();
                        rows = from;
                        isFound = false;
                        if (from == null) {
                            queue.close();
                            return false;
                        }
                    }
                    if (from.next()) {
                        isFound = true;
                        append(from, columns, to);
                        return true;
                    }
                    Requested key = requested.remove();
                    if (!isFound) {
                        missing.add(key.token, key.key);
                    }
                    rows = null;
                }
            }

            private void request() {
                while (hasKey && !queue.isFull()) {
                    if (isPossible()) {
                        RowBuffer key = queue.key();
                        for (int c = 0; c < keys.layout().columns(); c++) {
                            key.setBytes(c, of.array(), of.offset(c), of.length(c));
                        }
                        queue.submit();
                        requested.add(new Requested(of.token(), of.bytes()));
                    } else {
                        missing.add(of.token(), of.bytes());
                    }
                    hasKey = of.next();
                }
            }

            /** Whether a row may have the key: the server refuses an empty value as the whole partition key. */
            private boolean isPossible() {
                return keys.layout().partitionColumns() > 1 || of.length(0) > 0;
            }
        }
    }

    /** Keeps the rows of the keys. */
    private final class Scanning implements Reading {
        private final Scan scan;
        private final int[] columns;

        Scanning(List<String> wanted) {
            List<String> read = new ArrayList<>(keys.layout().names());
            wanted.stream().filter(name -> !read.contains(name)).forEach(read::add);
            scan = overdrive.scan(options.toBuilder().columns(read).build());
            columns = wanted.stream().mapToInt(read::indexOf).toArray();
        }

        @Override
        public Pages pages(Range range, KeyCursor of) {
            return new KeptPages(range, of);
        }

        @Override
        public ScanTotals totals() {
            return scan.totals();
        }

        @Override
        public Waits waits() {
            return scan.waits();
        }

        @Override
        public void close() {
            scan.close();
        }

        private final class KeptPages extends KeyPages {
            private final KeyCursor of;
            private final RowCursor rows;
            private final KeyOrder.Cells row;
            private boolean hasKey = true;
            private boolean isFound;

            KeptPages(Range range, KeyCursor of) {
                super(range);
                this.of = of;
                this.rows = scan.open(new Split(List.of(range), List.of(), 0));
                this.row = new KeyOrder.CursorCells(rows);
            }

            @Override
            boolean addNext(Bytes to) {
                while (hasKey && rows.next()) {
                    int order = compare();
                    while (order < 0) {
                        nextKey();
                        if (!hasKey) {
                            break;
                        }
                        order = compare();
                    }
                    if (hasKey && order == 0) {
                        isFound = true;
                        append(rows, columns, to);
                        return true;
                    }
                }
                while (hasKey) {
                    nextKey();
                }
                rows.close();
                return false;
            }

            private void nextKey() {
                if (!isFound) {
                    missing.add(of.token(), of.bytes());
                }
                isFound = false;
                hasKey = of.next();
            }

            /** Whether the key comes before the row (negative), is the row's (0), or comes after it. */
            private int compare() {
                int order = Long.compare(of.token(), rows.token());
                if (order == 0) {
                    order = keys.layout().order().comparePartitionKeys(of, row);
                }
                if (order != 0 || !hasClustering()) {
                    return order;
                }
                boolean isStaticsOnly = rows.isNull(keys.layout().partitionColumns());
                return isStaticsOnly ? 1 : keys.layout().order().compareClustering(of, row);
            }

            private boolean hasClustering() {
                return keys.layout().columns() > keys.layout().partitionColumns();
            }
        }
    }
}
