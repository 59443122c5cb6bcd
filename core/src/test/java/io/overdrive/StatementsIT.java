package io.overdrive;

import static io.overdrive.TestCluster.execute;
import static io.overdrive.TestCluster.overdrive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.OverdriveException.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Statements: our own with their options, counters, and those of the user. */
@Tag("server")
class StatementsIT {
    private static final String KS = TestCluster.keyspace("statements_it");

    private static String table(String name, String definition) {
        execute("CREATE TABLE " + KS + "." + name + " (" + definition + ")");
        return KS + "." + name;
    }

    private static RowWriter writer(String cql) {
        return overdrive().writer(WriteOptions.statement(cql).bulk().build());
    }

    private static void refused(Kind kind, ThrowingCallable call, String... parts) {
        var thrown = assertThatExceptionOfType(OverdriveException.class).isThrownBy(call);
        for (String part : parts) {
            thrown.withMessageContaining(part);
        }
        thrown.satisfies(e -> assertThat(e.kind()).isEqualTo(kind));
    }

    @Test
    void countsWriteTimesFromTheGivenOne() {
        String t = table("timestamps", "k int, c int, v text, PRIMARY KEY (k, c)");
        try (RowWriter writer = overdrive()
                .writer(WriteOptions.into(KS, "timestamps").timestamp(5_000).build())) {
            assertThat(writer.baseTimestamp()).isEqualTo(5_000);
            for (int i = 0; i < 10; i++) {
                writer.row().setInt(0, i % 2).setInt(1, i).setText(2, "v");
                writer.send();
            }
        }
        assertThat(execute("SELECT c, writetime(v) FROM " + t)).hasSize(10).allSatisfy(row -> assertThat(row.getLong(1))
                .isEqualTo(5_000 + row.getInt(0)));
    }

    @Test
    void failsIfAColumnIsDroppedAndAddedWhileRowsAreWritten() {
        String t = table("dropped_meanwhile", "k int PRIMARY KEY, v text, w int");
        RowWriter writer = overdrive()
                .writer(WriteOptions.into(KS, "dropped_meanwhile").bulk().build());
        writer.row().setInt(0, 1).setText(1, "v").setInt(2, 1);
        writer.send();
        execute("ALTER TABLE " + t + " DROP w");
        execute("ALTER TABLE " + t + " ADD w int");
        writer.row().setInt(0, 2).setText(1, "v").setInt(2, 2);
        writer.send();
        refused(Kind.WRITE, writer::close, "column \"w\" was dropped at 2", "while rows were written");
    }

    /** Nodes only ask for the statement to be prepared again. */
    @Test
    void failsIfTheTableIsDroppedAndCreatedWhileRowsAreWritten() {
        String columns = "k int PRIMARY KEY, n counter";
        String t = table("created_meanwhile", columns);
        RowWriter writer = overdrive()
                .writer(WriteOptions.into(KS, "created_meanwhile")
                        .allowNonIdempotent()
                        .build());
        for (int k = 0; k < 2; k++) {
            writer.row().setInt(0, k).setLong(1, 1);
            writer.send();
            writer.flush();
            while (writer.totals().rowsWritten() <= k) {
                Thread.onSpinWait();
            }
            if (k == 0) {
                execute("DROP TABLE " + t);
                execute("CREATE TABLE " + t + " (" + columns + ")");
            }
        }
        refused(
                Kind.WRITE,
                writer::close,
                "[" + t + "] the table was dropped while rows were written",
                "write the rows again");
        assertThat(execute("SELECT k FROM " + t)).hasSize(1);
    }

    /** The write time of position 0 says nothing about them. */
    @Test
    void failsIfAColumnIsDroppedAndAddedWhileRowsWithTheirOwnTimesAreWritten() {
        String t = table("dropped_own", "k int PRIMARY KEY, v text, w int");
        RowWriter writer = overdrive()
                .writer(WriteOptions.into(KS, "dropped_own")
                        .timestamp(4_102_444_800_000_000L)
                        .rowTimestamp()
                        .build());
        execute("ALTER TABLE " + t + " DROP w");
        execute("ALTER TABLE " + t + " ADD w int");
        writer.row().setInt(0, 1).setText(1, "v").setInt(2, 1).setTimestamp(5_000);
        writer.send();
        refused(Kind.WRITE, writer::close, "column \"w\" was dropped at 2", "while rows were written");
        assertThat(execute("SELECT w FROM " + t)).allMatch(row -> row.isNull(0));
    }

    @Test
    void refusesWriteTimesOfARowFromBeforeItsColumnWasDropped() {
        String t = table("dropped_before", "k int PRIMARY KEY, v text, w int");
        execute("ALTER TABLE " + t + " DROP w");
        execute("ALTER TABLE " + t + " ADD w int");
        refused(
                Kind.SCHEMA,
                () -> overdrive()
                        .writer(WriteOptions.into(KS, "dropped_before")
                                .timestamp(5_000)
                                .build()),
                "column \"w\" was dropped at 2",
                "from 1970-01-01T00:00:00.005Z (5000 microseconds) on");
        try (RowWriter writer = overdrive()
                .writer(WriteOptions.into(KS, "dropped_before").rowTimestamp().build())) {
            writer.row().setInt(0, 1).setText(1, "v").setInt(2, 1).setTimestamp(5_000);
            refused(Kind.ROW, writer::send, "[" + t + "] column \"w\" was dropped at 2", "(5000 microseconds)");
            writer.row().setInt(0, 2).setText(1, "v").setNull(2).setTimestamp(5_000);
            writer.send();
            writer.row().setInt(0, 3).setText(1, "v").setInt(2, 3);
            writer.send();
        }
        assertThat(execute("SELECT k FROM " + t)).hasSize(2);
    }

    @Test
    void givesEachRowItsOwnTtlAndWriteTime() {
        String t = table("own_times", "k int, c int, v text, PRIMARY KEY (k, c)");
        try (RowWriter writer = overdrive()
                .writer(WriteOptions.into(KS, "own_times")
                        .rowTtl()
                        .rowTimestamp()
                        .timestamp(1_000)
                        .build())) {
            writer.row().setInt(0, 1).setInt(1, 0).setText(2, "v").setTtl(1_000).setTimestamp(77);
            writer.send();
            writer.row().setInt(0, 1).setInt(1, 1).setText(2, "v").setTtl(0);
            writer.send();
            writer.row().setInt(0, 1).setInt(1, 2).setText(2, "v").setTimestamp(99);
            writer.send();
        }
        List<Row> rows = execute("SELECT c, writetime(v), ttl(v) FROM " + t);
        assertThat(rows).extracting(row -> row.getLong(1)).containsExactly(77L, 1_001L, 99L);
        assertThat(rows.get(0).getInt(2)).isBetween(900, 1_000);
        assertThat(rows.get(1).isNull(2)).isTrue();
        assertThat(rows.get(2).isNull(2)).isTrue();
    }

    @Test
    void givesAllRowsTheTtlOfTheRun() {
        String t = table("ttls", "k int, c int, v text, PRIMARY KEY (k, c)");
        try (RowWriter writer =
                overdrive().writer(WriteOptions.into(KS, "ttls").ttl(500).build())) {
            for (int i = 0; i < 4; i++) {
                writer.row().setInt(0, i / 3).setInt(1, i).setText(2, "v");
                writer.send();
            }
        }
        assertThat(execute("SELECT ttl(v) FROM " + t)).hasSize(4).allSatisfy(row -> assertThat(row.getInt(0))
                .isBetween(400, 500));
    }

    @Test
    void addsToCountersOnlyIfAllowed() {
        String t = table("counters", "k int, c int, a counter, b counter, PRIMARY KEY (k, c)");
        refused(
                Kind.SCHEMA,
                () -> overdrive()
                        .writer(WriteOptions.into(KS, "counters").build())
                        .close(),
                "[statements_it.counters] holds counters",
                "allowNonIdempotent");
        refused(
                Kind.SCHEMA,
                () -> overdrive()
                        .writer(WriteOptions.into(KS, "counters")
                                .allowNonIdempotent()
                                .ttl(5)
                                .build())
                        .close(),
                "neither TTL nor write time");
        refused(
                Kind.SCHEMA,
                () -> overdrive()
                        .writer(WriteOptions.into(KS, "counters")
                                .allowNonIdempotent()
                                .columns("k", "c")
                                .build())
                        .close(),
                "at least one of them must be written");
        for (Grouping grouping : Grouping.values()) {
            WriteOptions options = WriteOptions.into(KS, "counters")
                    .columns("b", "k", "a", "c")
                    .grouping(grouping)
                    .allowNonIdempotent()
                    .build();
            try (RowWriter writer = overdrive().writer(options)) {
                for (int i = 0; i < 600; i++) {
                    writer.row().setInt(1, i % 3).setInt(3, i % 6).setLong(2, i).setLong(0, -1);
                    writer.send();
                }
            }
        }
        List<Row> rows = execute("SELECT * FROM " + t);
        assertThat(rows).hasSize(6).allSatisfy(row -> {
            long each = 0;
            for (int i = row.getInt("c"); i < 600; i += 6) {
                each += i;
            }
            assertThat(row.getLong("a")).isEqualTo(3 * each);
            assertThat(row.getLong("b")).isEqualTo(-300);
        });
    }

    @Test
    void runsTheUsersOwnInsert() {
        String t = table("inserts", "k int, c int, v text, PRIMARY KEY (k, c)");
        try (RowWriter writer = writer("INSERT INTO " + t + " (v, c, k) VALUES (:value, :\"Place\", :key) ;")) {
            assertThat(writer.columns()).containsExactly("value", "Place", "key");
            assertThat(writer.grouping()).isEqualTo(Grouping.PARTITION);
            for (int i = 0; i < 100; i++) {
                writer.row().setText(0, "v" + i).setInt(1, i % 10).setInt(2, i % 2);
                writer.send();
            }
            writer.close();
            assertThat(writer.totals().batches()).isPositive();
        }
        assertThat(execute("SELECT c, v FROM " + t)).hasSize(10).allSatisfy(row -> assertThat(row.getString(1))
                .as("the last row of a key wins")
                .isEqualTo("v" + (90 + row.getInt(0))));
    }

    @Test
    void runsInsertsWithTheirOwnTtlAndTimestamp() {
        String t = table("timed_inserts", "k int, c int, v text, PRIMARY KEY (k, c)");
        try (RowWriter writer = writer("INSERT INTO " + t + " (k, c, v) VALUES (:k, :c, :v) USING TTL 600")) {
            writer.row().setInt(0, 1).setInt(1, 1).setText(2, "v");
            writer.send();
        }
        try (RowWriter writer =
                writer("INSERT INTO " + t + " (k, c, v) VALUES (:k, 2, :v) USING TIMESTAMP :\"at\" AND TTL :seconds")) {
            assertThat(writer.columns()).containsExactly("k", "v", "at", "seconds");
            writer.row().setInt(0, 1).setText(1, "v").setLong(2, 1234).setInt(3, 700);
            writer.send();
            writer.row().setInt(0, 1).setText(1, "old").setLong(2, 1233).setInt(3, 700);
            writer.send();
        }
        List<Row> rows = execute("SELECT ttl(v), writetime(v), v FROM " + t);
        assertThat(rows.get(0).getInt(0)).isBetween(500, 600);
        assertThat(rows.get(1).getInt(0)).isBetween(601, 700);
        assertThat(rows.get(1).getLong(1)).isEqualTo(1234);
        assertThat(rows.get(1).getString(2)).isEqualTo("v");
    }

    @Test
    void columnsNamedTimestampDoNoHarm() {
        String t = table("timestamp", "k int, timestamp bigint, v text, PRIMARY KEY (k, timestamp)");
        try (RowWriter writer =
                writer("INSERT INTO " + t + " (k, timestamp, v) VALUES (:k, :timestamp, :\"USING TIMESTAMP\")")) {
            assertThat(writer.columns()).containsExactly("k", "timestamp", "USING TIMESTAMP");
            assertThat(writer.grouping()).isEqualTo(Grouping.PARTITION);
            for (int i = 0; i < 100; i++) {
                writer.row().setInt(0, 1).setLong(1, i % 10).setText(2, "v" + i);
                writer.send();
            }
            assertThat(execute("SELECT timestamp, v, writetime(v) FROM " + t)).isEmpty();
            writer.close();
            assertThat(writer.totals().batches()).isPositive();
            assertThat(execute("SELECT timestamp, v, writetime(v) FROM " + t))
                    .hasSize(10)
                    .allSatisfy(row -> {
                        assertThat(row.getString(1)).isEqualTo("v" + (90 + row.getLong(0)));
                        assertThat(row.getLong(2)).isEqualTo(writer.writeTime(90 + row.getLong(0)));
                    });
        }
        try (RowWriter writer = writer("UPDATE " + t + " SET v = :timestamp WHERE k = :k AND timestamp = :at")) {
            writer.row().setText(0, "updated").setInt(1, 1).setLong(2, 5);
            writer.send();
            writer.close();
            assertThat(execute("SELECT writetime(v) FROM " + t + " WHERE k = 1 AND timestamp = 5")
                            .get(0)
                            .getLong(0))
                    .isEqualTo(writer.baseTimestamp());
        }
    }

    @Test
    void rowsWithAMarkerForTheWriteTimeShareRequestsWhateverItsName() {
        String t = table("marked", "k int, c int, v text, PRIMARY KEY (k, c)");
        for (String time : List.of(":at", ":timestamp", ":\"[x]\"", "?")) {
            String marker = time.equals("?") ? "?" : ":m";
            try (RowWriter writer = writer("INSERT INTO " + t + " (k, c, v) VALUES (" + marker + ", "
                    + marker.replace('m', 'c') + ", " + marker.replace('m', 'v') + ") USING TTL 900 AND TIMESTAMP "
                    + time)) {
                assertThat(writer.grouping()).as(time).isEqualTo(Grouping.PARTITION);
                for (int i = 0; i < 20; i++) {
                    writer.row()
                            .setInt(0, 1)
                            .setInt(1, i % 10)
                            .setText(2, time + i)
                            .setLong(3, i < 10 ? 2_000 : 1_000);
                    writer.send();
                }
                writer.close();
                assertThat(writer.totals().batches()).as(time).isPositive();
                assertThat(execute("SELECT c, v, writetime(v) FROM " + t))
                        .hasSize(10)
                        .allSatisfy(row -> {
                            assertThat(row.getString(1)).isEqualTo(time + row.getInt(0));
                            assertThat(row.getLong(2)).isEqualTo(2_000);
                        });
            }
            execute("TRUNCATE " + t);
        }
    }

    @Test
    void aRowWithoutItsOwnWriteTimeHasThatOfItsPosition() {
        String t = table("half_marked", "k int, c int, v text, PRIMARY KEY (k, c)");
        try (RowWriter writer = writer("UPDATE " + t + " USING TIMESTAMP :at SET v = :v WHERE k = :k AND c = :c")) {
            writer.row().setLong(0, 77).setText(1, "v").setInt(2, 1).setInt(3, 0);
            writer.send();
            writer.row().setText(1, "v").setInt(2, 1).setInt(3, 1);
            writer.send();
            writer.close();
            assertThat(execute("SELECT writetime(v) FROM " + t))
                    .extracting(row -> row.getLong(0))
                    .containsExactly(77L, writer.writeTime(1));
        }
    }

    @Test
    void batchesOfSeveralPartitionsStayBelowTheServersThreshold() {
        String t = table("set_of_rows", "k int PRIMARY KEY, v text");
        RowWriter writer = overdrive()
                .writer(WriteOptions.into(KS, "set_of_rows")
                        .bulk()
                        .grouping(Grouping.REPLICA_SET)
                        .batchBytes(1 << 20)
                        .build());
        try (writer) {
            for (int i = 0; i < 1_000; i++) {
                writer.row().setInt(0, i).setText(1, "v".repeat(600));
                writer.send();
            }
        }
        assertThat(TestCluster.count(t)).isEqualTo(1_000);
        assertThat(writer.totals().splits()).isZero();
        // of the threshold of 50 KiB, five eighths
        assertThat(writer.totals().bytesWritten() / writer.totals().requests()).isBetween(16_000L, 33_000L);
    }

    @Test
    void aBatchThatTheServerFindsTooLargeIsSplitAndLaterOnesAreSmaller() {
        String columns =
                IntStream.range(0, 60).mapToObj(i -> "c" + i + " tinyint").collect(Collectors.joining(", "));
        String t = table("many_cells", "k int PRIMARY KEY, " + columns);
        RowWriter writer = overdrive()
                .writer(WriteOptions.into(KS, "many_cells")
                        .grouping(Grouping.REPLICA_SET)
                        .inFlightRequests(1)
                        .build());
        try (writer) {
            for (int i = 0; i < 5_000; i++) {
                RowBuffer row = writer.row().setInt(0, i);
                for (int column = 1; column <= 60; column++) {
                    row.setByte(column, (byte) i);
                }
                writer.send();
            }
        }
        assertThat(TestCluster.count(t)).isEqualTo(5_000);
        assertThat(writer.totals().splits()).isBetween(1L, 20L);
        assertThat(writer.totals().rowsWritten()).isEqualTo(5_000);
    }

    @Test
    void countsRowsThatOverwroteAnEarlierOne() {
        table("repeated", "k int, c text, d int, s text STATIC, v int, PRIMARY KEY (k, c, d)");
        RowWriter writer = overdrive()
                .writer(WriteOptions.into(KS, "repeated")
                        .columns("v", "d", "c", "k")
                        .countRepeatedKeys()
                        .build());
        try (writer) {
            RowWriter fork = writer.fork();
            for (int i = 0; i < 600; i++) {
                RowWriter to = i % 2 == 0 ? writer : fork;
                to.row().setInt(0, i).setInt(1, i % 50).setText(2, "c" + i % 10).setInt(3, i % 100 / 50);
                to.send();
            }
        }
        assertThat(writer.totals().repeatedKeys()).isEqualTo(500);
        RowWriter plain = overdrive().writer(WriteOptions.into(KS, "repeated").build());
        try (plain) {
            for (int i = 0; i < 2; i++) {
                plain.row().setInt(0, 1).setText(1, "c").setInt(2, 1);
                plain.send();
            }
        }
        assertThat(plain.totals().repeatedKeys()).isZero();
    }

    @Test
    void runsUpdatesAndDeletes() {
        String t = table("updates", "k int, c int, v text, w text, PRIMARY KEY (k, c)");
        try (RowWriter writer = writer("UPDATE " + t + " SET w = :w, v = :v WHERE c = :c AND k = :k")) {
            assertThat(writer.columns()).containsExactly("w", "v", "c", "k");
            for (int i = 0; i < 40; i++) {
                writer.row()
                        .setText(0, "w" + i)
                        .setText(1, "v" + i)
                        .setInt(2, i % 20)
                        .setInt(3, 1);
                writer.send();
            }
        }
        assertThat(execute("SELECT c, v FROM " + t)).hasSize(20).allSatisfy(row -> assertThat(row.getString(1))
                .isEqualTo("v" + (20 + row.getInt(0))));
        try (RowWriter writer = writer("DELETE FROM " + t + " WHERE k = :k AND c = :c")) {
            for (int i = 0; i < 20; i += 2) {
                writer.row().setInt(0, 1).setInt(1, i);
                writer.send();
            }
        }
        assertThat(execute("SELECT c FROM " + t)).hasSize(10).allSatisfy(row -> assertThat(row.getInt(0) % 2)
                .isOne());
        try (RowWriter writer = writer("DELETE w FROM " + t + " WHERE k = :k AND c = :c")) {
            writer.row().setInt(0, 1).setInt(1, 1);
            writer.send();
        }
        assertThat(execute("SELECT v, w FROM " + t + " WHERE k = 1 AND c = 1"))
                .extracting(row -> row.getString(0) + row.getString(1))
                .containsExactly("v21null");
    }

    /** The driver reads the schema only some time after it has changed. */
    @Test
    void knowsTheListsOfATableThatAnotherClientHasJustCreated() {
        try (Overdrive other = Overdrive.connect(ConnectOptions.builder()
                .contactPoint(TestCluster.address())
                .driverSetting("advanced.metadata.schema.debouncer.window", "1 minute")
                .build())) {
            String t = table("just_created", "k int PRIMARY KEY, l list<int>");
            String cql = "UPDATE " + t + " USING TIMESTAMP 5 SET l = :l WHERE k = :k";
            refused(
                    Kind.SCHEMA,
                    () -> other.writer(WriteOptions.statement(cql).build()).close(),
                    "writes list \"l\" with its own write time");
        }
    }

    @Test
    void rejectsRowsWhoseConditionIsNotMet() {
        String t = table("conditions", "k int PRIMARY KEY, v text");
        execute("INSERT INTO " + t + " (k, v) VALUES (1, 'there')");
        String cql = "INSERT INTO " + t + " (k, v) VALUES (:k, :v) IF NOT EXISTS";
        refused(
                Kind.SCHEMA,
                () -> writer(cql).close(),
                "may have another effect when it runs twice",
                "allowNonIdempotent",
                cql);
        List<RejectedRow> rejected = new ArrayList<>();
        RowWriter writer = overdrive()
                .writer(WriteOptions.statement(cql)
                        .allowNonIdempotent()
                        .onReject(rejected::add)
                        .build());
        try (writer) {
            for (int k = 0; k < 3; k++) {
                writer.row().setInt(0, k).setText(1, "new");
                writer.send();
            }
        }
        assertThat(rejected).hasSize(1).first().satisfies(row -> {
            assertThat(row.position()).isOne();
            assertThat(row.reason()).isEqualTo("the condition of the statement was not met");
        });
        assertThat(writer.totals().rowsWritten()).isEqualTo(2);
        assertThat(writer.totals().rowsRejected()).isOne();
        assertThat(execute("SELECT v FROM " + t + " WHERE k = 1"))
                .extracting(r -> r.getString(0))
                .containsExactly("there");
    }

    @Test
    void refusesStatementsThatAreNotIdempotent() {
        String t = table("lists", "k int PRIMARY KEY, l list<int>, s set<int>, at timeuuid, \"L\" list<int>");
        for (String cql : List.of(
                "UPDATE " + t + " SET \"L\" = \"L\" + [1] WHERE k = :k",
                "UPDATE " + t + " SET l = l + :more WHERE k = :k",
                "UPDATE " + t + " SET l = :more + l WHERE k = :k",
                "UPDATE " + t + " SET l += :more WHERE k = :k",
                "DELETE l[:i] FROM " + t + " WHERE k = :k",
                "INSERT INTO " + t + " (k, at) VALUES (:k, now())",
                "UPDATE " + t + " SET l = :l WHERE k = :k IF EXISTS")) {
            refused(Kind.SCHEMA, () -> writer(cql).close(), "may have another effect when it runs twice", cql);
        }
        for (String cql : List.of(
                "UPDATE " + t + " SET l = :l WHERE k = -5",
                "INSERT INTO " + t + " (k, at) VALUES (:k, 8e6d5cc6-e0e1-11ef-9cd2-0242ac120002)",
                "UPDATE " + t + " SET l = [1, -2], at = :at WHERE k = :k")) {
            writer(cql).close();
        }
    }

    @Test
    void reportsWhatTheServerRefuses() {
        refused(
                Kind.SCHEMA,
                () -> writer("INSERT INTO statements_it.nothing (k) VALUES (:k)")
                        .close(),
                "the server refuses the statement",
                "nothing",
                "does not exist");
        refused(
                Kind.SCHEMA,
                () -> writer("INSERT INTO statements_it.nothing (k VALUES (:k)").close(),
                "the server refuses the statement",
                "mismatched input");
        String t = table("markers", "k int PRIMARY KEY, v int");
        refused(
                Kind.SCHEMA,
                () -> writer("INSERT INTO " + t + " (k, v) VALUES (1, 2)").close(),
                "the statement has no markers; write :name");
        refused(
                Kind.SCHEMA,
                () -> writer("SELECT v FROM " + t + " WHERE k = :k").close(),
                "the statement writes nothing");
    }

    @Test
    void namesTheColumnThatIsMissingOrUnknown() {
        table("named", "k int, c int, v text, PRIMARY KEY (k, c)");
        refused(
                Kind.SCHEMA,
                () -> overdrive()
                        .writer(WriteOptions.into(KS, "named").columns("k", "v").build())
                        .close(),
                "[statements_it.named] primary key column \"c\" is not among the columns to write");
        refused(
                Kind.SCHEMA,
                () -> overdrive()
                        .writer(WriteOptions.into(KS, "named")
                                .columns("k", "c", "V")
                                .build())
                        .close(),
                "[statements_it.named] has no column \"V\"; its columns are k, c, v");
        refused(
                Kind.SCHEMA,
                () -> overdrive()
                        .writer(WriteOptions.into(KS, "named")
                                .columns("k", "c", "k")
                                .build())
                        .close(),
                "column \"k\" is given twice");
        refused(
                Kind.SCHEMA,
                () -> overdrive().table(KS, "nowhere"),
                "keyspace \"statements_it\" has no table \"nowhere\"; its tables are ",
                "named");
        refused(Kind.SCHEMA, () -> overdrive().table("nowhere", "t"), "there is no keyspace \"nowhere\"");
    }

    @Test
    void refusesARowWithoutItsKeyAndGoesOn() {
        String t = table("keyless", "k int, c int, v text, PRIMARY KEY (k, c)");
        RowWriter writer = overdrive().writer(WriteOptions.into(KS, "keyless").build());
        try (writer) {
            writer.row().setInt(0, 1).setText(2, "v");
            refused(Kind.ROW, writer::send, "[statements_it.keyless] key column \"c\" is not set: every row needs it");
            writer.row().setNull(0).setInt(1, 1);
            refused(Kind.ROW, writer::send, "key column \"k\" is not set");
            writer.row().setInt(0, 1).setInt(1, 1).setText(2, "v");
            writer.send();
        }
        assertThat(writer.totals().rowsTaken()).isOne();
        assertThat(TestCluster.count(t)).isOne();
    }

    @Test
    void leavesExistingRowsUnchangedIfOnlyNewOnesAreWritten() {
        String t = table("existing", "k int, c int, v text, PRIMARY KEY (k, c)");
        execute("INSERT INTO " + t + " (k, c, v) VALUES (1, 3, 'old')");
        RowWriter writer = overdrive()
                .writer(WriteOptions.into(KS, "existing").ifNotExists().ttl(500).build());
        assertThat(writer.grouping()).isEqualTo(Grouping.NONE);
        try (writer) {
            for (int i = 0; i < 6; i++) {
                writer.row().setInt(0, 1).setInt(1, i).setText(2, "new");
                writer.send();
            }
        }
        assertThat(writer.totals().rowsWritten()).isEqualTo(6);
        assertThat(writer.totals().rowsExisting()).isOne();
        assertThat(execute("SELECT c, v, ttl(v) FROM " + t)).hasSize(6).allSatisfy(row -> {
            assertThat(row.getString(1)).isEqualTo(row.getInt(0) == 3 ? "old" : "new");
            assertThat(row.isNull(2)).isEqualTo(row.getInt(0) == 3);
        });
    }

    @Test
    void changesCollectionsWithTheWriteTimesOfTheRows() {
        String t = table("changed", "k int, c int, s set<int>, m map<int, text>, v text, PRIMARY KEY (k, c)");
        execute("INSERT INTO " + t + " (k, c, s, m) VALUES (1, 1, {1}, {1: 'a', 2: 'b'}) USING TIMESTAMP 10");
        RowWriter writer = overdrive()
                .writer(WriteOptions.into(KS, "changed")
                        .bulk()
                        .columns("k", "c", "s", "m", "v")
                        .change("s", CollectionChange.ADD)
                        .change("m", CollectionChange.REMOVE)
                        .timestamp(1_000)
                        .rowTtl()
                        .build());
        try (writer) {
            for (int i = 0; i < 3; i++) {
                writer.row()
                        .setInt(0, 1)
                        .setInt(1, 1)
                        .set(2, Set.of(2 + i))
                        .set(3, Set.of(i))
                        .setText(4, "v" + i);
                writer.send();
            }
        }
        assertThat(writer.totals().batches()).isEqualTo(1);
        Row row = execute("SELECT s, m, v, writetime(v) AS w FROM " + t).get(0);
        assertThat(row.getSet("s", Integer.class)).containsExactlyInAnyOrder(1, 2, 3, 4);
        assertThat(row.getMap("m", Integer.class, String.class)).isEmpty();
        assertThat(row.getString("v")).isEqualTo("v2");
        assertThat(row.getLong("w")).isEqualTo(1_002);
    }

    @Test
    void addsToListsOnlyIfNonIdempotentWritesAreAllowed() {
        String t = table("longer", "k int PRIMARY KEY, l list<int>, f list<int>, z frozen<set<int>>");
        refused(
                Kind.SCHEMA,
                () -> overdrive()
                        .writer(WriteOptions.into(KS, "longer")
                                .change("l", CollectionChange.ADD)
                                .build()),
                "would add them twice",
                "allowNonIdempotent");
        refused(
                Kind.SCHEMA,
                () -> overdrive()
                        .writer(WriteOptions.into(KS, "longer")
                                .change("z", CollectionChange.ADD)
                                .build()),
                "column \"z\" is frozen<set<int>>, which does not support add");
        refused(
                Kind.SCHEMA,
                () -> overdrive()
                        .writer(WriteOptions.into(KS, "longer")
                                .columns("k", "f")
                                .change("l", CollectionChange.ADD)
                                .build()),
                "is not among the columns");
        execute("INSERT INTO " + t + " (k, l, f) VALUES (1, [5], [1, 2, 1])");
        try (RowWriter writer = overdrive()
                .writer(WriteOptions.into(KS, "longer")
                        .columns("k", "l", "f")
                        .change("l", CollectionChange.PREPEND)
                        .change("f", CollectionChange.REMOVE)
                        .allowNonIdempotent()
                        .build())) {
            writer.row().setInt(0, 1).set(1, List.of(3, 4)).set(2, List.of(1));
            writer.send();
        }
        Row row = execute("SELECT l, f FROM " + t).get(0);
        assertThat(row.getList("l", Integer.class)).containsExactly(3, 4, 5);
        assertThat(row.getList("f", Integer.class)).containsExactly(2);
    }

    @Test
    void replacesAListBesideAChangedSetWithTheWriteTimeOfTheRequest() {
        String t = table("beside", "k int PRIMARY KEY, l list<int>, s set<int>");
        try (RowWriter writer = overdrive()
                .writer(WriteOptions.into(KS, "beside")
                        .change("s", CollectionChange.ADD)
                        .timestamp(7_000)
                        .allowNonIdempotent()
                        .build())) {
            for (int i = 0; i < 2; i++) {
                writer.row().setInt(0, 1).set(1, List.of(i)).set(2, Set.of(i));
                writer.send();
            }
        }
        Row row = execute("SELECT l, s FROM " + t).get(0);
        assertThat(row.getList("l", Integer.class)).containsExactly(1);
        assertThat(row.getSet("s", Integer.class)).containsExactlyInAnyOrder(0, 1);
    }
}
