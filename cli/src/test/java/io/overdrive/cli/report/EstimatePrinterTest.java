package io.overdrive.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.Grouping;
import io.overdrive.Reach;
import io.overdrive.ScanOptions;
import io.overdrive.WriteOptions;
import io.overdrive.internal.estimate.Estimate;
import io.overdrive.internal.estimate.Estimate.Client;
import io.overdrive.internal.estimate.Road;
import io.overdrive.internal.scan.RowSource;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.Plan.Encoded;
import io.overdrive.jobs.Plan.Extent;
import io.overdrive.jobs.PlanEstimate;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The estimate of a dry run, letter by letter. */
class EstimatePrinterTest {
    private static final Client CLIENT = new Client(4, 320_000_000, 101, 1_600);
    private static final Reach REACH = new Reach(
            "shop.orders",
            "prod",
            "dc1",
            Collections.nCopies(100, "a:1"),
            /* nodesDown */ List.of(),
            /* failoverDatacenter */ null,
            Map.of("dc1", 100),
            Map.of("dc1", 3),
            /* replicasAnywhere */ 0,
            DefaultConsistencyLevel.LOCAL_QUORUM,
            /* hasConditions */ false);

    private static Plan.Part reads(long bytes) {
        ScanOptions options = ScanOptions.from("shop", "orders").build();
        return new Plan.Reads("reads", REACH, options, 150_000, 400, new Extent(160_000, bytes, 500_000, 64_000_000));
    }

    private static EstimatePrinter printer(Plan plan) {
        return new EstimatePrinter(PlanEstimate.of(plan, Road.READ, CLIENT), new PlanPrinter(plan, /* guard */ null));
    }

    private static List<String> lines(Report report) {
        StringWriter out = new StringWriter();
        report.text(new PrintWriter(out, /* autoFlush */ true));
        return out.toString().lines().toList();
    }

    @Test
    void ofAnUnload() {
        assertThat(lines(printer(new Plan(reads(10_000_000_000_000L)))))
                .containsExactly(
                        "estimate of what the run would take; docs/concepts/large-clusters.md has the formulas",
                        "  reads     10.0 TB (as the nodes estimate the table), at 2 replicas: 200 GB on each of 100 nodes",
                        "  requests  160,000, one for each range of tokens (known); with further pages about 20,160,000 (by"
                                + " the bytes)",
                        "  client    101 connections (known); heap of about 2.78 MB for these and 1,600 tokens (measured"
                                + " elsewhere) and at most 64.0 MB for rows (known), of 320 MB",
                        "  time      1:03:45 h to 5:09:11 h, by the kind of rows (measured elsewhere), with 4 processors of"
                                + " this machine (known) and one of each node (a guess); limited by this machine, unless the"
                                + " network takes less than 539 MB/s to 2.61 GB/s (not known)");
    }

    @Test
    void withoutSizeEstimates() {
        assertThat(lines(printer(new Plan(reads(0)))))
                .contains(
                        "  reads     an unknown number of bytes: the nodes have no size estimates of the table yet, which"
                                + " they renew every five minutes, or with nodetool refreshsizeestimates",
                        "  requests  160,000, one for each range of tokens (known)",
                        "  time      unknown, as the number of bytes or replicas is not known");
    }

    @Test
    void ofACopy() {
        WriteOptions options =
                WriteOptions.into("shop", "orders").batchBytes(50_000).build();
        Plan plan = new Plan(
                reads(10_000_000_000L),
                new Plan.Writes("writes", REACH, Grouping.PARTITION, /* gathersSingles */ true, options));
        assertThat(lines(printer(plan)))
                .contains(
                        "  writes    10.0 GB (as the nodes estimate the table), at 3 replicas: 300 MB on each of 100 nodes",
                        "  requests  at least 200,000, with full batches; single rows take one each");
    }

    private static String time(long bytes) {
        return lines(printer(new Plan(reads(bytes)))).stream()
                .filter(line -> line.startsWith("  time "))
                .findFirst()
                .orElseThrow()
                .replaceFirst(", by the kind.*", "");
    }

    @Test
    void aShortTimeIsNotMoreExactThanTheStart() {
        assertThat(time(1)).isEqualTo("  time      less than 5.0 s, by rows measured elsewhere and with the start");
        assertThat(time(1_000_000_000)).isEqualTo(time(1));
        assertThat(time(3_000_000_000L)).isEqualTo("  time      up to 5.6 s");
        assertThat(time(6_000_000_000L)).isEqualTo("  time      2.3 s to 11.1 s");
    }

    private static EstimatePrinter ofLoad(long minRequests, long requests, Duration inputTime) {
        WriteOptions options = WriteOptions.into("shop", "orders").build();
        Encoded rows = new Encoded(
                /* rows */ 100_000_000, /* bytes */ 20_000_000_000L, /* partitions */ 1_000_000, minRequests, requests);
        Plan plan = new Plan(
                new Plan.Writes("writes", REACH, Grouping.PARTITION, /* gathersSingles */ true, options, rows));
        return new EstimatePrinter(
                PlanEstimate.of(plan, Road.READ, CLIENT).withInputTime(inputTime),
                new PlanPrinter(plan, /* guard */ null));
    }

    @Test
    void ofALoad() {
        assertThat(lines(ofLoad(300_000, 500_000, Duration.ofSeconds(40))))
                .contains(
                        "  writes    20.0 GB in 100,000,000 rows (known, as they were encoded), at 3 replicas: 600 MB on each of"
                                + " 100 nodes",
                        "  requests  about 300,000 to 500,000, by the rows and how they are grouped (estimated); the fewer, the more rows in"
                                + " a request prove to be faster",
                        "  time      40.0 s to 4:20 min, by the kind of rows (measured elsewhere), with 4 processors of this"
                                + " machine (known) and one of each node (a guess); this machine took 40.0 s to read and check"
                                + " the input (known); limited by this machine, unless the network takes less than 76.9 MB/s"
                                + " to 500 MB/s (not known)");
        assertThat(lines(ofLoad(500_000, 500_000, Duration.ofSeconds(40))))
                .contains("  requests  about 500,000, by the rows and how they are grouped (estimated)");
    }

    @Test
    void aFewBytesAreNotLimitedByTheNetwork() {
        WriteOptions options = WriteOptions.into("shop", "orders").build();
        Plan plan = new Plan(
                new Plan.Writes("writes", REACH, Grouping.PARTITION, true, options, new Encoded(2, 100, 1, 1, 1)));
        Estimate slowInput = PlanEstimate.of(plan, Road.READ, CLIENT).withInputTime(Duration.ofSeconds(5));
        assertThat(lines(new EstimatePrinter(slowInput, new PlanPrinter(plan, /* guard */ null))))
                .anyMatch(line -> line.startsWith("  time      5.0 s, ") && line.endsWith("; limited by this machine"));
    }

    @Test
    void ofALoadOfSingleRows() {
        assertThat(lines(ofLoad(100_000_000, 100_000_000, Duration.ofSeconds(40))))
                .contains("  requests  100,000,000, one for each row (known)");
    }

    private static List<String> ofSource(RowSource.Way way) {
        ScanOptions options = ScanOptions.from("shop", "orders").build();
        RowSource.Content content = new RowSource.Content("part", 3, 10_000_000_000L, way);
        Plan.Part source = new Plan.ReadsSource("reads", REACH, options, content, 16);
        WriteOptions to = WriteOptions.into("shop", "orders").build();
        return lines(printer(
                new Plan(source, new Plan.Writes("writes", REACH, Grouping.PARTITION, /* gathersSingles */ true, to))));
    }

    @Test
    void ofACopyOfSstablesTheirReadingIsNotMeasured() {
        assertThat(ofSource(RowSource.Way.FILES))
                .anyMatch(line -> line.startsWith("  writes    10.0 GB (as stored in the SSTables), at 3 replicas: "))
                .anyMatch(line -> line.startsWith("  time ")
                        && line.contains("; without the time to read the SSTables (not measured)"));
    }

    @Test
    void ofACopyOfKeysTheScanOfTheTableIsEstimated() {
        assertThat(ofSource(RowSource.Way.SCAN))
                .contains(
                        "  reads     10.0 GB (as the nodes estimate the table), at 2 replicas: 200 MB on each of 100 nodes",
                        "  writes    an unknown number of bytes")
                .contains("  time      unknown, as the number of bytes or replicas is not known");
        assertThat(ofSource(RowSource.Way.LOOKUPS))
                .noneMatch(line -> line.startsWith("  reads "))
                .contains("  time      unknown, as the number of bytes or replicas is not known");
    }

    @Test
    void asJson() {
        StringWriter out = new StringWriter();
        printer(new Plan(reads(10_000_000_000L))).json(new PrintWriter(out, /* autoFlush */ true));
        assertThat(out.toString())
                .startsWith(
                        "{\"dryRun\":true,\"estimate\":{\"parts\":{\"reads\":{\"road\":\"read\",\"nodes\":100,\"copies\":2,"
                                + "\"bytes\":10000000000,\"bytesANode\":200000000,\"minRequests\":160000,\"requests\":180000,"
                                + "\"memory\":64000000}},\"processors\":4,\"connections\":101,\"tokens\":1600,"
                                + "\"heapOfClusters\":2779400,\"heap\":320000000,\"minSeconds\":3.825,\"maxSeconds\":18.551,"
                                + "\"limitedBy\":\"client\"},\"plan\":{\"reads\":{");
    }
}
