package io.overdrive.spark.read;

import io.overdrive.Lookup;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import java.util.List;

/** A lookup that all tasks of one executor share, and with it the ceiling of keys a second. Thread-safe. */
public record PacedLookup(Lookup lookup, Limiter ceiling) implements AutoCloseable {
    /** @param keyColumns the partition key, and maybe the first clustering columns */
    static SharedRead<PacedLookup> open(ScanTask scan, List<String> keyColumns) {
        return SharedRead.open(
                List.of(scan.id(), keyColumns), () -> of(scan, keyColumns), paced -> paced.lookup.totals());
    }

    private static PacedLookup of(ScanTask scan, List<String> keyColumns) {
        Settings settings = scan.settings();
        long keysPerSecond = settings.find(Setting.LOOKUPS_PER_SECOND) == null
                ? Long.MAX_VALUE
                : settings.number(Setting.LOOKUPS_PER_SECOND);
        return new PacedLookup(
                SharedEngines.of(settings)
                        .lookup(scan.options().columns(scan.selection()).build(), keyColumns),
                new Limiter(Integer.MAX_VALUE, Long.MAX_VALUE, keysPerSecond, /* bytesPerSecond */ Long.MAX_VALUE));
    }

    /** Asks for the key that the queue has been given, as soon as the ceiling lets it. */
    public void ask(Lookup.Queue queue) {
        ceiling.pace(1, 0);
        queue.ask();
    }

    @Override
    public void close() {
        lookup.close();
    }
}
