package io.overdrive.jobs;

import io.overdrive.WriteOptions;
import io.overdrive.internal.estimate.Estimate;
import io.overdrive.internal.estimate.Estimate.Client;
import io.overdrive.internal.estimate.Estimate.Origin;
import io.overdrive.internal.estimate.Estimate.Requests;
import io.overdrive.internal.estimate.Estimate.Share;
import io.overdrive.internal.estimate.Estimate.Size;
import io.overdrive.internal.estimate.Road;
import io.overdrive.internal.scan.RowSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The estimate of a plan. Stateless. */
public final class PlanEstimate {
    private PlanEstimate() {}

    /**
     * The estimate of a job.
     *
     * @param reading the road of rows that are read
     */
    public static Estimate of(Plan plan, Road reading, Client client) {
        List<Share> shares = new ArrayList<>();
        Size read = Size.of(0, Origin.NODES);
        for (Plan.Part part : plan.parts()) {
            if (part instanceof Plan.Reads reads) {
                shares.add(reads(reads, reads.extent(), reading));
                read = Size.of(reads.extent().bytes(), Origin.NODES);
            } else if (part instanceof Plan.ReadsTables tables && tables.from() != null) {
                read = Size.of(tables.from().bytes(), Origin.SSTABLES);
            } else if (part instanceof Plan.ReadsTables tables) {
                shares.add(reads(tables, tables.extent(), reading));
                read = Size.of(tables.extent().bytes(), Origin.NODES);
            } else if (part instanceof Plan.ReadsSource source && source.from().way() == RowSource.Way.SCAN) {
                Plan.Extent table = new Plan.Extent(0, source.from().bytes(), /* pageBytes */ 0, /* memory */ 0);
                shares.add(reads(source, table, reading)); // the size of the rows that it keeps is not known
            } else if (part instanceof Plan.ReadsSource source && source.from().way() == RowSource.Way.FILES) {
                read = Size.of(source.from().bytes(), Origin.SSTABLES);
            } else if (part instanceof Plan.Writes writes) {
                shares.add(writes(writes, writes.options(), writes.encoded(), read));
            } else if (part instanceof Plan.WritesTables writes) {
                shares.add(writes(writes, writes.options(), /* encoded */ null, read));
            } else if (part instanceof Plan.WritesSstables writes) {
                Size size = size(writes.encoded(), read);
                shares.add(writes(writes, Road.WRITE_SSTABLES, size, new Requests(0, 0), /* memory */ 0));
            }
        }
        return new Estimate(shares, client, Duration.ZERO);
    }

    private static Share reads(Plan.Part part, Plan.Extent extent, Road road) {
        return Share.ofReads(
                part.label(), road, part.reach(), extent.bytes(), extent.ranges(), extent.pageBytes(), extent.memory());
    }

    private static Share writes(Plan.Part part, WriteOptions options, Plan.@Nullable Encoded encoded, Size read) {
        long full = (read.bytes() + options.batchBytes() - 1) / options.batchBytes();
        Requests requests =
                encoded == null ? new Requests(full, full) : new Requests(encoded.minRequests(), encoded.requests());
        return writes(part, Road.WRITE, size(encoded, read), requests, options.groupingMemory());
    }

    private static Size size(Plan.@Nullable Encoded encoded, Size read) {
        return encoded == null ? read : new Size(encoded.bytes(), encoded.rows(), encoded.partitions(), Origin.ENCODED);
    }

    private static Share writes(Plan.Part part, Road road, Size size, Requests requests, long memory) {
        return Share.ofWrites(part.label(), road, part.reach(), size, requests, memory);
    }
}
