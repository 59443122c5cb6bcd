package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/** A table in a separate keyspace, first on all replicas, and its rows. */
final class LoadedTable {
    private final Overdrive overdrive;
    final String keyspace;
    /** The number of partitions of the first rows; their keys are the numbers from 0. */
    final int partitions;

    /** Partition and row to value. */
    final Map<Long, String> rows = new HashMap<>();

    LoadedTable(Overdrive overdrive, String keyspace, String replication, int partitions) {
        this.overdrive = overdrive;
        this.keyspace = keyspace;
        this.partitions = partitions;
        overdrive.changeSchema("CREATE KEYSPACE " + keyspace
                + " WITH replication = {'class': 'NetworkTopologyStrategy', " + replication + "}");
        overdrive.changeSchema("CREATE TABLE " + keyspace + ".t (k int, c int, v text, PRIMARY KEY (k, c))");
        write(DefaultConsistencyLevel.ALL, 0, partitions);
    }

    /** Writes rows of more partitions. */
    void write(DefaultConsistencyLevel level, int from, int to) {
        Random random = new Random(to);
        try (RowWriter writer = overdrive.writer(WriteOptions.into(keyspace, "t")
                .columns("k", "c", "v")
                .consistency(level)
                .build())) {
            for (int k = from; k < to; k++) {
                for (int c = random.nextInt(12); c >= 0; c--) {
                    String v = "v".repeat(random.nextInt(40)) + k;
                    writer.row().setInt(0, k).setInt(1, c).setText(2, v);
                    writer.send();
                    rows.put((long) k << 32 | c, v);
                }
            }
        }
    }

    ScanOptions.Builder options() {
        return ScanOptions.from(keyspace, "t").columns("k", "c", "v");
    }

    /** Rows that were read, each of which must be correct and new. */
    final class Found {
        private final Map<Long, String> missing = Collections.synchronizedMap(new HashMap<>(rows));

        void add(RowCursor row) {
            long key = (long) row.getInt(0) << 32 | row.getInt(1);
            String wanted = missing.remove(key);
            if (wanted == null || !wanted.equals(row.text(2))) {
                throw new IllegalStateException(
                        "row " + (key >> 32) + ", " + (int) key + " came twice, or is wrong: " + row.text(2));
            }
        }

        int size() {
            return rows.size() - missing.size();
        }

        void assertAll() {
            assertThat(missing.keySet().stream().limit(10))
                    .as("missing of %d rows in %s", rows.size(), keyspace)
                    .isEmpty();
        }
    }

    void assertRead(ScanOptions.Builder options) {
        try (Scan scan = overdrive.scan(options.build())) {
            Found found = new Found();
            scan.forEach(3, found::add);
            found.assertAll();
            assertThat(scan.totals().rowsRead()).isEqualTo(rows.size());
            assertThat(scan.totals().retries()).isZero();
        }
    }

    void assertCounted(ScanOptions.Builder options) {
        LongAdder count = new LongAdder();
        try (Scan scan = overdrive.count(options.build())) {
            scan.forEach(2, row -> count.add(row.getLong(0)));
        }
        assertThat(count.sum()).isEqualTo(rows.size());
    }
}
