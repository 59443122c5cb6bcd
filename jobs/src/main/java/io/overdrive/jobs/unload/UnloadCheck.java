package io.overdrive.jobs.unload;

import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.ScanOptions;
import io.overdrive.jobs.Plan;
import java.util.List;

/**
 * The work of an unload, checked as {@link Unloader#open} checks it, without reading a row or creating a file. Immutable.
 *
 * @param warnings as {@link Unloader#warnings} has them
 */
public record UnloadCheck(Plan plan, List<String> warnings) {
    /**
     * Plans the scan, and checks the output.
     *
     * @throws OverdriveException as {@link Unloader#open} throws it
     */
    public static UnloadCheck of(Overdrive overdrive, ScanOptions read, UnloadOptions options) {
        UnloadScan from = UnloadScan.open(overdrive, read, options);
        try (RowFeed rows = from.rows()) {
            OutputFields.of(options, overdrive, read, from).writer(options);
            NotKeptCounter.withoutEmpty(overdrive, read, rows, options);
            Output.check(options);
            return new UnloadCheck(new Plan(rows.plan()).of(options.after()), rows.warnings());
        }
    }
}
