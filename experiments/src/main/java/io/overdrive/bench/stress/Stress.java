package io.overdrive.bench.stress;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.management.OperatingSystemMXBean;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.TableSchema;
import io.overdrive.WriteOptions;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.request.ServerMessage;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An open-loop load of single writes and reads at a given rate, like that of a cluster's users: each operation is due at its time, however
 * long earlier ones take, and latency counts from that time. So a server that stalls for a second delays a second's worth of operations,
 * and all of them are in the figures; a generator that waits for answers before it continues would have sent nothing in that second, and
 * seen one slow operation (Gil Tene calls that coordinated omission). Thread-safe.
 *
 * <p>Nothing is dropped silently. Operations that could not be sent in time are sent at once, and counted in {@link Interval#late}; if
 * {@link StressOptions#inFlight} operations are in flight, the next one waits, and is counted in {@link Interval#held}; the {@link
 * StressResult} reports operations that were due and never sent, or never answered.
 *
 * <p>One thread makes and sends the requests. It sleeps until the next operation is due, but never for less than half a millisecond,
 * because waking a thread costs more than sending a write; operations that become due in the meantime are sent together. So above 2000
 * operations a second, up to half a millisecond of the response time is the generator's.
 *
 * <pre>{@code
 * StressOptions options = StressOptions.on("shop", "carts").workload(Workload.parse("write 0.5 read 0.5")).rate(4000).build();
 * Stress.populate(overdrive, options);
 * try (Stress foreground = Stress.start(overdrive, options)) {
 *     theWorkThatIsMeasured();
 *     System.out.println(foreground.stop().all().response().p99());
 * }
 * }</pre>
 */
public final class Stress implements AutoCloseable {
    private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int USUAL_REPLICAS = 3;

    private final StressOptions options;
    private final OperationSender sender;
    private final StressRecorder recorder;
    private final @Nullable HistogramLog log;
    private final Schedule schedule;
    private final OpenLoop loop;
    private final Thread thread;
    private final ScheduledExecutorService seconds;
    private final Consumer<Interval> eachSecond;
    private final long startCpuNanos = processCpuNanos();
    private volatile long endNanos;
    private volatile @Nullable RuntimeException failure;

    @GuardedBy("this") private @Nullable StressResult result;

    private Stress(Overdrive overdrive, StressOptions options, Consumer<Interval> eachSecond) {
        this.options = options;
        this.eachSecond = eachSecond;
        Path file = options.histogram();
        LongUnaryOperator rows = options.distribution().rows(options.keys(), Values.mix(options.seed(), 1));
        this.recorder = new StressRecorder(options.workload().shares().keySet());
        this.sender = OperationSender.open(overdrive, options, recorder);
        this.log = file == null ? null : new HistogramLog(file, options, System.currentTimeMillis());
        this.schedule = new Schedule(System.nanoTime(), options.rate());
        this.loop = new OpenLoop(options, schedule, rows, sender, recorder, new RealTime());
        this.thread = new Thread(this::send, "overdrive-load");
        thread.setDaemon(true);
        this.seconds = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "overdrive-load-seconds");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Like {@link #start(Overdrive, StressOptions, Consumer)}, without figures for each second. */
    public static Stress start(Overdrive overdrive, StressOptions options) {
        return start(overdrive, options, second -> {});
    }

    /**
     * Starts a load on an existing table.
     *
     * @param overdrive whose connections are used; other work on it delays the load. Close it after the load
     * @param eachSecond receives the figures of each second, on the load's thread; must not throw
     * @throws OverdriveException of kind SCHEMA if there is no such table, or no values for one of its columns; DISK if the histogram log
     *     cannot be written
     * @throws IllegalArgumentException if the distribution cannot draw from this many keys
     */
    public static Stress start(Overdrive overdrive, StressOptions options, Consumer<Interval> eachSecond) {
        Stress load = new Stress(overdrive, options, eachSecond);
        load.thread.start();
        var unused = load.seconds.scheduleAtFixedRate(load::second, 1, 1, TimeUnit.SECONDS);
        return load;
    }

    private final class RealTime implements OpenLoop.Waiting {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void sleep(long nanos) {
            LockSupport.parkNanos(Stress.this, nanos);
        }

        @Override
        public boolean awaitPermit(long nanos) throws InterruptedException {
            return sender.awaitPermit(nanos);
        }
    }

    private void send() {
        try {
            loop.run();
            sender.awaitAnswers(ANSWER_NANOS);
        } catch (InterruptedException e) {
            // Only this class has access to the thread, and does not interrupt it.
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    private void second() {
        Interval second;
        synchronized (this) {
            if (result != null) {
                return;
            }
            second = interval();
        }
        eachSecond.accept(second);
    }

    @GuardedBy("this") private Interval interval() {
        long now = System.nanoTime();
        return recorder.interval(
                (now - schedule.startNanos()) / 1e9,
                schedule.dueBefore(Math.min(now, lastDueNanos())),
                log == null ? (name, histogram) -> {} : log::write);
    }

    /** When no more operations become due, if known. */
    private long lastDueNanos() {
        Duration duration = options.duration();
        long last = duration == null ? Long.MAX_VALUE : schedule.startNanos() + duration.toNanos();
        return loop.isEnding() ? Math.min(last, endNanos) : last;
    }

    /** Sends no more, and does not wait; {@link #await} then returns soon. */
    public void end() {
        if (!loop.isEnding()) {
            endNanos = System.nanoTime();
            loop.end();
            LockSupport.unpark(thread);
        }
    }

    /** Ends the load now and returns its result, once all operations in flight are answered. */
    public StressResult stop() {
        end();
        return await();
    }

    /**
     * Waits until the duration of the load is over, or it was ended, and all operations are answered; waits for answers up to 30 s.
     *
     * @throws OverdriveException of kind INTERRUPTED if the thread is interrupted; the load continues. DISK if the histogram log is
     *     incomplete
     */
    public StressResult await() {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OverdriveException(
                    OverdriveException.Kind.INTERRUPTED, "interrupted while waiting for the load's end", e);
        }
        return finish();
    }

    private synchronized StressResult finish() {
        StressResult known = result;
        if (known != null) {
            return known;
        }
        seconds.shutdownNow();
        Interval last = interval();
        Interval all = recorder.all();
        double cpuMicros = (processCpuNanos() - startCpuNanos) / 1e3 / Math.max(1, all.sent());
        StressResult end = new StressResult(
                options.rate(), all, last.behind(), last.inFlight(), recorder.errors(), cpuMicros, !endedEarly());
        result = end;
        if (log != null) {
            log.close();
        }
        RuntimeException f = failure;
        if (f != null) {
            throw new IllegalStateException("the load has failed", f);
        }
        return end;
    }

    private boolean endedEarly() {
        Duration duration = options.duration();
        return loop.isEnding() && duration != null && endNanos - schedule.startNanos() < duration.toNanos();
    }

    private static long processCpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    /** Like {@link #stop}, but discards the result. */
    @Override
    public void close() {
        stop();
    }

    /**
     * Creates the keyspace and the table if they are missing: a table with a bigint as the key, and one blob.
     *
     * @return the statements that were run; empty if the table exists
     * @throws OverdriveException of kind SCHEMA if the server refuses one of them
     */
    public static List<String> createIfMissing(Overdrive overdrive, StressOptions options) {
        Metadata metadata = overdrive.session().getMetadata();
        CqlIdentifier keyspace = CqlIdentifier.fromInternal(options.keyspace());
        CqlIdentifier table = CqlIdentifier.fromInternal(options.table());
        List<String> statements = new ArrayList<>();
        if (metadata.getKeyspace(keyspace).flatMap(k -> k.getTable(table)).isPresent()) {
            return statements;
        }
        if (metadata.getKeyspace(keyspace).isEmpty()) {
            List<Node> local = metadata.getNodes().values().stream()
                    .filter(node -> node.getDistance() == NodeDistance.LOCAL)
                    .toList();
            String datacenter = String.valueOf(local.get(0).getDatacenter()).replace("'", "''");
            statements.add("CREATE KEYSPACE " + keyspace.asCql(true)
                    + " WITH replication = {'class': 'NetworkTopologyStrategy', '" + datacenter + "': "
                    + Math.min(USUAL_REPLICAS, local.size()) + "}");
        }
        statements.add("CREATE TABLE " + options.cqlTable()
                + (options.rowsPerPartition() == 1
                        ? " (key bigint PRIMARY KEY, value blob)"
                        : " (key bigint, position int, value blob, PRIMARY KEY (key, position))"));
        statements.forEach(statement -> change(overdrive, statement));
        return statements;
    }

    private static void change(Overdrive overdrive, String statement) {
        try {
            overdrive.changeSchema(statement);
        } catch (QueryValidationException e) {
            throw new OverdriveException(
                    OverdriveException.Kind.SCHEMA,
                    "the server refuses \"" + statement + "\": " + ServerMessage.of(e),
                    e);
        }
    }

    /**
     * Writes all rows of the load, as fast as the cluster accepts them, so that reads find them.
     *
     * @throws OverdriveException as {@link #start} does, and of kind WRITE if a row could not be written
     */
    public static void populate(Overdrive overdrive, StressOptions options) {
        TableSchema table = overdrive.table(options.keyspace(), options.table());
        if (table.isCounter()) {
            throw new OverdriveException(
                    OverdriveException.Kind.SCHEMA,
                    "[" + table.cqlName()
                            + "] holds counters, which cannot be populated: write to them first, by a load");
        }
        RowMaker rows = new RowMaker(table, options);
        WriteOptions writes = WriteOptions.into(options.keyspace(), options.table())
                .bulk()
                .consistency(options.consistency())
                .build();
        int columns = table.columns().size();
        try (RowWriter writer = overdrive.writer(writes)) {
            for (long row = 0; row < options.keys(); row++) {
                RowBuffer buffer = writer.row();
                for (int column = 0; column < columns; column++) {
                    Bytes out = buffer.begin(column);
                    rows.put(out, column, row);
                    buffer.end(column);
                }
                writer.send();
            }
        }
    }
}
