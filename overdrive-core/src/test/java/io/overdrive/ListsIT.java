package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.local.Node;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server gives the elements of a list other keys each time: a row that is written twice must not get them twice. */
@Timeout(300)
class ListsIT {
    private static final String KS = TestCluster.keyspace("lists");

    private static void write(WriteOptions.Builder options, String table) throws Exception {
        Node node = TestCluster.node();
        int rows = 400;
        try (RowWriter writer = TestCluster.overdrive()
                .writer(options.requestTimeout(Duration.ofMillis(200))
                        .maxAttempts(1000)
                        .inFlightRequests(rows)
                        .build())) {
            node.pause();
            try {
                for (int i = 0; i < rows; i++) {
                    // each row comes twice: the lists of the second one count
                    writer.row().setInt(0, i % 10).setInt(1, i % 200).set(2, List.of(i, i + 1, i + 2));
                    writer.send();
                }
                writer.flush();
                while (writer.totals().retries() < 50) {
                    Thread.sleep(10);
                }
            } finally {
                node.resume();
            }
        }
        List<Row> found = TestCluster.execute("SELECT c, l FROM " + KS + "." + table);
        assertThat(found).hasSize(200).allSatisfy(row -> {
            int i = row.getInt(0) + 200;
            assertThat(row.getList(1, Integer.class)).containsExactly(i, i + 1, i + 2);
        });
    }

    @Test
    void retriesDoNotDoubleThem() throws Exception {
        TestCluster.execute("CREATE TABLE " + KS + ".t (k int, c int, l list<int>, PRIMARY KEY (k, c))");
        write(WriteOptions.into(KS, "t").batchRows(7), "t");
    }

    @Test
    void retriesOfAStatementDoNotDoubleThem() throws Exception {
        TestCluster.execute("CREATE TABLE " + KS + ".s (k int, c int, l list<int>, PRIMARY KEY (k, c))");
        write(WriteOptions.statement("INSERT INTO " + KS + ".s (k, c, l) VALUES (:k, :c, :l)"), "s");
    }

    @Test
    void theirWriteTimesCannotBeRowsOwn() {
        TestCluster.execute("CREATE TABLE " + KS + ".own (k int PRIMARY KEY, l list<int>, f frozen<list<int>>)");
        assertThatThrownBy(() -> TestCluster.overdrive()
                        .writer(WriteOptions.into(KS, "own").rowTimestamp().build()))
                .hasMessageContaining("column \"l\" is a list: written twice with the same write time");
        TestCluster.overdrive()
                .writer(WriteOptions.into(KS, "own")
                        .columns("k", "f")
                        .rowTimestamp()
                        .build())
                .close();
    }
}
