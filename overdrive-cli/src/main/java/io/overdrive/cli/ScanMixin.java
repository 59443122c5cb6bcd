package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.ScanOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@link ScanOptions}, under the same names in kebab case; a test keeps them equal. */
final class ScanMixin {
    @Option(
            names = "--where",
            paramLabel = "CONDITIONS",
            description = "Read only rows that match this CQL condition: \"origin = 'JFK' AND day > 3\".")
    private @Nullable String where;

    @Option(
            names = "--splits-in-flight",
            paramLabel = "N",
            converter = Amount.Count.class,
            description = "Maximum number of token ranges to read at the same time, per node. Default: 4.")
    private @Nullable Long splitsInFlight;

    @Option(
            names = "--split-bytes",
            paramLabel = "SIZE",
            converter = Amount.Bytes.class,
            description = "Maximum estimated size of a split. Default: 64MB.")
    private @Nullable Long splitBytes;

    @Option(
            names = "--page-bytes",
            paramLabel = "SIZE",
            converter = Amount.Bytes.class,
            description =
                    "Target size of a page; its number of rows follows from the rows read before. Default: 512KB.")
    private @Nullable Long pageBytes;

    @Option(
            names = "--page-rows",
            paramLabel = "N",
            converter = Amount.Count.class,
            description = "Maximum number of rows in a page. Default: 20K.")
    private @Nullable Long pageRows;

    @Option(
            names = "--page-memory",
            paramLabel = "SIZE",
            converter = Amount.Bytes.class,
            description = "Memory for all pages; if it is short, pages are smaller. Default: 128MB, or a"
                    + " quarter of the heap.")
    private @Nullable Long pageMemory;

    @Option(
            names = "--rows-per-second",
            paramLabel = "N",
            converter = Amount.Count.class,
            description = "Maximum number of rows to read per second. Default: unlimited.")
    private @Nullable Long rowsPerSecond;

    @Option(
            names = "--bytes-per-second",
            paramLabel = "SIZE",
            converter = Amount.Bytes.class,
            description = "Maximum number of bytes to read per second. Default: unlimited.")
    private @Nullable Long bytesPerSecond;

    @Option(names = "--consistency", paramLabel = "LEVEL", description = "Default: LOCAL_ONE.")
    private @Nullable DefaultConsistencyLevel consistency;

    @Option(
            names = "--request-timeout",
            paramLabel = "SECONDS",
            converter = Amount.Seconds.class,
            description = "Timeout of a page; it is then requested with fewer rows. Default: 15.")
    private @Nullable Duration requestTimeout;

    @Option(
            names = "--max-attempts",
            paramLabel = "N",
            converter = Amount.Count.class,
            description = "Maximum number of attempts to read a page before the run fails. Default: 10.")
    private @Nullable Long maxAttempts;

    @Option(
            names = "--patience",
            paramLabel = "SECONDS",
            converter = Amount.Seconds.class,
            description = "How long to wait for nodes that are down, unreachable or overloaded before the run fails."
                    + " Default: 300.")
    private @Nullable Duration patience;

    /** Sets the options that were given. */
    void apply(ScanOptions.Builder builder) {
        if (where != null) {
            builder.where(where);
        }
        if (splitsInFlight != null) {
            builder.splitsInFlight(splitsInFlight);
        }
        if (splitBytes != null) {
            builder.splitBytes(splitBytes);
        }
        if (pageBytes != null) {
            builder.pageBytes(pageBytes);
        }
        if (pageRows != null) {
            builder.pageRows(pageRows);
        }
        if (pageMemory != null) {
            builder.pageMemory(pageMemory);
        }
        if (rowsPerSecond != null) {
            builder.rowsPerSecond(rowsPerSecond);
        }
        if (bytesPerSecond != null) {
            builder.bytesPerSecond(bytesPerSecond);
        }
        if (consistency != null) {
            builder.consistency(forReading("--consistency", consistency));
        }
        if (requestTimeout != null) {
            builder.requestTimeout(requestTimeout);
        }
        if (maxAttempts != null) {
            builder.maxAttempts(maxAttempts);
        }
        if (patience != null) {
            builder.patience(patience);
        }
    }

    /** The server refuses the other levels for a token range, but only in its answer. */
    static DefaultConsistencyLevel forReading(String option, DefaultConsistencyLevel level) {
        if (level.isSerial() || level == DefaultConsistencyLevel.ANY) {
            throw new IllegalArgumentException(option + " is " + level + ", which cannot be used to read a table:"
                    + " choose LOCAL_ONE, LOCAL_QUORUM or another level for reads");
        }
        return level;
    }

    /** Reads {@code a, "B", c}. */
    static List<String> columns(String text) {
        List<String> columns = new ArrayList<>();
        int start = 0;
        boolean quoted = false;
        for (int i = 0; i <= text.length(); i++) {
            char c = i == text.length() ? ',' : text.charAt(i);
            quoted ^= c == '"';
            if (c == ',' && (!quoted || i == text.length())) {
                columns.add(column(text, text.substring(start, i).strip()));
                start = i + 1;
            }
        }
        return columns;
    }

    private static String column(String all, String name) {
        boolean quoted = name.length() > 2 && name.startsWith("\"") && name.endsWith("\"");
        if (!quoted && !name.matches("[a-zA-Z][a-zA-Z0-9_]*")) {
            throw new IllegalArgumentException(
                    "--columns \"" + all + "\": \"" + name + "\" is not a column's name; a name"
                            + " with capitals or special characters goes in double quotes");
        }
        return CqlIdentifier.fromCql(name).asInternal();
    }
}
