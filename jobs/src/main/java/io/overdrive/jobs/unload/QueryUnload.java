package io.overdrive.jobs.unload;

import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.ScanOptions;
import io.overdrive.jobs.sql.FirstRows;
import io.overdrive.jobs.sql.SqlEngine;
import java.nio.file.Path;

/** Unloads the result of a query in SQL over the rows of a scan, which are its table {@code rows}. Stateless. */
public final class QueryUnload {
    private QueryUnload() {}

    /**
     * Begins to execute the query, and prepares the output. It cannot be resumed.
     *
     * @param directory for rows that do not fit into memory
     * @param first watches the query until the columns of its result are known
     * @throws OverdriveException of kind INPUT if the output cannot be written, or the query is wrong
     */
    public static Unloader open(
            Overdrive overdrive,
            ScanOptions read,
            UnloadOptions options,
            SqlEngine engine,
            String query,
            Path directory,
            FirstRows first) {
        Output.check(options); // before a row is read
        QueriedRows rows =
                QueriedRows.open(overdrive, read, options, engine, new QueriedRows.Sql(query, directory), first);
        return Unloader.open(
                overdrive,
                ScanOptions.query("result").build(),
                options.withFormat(rows.format(options.format())),
                UnloadScan.of(rows),
                /* request */ null);
    }
}
