package io.overdrive.bench.experiments.kit;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.RowCursor;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.stress.Values;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32;

/**
 * A table to be read: partitions of one row, of which 250 bytes are read and 100 are not. The keys are the numbers from 0 on. Each row has
 * a checksum of its field, which readers compute again: that is the work done with a row, and proves that it is the row that was written.
 * Stateless.
 */
public final class FlatRows {
    public static final String TABLE = "flat_rows";
    /** The columns that are read. */
    static final List<String> READ = List.of("key", "field", "check_sum");

    private static final int FIELD_BYTES = 238;
    private static final int OTHER_BYTES = 100;
    /** Bytes of the values that are read. */
    public static final int ROW_BYTES = Long.BYTES + FIELD_BYTES + Integer.BYTES;

    private FlatRows() {}

    /** Makes the table, with the rows of the experiment's size. */
    public static void write(ExperimentContext context) {
        context.createTable(TABLE, "(key bigint PRIMARY KEY, field text, check_sum int, other text)");
        long seed = context.random("rows").nextLong();
        Preload.rows(
                context,
                TABLE,
                List.of("key", "field", "check_sum", "other"),
                context.size().rows(),
                (row, key) -> {
                    String field = Values.text(seed, 2 * key, FIELD_BYTES);
                    CRC32 sum = new CRC32();
                    sum.update(field.getBytes(StandardCharsets.US_ASCII));
                    row.setLong(0, key);
                    row.setText(1, field);
                    row.setInt(2, (int) sum.getValue());
                    row.setText(3, Values.text(seed, 2 * key + 1, OTHER_BYTES));
                });
    }

    /** Bytes of the table on each node: what a page cache must hold. */
    public static double bytesPerNode(long rows, int copies, int nodes) {
        return (double) rows * (ROW_BYTES + OTHER_BYTES) * copies / nodes;
    }

    /** The rows that were read, compared to those that were written. Thread-safe. */
    static final class Tally {
        private final LongAdder rows = new LongAdder();
        private final LongAdder keys = new LongAdder();
        private final LongAdder damaged = new LongAdder();

        /** The part of one reader. */
        Part part() {
            return new Part();
        }

        long rows() {
            return rows.sum();
        }

        /**
         * Checks that each row was read once and as it was written.
         *
         * @param expectedRows how many
         * @param expectedKeys the sum of their keys
         * @return expectedRows
         * @throws IllegalStateException if not
         */
        long check(long expectedRows, long expectedKeys) {
            if (rows.sum() != expectedRows) {
                throw new IllegalStateException(rows.sum() + " rows were read instead of " + expectedRows);
            }
            if (keys.sum() != expectedKeys) {
                throw new IllegalStateException("the number of rows is right, but not every row was read once");
            }
            if (damaged.sum() != 0) {
                throw new IllegalStateException("rows that differ from what was written: " + damaged.sum());
            }
            return expectedRows;
        }

        /** The rows of one reader. Confined to one thread at a time. */
        final class Part {
            private final CRC32 sum = new CRC32();
            private long partRows;
            private long partKeys;
            private long partDamaged;

            private Part() {}

            /** Checks a row of the columns {@link #READ}. */
            void take(RowCursor row) {
                sum.reset();
                sum.update(row.array(), row.offset(1), row.length(1));
                count(row.getLong(0), row.getInt(2));
            }

            void take(Row row) {
                sum.reset();
                ByteBuffer field = row.getBytesUnsafe(1);
                if (field != null) {
                    sum.update(field);
                }
                count(row.getLong(0), row.getInt(2));
            }

            void count(long key, int expectedSum) {
                partRows++;
                partKeys += key;
                partDamaged += (int) sum.getValue() == expectedSum ? 0 : 1;
            }

            /** Adds this part to the tally; called once, after the last row. */
            void end() {
                rows.add(partRows);
                keys.add(partKeys);
                damaged.add(partDamaged);
            }
        }
    }
}
