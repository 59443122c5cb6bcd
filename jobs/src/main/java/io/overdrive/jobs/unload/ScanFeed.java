package io.overdrive.jobs.unload;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.Scan;
import io.overdrive.ScanTotals;
import io.overdrive.Split;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.flow.Waits;
import io.overdrive.jobs.Plan;
import java.util.List;
import java.util.function.Function;

/** The rows of a scan. Thread-safe, as that is. */
record ScanFeed(Scan scan) implements RowFeed {
    @Override
    public List<String> columns() {
        return scan.columns();
    }

    @Override
    public List<DataType> types() {
        return scan.types();
    }

    @Override
    public String table() {
        return scan.table();
    }

    @Override
    public List<Split> splits() {
        return scan.splits();
    }

    @Override
    public boolean hasTokens() {
        return scan.hasTokens();
    }

    @Override
    public void forEachSplit(int threads, Function<Split, Scan.SplitHandler> handlers) {
        scan.forEachSplit(threads, handlers);
    }

    @Override
    public void stop() {
        scan.stop();
    }

    @Override
    public ScanTotals totals() {
        return scan.totals();
    }

    @Override
    public JobTimes times(long outputNanos) {
        Waits waits = scan.waits();
        return new JobTimes(waits.threadNanos(), /* inputNanos */ 0, outputNanos, List.of(waits));
    }

    @Override
    public long pageMemory() {
        return scan.pageMemory();
    }

    @Override
    public Plan.Part plan() {
        return Plan.reads(scan);
    }

    @Override
    public List<String> warnings() {
        String why = scan.whyNotSplit();
        return why.isEmpty() ? List.of() : List.of("the query is not split by token but runs as one: " + why);
    }

    @Override
    public void close() {
        scan.close();
    }
}
