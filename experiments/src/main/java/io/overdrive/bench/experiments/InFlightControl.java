package io.overdrive.bench.experiments;

import static io.overdrive.bench.Figure.ROWS_PER_SECOND;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.DriverWriter;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.CountedWork;
import io.overdrive.bench.experiments.kit.HeapWatch;
import io.overdrive.bench.experiments.kit.Tasks;
import io.overdrive.bench.experiments.kit.WideRows;
import io.overdrive.bench.experiments.kit.WideRows.Order;
import io.overdrive.bench.experiments.kit.WideRows.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * E10. Single rows are written with N requests in flight: with a barrier after every N, a semaphore that admits the next request at each
 * answer, N threads that wait for each answer, or without any limit.
 */
final class InFlightControl implements Experiment {
    private static final String CONTROL = "control";

    /** The mechanism that limits the number of requests in flight. */
    private enum Control {
        BARRIER("barrier"),
        SEMAPHORE("semaphore"),
        THREADS("blocking threads"),
        UNBOUNDED("none");

        private final String words;

        Control(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    private static final String IN_FLIGHT = "in flight";

    private static final String TABLE = "single_rows";
    /** Rows of a run for each request in flight: with few of them, a run of all rows would take minutes. */
    private static final long ROWS_PER_REQUEST_IN_FLIGHT = 4_000;

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(2_000);
            case LAPTOP -> Size.rows(80_000).repeat(5).nodes(3);
            case DC2 -> Size.rows(80_000).repeat(5).datacenters(2).nodes(2);
            case PAPER -> Size.rows(2_000_000).repeat(10).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        List<Integer> bounds = size.rows() < 10_000
                ? List.of(1, 64)
                : size.rows() < 1_000_000 ? List.of(1, 16, 256, 4096) : List.of(1, 4, 16, 64, 256, 1024, 4096);
        List<Arm> arms = new ArrayList<>();
        for (Control control : List.of(Control.BARRIER, Control.SEMAPHORE, Control.THREADS)) {
            bounds.forEach(bound -> arms.add(arm(control, bound)));
        }
        arms.add(arm(Control.UNBOUNDED, size.rows()));
        return arms;
    }

    private static Arm arm(Control control, long inFlight) {
        Map<String, String> levels = new LinkedHashMap<>();
        levels.put(CONTROL, control.toString());
        levels.put(IN_FLIGHT, level(inFlight));
        return new Arm(levels);
    }

    private static String level(long inFlight) {
        return String.format(Locale.ROOT, "%,d", inFlight);
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        return arm -> work(context, arm);
    }

    private static Work work(ExperimentContext context, Arm arm) {
        context.createTable(TABLE, WideRows.DEFINITION);
        PreparedStatement insert =
                context.session().prepare("INSERT INTO " + context.keyspace() + "." + TABLE + " " + WideRows.INSERT);
        int inFlight = (int) Math.min(Integer.MAX_VALUE, (long) arm.number(IN_FLIGHT));
        WideRows rows = new WideRows(
                Math.min(context.size().rows(), inFlight * ROWS_PER_REQUEST_IN_FLIGHT),
                1,
                Order.IN_ORDER,
                context.random("rows").nextLong());
        DriverWriter writer = new DriverWriter(context.session(), DefaultConsistencyLevel.LOCAL_QUORUM);
        Sent sent = place -> {
            Row row = rows.at(place);
            return List.of(insert.bind(row.key(), row.col1(), row.col2(), row.col3()));
        };
        Control control = arm.level(CONTROL, Control.class);
        return new CountedWork(context, TABLE) {
            @Override
            public RunOutcome run() {
                try (HeapWatch heap = HeapWatch.open()) {
                    switch (control) {
                        case BARRIER -> byBarrier(context, writer, rows.count(), inFlight, sent);
                        case THREADS -> byThreads(context, writer, rows.count(), inFlight, sent);
                        case SEMAPHORE, UNBOUNDED -> bySemaphore(context, writer, rows.count(), inFlight, sent);
                    }
                    RunOutcome done = writer.done(WideRows.ROW_BYTES);
                    return new RunOutcome(
                            done.rows(),
                            done.bytes(),
                            done.requests(),
                            done.latency(),
                            Map.of(Figure.PEAK_MEMORY, heap.maxMegabytes()),
                            List.of());
                }
            }
        };
    }

    /** Makes the request of this number. */
    private interface Sent {
        List<BoundStatement> request(long number);
    }

    private static void byBarrier(ExperimentContext context, DriverWriter writer, long count, int inFlight, Sent sent) {
        DriverWriter.Task task = writer.task(inFlight);
        for (long number = 0; number < count && !context.stopped(); number++) {
            task.send(sent.request(number));
            if ((number + 1) % inFlight == 0) {
                task.finish();
            }
        }
        task.finish();
    }

    /** Limits requests by a semaphore; without control, its limit is never reached. */
    private static void bySemaphore(
            ExperimentContext context, DriverWriter writer, long count, int inFlight, Sent sent) {
        DriverWriter.Task task = writer.task(inFlight);
        for (long number = 0; number < count && !context.stopped(); number++) {
            task.send(sent.request(number));
        }
        task.finish();
    }

    private static void byThreads(ExperimentContext context, DriverWriter writer, long count, int inFlight, Sent sent) {
        Tasks.run(Math.toIntExact(count), inFlight, context::stopped, number -> {
            DriverWriter.Task task = writer.task(1);
            task.send(sent.request(number));
            task.finish();
        });
    }

    @Override
    public Figure mainFigure() {
        return ROWS_PER_SECOND;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(
                ROWS_PER_SECOND, Figure.P50, Figure.P99, Figure.PEAK_MEMORY, Figure.CLIENT_CPU, Figure.SERVER_CPU);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("How fast rows are written", Chart.Kind.LOG_LINES, ROWS_PER_SECOND, IN_FLIGHT, CONTROL),
                new Chart("How long the slowest requests take", Chart.Kind.LOG_LINES, Figure.P99, IN_FLIGHT, CONTROL),
                new Chart("Memory in use", Chart.Kind.LOG_LINES, Figure.PEAK_MEMORY, IN_FLIGHT, CONTROL),
                new Chart("What a row costs the client", Chart.Kind.LOG_LINES, Figure.CLIENT_CPU, IN_FLIGHT, CONTROL));
    }

    @Override
    public List<Check> check(Findings findings) {
        Findings semaphore = findings.where(CONTROL, Control.SEMAPHORE);
        Findings unbounded = findings.where(CONTROL, Control.UNBOUNDED);
        return List.of(
                Check.between(
                                0.9,
                                1.1,
                                "A barrier after every N requests is as good as a semaphore that admits the next request at each answer (the post"
                                        + " treats its two listings as equal), with 16 and with 256 in flight",
                                both(findings, Control.BARRIER, semaphore, 16),
                                both(findings, Control.BARRIER, semaphore, 256))
                        .named("barrier"),
                Check.between(
                                0.8,
                                1.25,
                                "Threads that wait for each answer write about as fast as a semaphore (what the second listing of the post was meant"
                                        + " to be), with 16 and with 256 in flight",
                                both(findings, Control.THREADS, semaphore, 16),
                                both(findings, Control.THREADS, semaphore, 256))
                        .named("threads"),
                withoutBound(
                        findings,
                        Check.atLeast(
                                        5,
                                        "Without a limit, requests fail, or the slowest take at least 5 times as long as with a semaphore and 256"
                                                + " in flight (no published figure)",
                                        unbounded.ratioTo(semaphore.where(IN_FLIGHT, level(256)), Figure.P99))
                                .named("unbounded-latency")),
                withoutBound(
                        findings,
                        Check.atLeast(
                                        1.5,
                                        "Without a limit, requests fail, or at least 1.5 times as much stays in memory as with a semaphore and 256"
                                                + " in flight (no published figure)",
                                        unbounded.ratioTo(semaphore.where(IN_FLIGHT, level(256)), Figure.PEAK_MEMORY))
                                .named("unbounded-memory")),
                Check.atMost(
                                1.1,
                                "No limit writes no more rows per second than the best limit (no published figure)",
                                unbounded.ratioTo(semaphore.best(IN_FLIGHT, ROWS_PER_SECOND), ROWS_PER_SECOND))
                        .named("unbounded-rate"));
    }

    private static Estimate both(Findings findings, Control control, Findings semaphore, int bound) {
        return findings.where(CONTROL, control)
                .where(IN_FLIGHT, level(bound))
                .ratioTo(semaphore.where(IN_FLIGHT, level(bound)), ROWS_PER_SECOND);
    }

    /**
     * Failed requests show the claim as well, unless requests also fail with a limit; if hardly more are in flight than with a limit,
     * nothing can be shown.
     */
    private static Check withoutBound(Findings findings, Check measured) {
        Findings unbounded = findings.where(CONTROL, Control.UNBOUNDED);
        List<String> failures = failures(unbounded);
        if (!failures.isEmpty()
                && failures(findings.where(CONTROL, Control.SEMAPHORE)).isEmpty()) {
            return measured.with(
                    Check.Verdict.REPRODUCED,
                    failures.size() + " of " + unbounded.measurements().size() + " runs without a limit failed: "
                            + failures.get(0));
        }
        return findings.size().rows() < 10_000
                ? measured.with(
                        Check.Verdict.CANNOT_BE_SHOWN,
                        "a run of " + level(findings.size().rows())
                                + " rows has hardly more requests in flight without a limit")
                : measured;
    }

    private static List<String> failures(Findings findings) {
        return findings.measurements().stream()
                .map(run -> run.failure())
                .filter(failure -> failure != null)
                .toList();
    }
}
