package io.overdrive.jobs.unload;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.Scan;
import io.overdrive.ScanTotals;
import io.overdrive.Split;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.jobs.Plan;
import java.util.List;
import java.util.function.Function;

/** The rows that an unload writes, by splits: those of a scan, or of a query over one. Thread-safe. */
interface RowFeed extends AutoCloseable {
    List<String> columns();

    List<DataType> types();

    /** The name of the table, for those of files. */
    String table();

    List<Split> splits();

    /** As {@link Scan#hasTokens}. */
    boolean hasTokens();

    /** As {@link Scan#forEachSplit}. */
    void forEachSplit(int threads, Function<Split, Scan.SplitHandler> handlers);

    void stop();

    ScanTotals totals();

    /** When the work on them began, as {@link System#nanoTime} has it. */
    default long startNanos() {
        return System.nanoTime();
    }

    /** @param outputNanos the time for which threads have written output */
    JobTimes times(long outputNanos);

    long pageMemory();

    Plan.Part plan();

    List<String> warnings();

    @Override
    void close();

    /** The rows of a scan. */
    static RowFeed of(Scan scan) {
        return new ScanFeed(scan);
    }
}
