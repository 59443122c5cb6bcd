package io.overdrive.bench.experiments.kit;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.Lookup;
import io.overdrive.RowCursor;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.bench.Experiment.Work;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.experiments.kit.FlatRows.Tally;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.HdrHistogram.Recorder;

/** Ways to read {@link FlatRows}. Each fails unless every row was read once, as it was written. Stateless. */
public final class FlatReads {
    private static final Duration TIMEOUT = Duration.ofSeconds(15);
    private static final long MAX_MICROS = Duration.ofMinutes(10).toNanos() / 1000;

    private FlatReads() {}

    /** The columns to read, for {@link #byScan}. */
    public static ScanOptions.Builder options(ExperimentContext context) {
        return Preload.reading(context, FlatRows.TABLE).columns(FlatRows.READ);
    }

    /** All rows, by token range, with a thread for each processor of the client. */
    public static Work byScan(ExperimentContext context, ScanOptions options) {
        Scan scan = context.overdrive().scan(options);
        scan.splits(); // plans
        Tally tally = new Tally();
        long rows = context.size().rows();
        return new Work() {
            @Override
            public RunOutcome run() {
                scan.forEachSplit(Runtime.getRuntime().availableProcessors(), this::handler);
                return RunOutcome.of(scan.totals(), tally.rows() * FlatRows.ROW_BYTES);
            }

            private Scan.SplitHandler handler(Split split) {
                Tally.Part part = tally.part();
                return new Scan.SplitHandler() {
                    @Override
                    public void page(RowCursor page) {
                        if (context.stopped()) {
                            scan.stop();
                        }
                        while (page.next()) {
                            part.take(page);
                        }
                    }

                    @Override
                    public void end() {
                        part.end();
                    }
                };
            }

            @Override
            public long rowsFound() {
                return tally.check(rows, rows * (rows - 1) / 2);
            }

            @Override
            public void close() {
                scan.close();
            }
        };
    }

    /**
     * Rows by key, each from one of its replicas, many at once.
     *
     * @param keys how many
     * @param order the key at a position, from 0
     * @param threads each of which reads a part of the order in sequence
     * @param inFlight keys in flight for each thread
     */
    public static Work byKey(ExperimentContext context, long keys, LongUnaryOperator order, int threads, int inFlight) {
        Lookup lookup = context.overdrive().lookup(options(context).build(), List.of("key"));
        Tally tally = new Tally();
        return new Work() {
            @Override
            public RunOutcome run() {
                Tasks.run(
                        threads,
                        threads,
                        context::stopped,
                        thread -> read(keys * thread / threads, keys * (thread + 1) / threads));
                return RunOutcome.of(lookup.totals(), tally.rows() * FlatRows.ROW_BYTES);
            }

            private void read(long from, long to) {
                Tally.Part part = tally.part();
                try (Lookup.Queue queue = lookup.open(inFlight)) {
                    long submitted = from;
                    for (long taken = from; taken < to && !context.stopped(); taken++) {
                        for (; submitted < to && !queue.isFull(); submitted++) {
                            queue.key().setLong(0, order.applyAsLong(submitted));
                            queue.submit();
                        }
                        RowCursor row = queue.take();
                        while (row != null && row.next()) {
                            part.take(row);
                        }
                    }
                }
                part.end();
            }

            @Override
            public long rowsFound() {
                return tally.check(keys, sum(keys, order));
            }

            @Override
            public void close() {
                lookup.close();
            }
        };
    }

    /**
     * Rows by key, by requests of the driver; each thread waits for one request at a time.
     *
     * @param keys how many
     * @param order the key at a position, from 0
     * @param threads which take turns
     * @param keysPerRequest 1, or more to read by IN
     */
    public static Work byRequests(
            ExperimentContext context, long keys, LongUnaryOperator order, int threads, int keysPerRequest) {
        CqlSession session = context.session();
        PreparedStatement select = session.prepare("SELECT " + String.join(", ", FlatRows.READ) + " FROM "
                + context.keyspace() + "." + FlatRows.TABLE + " WHERE key " + (keysPerRequest == 1 ? "= ?" : "IN ?"));
        int requests = Math.toIntExact((keys + keysPerRequest - 1) / keysPerRequest);
        Tally tally = new Tally();
        Recorder latency = new Recorder(MAX_MICROS, 3);
        return new Work() {
            @Override
            public RunOutcome run() {
                Tasks.run(requests, threads, context::stopped, this::request);
                return new RunOutcome(
                        tally.rows(),
                        tally.rows() * FlatRows.ROW_BYTES,
                        requests,
                        latency.getIntervalHistogram(),
                        Map.of(),
                        List.of());
            }

            @Override
            public long rowsFound() {
                return tally.check(keys, sum(keys, order));
            }

            private void request(int number) {
                long first = (long) number * keysPerRequest;
                List<Long> asked = new ArrayList<>(keysPerRequest);
                for (long place = first; place < Math.min(keys, first + keysPerRequest); place++) {
                    asked.add(order.applyAsLong(place));
                }
                long start = System.nanoTime();
                Tally.Part part = tally.part();
                for (Row row : session.execute(select.bind(keysPerRequest == 1 ? asked.get(0) : asked)
                        .setConsistencyLevel(DefaultConsistencyLevel.LOCAL_ONE)
                        .setIdempotent(true)
                        .setTimeout(TIMEOUT))) {
                    part.take(row);
                }
                latency.recordValue(Math.min(MAX_MICROS, (System.nanoTime() - start) / 1000));
                part.end();
            }
        };
    }

    private static long sum(long keys, LongUnaryOperator order) {
        return LongStream.range(0, keys).map(order).sum();
    }
}
