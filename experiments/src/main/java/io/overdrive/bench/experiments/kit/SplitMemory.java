package io.overdrive.bench.experiments.kit;

import static io.overdrive.bench.Figure.PEAK_MEMORY;
import static io.overdrive.bench.Figure.ROWS_PER_SECOND;
import static io.overdrive.bench.Figure.SPLIT_MEGABYTES;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Findings;
import io.overdrive.bench.stress.Values;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Tables that compress well and badly, whose splits readers keep or process page by page, and what the memory that these need shows.
 * Stateless.
 */
public final class SplitMemory {
    public static final String SPLIT = "size of a split";
    public static final String PAYLOAD = "values";
    public static final String READING = "rows are";
    public static final String RANDOM = "random";
    public static final String COMPRESSIBLE = "compressible";
    public static final String KEPT = "kept to the end of the split";
    public static final String PAGE_BY_PAGE = "looked at page by page";

    /** The sizes of the original. */
    public static final List<Long> ORIGINAL_SPLIT_MEGABYTES = List.of(8L, 64L, 256L, 512L);

    private static final int VALUE_BYTES = 992;
    private static final int PATTERN_BYTES = 31;
    /** Bytes of the values of a row: a bigint, and a text. */
    public static final int ROW_BYTES = Long.BYTES + VALUE_BYTES;

    private SplitMemory() {}

    /** All variants of these sizes of a split. */
    public static List<Map.Entry<String, List<String>>> factors(List<Long> splitBytes) {
        return List.of(
                Map.entry(SPLIT, splitBytes.stream().map(SplitMemory::words).toList()),
                Map.entry(PAYLOAD, List.of(RANDOM, COMPRESSIBLE)),
                Map.entry(READING, List.of(KEPT, PAGE_BY_PAGE)));
    }

    /** {@code 4 MB}, {@code 31.25 kB}. */
    public static String words(long bytes) {
        int power = bytes >= 1_000_000 ? 6 : 3;
        return BigDecimal.valueOf(bytes, power).stripTrailingZeros().toPlainString() + (power == 6 ? " MB" : " kB");
    }

    /** Makes both tables, of columns key and value. */
    public static void preload(ExperimentContext context) {
        long seed = context.random("rows").nextLong();
        for (String payload : List.of(RANDOM, COMPRESSIBLE)) {
            context.createTable(table(payload), "(key bigint PRIMARY KEY, value text)");
            Preload.rows(
                    context,
                    table(payload),
                    List.of("key", "value"),
                    context.size().rows(),
                    (row, key) -> {
                        row.setLong(0, key);
                        row.setText(
                                1,
                                payload.equals(RANDOM)
                                        ? Values.text(seed, key, VALUE_BYTES)
                                        : Values.text(seed, key, PATTERN_BYTES).repeat(VALUE_BYTES / PATTERN_BYTES));
                    });
        }
    }

    /** The name of the table with such values. */
    public static String table(String payload) {
        return payload + "_rows";
    }

    /** The sum of the keys of a table, which proves that each row was read once. */
    public static long sumOfKeys(ExperimentContext context) {
        long rows = context.size().rows();
        return rows * (rows - 1) / 2;
    }

    public static List<Chart> charts() {
        return List.of(
                new Chart("Memory that readers need", Chart.Kind.LOG_LINES, PEAK_MEMORY, SPLIT, READING),
                new Chart("How large a split really is", Chart.Kind.BARS, SPLIT_MEGABYTES, SPLIT, PAYLOAD),
                new Chart("How fast rows are read", Chart.Kind.LOG_LINES, ROWS_PER_SECOND, SPLIT, READING));
    }

    /**
     * @param findings of one reader
     * @param splitsAtOnce how many splits are read at the same time
     */
    public static List<Check> check(Findings findings, int splitsAtOnce) {
        Findings kept = findings.where(READING, KEPT);
        Findings paged = findings.where(READING, PAGE_BY_PAGE);
        ToDoubleFunction<Arm> megabytesAtOnce = arm -> splitsAtOnce * arm.number(SPLIT) / 1e6;
        return List.of(
                Check.between(
                                0.6,
                                1.8,
                                "Readers that keep their splits need 0.6 to 1.8 MB more memory for each MB more in the splits being read"
                                        + " (published: 1.2)",
                                kept.where(PAYLOAD, RANDOM).slope(PEAK_MEMORY, megabytesAtOnce),
                                kept.where(PAYLOAD, COMPRESSIBLE).slope(PEAK_MEMORY, megabytesAtOnce))
                        .named("kept"),
                Check.atMost(
                                0.2,
                                "Readers that process rows page by page need at most 0.2 MB more for each of these (Overdrive's"
                                        + " ARCHITECTURE)",
                                paged.where(PAYLOAD, RANDOM).slope(PEAK_MEMORY, megabytesAtOnce),
                                paged.where(PAYLOAD, COMPRESSIBLE).slope(PEAK_MEMORY, megabytesAtOnce))
                        .named("page-by-page"),
                Check.atLeast(
                                1.5,
                                "Compression makes the estimates too low: splits of a table that compresses well hold at least 1.5 times the"
                                        + " intended bytes (published without a figure)",
                                findings.where(PAYLOAD, COMPRESSIBLE)
                                        .ratioTo(findings.where(PAYLOAD, RANDOM), SPLIT_MEGABYTES))
                        .named("compression"));
    }
}
