package io.overdrive.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.OverdriveException;
import io.overdrive.bench.run.BenchNode;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class DriverWriterIT {
    private static final String KEYSPACE = "driver_writer_it";
    private static final CqlSession SESSION = BenchNode.cluster().overdrive().session();

    private static PreparedStatement insert(String table) {
        SESSION.execute("CREATE KEYSPACE IF NOT EXISTS " + KEYSPACE
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        SESSION.execute("CREATE TABLE " + KEYSPACE + "." + table + " (id int PRIMARY KEY, v text)");
        return SESSION.prepare("INSERT INTO " + KEYSPACE + "." + table + " (id, v) VALUES (?, ?)");
    }

    @AfterAll
    static void drop() {
        SESSION.execute("DROP KEYSPACE IF EXISTS " + KEYSPACE);
    }

    private static List<BoundStatement> rows(PreparedStatement insert, int from, int to) {
        return IntStream.range(from, to).mapToObj(id -> insert.bind(id, "x")).toList();
    }

    @Test
    void writesBatchesOfAnyRowsAndReportsRowsRequestsAndLatency() {
        PreparedStatement insert = insert("any");
        Node node = SESSION.getMetadata().getNodes().values().iterator().next();
        DriverWriter writer = new DriverWriter(SESSION, DefaultConsistencyLevel.LOCAL_QUORUM);
        DriverWriter.Task task = writer.task(2);
        for (int i = 0; i < 50; i++) {
            task.send(rows(insert, 10 * i, 10 * i + 10));
        }
        task.send(rows(insert, 500, 501), node);
        task.finish();
        RunOutcome done = writer.done(5);
        assertThat(done.rows()).isEqualTo(501);
        assertThat(done.bytes()).isEqualTo(2505);
        assertThat(done.requests()).isEqualTo(51);
        assertThat(done.latency()).isNotNull().satisfies(h -> assertThat(h.getTotalCount())
                .isEqualTo(51));
        assertThat(SESSION.execute("SELECT id FROM " + KEYSPACE + ".any").all()).hasSize(501);
    }

    @Test
    void theFirstFailureEndsTheRunWithItsReason() {
        PreparedStatement insert = insert("gone");
        SESSION.execute("DROP TABLE " + KEYSPACE + ".gone");
        DriverWriter writer = new DriverWriter(SESSION, DefaultConsistencyLevel.LOCAL_QUORUM);
        DriverWriter.Task task = writer.task(1);
        task.send(rows(insert, 0, 2));
        assertThatThrownBy(task::finish)
                .isInstanceOf(OverdriveException.class)
                .hasMessageStartingWith("rows were not written: ")
                .hasMessageContaining("gone");
        assertThatThrownBy(() -> writer.task(1).send(rows(insert, 2, 3)))
                .as("in another task")
                .hasMessageStartingWith("rows were not written: ");
        assertThat(writer.done(5).rows()).isZero();
    }

    @Test
    void countsToleratedFailures() {
        PreparedStatement insert = insert("gone_slowly");
        SESSION.execute("DROP TABLE " + KEYSPACE + ".gone_slowly");
        DriverWriter writer = new DriverWriter(SESSION, DefaultConsistencyLevel.LOCAL_QUORUM, 2);
        DriverWriter.Task task = writer.task(1);
        task.send(rows(insert, 0, 2));
        task.send(rows(insert, 2, 4));
        task.finish();
        assertThat(writer.rowsFailed()).isEqualTo(4);
        assertThat(writer.done(5).figures()).containsEntry(Figure.ERRORS, 4.0);
        task.send(rows(insert, 4, 5));
        assertThatThrownBy(task::finish).hasMessageStartingWith("rows were not written: ");
    }
}
