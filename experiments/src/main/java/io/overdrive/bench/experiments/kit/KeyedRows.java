package io.overdrive.bench.experiments.kit;

import io.overdrive.Overdrive;
import io.overdrive.RowCursor;
import io.overdrive.Scan;
import io.overdrive.Split;
import io.overdrive.bench.Experiment.Work;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.stress.Values;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * A table for a job that aggregates: the key is sixteen random hexadecimal digits, of which the first three are the group, and one column
 * is summed; the others are not read. Like the table of cassandra-stress. Stateless.
 */
public final class KeyedRows {
    public static final String TABLE = "keyed_rows";
    /** The digits at the start of a key that are its group. */
    public static final int DIGITS = 3;

    private static final int OTHER_BYTES = 136;
    /** Bytes of the values that are read. */
    public static final int READ_BYTES = 16 + Long.BYTES;

    private KeyedRows() {}

    /** Makes the table, with the rows of the experiment's size. */
    public static void write(ExperimentContext context) {
        context.createTable(TABLE, "(key text PRIMARY KEY, c1 bigint, other text)");
        long seed = context.random("rows").nextLong();
        Preload.rows(
                context, TABLE, List.of("key", "c1", "other"), context.size().rows(), (row, number) -> {
                    row.setText(0, HexFormat.of().toHexDigits(Values.mix(seed, number)));
                    row.setLong(1, number);
                    row.setText(2, Values.text(seed, number, OTHER_BYTES));
                });
    }

    /** The sum of the column of all rows. */
    public static long sum(ExperimentContext context) {
        long rows = context.size().rows();
        return rows * (rows - 1) / 2;
    }

    /** Reads all rows and sums by group. The total must be the sum of the row numbers. */
    public static final class Sums implements Work {
        private final ExperimentContext context;
        private final Scan scan;
        private final Map<String, Long> groups = new HashMap<>();

        /** @param overdrive connected to the nodes to read from */
        public Sums(ExperimentContext context, Overdrive overdrive) {
            this.context = context;
            scan = overdrive.scan(Preload.reading(context, TABLE)
                    .columns(List.of("key", "c1"))
                    .build());
            scan.splits(); // plans
        }

        @Override
        public RunOutcome run() {
            scan.forEachSplit(Runtime.getRuntime().availableProcessors(), this::handler);
            return RunOutcome.of(scan.totals(), scan.totals().rowsRead() * READ_BYTES);
        }

        private Scan.SplitHandler handler(Split split) {
            Map<String, Long> part = new HashMap<>();
            return new Scan.SplitHandler() {
                @Override
                public void page(RowCursor page) {
                    if (context.stopped()) {
                        scan.stop();
                    }
                    while (page.next()) {
                        String group = new String(page.array(), page.offset(0), DIGITS, StandardCharsets.US_ASCII);
                        part.merge(group, page.getLong(1), Long::sum);
                    }
                }

                @Override
                public void end() {
                    synchronized (groups) {
                        part.forEach((group, sum) -> groups.merge(group, sum, Long::sum));
                    }
                }
            };
        }

        @Override
        public long rowsFound() {
            long sum = groups.values().stream().mapToLong(Long::longValue).sum();
            long written = sum(context);
            if (sum != written) {
                throw new IllegalStateException(
                        "the sum of all groups is " + sum + ", not that of the rows that were written, " + written);
            }
            return context.size().rows();
        }

        @Override
        public void close() {
            scan.close();
        }
    }
}
