package io.overdrive;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.internal.cql.SameTable;
import io.overdrive.internal.flow.ThreadWaits;
import io.overdrive.internal.flow.Waits;
import io.overdrive.internal.scan.ActiveSplits;
import io.overdrive.internal.scan.Fetcher;
import io.overdrive.internal.scan.Page;
import io.overdrive.internal.scan.PageReader;
import io.overdrive.internal.scan.RowSource;
import io.overdrive.internal.scan.ScanLayout;
import io.overdrive.internal.scan.SourcePages;
import io.overdrive.internal.scan.SplitPlan;
import io.overdrive.internal.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A read of a whole table, or of all rows of a query, as splits, which are planned when first needed. Thread-safe: splits are
 * independent, and may be read by different threads or processes; {@link #open} needs no planning.
 *
 * <pre>{@code
 * try (Scan scan = overdrive.scan(ScanOptions.from("shop", "users").columns("id", "name").build())) {
 *     scan.forEach(4, row -> count(row.getLong(0), row.text(1)));
 * }
 * }</pre>
 */
public final class Scan implements AutoCloseable {
    private final Wire wire;
    private final ScanOptions options;
    private final ScanLayout layout;
    private final Fetcher fetcher;
    private final Object planning = new Object();
    private volatile @Nullable SplitPlan planned;
    private final AtomicInteger splitsRead = new AtomicInteger();
    private volatile boolean stopped;

    Scan(Wire wire, ScanOptions options, ScanLayout layout) {
        this.wire = wire;
        this.options = options;
        this.layout = layout;
        this.fetcher = new Fetcher(wire, layout, options);
    }

    /** Takes the rows of one split, page by page in order. Called by one thread at a time, but not always the same one. */
    public interface SplitHandler {
        /** Takes one page. The cursor ends after its last row, and is only valid during the call. */
        void page(RowCursor rows);

        /** Called after the last page of the split. */
        default void end() {}
    }

    /**
     * The splits, in the best order to read them: neighbours are on different nodes. The first call asks all nodes for their size
     * estimates of the table.
     */
    public List<Split> splits() {
        return planned().splits();
    }

    /**
     * All tokens of {@link ScanOptions#tokenRanges} in parts for readers that work independently, such as processes on several machines, each of
     * which scans the ranges of one. Parts have about the same estimated bytes, and a replica in common if that is possible; a query that
     * cannot be split has one. Asks all nodes for their size estimates.
     *
     * @param number of parts, if there are as many tokens; 0: parts of at most 256 MiB, and down to 16 MiB so that each node has four
     */
    public List<Split> splitsForReaders(int number) {
        return SplitPlan.forReaders(wire.session(), fetcher, layout, options, number);
    }

    /** The cluster's estimate of the table's bytes on one replica, 0 if it has none yet. Plans like {@link #splits}. */
    public long estimatedBytes() {
        return splits().stream().mapToLong(Split::estimatedBytes).sum();
    }

    private SplitPlan planned() {
        synchronized (planning) {
            SplitPlan known = planned;
            if (known == null) {
                known = SplitPlan.of(SplitPlan.cut(wire.session(), fetcher, layout, options), fetcher, layout, options);
                planned = known;
            }
            return known;
        }
    }

    /**
     * Reads only the given splits instead of planning: splits of an earlier scan of the same query, or their remaining parts ({@link
     * Split#after}). They become the {@link #splits} of this scan. Call it before anything that plans.
     *
     * @throws IllegalStateException if splits were planned before
     * @throws OverdriveException of kind SCHEMA if they are parts of the query, and the server does not take the query in parts
     */
    public void readOnly(List<Split> splits) {
        splits.forEach(split -> SplitPlan.requireSplit(split, layout, options));
        synchronized (planning) {
            if (planned != null) {
                throw new IllegalStateException("the splits of the scan are planned already");
            }
            planned = SplitPlan.of(List.copyOf(splits), fetcher, layout, options);
        }
    }

    /** Keyspace of the table, not quoted. */
    public String keyspace() {
        return layout.keyspace.asInternal();
    }

    /** Name of the table, not quoted. */
    public String table() {
        return layout.table.asInternal();
    }

    /** Names of the columns, in the order of the cursor, as the server gives them. */
    public List<String> columns() {
        return layout.columns.names();
    }

    /** Types of the columns, in the order of the cursor. */
    public List<DataType> types() {
        return layout.columns.types();
    }

    /** The query that the server prepared; if it is split, its two bind markers are the bounds of a token range. */
    public String query() {
        return layout.prepared.text();
    }

    /**
     * Whether rows come in the order of their tokens, and have one ({@link RowCursor#token}): if the query is split, and all columns of
     * the partition key are read.
     */
    public boolean hasTokens() {
        return layout.query.isSplit() && layout.columns.key().length > 0;
    }

    /** Why the query cannot be split and runs as one; empty if it is split. */
    public String whyNotSplit() {
        return layout.query.whyNotSplit();
    }

    /** Which nodes are read. */
    public Reach reach() {
        return Reach.of(
                wire.metadata(), layout.keyspace, layout.table, options.consistency(), /* hasConditions */ false);
    }

    /** The options that it was opened with. */
    public ScanOptions options() {
        return options;
    }

    /** The settings in effect, by name, with their origin. */
    public Map<String, String> settings() {
        return options.settings();
    }

    /** The number of splits that {@link #forEach} reads at once, or begins with. Plans like {@link #splits}. */
    public int splitsInFlight() {
        return planned().inFlight();
    }

    /** Maximum bytes of all pages of {@link #forEach}, if no row is larger than a page. Plans like {@link #splits}. */
    public long pageMemory() {
        SplitPlan now = planned();
        return 2L * now.maxInFlight() * now.pageBytes();
    }

    /**
     * Opens a split of this scan, or of another scan of the same query; does not plan. With a guard ({@link ConnectOptions#guard}) the first
     * call may wait until the latency before the job is measured. The cursor holds up to two pages of {@link ScanOptions#pageBytes}.
     *
     * @throws OverdriveException of kind SCHEMA if the split is a part of the query, and the server does not take the query in parts
     */
    public RowCursor open(Split split) {
        RowSource source = options.source();
        if (source != null) {
            return new RowCursor(layout, new SourcePages(fetcher, source, split), split);
        }
        SplitPlan.requireSplit(split, layout, options);
        fetcher.begin();
        PageReader reader = new PageReader(fetcher, split, options.pageBytes(), () -> {});
        reader.request();
        return new RowCursor(layout, reader, split);
    }

    /**
     * Passes each row to a handler, in no order, on several threads, and returns after the last row. Its exceptions end the scan.
     *
     * @param threads number of threads that call the handler, including the caller's; 1 or more
     * @param handler takes the cursor on a row; must not advance or keep it. Must be thread-safe if there are several threads
     * @throws OverdriveException of kind READ if not all rows can be read; INTERRUPTED after {@link #stop}, {@link #close} or an interrupt
     */
    public void forEach(int threads, Consumer<RowCursor> handler) {
        forEachSplit(threads, split -> rows -> {
            while (rows.next()) {
                handler.accept(rows);
            }
        });
    }

    /**
     * Reads all splits, several at once, and passes their pages to handlers on several threads. Returns after the last page. An
     * exception of a handler ends the scan, and is thrown.
     *
     * @param threads number of threads that call the handlers, including the caller's; 1 or more. A source of the rows may use more
     * @param handlers called once for each split, before its first page
     * @throws OverdriveException of kind READ if not all rows can be read; INTERRUPTED after {@link #stop}, {@link #close} or an interrupt
     */
    public void forEachSplit(int threads, Function<Split, SplitHandler> handlers) {
        new Run(planned(), threads, handlers).run();
    }

    /** Ends {@link #forEach} and {@link #forEachSplit} early, without waiting for rate limits: they throw. */
    public void stop() {
        stopped = true;
        fetcher.stop();
    }

    /** A snapshot. Does not plan: before that there are 0 splits. */
    public ScanTotals totals() {
        SplitPlan known = planned;
        ScanTotals totals = fetcher.totals(known == null ? 0 : known.splits().size(), splitsRead.get());
        RowSource.Requests requests = options.requests();
        return requests == null ? totals : totals.withRequests(requests.totals());
    }

    /** Rows of a count that were read, and belong to a partition whose number was not given yet; for the modules of this project. */
    public long pendingOfCounts() {
        return fetcher.pendingOfCounts();
    }

    /**
     * Where the threads and the page requests of this scan have waited; for the modules of this project. Does not plan. From the first
     * call on, an empty request is sent to each busy node twice a second ({@link Waits.Node#emptyNanos}).
     */
    public Waits waits() {
        SplitPlan known = planned;
        Waits waits = fetcher.waits(known == null ? 0 : known.splits().size());
        RowSource.Requests requests = options.requests();
        return requests == null ? waits : requests.waits().ofThreads(waits.threadNanos());
    }

    /** How long threads of this scan have waited, unlike {@link #waits} without a request; for the modules of this project. */
    public ThreadWaits threadWaits() {
        return fetcher.threadWaits();
    }

    /** Threads that are waiting for rows get an exception of kind INTERRUPTED. */
    @Override
    public void close() {
        fetcher.close();
    }

    /** One read of all splits. Each thread takes the next split that has a page. */
    private final class Run {
        /** How often a waiting thread checks whether the scan was stopped. */
        private static final long STOP_CHECK_MILLIS = 200;

        private final SplitPlan plan;
        private final int threads;
        private final Function<Split, SplitHandler> handlers;
        private final BlockingQueue<Optional<Lane>> ready = new LinkedBlockingQueue<>();
        private final AtomicInteger nextSplit = new AtomicInteger();
        /** Begun and not finished. */
        private final AtomicInteger lanes = new AtomicInteger();

        private final ActiveSplits<Lane> active = new ActiveSplits<>(this::wanted, this::beginNext);
        private final @Nullable RowSource source = options.source();
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        Run(SplitPlan plan, int threads, Function<Split, SplitHandler> handlers) {
            this.plan = plan;
            this.threads = source == null ? threads : source.threads(threads);
            this.handlers = handlers;
        }

        void run() {
            if (source != null && !source.isOfCluster()) {
                readAll();
                return;
            }
            SameTable table = SameTable.of(wire.session(), layout.keyspace, layout.table, layout.columns.names());
            if (source == null) {
                fetcher.begin();
                activate();
            }
            readAll();
            table.requireForRead();
            if (source == null) {
                fetcher.onAllRead();
            }
        }

        private void readAll() {
            List<Thread> others = new ArrayList<>();
            for (int i = 1; i < threads; i++) {
                Thread thread = new Thread(this::work, "overdrive-scan-" + i);
                thread.setDaemon(true);
                thread.start();
                others.add(thread);
            }
            work();
            boolean interrupted = false;
            for (Thread thread : others) {
                while (thread.isAlive()) {
                    try {
                        thread.join();
                    } catch (InterruptedException e) {
                        interrupted = true;
                        failure.compareAndSet(null, RowCursor.stopped());
                    }
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            Throwable failed = failure.get();
            if (failed instanceof RuntimeException e) {
                throw e;
            }
            if (failed instanceof Error e) {
                throw e;
            }
            if (stopped) {
                throw RowCursor.stopped();
            }
        }

        /** How many lanes are to request pages. */
        private int wanted() {
            int found = fetcher.splits();
            return found == 0 ? plan.inFlight() : Math.min(plan.maxInFlight(), found * plan.nodes());
        }

        private @Nullable Lane beginNext() {
            int next = nextSplit.getAndIncrement();
            if (next >= plan.splits().size()) {
                return null;
            }
            if (next == plan.splits().size() - 1) {
                fetcher.endSplits();
            }
            lanes.incrementAndGet();
            return new Lane(plan.splits().get(next));
        }

        private void activate() {
            for (Lane lane = active.activate(); lane != null; lane = active.activate()) {
                lane.isParked = false;
                lane.reader.request();
            }
        }

        /** Wakes the threads that wait for a page. */
        private void ended() {
            for (int i = 0; i < threads; i++) {
                ready.add(Optional.empty());
            }
        }

        private void work() {
            RowCursor cursor = new RowCursor(layout);
            fetcher.beginThread();
            try {
                if (source != null) {
                    readFrom(source, cursor);
                } else {
                    readLanes(cursor);
                }
            } catch (InterruptedException e) {
                failure.compareAndSet(null, RowCursor.stopped());
                Thread.currentThread().interrupt();
            } catch (RuntimeException | Error e) {
                failure.compareAndSet(null, e);
            } finally {
                fetcher.endThread();
            }
        }

        private void readLanes(RowCursor cursor) throws InterruptedException {
            while (goesOn() && lanes.get() > 0) {
                Optional<Lane> lane = ready.poll();
                if (lane == null) {
                    fetcher.waited();
                    lane = await();
                }
                if (lane != null && lane.isPresent()) {
                    lane.get().work(cursor);
                }
            }
        }

        private boolean goesOn() {
            return failure.get() == null && !stopped;
        }

        /** Reads whole splits on this thread: nothing is in flight meanwhile. */
        private void readFrom(RowSource from, RowCursor cursor) {
            for (int next = nextSplit.getAndIncrement();
                    goesOn() && next < plan.splits().size();
                    next = nextSplit.getAndIncrement()) {
                Split split = plan.splits().get(next);
                SplitHandler handler = handlers.apply(split);
                SourcePages pages = new SourcePages(fetcher, from, split);
                for (Page page = pages.take(); page != null && goesOn(); page = pages.take()) {
                    cursor.reset(pages, page);
                    handler.page(cursor);
                    cursor.close();
                }
                if (goesOn()) {
                    handler.end();
                    splitsRead.incrementAndGet();
                }
            }
        }

        private @Nullable Optional<Lane> await() throws InterruptedException {
            fetcher.beginWait();
            try {
                return ready.poll(STOP_CHECK_MILLIS, TimeUnit.MILLISECONDS);
            } finally {
                fetcher.endWait();
            }
        }

        /** A split that is being read: queued, used by a thread, waiting for its page, or parked. */
        private final class Lane {
            private final Split split;
            private final PageReader reader;
            private final AtomicBoolean queued = new AtomicBoolean();
            private @Nullable SplitHandler handler;
            private boolean isParked;

            Lane(Split split) {
                this.split = split;
                this.reader = new PageReader(fetcher, split, plan.pageBytes(), this::changed);
            }

            /** A page has arrived. Called by an I/O thread. */
            private void changed() {
                if (queued.compareAndSet(false, true)) {
                    ready.add(Optional.of(this));
                }
            }

            void work(RowCursor cursor) {
                SplitHandler to = handler;
                if (to == null) {
                    to = handlers.apply(split);
                    handler = to;
                }
                activate();
                Page page = reader.pollOnly();
                if (page != null) {
                    isParked = active.makeRoom();
                    if (!isParked) {
                        reader.request();
                    }
                    cursor.reset(reader, page);
                    to.page(cursor);
                    cursor.close();
                }
                if (reader.isFinished()) {
                    to.end();
                    splitsRead.incrementAndGet();
                    if (!isParked) {
                        active.finish();
                    }
                    activate();
                    if (lanes.decrementAndGet() == 0) {
                        ended();
                    }
                    return;
                }
                queued.set(false);
                if (isParked) {
                    active.park(this);
                    activate();
                } else if (reader.hasNews()) {
                    changed();
                }
            }
        }
    }
}
