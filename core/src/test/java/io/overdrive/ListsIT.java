package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.local.Node;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server gives the elements of a list new keys at each write: a row that is written twice must not hold them twice. */
@Tag("server")
@Timeout(300)
class ListsIT {
    private static final String KS = SeparateNode.keyspace("lists");

    private static void write(WriteOptions.Builder options, String table) throws Exception {
        Node node = SeparateNode.node();
        int rows = 400;
        try (RowWriter writer = SeparateNode.overdrive()
                .writer(options.requestTimeout(Duration.ofMillis(200))
                        .maxAttempts(1000) // lists get fewer
                        .inFlightRequests(rows)
                        .inFlightControl(InFlightControl.FIXED) // a limit that falls would hold rows back
                        .build())) {
            node.pause();
            try {
                for (int i = 0; i < rows; i++) {
                    // each row is written twice: the lists of the second write count
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
        List<Row> found = SeparateNode.execute("SELECT c, l FROM " + KS + "." + table);
        assertThat(found).hasSize(200).allSatisfy(row -> {
            int i = row.getInt(0) + 200;
            assertThat(row.getList(1, Integer.class)).containsExactly(i, i + 1, i + 2);
        });
    }

    @Test
    void retriesDoNotDoubleThem() throws Exception {
        SeparateNode.execute("CREATE TABLE " + KS + ".t (k int, c int, l list<int>, PRIMARY KEY (k, c))");
        write(WriteOptions.into(KS, "t").batchRows(7), "t");
    }

    @Test
    void retriesOfAStatementDoNotDoubleThem() throws Exception {
        SeparateNode.execute("CREATE TABLE " + KS + ".s (k int, c int, l list<int>, PRIMARY KEY (k, c))");
        write(WriteOptions.statement("INSERT INTO " + KS + ".s (k, c, l) VALUES (:k, :c, :l)"), "s");
    }

    @Test
    void theirWriteTimesCannotComeFromTheRows() {
        SeparateNode.execute("CREATE TABLE " + KS + ".own (k int PRIMARY KEY, l list<int>, f frozen<list<int>>)");
        assertThatThrownBy(() -> SeparateNode.overdrive()
                        .writer(WriteOptions.into(KS, "own").rowTimestamp().build()))
                .hasMessageContaining(
                        "[lists.own] column \"l\" is a list that is not frozen: written twice with the same"
                                + " write time, by a retry or a second run, it has each element twice");
        SeparateNode.overdrive()
                .writer(WriteOptions.into(KS, "own")
                        .columns("k", "f")
                        .rowTimestamp()
                        .build())
                .close();
    }

    @Test
    void aGivenWriteTimeOfTheRunNeedsConsent() {
        SeparateNode.execute("CREATE TABLE " + KS + ".given (k int PRIMARY KEY, l list<int>, f frozen<list<int>>)");
        assertThatThrownBy(() -> SeparateNode.overdrive()
                        .writer(WriteOptions.into(KS, "given").timestamp(5_000).build()))
                .hasMessage(
                        "[lists.given] column \"l\" is a list that is not frozen: a second run with the same timestamp"
                                + " would leave it with each element twice, [1, 2, 1, 2] instead of [1, 2]; leave"
                                + " it out, so that a second run has later write times and replaces the lists, or"
                                + " leave out the column, or accept with allowNonIdempotent if these"
                                + " write times have never been used");
        SeparateNode.overdrive()
                .writer(WriteOptions.into(KS, "given")
                        .columns("k", "f")
                        .timestamp(5_000)
                        .build())
                .close();
        SeparateNode.overdrive()
                .writer(WriteOptions.into(KS, "given")
                        .timestamp(5_000)
                        .allowNonIdempotent()
                        .build())
                .close();
    }

    @Test
    void statementsThatWriteThemWithAWriteTimeAreNotRetried() {
        SeparateNode.execute("CREATE TABLE " + KS + ".stated (k int PRIMARY KEY, l list<int>, v int)");
        String t = KS + ".stated";
        for (String cql : List.of(
                "INSERT INTO " + t + " (k, l) VALUES (:k, :l) USING TIMESTAMP :at",
                "INSERT INTO " + t + " (k, \"l\") VALUES (:k, :l) USING TIMESTAMP 5000",
                "INSERT INTO " + t + " JSON :json USING TIMESTAMP :at",
                "UPDATE " + t + " USING TIMESTAMP :at SET l = :l WHERE k = :k")) {
            assertThatThrownBy(() -> SeparateNode.overdrive()
                            .writer(WriteOptions.statement(cql).build()))
                    .hasMessage("the statement writes list \"l\" with its own write time: a retry with the same write"
                            + " time would leave the list with each element twice; leave out USING TIMESTAMP, so that a"
                            + " retry has a later write time and replaces the list, or accept with allowNonIdempotent"
                            + " that rows which fail are rejected instead of retried: "
                            + cql);
        }
        for (String cql : List.of(
                "INSERT INTO " + t + " (k, v) VALUES (:k, :l) USING TIMESTAMP :at",
                "DELETE l FROM " + t + " USING TIMESTAMP :at WHERE k = :k",
                "UPDATE " + t + " SET l = :at WHERE k = :k")) {
            SeparateNode.overdrive().writer(WriteOptions.statement(cql).build()).close();
        }
    }

    @Test
    void aStatementWithAWriteTimeRejectsThemIfTheOutcomeIsUnknown() throws Exception {
        SeparateNode.execute("CREATE TABLE " + KS + ".unknown (k int PRIMARY KEY, l list<int>)");
        Node node = SeparateNode.node();
        List<RejectedRow> rejected = new ArrayList<>();
        RowWriter writer = SeparateNode.overdrive()
                .writer(WriteOptions.statement(
                                "INSERT INTO " + KS + ".unknown (k, l) VALUES (:k, :l) USING TIMESTAMP :at")
                        .allowNonIdempotent()
                        .requestTimeout(Duration.ofMillis(200))
                        .onReject(rejected::add)
                        .build());
        try (writer) {
            node.pause();
            try {
                for (int i = 0; i < 20; i++) {
                    writer.row().setInt(0, i).set(1, List.of(1, 2)).setLong(2, 5_000);
                    writer.send();
                }
                while (writer.totals().rowsRejected() < 20) {
                    Thread.sleep(10);
                }
            } finally {
                node.resume();
            }
        }
        assertThat(rejected).hasSize(20).allSatisfy(row -> assertThat(row.reason())
                .contains("did not answer within 200 ms"));
        assertThat(writer.totals().retries()).isZero();
    }
}
