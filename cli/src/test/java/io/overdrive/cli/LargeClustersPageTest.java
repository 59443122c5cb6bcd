package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.Grouping;
import io.overdrive.Reach;
import io.overdrive.ScanOptions;
import io.overdrive.WriteOptions;
import io.overdrive.cli.options.Amount;
import io.overdrive.internal.estimate.Estimate;
import io.overdrive.internal.estimate.Estimate.Client;
import io.overdrive.internal.estimate.Road;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.Plan.Encoded;
import io.overdrive.jobs.Plan.Extent;
import io.overdrive.jobs.PlanEstimate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** docs/concepts/large-clusters.md has the figures that {@link Estimate} computes; {@code -Dpages.write=true} writes them. */
class LargeClustersPageTest {
    private static final Path MEASURED = Path.of("..", "PERFORMANCE.md");
    private static final String END = "<!-- end of figures -->\n";
    private static final long BYTES = 10_000_000_000_000L;
    private static final Encoded ENCODED = new Encoded(
            /* rows */ BYTES / 200, BYTES, /* partitions */ BYTES / 20_000, /* minRequests */ 0, /* requests */ 0);
    private static final int PROCESSORS = 16;
    private static final ScanOptions READS = ScanOptions.from("shop", "orders").build();
    private static final WriteOptions WRITES =
            WriteOptions.into("shop", "orders").build();

    @Test
    void thePageHasTheFiguresOfTheEstimate() throws IOException {
        MadePage.of("concepts/large-clusters.md")
                .check(page -> replaced(replaced(replaced(page, "costs", costs()), "jobs", jobs()), "heap", heap()));
    }

    @Test
    void theCostsHaveASectionOfPerformance() throws IOException {
        List<String> lines = Files.readAllLines(MEASURED);
        for (Road road : Road.values()) {
            for (Road.Measured measured : road.measured()) {
                assertThat(lines).contains("## " + measured.section());
            }
        }
    }

    private static String replaced(String page, String name, String figures) {
        return MadePage.replaced(page, "<!-- " + name + ": made by LargeClustersPageTest -->\n", figures, END);
    }

    private static String costs() {
        StringBuilder table = new StringBuilder(
                "| Way | Rows | Bytes of a row | Rows a partition | Client, µs a row | Each node, µs a row | Source |\n"
                        + "|---|---|---|---|---|---|---|\n");
        for (Road road : Road.values()) {
            for (Road.Measured each : road.measured()) {
                table.append(String.format(
                        Locale.ROOT,
                        "| %s | %s | %s | %s | %s | %s | [%s](../../PERFORMANCE.md#%s) |%n",
                        "`" + road.name().toLowerCase(Locale.ROOT) + "`",
                        each.rows(),
                        Amount.count(Math.round(each.bytes())),
                        each.rowsAPartition(),
                        each.clientMicros(),
                        each.nodeMicros(),
                        each.section(),
                        each.section().toLowerCase(Locale.ROOT).replace(' ', '-')));
            }
        }
        return table.toString();
    }

    private static Reach reach(String cluster) {
        return new Reach(
                "shop.orders",
                cluster,
                "dc1",
                Collections.nCopies(100, "a:1"),
                /* nodesDown */ List.of(),
                /* failoverDatacenter */ null,
                Map.of("dc1", 100),
                Map.of("dc1", 3),
                /* replicasAnywhere */ 0,
                DefaultConsistencyLevel.LOCAL_QUORUM,
                /* hasConditions */ false);
    }

    private static Client client(int processors) {
        return new Client(processors, /* heapBytes */ 0, /* connections */ 101, /* tokens */ 1_600);
    }

    private static String jobs() {
        Plan.Part reads = new Plan.Reads("reads", reach("one"), READS, 0, 0, new Extent(0, BYTES, 0, 0));
        StringBuilder table = new StringBuilder("| Job | Each node reads, writes | Client of " + PROCESSORS
                + " processors | The nodes alone |\n|---|---|---|---|\n");
        row(table, "`count`", new Plan(reads), Road.COUNT);
        row(table, "`unload`", new Plan(reads), Road.READ);
        row(table, "`verify`", new Plan(reads), Road.VERIFY);
        row(table, "`copy` within the cluster", new Plan(reads, writes("one")), Road.READ);
        row(table, "`copy` to another one of 100 nodes", new Plan(reads, writes("two")), Road.READ);
        Plan.Part sstables = new Plan.WritesSstables("writes", reach("two"), 100, 1);
        row(table, "the same with `--sstables`", new Plan(reads, sstables), Road.READ);
        row(table, "`load` of rows of 200 bytes, 100 a partition", new Plan(loads("one")), Road.READ);
        Plan.Part sorted = new Plan.WritesSstables("writes", reach("one"), 100, 1, ENCODED);
        row(table, "the same with `--sstables`", new Plan(sorted), Road.READ);
        return table.toString();
    }

    private static Plan.Part writes(String cluster) {
        return new Plan.Writes("writes", reach(cluster), Grouping.PARTITION, /* gathersSingles */ true, WRITES);
    }

    private static Plan.Part loads(String cluster) {
        return new Plan.Writes(
                "writes", reach(cluster), Grouping.PARTITION, /* gathersSingles */ true, WRITES, ENCODED);
    }

    private static void row(StringBuilder table, String job, Plan plan, Road road) {
        Estimate one = estimate(plan, road, PROCESSORS);
        Estimate nodes = estimate(plan, road, Integer.MAX_VALUE);
        String bytes = one.shares().stream()
                .map(share -> Amount.bytes(share.bytesANode()))
                .reduce((first, second) -> first + ", " + second)
                .orElseThrow();
        table.append("| " + job + " | " + bytes + " | " + time(one) + " | " + time(nodes) + " |\n");
    }

    private static Estimate estimate(Plan plan, Road road, int processors) {
        return PlanEstimate.of(plan, road, client(processors));
    }

    private static String time(Estimate estimate) {
        return hours(estimate.fastest().toSeconds()) + " to "
                + hours(estimate.slowest().toSeconds());
    }

    private static String hours(long seconds) {
        return seconds < 3600
                ? Math.max(1, Math.round(seconds / 60.0)) + " min"
                : String.format(Locale.ROOT, "%.1f h", seconds / 3600.0);
    }

    private static String heap() {
        StringBuilder table =
                new StringBuilder("| Nodes x tokens | Connections | Heap for the cluster |\n|---|---|---|\n");
        for (int[] size : new int[][] {{3, 256}, {20, 16}, {100, 16}, {300, 16}, {300, 256}, {1000, 16}, {1000, 256}}) {
            Client client = new Client(1, /* heapBytes */ 0, size[0] + 1, (long) size[0] * size[1]);
            table.append("| " + Amount.count(size[0]) + " x " + size[1] + " | " + Amount.count(client.connections())
                    + " | " + Amount.bytes(client.bytesOfClusters()) + " |\n");
        }
        return table.toString();
    }
}
