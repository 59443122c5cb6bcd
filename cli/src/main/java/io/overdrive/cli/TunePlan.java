package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Reach;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.TableSchema;
import io.overdrive.bench.run.BenchCluster;
import io.overdrive.bench.tune.RowSample;
import io.overdrive.bench.tune.TableTuner;
import io.overdrive.cli.options.Amount;
import io.overdrive.jobs.create.ScratchTable;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whether {@code overdrive tune} may run for a table, and what it is going to do to the cluster. Immutable.
 *
 * @param reach of requests for the table
 * @param nodes of the local data centre
 * @param tableBytes of one replica of the table, or 0 if unknown
 */
record TunePlan(TableSchema schema, Reach reach, int nodes, long tableBytes) {
    static TunePlan of(BenchCluster cluster, TableSchema schema) {
        try (Scan scan = cluster.overdrive()
                .scan(ScanOptions.from(schema.keyspace(), schema.table()).build())) {
            return new TunePlan(schema, scan.reach(), TableTuner.nodes(cluster), scan.estimatedBytes());
        }
    }

    /**
     * Refuses tables and options that cannot be tuned.
     *
     * @param allDatacenters whether other data centres may get the scratch rows, too
     */
    void check(boolean allDatacenters) {
        if (schema.isCounter()) {
            throw new OverdriveException(
                    Kind.INPUT, schema.cqlName() + " has counters, whose writes cannot be batched or repeated");
        }
        Set<String> others = reach.otherDatacenters();
        if (!others.isEmpty() && !allDatacenters) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "keyspace " + keyspace() + " has replicas in " + String.join(", ", others)
                            + ", which would get the scratch rows, too: tune a table of a keyspace with replicas in "
                            + reach.datacenter() + " only, or accept that with --all-datacenters");
        }
    }

    private String keyspace() {
        return CqlIdentifier.fromInternal(schema.keyspace()).asCql(true);
    }

    private String replicas() {
        return reach.replicasAnywhere() > 0
                ? reach.replicasAnywhere() + " in any data centre"
                : reach.replicas().entrySet().stream()
                        .map(entry -> entry.getValue() + " in " + entry.getKey())
                        .collect(Collectors.joining(", "));
    }

    /**
     * The plan in words, as shown before the run and in its report.
     *
     * @param isOfFiles whether the rows are from files
     * @param pace how much work the cluster gets
     * @param left time for the run
     */
    Map<String, String> words(RowSample sample, boolean isOfFiles, String pace, Duration left) {
        Map<String, String> plan = new LinkedHashMap<>();
        plan.put(
                "rows",
                Amount.count(sample.rows()) + " rows of "
                        + (isOfFiles ? "the input, in its order" : schema.cqlName() + ", which is only read") + ", "
                        + Amount.bytes(sample.bytes()));
        long most = TableTuner.scratchBytes(schema, sample, nodes);
        plan.put(
                "scratch",
                keyspace() + "." + ScratchTable.name(schema.table()) + ", like " + schema.cqlName() + "; has at most "
                        + Amount.bytes(most) + " of different rows"
                        + (most > sample.bytes() ? ", the same ones with several keys" : "")
                        + "; dropped at the end");
        plan.put("replicas", replicas());
        plan.put("work", "writes for about half of the time, then reads, " + pace);
        plan.put("time", "about " + Amount.duration(left));
        return plan;
    }
}
