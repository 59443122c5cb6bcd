package io.overdrive.jobs.sql;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.ZoneId;

/**
 * A query, and what it may use. Immutable.
 *
 * @param text a query, perhaps after other statements, separated by semicolons
 * @param input the name of the table that it reads
 * @param memoryBytes memory outside of the heap, beyond which rows go to the disk
 * @param threads that execute the query
 * @param temporary directory for rows that do not fit into the memory
 * @param zone of local times
 */
public record SqlQuery(String text, String input, long memoryBytes, int threads, Path temporary, ZoneId zone) {
    private static final long MIN_MEMORY_BYTES = 256L << 20;
    private static final int SHARE = 4;

    public SqlQuery {
        if (text.isBlank()) {
            throw new OverdriveException(
                    Kind.INPUT, "the query is empty: give one such as \"SELECT * FROM " + input + '"');
        }
    }

    /** A query with a quarter of the machine's memory, and a thread for each processor. */
    public static SqlQuery of(String text, String input, Path temporary, ZoneId zone) {
        long machine =
                ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean all
                        ? all.getTotalMemorySize()
                        : 0;
        return new SqlQuery(
                text,
                input,
                Math.max(MIN_MEMORY_BYTES, machine / SHARE),
                Runtime.getRuntime().availableProcessors(),
                temporary,
                zone);
    }
}
