package io.overdrive.bench;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows with the driver, in requests that the caller puts together: single rows, or unlogged batches of any rows, which {@link
 * io.overdrive.RowWriter} would not make. It retries only what the driver retries by itself; a failed request ends the run, unless some
 * failures are tolerated. Thread-safe; a {@link Task} is confined to one thread.
 */
public final class DriverWriter {
    /** Long, because experiments queue more than a cluster can handle on purpose: how long that takes is a figure, not a failure. */
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static final long MAX_MICROS = Duration.ofMinutes(10).toNanos() / 1000;

    private final CqlSession session;
    private final DriverExecutionProfile profile;
    private final int toleratedFailures;
    private final LongAdder rows = new LongAdder();
    private final LongAdder rowsFailed = new LongAdder();
    private final AtomicInteger failures = new AtomicInteger();
    private final LongAdder requests = new LongAdder();
    private final Recorder latency = new Recorder(MAX_MICROS, 3);
    private final Recorder recentLatency = new Recorder(MAX_MICROS, 3);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    public DriverWriter(CqlSession session, DefaultConsistencyLevel consistency) {
        this(session, consistency, 0);
    }

    /** @param toleratedFailures how many requests may fail before the run does */
    public DriverWriter(CqlSession session, DefaultConsistencyLevel consistency, int toleratedFailures) {
        this.session = session;
        this.toleratedFailures = toleratedFailures;
        this.profile = session.getContext()
                .getConfig()
                .getDefaultProfile()
                .withString(DefaultDriverOption.REQUEST_CONSISTENCY, consistency.name())
                .withBoolean(DefaultDriverOption.REQUEST_DEFAULT_IDEMPOTENCE, true)
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, TIMEOUT)
                // The server warns about every batch of more than ten partitions; logging a line for each would distort
                // the measurement.
                .withBoolean(DefaultDriverOption.REQUEST_LOG_WARNINGS, false);
    }

    /** @param inFlight maximum number of requests in flight of this task */
    public Task task(int inFlight) {
        return new Task(inFlight);
    }

    /**
     * The outcome of all acknowledged requests, once all tasks have finished. Called once.
     *
     * @param rowBytes bytes of the values of one row
     */
    public RunOutcome done(int rowBytes) {
        return new RunOutcome(
                rows.sum(),
                rows.sum() * rowBytes,
                requests.sum(),
                latency.getIntervalHistogram(),
                Map.of(Figure.ERRORS, (double) rowsFailed.sum()),
                List.of());
    }

    /** Rows that have been acknowledged. */
    public long rowsWritten() {
        return rows.sum();
    }

    /** Rows of failed requests; the cluster may have applied them anyway. */
    public long rowsFailed() {
        return rowsFailed.sum();
    }

    /** Latency of the requests acknowledged since the last call, in microseconds. */
    public Histogram latencySinceLast() {
        return recentLatency.getIntervalHistogram();
    }

    private void failIfFailed() {
        Throwable first = failure.get();
        if (first != null) {
            throw new OverdriveException(Kind.WRITE, "rows were not written: " + first.getMessage(), first);
        }
    }

    /** A stream of requests with its own limit of requests in flight. */
    public final class Task {
        private final int inFlight;
        private final Semaphore places;

        private Task(int inFlight) {
            this.inFlight = inFlight;
            this.places = new Semaphore(inFlight);
        }

        /** Sends these rows in one request, to a replica of the first row; waits if too many requests are in flight. */
        public void send(List<BoundStatement> request) {
            send(request, null);
        }

        /**
         * Like {@link #send(List)}, to this node.
         *
         * @throws OverdriveException of kind WRITE again requests of all tasks have failed than are tolerated; INTERRUPTED
         */
        public void send(List<BoundStatement> request, @Nullable Node node) {
            failIfFailed();
            Statement<?> statement = request.size() == 1
                    ? request.get(0)
                    : BatchStatement.newInstance(BatchType.UNLOGGED, List.copyOf(request));
            statement = statement.setExecutionProfile(profile);
            Statement<?> whole = node == null ? statement : statement.setNode(node);
            int size = request.size();
            acquire(1);
            long start = System.nanoTime();
            var unused = session.executeAsync(whole).whenComplete((answer, error) -> {
                if (error == null) {
                    long micros = Math.min(MAX_MICROS, (System.nanoTime() - start) / 1000);
                    latency.recordValue(micros);
                    recentLatency.recordValue(micros);
                    rows.add(size);
                    requests.increment();
                } else {
                    rowsFailed.add(size);
                    if (failures.incrementAndGet() > toleratedFailures) {
                        failure.compareAndSet(null, error);
                    }
                }
                places.release();
            });
        }

        /**
         * Waits for all requests in flight.
         *
         * @throws OverdriveException as {@link #send(List, Node)} does
         */
        public void finish() {
            acquire(inFlight);
            places.release(inFlight);
            failIfFailed();
        }

        private void acquire(int permits) {
            try {
                places.acquire(permits);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new OverdriveException(Kind.INTERRUPTED, "the thread is interrupted", e);
            }
        }
    }
}
