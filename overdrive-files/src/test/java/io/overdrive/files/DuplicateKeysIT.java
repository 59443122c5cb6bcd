package io.overdrive.files;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.Overdrive;
import io.overdrive.WriteOptions;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The last row of a key wins, whatever the order in which rows leave: several threads, groups, spilled rows. */
class DuplicateKeysIT {
    private static final String KEYSPACE = "files_duplicates";
    private static final Overdrive OVERDRIVE = TestCluster.keyspace(KEYSPACE);
    private static final int ROWS = 350_000;
    private static final int PARTITIONS = 10_000;
    private static final int ROWS_A_PARTITION = 5;

    private final Loads loads;

    DuplicateKeysIT(@TempDir Path directory) {
        loads = new Loads(directory);
    }

    @ParameterizedTest
    @CsvSource({"1, 'p, c'", "4, 'p, c'", "4, '(p, c)'"})
    void theLastRowOfAKeyWins(int threads, String key) {
        String table = "k" + threads + (key.startsWith("(") ? "alone" : "grouped");
        OVERDRIVE
                .session()
                .execute(
                        "CREATE TABLE " + KEYSPACE + "." + table + " (p int, c int, n int, PRIMARY KEY (" + key + "))");
        Random random = new Random(threads);
        int[] expected = new int[PARTITIONS * ROWS_A_PARTITION];
        Arrays.fill(expected, -1);
        StringBuilder text = new StringBuilder("p,c,n\n");
        for (int i = 0; i < ROWS; i++) {
            int row = random.nextInt(expected.length);
            expected[row] = i;
            text.append(row / ROWS_A_PARTITION).append(',').append(row % ROWS_A_PARTITION);
            text.append(',').append(i).append('\n');
        }
        loads.file(loads.write("x.csv", text.toString())).threads(threads);
        LoadSummary summary =
                loads.run(OVERDRIVE, WriteOptions.into(KEYSPACE, table).groupingMemory(1 << 20));
        assertThat(summary.rowsRead()).isEqualTo(ROWS);
        assertThat(summary.rowsWritten()).isEqualTo(ROWS);
        if (!key.startsWith("(")) {
            assertThat(summary.writes().rowsSpilled()).isPositive();
        }
        int[] found = new int[expected.length];
        Arrays.fill(found, -1);
        for (Row row : OVERDRIVE.session().execute("SELECT p, c, n FROM " + KEYSPACE + "." + table)) {
            found[row.getInt(0) * ROWS_A_PARTITION + row.getInt(1)] = row.getInt(2);
        }
        assertThat(found).isEqualTo(expected);
    }
}
