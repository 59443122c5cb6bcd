package io.overdrive.bench.experiments;

import static io.overdrive.bench.Figure.ROWS_PER_SECOND;

import io.overdrive.InFlightControl;
import io.overdrive.ScanOptions;
import io.overdrive.WriteOptions;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.BulkTable;
import io.overdrive.bench.experiments.kit.BulkTable.Job;
import io.overdrive.bench.experiments.kit.Payload;
import io.overdrive.bench.experiments.kit.WideRows;
import io.overdrive.bench.experiments.kit.WideRows.Order;
import io.overdrive.bench.stress.Values;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * E20. Three tables are written and read with no option given, and with fixed limits: a grid of the bytes of a batch and the requests in
 * flight, or of the rows of a page and the splits read at once.
 */
final class FoundLimits implements Experiment {
    private static final String JOB = "job";
    private static final String REQUEST = "request size";
    private static final String IN_FLIGHT = "in flight";
    /** The level of the arms with no option given. */
    private static final String FOUND = "found";

    private static final double ENOUGH = 0.95;

    private static final List<String> REQUESTS_IN_FLIGHT =
            List.of("4 requests", "16 requests", "64 requests", "256 requests", "1,024 requests");
    private static final List<String> SPLITS_IN_FLIGHT = List.of("1 split", "4 splits", "16 splits");

    /** A smaller table has only the corners of the grid. */
    private static final long ROWS_FOR_THE_GRID = 100_000;

    /** Large enough that only the rows of a page limit it. */
    private static final long PAGE_BYTES = 64 << 20;

    private static final int MIN_VALUE_BYTES = 100;
    private static final int MAX_VALUE_BYTES = 1000;
    private static final int LARGE_ROW_BYTES = 10_000;
    private static final int LARGE_ROWS_PER_PARTITION = 20;
    private static final int WIDE_ROWS_PER_PARTITION = 100;

    /** The tables, each with the sizes of batches and pages that differ in effect. */
    private enum Rows {
        W1(
                "W1",
                1,
                3,
                List.of("1 KiB", "4 KiB", "16 KiB", "64 KiB"),
                List.of("100 rows", "500 rows", "2,000 rows", "5,000 rows", "20,000 rows")) {
            @Override
            BulkTable table(ExperimentContext context, long count) {
                long partitions = Math.max(1, count / WIDE_ROWS_PER_PARTITION);
                long seed = context.random("rows").nextLong();
                return new WideRows(partitions, WIDE_ROWS_PER_PARTITION, Order.IN_ORDER, seed).table(context);
            }
        },
        W2(
                "W2",
                5,
                5,
                List.of("1 KiB", "4 KiB", "16 KiB"),
                List.of("100 rows", "500 rows", "2,000 rows", "5,000 rows", "20,000 rows")) {
            @Override
            BulkTable table(ExperimentContext context, long count) {
                long seed = context.random("rows").nextLong();
                Payload payload = new Payload(seed, MAX_VALUE_BYTES);
                return new BulkTable(
                        context,
                        "single_rows",
                        "(id text PRIMARY KEY, v blob)",
                        List.of("id", "v"),
                        count,
                        16 + (MIN_VALUE_BYTES + MAX_VALUE_BYTES) / 2,
                        (row, number) -> {
                            long spread = MAX_VALUE_BYTES - MIN_VALUE_BYTES + 1;
                            int bytes = MIN_VALUE_BYTES
                                    + (int) Long.remainderUnsigned(Values.mix(seed + 1, number), spread);
                            row.setText(0, "key-" + HexFormat.of().toHexDigits(number, 12));
                            row.setBytes(1, payload.at(number, bytes));
                        });
            }
        },
        LARGE(
                "10 kB rows",
                16,
                2,
                List.of("4 KiB", "16 KiB", "64 KiB", "256 KiB"),
                List.of("25 rows", "100 rows", "500 rows", "2,000 rows")) {
            @Override
            BulkTable table(ExperimentContext context, long count) {
                Payload payload = new Payload(context.random("rows").nextLong(), LARGE_ROW_BYTES);
                return new BulkTable(
                        context,
                        "large_rows",
                        "(key bigint, number int, value blob, PRIMARY KEY (key, number))",
                        List.of("key", "number", "value"),
                        count,
                        LARGE_ROW_BYTES,
                        (row, number) -> {
                            row.setLong(0, number / LARGE_ROWS_PER_PARTITION);
                            row.setInt(1, (int) (number % LARGE_ROWS_PER_PARTITION));
                            row.setBytes(2, payload.at(number, LARGE_ROW_BYTES - Long.BYTES - Integer.BYTES));
                        });
            }
        };

        private final String words;
        /** The experiment's size counts rows of W1; there are fewer of rows that take longer. */
        private final int rowsOfW1ForEach;
        /** How many times as many rows are read as are written: reading is faster. */
        private final int timesToRead;

        private final List<String> batches;
        private final List<String> pages;

        Rows(String words, int rowsOfW1ForEach, int timesToRead, List<String> batches, List<String> pages) {
            this.words = words;
            this.rowsOfW1ForEach = rowsOfW1ForEach;
            this.timesToRead = timesToRead;
            this.batches = batches;
            this.pages = pages;
        }

        abstract BulkTable table(ExperimentContext context, long count);

        /** The table that a job writes or reads. */
        BulkTable table(ExperimentContext context, Job job) {
            long written = Math.max(1, context.size().rows() / rowsOfW1ForEach);
            return table(context, job == Job.READ ? written * timesToRead : written);
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /** A level of {@link #JOB}. */
    private record JobOnRows(Job job, Rows rows) {
        static final List<JobOnRows> ALL = Arrays.stream(Job.values())
                .flatMap(job -> Arrays.stream(Rows.values()).map(rows -> new JobOnRows(job, rows)))
                .toList();

        static JobOnRows of(Arm arm) {
            return ALL.stream()
                    .filter(each -> each.toString().equals(arm.level(JOB)))
                    .findFirst()
                    .orElseThrow(
                            () -> new IllegalArgumentException(JOB + " '" + arm.level(JOB) + "' is none of " + ALL));
        }

        @Override
        public String toString() {
            return job + " " + rows;
        }
    }

    /** The fixed limits of an arm, or with no option given the defaults. */
    private record Limits(Arm arm) implements BulkTable.Settings {
        @Override
        public WriteOptions.Builder apply(WriteOptions.Builder options) {
            return isFound(arm)
                    ? options
                    : options.inFlightControl(InFlightControl.FIXED)
                            .batchBytes((long) arm.number(REQUEST))
                            .inFlightRequests((long) arm.number(IN_FLIGHT))
                            .inFlightBytes(Long.MAX_VALUE);
        }

        @Override
        public ScanOptions.Builder apply(ScanOptions.Builder options) {
            return isFound(arm)
                    ? options
                    : options.inFlightControl(InFlightControl.FIXED)
                            .pageRows((long) arm.number(REQUEST))
                            .pageBytes(PAGE_BYTES)
                            .pageMemory(Runtime.getRuntime().maxMemory() / 2)
                            .splitsInFlight((long) arm.number(IN_FLIGHT));
        }
    }

    private static boolean isFound(Arm arm) {
        return arm.level(REQUEST).equals(FOUND);
    }

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(10_000);
            case LAPTOP -> Size.rows(1_000_000).repeat(3);
            case DC2 -> Size.rows(1_000_000).repeat(3).datacenters(2);
            case PAPER -> Size.rows(100_000_000).repeat(5).nodes(3).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        List<Arm> arms = new ArrayList<>();
        for (JobOnRows job : JobOnRows.ALL) {
            arms.add(arm(job, FOUND, FOUND));
            boolean writes = job.job() == Job.WRITE;
            for (String request : grid(writes ? job.rows().batches : job.rows().pages, size)) {
                for (String inFlight : grid(writes ? REQUESTS_IN_FLIGHT : SPLITS_IN_FLIGHT, size)) {
                    arms.add(arm(job, request, inFlight));
                }
            }
        }
        return arms;
    }

    private static Arm arm(JobOnRows job, String request, String inFlight) {
        Map<String, String> levels = new LinkedHashMap<>();
        levels.put(JOB, job.toString());
        levels.put(REQUEST, request);
        levels.put(IN_FLIGHT, inFlight);
        return new Arm(levels);
    }

    private static List<String> grid(List<String> levels, Size size) {
        return size.rows() >= ROWS_FOR_THE_GRID ? levels : List.of(levels.get(0), levels.get(levels.size() - 1));
    }

    /** The tables to read are written when the first run needs them: a selection may have none. */
    @Override
    public Prepared prepare(ExperimentContext context) {
        Map<JobOnRows, BulkTable> tables = JobOnRows.ALL.stream()
                .collect(Collectors.toMap(job -> job, job -> job.rows().table(context, job.job())));
        Set<BulkTable> preloaded = new HashSet<>();
        return arm -> {
            JobOnRows job = JobOnRows.of(arm);
            BulkTable table = Objects.requireNonNull(tables.get(job));
            if (job.job() == Job.READ && !preloaded.contains(table)) {
                table.preload();
                preloaded.add(table);
            }
            return table.work(job.job(), context.overdrive(), new Limits(arm));
        };
    }

    @Override
    public Figure mainFigure() {
        return ROWS_PER_SECOND;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(
                ROWS_PER_SECOND,
                Figure.MEGABYTES_PER_SECOND,
                Figure.ROWS_PER_REQUEST,
                Figure.CLIENT_CPU,
                Figure.SERVER_CPU,
                Figure.P50,
                Figure.P99);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("How fast jobs are", Chart.Kind.HEAT_MAP, ROWS_PER_SECOND, REQUEST, IN_FLIGHT),
                new Chart("How long requests take", Chart.Kind.HEAT_MAP, Figure.P50, REQUEST, IN_FLIGHT));
    }

    @Override
    public List<Check> check(Findings findings) {
        return JobOnRows.ALL.stream()
                .filter(job -> !findings.where(JOB, job).arms().isEmpty()) // a selection may have none
                .map(job -> check(job, findings.where(JOB, job)))
                .toList();
    }

    private static Check check(JobOnRows job, Findings findings) {
        Findings best = findings.where(arm -> !isFound(arm)).best(ROWS_PER_SECOND);
        Check check = Check.atLeast(
                        ENOUGH,
                        "To " + job + " with no option given is at least " + ENOUGH
                                + " times as fast as with the best fixed limits (the best of many noisy cells looks faster than it"
                                + " is, which favours the fixed limits)",
                        findings.where(FoundLimits::isFound).ratioTo(best, ROWS_PER_SECOND))
                .named(job.toString());
        return best.arms().stream()
                .findFirst()
                .map(cell -> check.with(
                        check.verdict(),
                        check.evidence() + "; the best: "
                                + Stream.of(REQUEST, IN_FLIGHT).map(cell::level).collect(Collectors.joining(", "))))
                .orElse(check);
    }
}
