package io.overdrive.bench;

import static io.overdrive.bench.Figure.CLIENT_CPU;
import static io.overdrive.bench.Figure.MEGABYTES_PER_SECOND;
import static io.overdrive.bench.Figure.P99;
import static io.overdrive.bench.Figure.RETRIES;
import static io.overdrive.bench.Figure.ROWS_PER_SECOND;
import static io.overdrive.bench.Figure.SECONDS;
import static io.overdrive.bench.Figure.SERVER_CPU;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.ToDoubleFunction;

/** Results with figures from formulas and a random generator, for tests of reports. Nothing was measured. */
public final class MadeUp {
    private final Random random;
    private final List<Arm> arms = new ArrayList<>();
    private final List<Measurement> runs = new ArrayList<>();
    private final int blocks;
    private final double faster;

    private MadeUp(int blocks, long seed, double faster) {
        this.blocks = blocks;
        this.random = new Random(seed);
        this.faster = faster;
    }

    /** Bars in panels, and a timeline; texts that must be escaped. */
    public static Result order(int blocks, long seed, double faster) {
        MadeUp made = new MadeUp(blocks, seed, faster);
        for (String order : List.of("in order", "random", "round-robin")) {
            for (String grouping : List.of("partition", "none", "replica_set")) {
                made.arms.add(arm("order", order, "grouping", grouping));
            }
        }
        made.run(
                arm -> (arm.level("order").equals("in order") ? 2 : 1)
                        * (arm.level("grouping").equals("none") ? 61_000 : 38_000),
                true);
        Findings findings = new Findings(made.runs, null);
        Findings grouped = findings.where("grouping", "partition");
        return made.result(
                new Description(
                        "made-up-order",
                        "Grouping & <order> of rows",
                        "Does it matter in which order rows arrive, and does bringing rows of a partition together make up for it?",
                        "2 million rows in 100,000 partitions: 77,000 rows/s in order against 28,000 out of order where rows are grouped by"
                                + " partition, and 125,000 against 69,000 without grouping.",
                        "R. Example, \"A talk </script><script>alert(1)</script>\", Example Summit, 2016, slide 31",
                        List.of(
                                "The original does not say which of two orders it calls out of order.",
                                "Its cluster had five nodes; client and nodes share a machine here, so only ratios can be compared.")),
                List.of(
                        new Chart("Rate by order and grouping", Chart.Kind.BARS, ROWS_PER_SECOND, "order", "grouping"),
                        new Chart(
                                "Rate by order, grouping by grouping", Chart.Kind.BARS, ROWS_PER_SECOND, "order", null),
                        new Chart("Rate over time", Chart.Kind.TIMELINE, ROWS_PER_SECOND, null, null),
                        new Chart("Rate over time, by order", Chart.Kind.TIMELINE, ROWS_PER_SECOND, null, "order")),
                List.of(
                        Check.atLeast(
                                1.3,
                                "Grouped by partition, rows in order go at least 1.3 times as fast as rows in random order",
                                grouped.where("order", "in order")
                                        .ratioTo(grouped.where("order", "random"), ROWS_PER_SECOND)),
                        Check.atMost(
                                0.8,
                                "Rows in order need at most 0.8 of the client's CPU",
                                findings.where("order", "in order")
                                        .ratioTo(findings.where("order", "random"), CLIENT_CPU)),
                        Check.cannotBeShown(
                                "Grouping by replica set takes load off the coordinators",
                                "one node is replica and coordinator of all rows: a cluster with more nodes than replicas is needed")),
                List.of(
                        "Compactions had not ended after 60 s in 2 of " + made.runs.size() + " runs.",
                        "order random, grouping none, block 2: the table has 999,998 rows, 1,000,000 were acknowledged."));
    }

    /** Lines over a logarithmic axis, over a linear one, and over levels one of which is not a number. */
    public static Result sizes() {
        MadeUp made = new MadeUp(5, 2, 1);
        for (String way : List.of("one row", "batch of a partition", "batch of many partitions")) {
            for (String size : List.of("100 B", "1 kB", "4 kB", "10 kB", "32 kB", "100 kB", "1 MB", "10 MB")) {
                made.arms.add(arm("way", way, "bytes per request", size));
            }
        }
        made.run(
                arm -> {
                    double distance = Math.log10(arm.number("bytes per request")) - 4.4;
                    return (arm.level("way").equals("one row") ? 90_000 : 60_000)
                            * Math.exp(-distance * distance / 2.5);
                },
                false);
        Findings findings = new Findings(made.runs, null);
        Findings peak = findings.where("way", "one row").best("bytes per request", MEGABYTES_PER_SECOND);
        Findings rest = findings.where("way", "one row");
        return made.result(
                new Description(
                        "made-up-sizes",
                        "Bytes per request",
                        "How large should a request be?",
                        "Throughput peaks between 10 and 100 kB a request; at 1 kB it is a ninth, at 10 MB a tenth of that.",
                        "An example, 2014",
                        List.of()),
                List.of(
                        new Chart(
                                "Throughput by size",
                                Chart.Kind.LOG_LINES,
                                MEGABYTES_PER_SECOND,
                                "bytes per request",
                                "way"),
                        new Chart("p99 by size", Chart.Kind.LOG_LINES, P99, "bytes per request", "way"),
                        new Chart(
                                "The same on a plain axis", Chart.Kind.LINES, SERVER_CPU, "bytes per request", "way")),
                List.of(Check.atMost(
                        0.6,
                        "Both ends are below 0.6 of the peak",
                        rest.where("bytes per request", "100 B").ratioTo(peak, MEGABYTES_PER_SECOND),
                        rest.where("bytes per request", "10 MB").ratioTo(peak, MEGABYTES_PER_SECOND))),
                List.of());
    }

    /** A heat map; no claim is reproduced. */
    public static Result grid() {
        MadeUp made = new MadeUp(3, 3, 1);
        for (String rows : List.of("100", "500", "1,000", "5,000", "10,000", "50,000", "100,000")) {
            for (String flight : List.of("1", "10", "32", "64", "128", "256", "500")) {
                made.arms.add(arm("page rows", rows, "in flight", flight));
            }
        }
        made.run(
                arm -> {
                    double product = Math.log10(arm.number("page rows") * arm.number("in flight")) - 4.8;
                    return 500_000 * Math.exp(-product * product / 3);
                },
                false);
        Findings findings = new Findings(made.runs, null);
        Findings best = findings.best("page rows", ROWS_PER_SECOND);
        return made.result(
                new Description(
                        "made-up-grid",
                        "Page size and concurrency",
                        "How many rows a page, and how many pages at a time?",
                        "Neither the smallest nor the largest page is best.",
                        "An example, 2012",
                        List.of("The figures of the original are not published.")),
                List.of(
                        new Chart("Rows per second", Chart.Kind.HEAT_MAP, ROWS_PER_SECOND, "in flight", "page rows"),
                        new Chart("By page size", Chart.Kind.LOG_LINES, ROWS_PER_SECOND, "page rows", "in flight")),
                List.of(Check.atLeast(
                        1.5,
                        "The best page size is 1.5 times as fast as pages of 100 rows",
                        best.ratioTo(findings.where("page rows", "100"), ROWS_PER_SECOND))),
                List.of());
    }

    /** Many arms, some of which failed; ended early. */
    public static Result strategies() {
        MadeUp made = new MadeUp(4, 4, 1);
        for (String consistency : List.of("ALL", "LOCAL_QUORUM", "LOCAL_ONE")) {
            made.arms.add(arm("consistency", consistency, "strategy", "individual", "batch rows", "1"));
            for (String strategy :
                    List.of("arbitrary batches", "host-grouped", "host-grouped, pinned", "replica set", "partition")) {
                for (String size : List.of("10", "50", "100", "250", "500")) {
                    made.arms.add(arm("consistency", consistency, "strategy", strategy, "batch rows", size));
                }
            }
        }
        made.run(
                arm -> 30_000
                        * Math.log(1.5 + arm.number("batch rows"))
                        * (1 + arm.level("strategy").length() / 20.0),
                false);
        return made.result(
                new Description(
                        "made-up-strategies",
                        "Ways to write",
                        "Which way to put rows into requests is fastest, and what does each cost the client and the cluster?",
                        "Small batches of rows of the same host beat single writes.",
                        "An example, 2016",
                        List.of()),
                List.of(
                        new Chart("Rate", Chart.Kind.LINES, ROWS_PER_SECOND, "batch rows", "strategy"),
                        new Chart("Client CPU", Chart.Kind.BARS, CLIENT_CPU, "strategy", "batch rows")),
                List.of(),
                List.of());
    }

    private static Arm arm(String... factorsAndLevels) {
        Map<String, String> levels = new LinkedHashMap<>();
        for (int i = 0; i < factorsAndLevels.length; i += 2) {
            levels.put(factorsAndLevels[i], factorsAndLevels[i + 1]);
        }
        return new Arm(levels);
    }

    private void run(ToDoubleFunction<Arm> rate, boolean timeline) {
        for (int block = 1; block <= blocks; block++) {
            double day = Math.exp(0.05 * random.nextGaussian());
            for (Arm arm : arms) {
                double rows = rate.applyAsDouble(arm) * day * faster * noise();
                if (random.nextInt(60) == 0) {
                    runs.add(new Measurement(
                            arm,
                            block,
                            Map.of(ROWS_PER_SECOND, rows / 9),
                            List.of(),
                            "WriteTimeoutException after 10 attempts"));
                    continue;
                }
                Map<Figure, Double> figures = new LinkedHashMap<>();
                figures.put(SECONDS, 1e6 / rows);
                figures.put(ROWS_PER_SECOND, rows);
                figures.put(MEGABYTES_PER_SECOND, rows * 75e-6 * noise());
                figures.put(CLIENT_CPU, 120_000 / rows * noise());
                figures.put(SERVER_CPU, 5 * noise());
                figures.put(P99, 600_000 / rows * noise() * noise());
                figures.put(RETRIES, 0.0);
                List<Measurement.Moment> moments = new ArrayList<>();
                for (int second = 1; timeline && second <= 40; second++) {
                    moments.add(new Measurement.Moment(
                            second, Map.of(ROWS_PER_SECOND, rows * (1 - Math.exp(-second / 4.0)) * noise())));
                }
                runs.add(new Measurement(arm, block, figures, moments, null));
            }
        }
    }

    private double noise() {
        return Math.exp(0.04 * random.nextGaussian());
    }

    private Result result(Description description, List<Chart> charts, List<Check> checks, List<String> warnings) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("preset", "LAPTOP");
        settings.put("rows", "1,000,000");
        settings.put("repeat", "" + blocks);
        settings.put("consistency", "LOCAL_QUORUM");
        settings.put("seed", "1");
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("Overdrive", "0.1.0-SNAPSHOT");
        environment.put("Cassandra", faster == 1 ? "5.0.9" : "5.0.10");
        environment.put("nodes", "1 with 1 replica, 16 tokens, 2048 MB heap, G1");
        environment.put("client", "OpenJDK 17.0.15, 2 cores, 24 GiB, Linux 6.18");
        environment.put("java-driver", "4.19.4");
        return new Result(
                description,
                Instant.parse("2026-11-21T12:00:00Z"),
                754,
                !description.name().equals("made-up-strategies"),
                "overdrive bench " + description.name() + " --preset laptop --repeat " + blocks + " --seed 1",
                settings,
                environment,
                arms,
                runs,
                ROWS_PER_SECOND,
                List.of(ROWS_PER_SECOND, CLIENT_CPU, SERVER_CPU, P99, RETRIES),
                charts,
                checks,
                warnings);
    }
}
