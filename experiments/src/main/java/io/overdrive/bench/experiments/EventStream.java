package io.overdrive.bench.experiments;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowBuffer;
import io.overdrive.RowCallback;
import io.overdrive.RowWriter;
import io.overdrive.WriteOptions;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.CountedWork;
import io.overdrive.bench.stress.Values;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * E16. One thread sends events at a fixed rate, and each is acknowledged on its own: by the driver, a request for each event, or by a {@link
 * RowWriter} that lingers. An event's latency counts from when it was due, so a sender that falls behind does not hide it.
 */
final class EventStream implements Experiment {
    private static final String WRITER = "writer";
    private static final String SENSORS = "sensors";
    private static final long EVENTS_PER_SECOND = 50_000;
    private static final String TABLE = "events";
    private static final int TEXT_BYTES = 64;
    private static final int EVENT_BYTES = Integer.BYTES + Long.BYTES + Double.BYTES + TEXT_BYTES;
    /** Maximum requests in flight: the number of the driver's streams on a connection. */
    private static final int DRIVER_IN_FLIGHT = 1024;

    private static final long MAX_MICROS = TimeUnit.HOURS.toMicros(1);

    private enum Writer {
        DRIVER("driver, single events", 0),
        LINGER_1("linger 1 ms", 1),
        LINGER_5("linger 5 ms", 5),
        LINGER_20("linger 20 ms", 20);

        private final String words;
        private final int lingerMillis;

        Writer(String words, int lingerMillis) {
            this.words = words;
            this.lingerMillis = lingerMillis;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /** Events, with the run's latencies. Sent by one thread; acknowledged by any. */
    private abstract static class Stream extends CountedWork {
        private final ExperimentContext context;
        private final long seed;
        private final int sensors;
        private final Recorder latency = new Recorder(MAX_MICROS, 3);
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        private long startNanos;

        Stream(ExperimentContext context, int sensors) {
            super(context, TABLE);
            this.context = context;
            this.sensors = sensors;
            this.seed = context.random("events").nextLong();
        }

        /** Sends each event when it is due, or at once if it is late. */
        final void sendAll(LongConsumer send) {
            startNanos = System.nanoTime();
            for (long event = 0; event < context.size().rows() && !context.stopped(); event++) {
                long early = dueNanos(event) - System.nanoTime();
                if (early > 0) {
                    LockSupport.parkNanos(early);
                }
                send.accept(event);
            }
        }

        private long dueNanos(long event) {
            return startNanos + event * (TimeUnit.SECONDS.toNanos(1) / EVENTS_PER_SECOND);
        }

        final int sensor(long event) {
            return (int) Math.floorMod(Values.mix(seed, event), (long) sensors);
        }

        final String text(long event) {
            return Values.text(seed, event, TEXT_BYTES);
        }

        final void ended(long event, @Nullable Throwable error) {
            if (error == null) {
                latency.recordValue(Math.min(MAX_MICROS, Math.max(0, System.nanoTime() - dueNanos(event)) / 1000));
            } else {
                failure.compareAndSet(null, error);
            }
        }

        /** @param requests number of requests */
        final RunOutcome outcome(long requests) {
            double seconds = (System.nanoTime() - startNanos) / 1e9;
            Throwable error = failure.get();
            if (error != null) {
                throw new OverdriveException(Kind.WRITE, "an event was not written: " + error.getMessage(), error);
            }
            Histogram all = latency.getIntervalHistogram();
            long events = all.getTotalCount();
            return new RunOutcome(
                    events,
                    events * EVENT_BYTES,
                    requests,
                    all,
                    Map.of(
                            Figure.RATE_ASKED,
                            (double) EVENTS_PER_SECOND,
                            Figure.RATE_KEPT,
                            events / seconds / EVENTS_PER_SECOND),
                    List.of());
        }
    }

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(5_000);
            case LAPTOP -> Size.rows(20 * EVENTS_PER_SECOND).repeat(4);
            case DC2 -> Size.rows(20 * EVENTS_PER_SECOND).repeat(4).datacenters(2);
            case PAPER -> Size.rows(300 * EVENTS_PER_SECOND).repeat(5).nodes(3).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(Map.entry(SENSORS, List.of("100", "10,000")), Map.entry(WRITER, List.of(Writer.values())));
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        return arm -> {
            context.createTable(TABLE, "(sensor int, at bigint, value double, note text, PRIMARY KEY (sensor, at))");
            int sensors = (int) arm.number(SENSORS);
            Writer writer = arm.level(WRITER, Writer.class);
            return writer == Writer.DRIVER
                    ? byDriver(context, sensors)
                    : byOverdrive(context, sensors, Duration.ofMillis(writer.lingerMillis));
        };
    }

    private static Work byOverdrive(ExperimentContext context, int sensors, Duration linger) {
        RowWriter writer = context.overdrive()
                .writer(WriteOptions.into(context.keyspace(), TABLE)
                        .columns("sensor", "at", "value", "note")
                        .linger(linger)
                        .build());
        return new Stream(context, sensors) {
            @Override
            public RunOutcome run() {
                RowCallback onEnd = this::ended;
                sendAll(event -> {
                    RowBuffer row = writer.row();
                    row.position(event);
                    row.setInt(0, sensor(event));
                    row.setLong(1, event);
                    row.setDouble(2, event);
                    row.setText(3, text(event));
                    writer.send(onEnd);
                });
                writer.close();
                return outcome(writer.totals().requests());
            }

            @Override
            public void close() {
                writer.abandon();
            }
        };
    }

    private static Work byDriver(ExperimentContext context, int sensors) {
        PreparedStatement insert = context.session()
                .prepare("INSERT INTO " + context.keyspace() + "." + TABLE
                        + " (sensor, at, value, note) VALUES (?, ?, ?, ?)");
        return new Stream(context, sensors) {
            private final Semaphore inFlight = new Semaphore(DRIVER_IN_FLIGHT);

            @Override
            public RunOutcome run() {
                sendAll(event -> {
                    inFlight.acquireUninterruptibly();
                    var unused = context.session()
                            .executeAsync(insert.bind(sensor(event), event, (double) event, text(event))
                                    .setConsistencyLevel(DefaultConsistencyLevel.LOCAL_QUORUM))
                            .whenComplete((answer, error) -> {
                                ended(event, error);
                                inFlight.release();
                            });
                });
                inFlight.acquireUninterruptibly(DRIVER_IN_FLIGHT);
                RunOutcome done = outcome(0);
                return new RunOutcome(
                        done.rows(), done.bytes(), done.rows(), done.latency(), done.figures(), done.timeline());
            }
        };
    }

    @Override
    public Figure mainFigure() {
        return Figure.CLIENT_CPU;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(
                Figure.ROWS_PER_SECOND,
                Figure.RATE_KEPT,
                Figure.P50,
                Figure.P99,
                Figure.MAX,
                Figure.ROWS_PER_REQUEST,
                Figure.CLIENT_CPU,
                Figure.SERVER_CPU);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("What an event costs the client", Chart.Kind.BARS, Figure.CLIENT_CPU, SENSORS, WRITER),
                new Chart("What an event costs the nodes", Chart.Kind.BARS, Figure.SERVER_CPU, SENSORS, WRITER),
                new Chart("Latency of the slowest events", Chart.Kind.BARS, Figure.P99, SENSORS, WRITER));
    }

    @Override
    public List<Check> check(Findings findings) {
        Findings few = findings.where(SENSORS, "100");
        Findings driver = few.where(WRITER, Writer.DRIVER);
        Findings linger = few.where(WRITER, Writer.LINGER_20);
        Findings all = findings.where(arm -> arm.level(WRITER, Writer.class) != Writer.DRIVER);
        return List.of(
                Check.atMost(
                                1,
                                "Micro-batches cost the client less CPU than single events: 100 sensors, 20 ms",
                                linger.ratioTo(driver, Figure.CLIENT_CPU))
                        .named("client-cpu"),
                Check.atMost(
                                1,
                                "Micro-batches cost the nodes less CPU than single events: 100 sensors, 20 ms",
                                linger.ratioTo(driver, Figure.SERVER_CPU))
                        .named("nodes-cpu"),
                Check.atLeast(
                                0.99,
                                "One thread keeps up with 50,000 events a second (no published figure)",
                                all.mean(Figure.RATE_KEPT))
                        .named("rate"));
    }
}
