package io.overdrive.spark.read;

import io.overdrive.Lookup;
import io.overdrive.OverdriveException;
import io.overdrive.internal.flow.Pacer;
import io.overdrive.internal.flow.ThreadWaits;
import io.overdrive.spark.config.Failures;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import java.util.List;

/**
 * A lookup shared by all tasks of an executor, with its rate limit in keys per second. Executes (on the executors).
 * Thread-safe.
 */
public record PacedLookup(Lookup lookup, Pacer rateLimit) implements AutoCloseable {
    /** @param keyColumns the partition key, and maybe the first clustering columns */
    static SharedRead<PacedLookup> open(ScanTask scan, List<String> keyColumns) {
        return SharedRead.open(
                List.of(scan.id(), keyColumns, scan.where()),
                () -> of(scan, keyColumns),
                paced -> paced.lookup.totals(),
                PacedLookup::threadWaits);
    }

    private ThreadWaits threadWaits() {
        return lookup.threadWaits().plus(new ThreadWaits(/* clusterNanos */ 0, rateLimit.waitedNanos()));
    }

    private static PacedLookup of(ScanTask scan, List<String> keyColumns) {
        Settings settings = scan.settings();
        long keysPerSecond = settings.find(Setting.LOOKUPS_PER_SECOND) == null
                ? Long.MAX_VALUE
                : settings.number(Setting.LOOKUPS_PER_SECOND);
        Pacer rateLimit = new Pacer(keysPerSecond, /* bytesPerSecond */ Long.MAX_VALUE);
        try {
            return new PacedLookup(
                    SharedEngines.of(settings)
                            .lookup(scan.options().columns(scan.selection()).build(), keyColumns),
                    rateLimit);
        } catch (OverdriveException e) {
            throw Failures.named(e);
        }
    }

    /** Requests the key that was put into the queue, as soon as the rate limit allows it. */
    public void ask(Lookup.Queue queue) {
        rateLimit.pace(1, 0);
        queue.submit();
    }

    @Override
    public void close() {
        lookup.close();
    }
}
