package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.CollectionChange;
import io.overdrive.Grouping;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.WriteOptions;
import io.overdrive.internal.cql.ScriptedSession;
import io.overdrive.internal.write.WriteRules.Timestamp;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Options against schemas. */
class WritePlannerTest {
    private static final Column K = new Column("k", DataTypes.INT, Role.PARTITION_KEY);
    private static final Column C = new Column("C", DataTypes.INT, Role.CLUSTERING);
    private static final Column S = new Column("s", DataTypes.TEXT, Role.STATIC);
    private static final Column V = new Column("v", DataTypes.DOUBLE, Role.REGULAR);
    private static final Column LIST = new Column("l", DataTypes.listOf(DataTypes.INT), Role.REGULAR);
    private static final Column SET = new Column("z", DataTypes.setOf(DataTypes.INT), Role.REGULAR);
    private static final Column FROZEN = new Column("f", DataTypes.listOf(DataTypes.INT, true), Role.REGULAR);
    private static final Column COUNTER = new Column("n", DataTypes.COUNTER, Role.REGULAR);

    private static final Column STATIC_COUNTER = new Column("s", DataTypes.COUNTER, Role.STATIC);

    private static final TableSchema PLAIN = table(K, C, S, V);
    private static final TableSchema LISTS = table(K, C, LIST, SET, FROZEN);
    private static final TableSchema COUNTERS = table(K, C, COUNTER);

    private static TableSchema table(Column... columns) {
        return new TableSchema("ks", "t", List.of(columns));
    }

    private static WriteOptions.Builder options() {
        return WriteOptions.into("ks", "t");
    }

    /** The plan for a statement that the server accepts, with these markers. */
    private static WriteLayout plan(TableSchema table, WriteOptions.Builder options, String cql, String... markers) {
        ScriptedSession server = new ScriptedSession(table).accept(cql, List.of(markers), List.of());
        return new WritePlanner(server.session(), options.build()).forTable(table);
    }

    private static WriteLayout statement(ScriptedSession server, String cql) {
        return statement(server, WriteOptions.statement(cql), cql);
    }

    private static WriteLayout statement(ScriptedSession server, WriteOptions.Builder options, String cql) {
        return new WritePlanner(server.session(), options.build())
                .forStatement(cql, (keyspace, table) -> server.table());
    }

    private static void assertRefused(ThrowingCallable call, String message) {
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(call)
                .withMessageStartingWith(message)
                .matches(e -> e.kind() == Kind.SCHEMA);
    }

    private static void assertRefused(TableSchema table, WriteOptions.Builder options, String message) {
        assertRefused(() -> WritePlanner.check(options.build(), table), message);
    }

    @Test
    void namesTheTableOfAStatementInFull() {
        String cql = "UPDATE ks.t SET v = ? WHERE k = ? AND \"C\" = ?";
        ScriptedSession server = new ScriptedSession(PLAIN).accept(cql, List.of("v", "k", "C"), List.of());
        assertThat(statement(server, cql).tableName).isEqualTo("ks.t");
    }

    @Test
    void insertsTheKeyFirstAndTheWriteTimeLast() {
        WriteLayout layout = plan(
                PLAIN,
                options().columns("v", "C", "k"),
                "INSERT INTO ks.t (k, \"C\", v) VALUES (?, ?, ?) USING TIMESTAMP ?",
                "k",
                "C",
                "v",
                "[timestamp]");
        assertThat(layout.columnNames()).containsExactly("v", "C", "k");
        assertThat(layout.columnTypes()).containsExactly(DataTypes.DOUBLE, DataTypes.INT, DataTypes.INT);
        assertThat(layout.row.required()).containsExactly(0, 1);
        assertThat(layout.keyMarkers).containsExactly(0);
        assertThat(layout.prefixMarkers).isEqualTo(1);
        assertThat(layout.givenMarkers).isEqualTo(3);
        assertThat(layout.pinsTimestamp).isTrue();
        assertThat(layout.rules)
                .isEqualTo(new WriteRules(
                        Grouping.PARTITION,
                        /* gathersSingles */ true,
                        Timestamp.LAST_MARKER,
                        new RetryRule(
                                /* idempotent */ true,
                                /* needsNewTime */ false,
                                /* conditional */ false,
                                /* severalPartitions */ true,
                                /* severalPartitionsARow */ false,
                                /* maxAttempts */ 10),
                        /* ifNotExists */ false,
                        /* replacesRows */ true,
                        /* isRepeatable */ true,
                        /* isCounter */ false));
    }

    @Test
    void takesTtlAndWriteTimeOfRowsInMarkers() {
        WriteLayout layout = plan(
                PLAIN,
                options().columns("k", "C").rowTtl().rowTimestamp(),
                "INSERT INTO ks.t (k, \"C\") VALUES (?, ?) USING TTL ? AND TIMESTAMP ?",
                "k",
                "C",
                "[ttl]",
                "[timestamp]");
        assertThat(layout.row.ttl()).isEqualTo(2);
        assertThat(layout.row.timestamp()).isEqualTo(3);
        assertThat(layout.givenMarkers).isEqualTo(4);
        assertThat(layout.rules.setsWriteTime()).isTrue();
        assertThat(plan(
                                PLAIN,
                                options().columns("k", "C").ttl(60),
                                "INSERT INTO ks.t (k, \"C\") VALUES (?, ?) USING TTL 60 AND TIMESTAMP ?",
                                "k",
                                "C",
                                "[timestamp]")
                        .row
                        .ttl())
                .isEqualTo(-1);
    }

    @Test
    void updatesCellsIfRowsGetNoRowMarker() {
        WriteLayout layout = plan(
                PLAIN,
                options().columns("k", "C", "v").rowTtl().rowTimestamp().cellsOnly(),
                "UPDATE ks.t USING TTL ? AND TIMESTAMP ? SET v = ? WHERE k = ? AND \"C\" = ?",
                "[ttl]",
                "[timestamp]",
                "v",
                "k",
                "C");
        assertThat(layout.columnNames()).containsExactly("k", "C", "v");
        assertThat(layout.row.ttl()).isZero();
        assertThat(layout.row.timestamp()).isEqualTo(1);
        assertThat(layout.row.required()).containsExactly(3, 4);
        assertThat(layout.grouping).isEqualTo(Grouping.PARTITION);
        assertRefused(
                PLAIN,
                options().columns("k", "C").cellsOnly(),
                "[ks.t] cellsOnly is set, and no column outside of the primary key is written");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options().cellsOnly().ifNotExists().build())
                .withMessageStartingWith("cellsOnly updates the rows of a table");
    }

    @Test
    void insertsRowsThatDoNotExistAsSinglesWithoutAWriteTime() {
        WriteLayout layout = plan(
                PLAIN,
                options().columns("k", "C").ifNotExists(),
                "INSERT INTO ks.t (k, \"C\") VALUES (?, ?) IF NOT EXISTS",
                "k",
                "C");
        assertThat(layout.grouping).isEqualTo(Grouping.NONE);
        assertThat(layout.rules.setsWriteTime()).isFalse();
        assertThat(layout.rules.replacesRows()).isFalse();
        assertThat(layout.rules.isRepeatable()).isFalse();
        assertThat(layout.rules.retry().idempotent()).isTrue();
        assertThat(layout.rules.retry().conditional()).isTrue();
        assertThat(layout.rules.gathersSingles()).isFalse();
    }

    @Test
    void gathersSingleRowsOnlyIfNoGroupingIsGiven() {
        TableSchema table = table(K, V);
        String cql = "INSERT INTO ks.t (k, v) VALUES (?, ?) USING TIMESTAMP ?";
        WriteLayout layout = plan(table, options(), cql, "k", "v", "[timestamp]");
        assertThat(layout.rules.gathersSingles()).isTrue();
        assertThat(layout.rules.retry().severalPartitions()).isTrue();
        for (Grouping grouping : Grouping.values()) {
            layout = plan(table, options().grouping(grouping), cql, "k", "v", "[timestamp]");
            assertThat(layout.rules.gathersSingles()).as("%s", grouping).isFalse();
        }
    }

    @Test
    void doesNotGroupPartitionsOfOneRow() {
        TableSchema table = table(K, V);
        String cql = "INSERT INTO ks.t (k, v) VALUES (?, ?) USING TIMESTAMP ?";
        assertThat(plan(table, options(), cql, "k", "v", "[timestamp]").grouping)
                .isEqualTo(Grouping.NONE);
        WriteLayout layout = plan(table, options().grouping(Grouping.REPLICA_SET), cql, "k", "v", "[timestamp]");
        assertThat(layout.grouping).isEqualTo(Grouping.REPLICA_SET);
        assertThat(layout.rules.retry().severalPartitions()).isTrue();
        assertThat(layout.rules.gathersSingles()).isFalse();
    }

    @Test
    void writesStaticColumnsWithoutClusteringColumns() {
        WriteLayout layout = plan(
                PLAIN,
                options().columns("k", "s"),
                "INSERT INTO ks.t (k, s) VALUES (?, ?) USING TIMESTAMP ?",
                "k",
                "s",
                "[timestamp]");
        assertThat(layout.row.required()).containsExactly(0);
        assertRefused(
                PLAIN,
                options().columns("k", "s", "v"),
                "[ks.t] primary key column \"C\" is not among the columns to write: every row needs it");
    }

    @Test
    void refusesColumnsThatDoNotExistOrAreGivenTwice() {
        assertRefused(PLAIN, options().columns("k", "c"), "[ks.t] has no column \"c\"; its columns are k, C, s, v");
        assertRefused(PLAIN, options().columns("k", "C", "k"), "[ks.t] column \"k\" is given twice");
    }

    @Test
    void leavesRoomForLaterWriteTimesOfListsThatAreReplaced() {
        WriteLayout layout = plan(
                LISTS,
                options().columns("k", "C", "l").maxAttempts(50),
                "INSERT INTO ks.t (k, \"C\", l) VALUES (?, ?, ?) USING TIMESTAMP ?",
                "k",
                "C",
                "l",
                "[timestamp]");
        assertThat(layout.rules.retry().needsNewTime()).isTrue();
        assertThat(layout.rules.retry().maxAttempts()).isEqualTo(10);
        assertThat(layout.writeTime(0, 1)).isEqualTo(11);
        assertThat(layout.rules.isRepeatable()).isFalse();
        WriteLayout frozen = plan(
                LISTS,
                options().columns("k", "C", "f", "z").maxAttempts(50),
                "INSERT INTO ks.t (k, \"C\", f, z) VALUES (?, ?, ?, ?) USING TIMESTAMP ?",
                "k",
                "C",
                "f",
                "z",
                "[timestamp]");
        assertThat(frozen.rules.retry().maxAttempts()).isEqualTo(50);
        assertThat(frozen.writeTime(0, 1)).isEqualTo(1);
    }

    @Test
    void refusesWriteTimesThatWouldDoubleLists() {
        assertRefused(
                LISTS,
                options().rowTimestamp(),
                "[ks.t] column \"l\" is a list that is not frozen: written twice with the same write time");
        assertRefused(
                LISTS,
                options().timestamp(5),
                "[ks.t] column \"l\" is a list that is not frozen: a second run with the same timestamp would");
        WritePlanner.check(options().columns("k", "C", "f").timestamp(5).build(), LISTS);
        WriteLayout layout = plan(
                LISTS,
                options().columns("k", "C", "l").rowTimestamp().allowNonIdempotent(),
                "INSERT INTO ks.t (k, \"C\", l) VALUES (?, ?, ?) USING TIMESTAMP ?",
                "k",
                "C",
                "l",
                "[timestamp]");
        assertThat(layout.rules.retry().idempotent()).isFalse();
        assertThat(layout.rules.retry().needsNewTime()).isFalse();
    }

    @Test
    void updatesCollectionsThatAreChangedWithTheKeyLast() {
        WriteLayout layout = plan(
                LISTS,
                options()
                        .columns("k", "C", "z")
                        .change("z", CollectionChange.REMOVE)
                        .rowTtl(),
                "UPDATE ks.t USING TTL ? AND TIMESTAMP ? SET z = z - ? WHERE k = ? AND \"C\" = ?",
                "[ttl]",
                "[timestamp]",
                "z",
                "k",
                "C");
        assertThat(layout.row)
                .usingRecursiveComparison()
                .isEqualTo(new RowMarkers(new int[] {3, 4, 2}, new int[] {3, 4}, 0, 0, 1));
        assertThat(layout.keyMarkers).containsExactly(3);
        assertThat(layout.prefixMarkers).isEqualTo(0);
        assertThat(layout.grouping).isEqualTo(Grouping.PARTITION);
        assertThat(layout.rules.replacesRows()).isFalse();
        assertThat(layout.rules.isRepeatable()).isTrue();
    }

    @Test
    void putsTheWriteTimeOfAnUpdateThatReplacesAListIntoTheRequest() {
        WriteLayout layout = plan(
                LISTS,
                options().columns("k", "C", "z", "l").change("z", CollectionChange.ADD),
                "UPDATE ks.t SET z = z + ?, l = ? WHERE k = ? AND \"C\" = ?",
                "z",
                "l",
                "k",
                "C");
        assertThat(layout.requestTimestamp).isTrue();
        assertThat(layout.grouping).isEqualTo(Grouping.NONE);
        assertThat(layout.rules.retry().needsNewTime()).isTrue();
        assertThat(layout.rules.gathersSingles()).isFalse();
        assertThat(layout.row.columns()).containsExactly(2, 3, 0, 1);
    }

    @Test
    void refusesChangesThatCollectionsDoNotSupport() {
        assertRefused(
                LISTS,
                options().columns("k", "C", "z").change("z", CollectionChange.PREPEND),
                "[ks.t] column \"z\" is set<int>, which does not support prepend");
        assertRefused(
                LISTS,
                options().columns("k", "C", "f").change("f", CollectionChange.ADD),
                "[ks.t] column \"f\" is frozen<list<int>>, which does not support add");
        assertRefused(
                LISTS,
                options().columns("k", "C").change("z", CollectionChange.ADD),
                "[ks.t] collection \"z\" is to be changed, but is not among the columns to write");
        assertRefused(
                LISTS,
                options().columns("k", "C", "l").change("l", CollectionChange.ADD),
                "[ks.t] elements are added to a list: a row that is retried after a timeout would add them twice");
    }

    @Test
    void addsToCountersOnlyIfThatIsAllowed() {
        assertRefused(COUNTERS, options(), "[ks.t] holds counters: a row that is retried after a timeout");
        assertRefused(
                table(K, C, STATIC_COUNTER, COUNTER),
                options(),
                "[ks.t] holds counters: a row that is retried after a timeout would be added twice; allowNonIdempotent"
                        + " accepts that rows which fail are rejected instead of retried, and that static column \"s\" is"
                        + " added once for each row of its partition that has it");
        assertRefused(
                COUNTERS,
                options().allowNonIdempotent().ttl(5),
                "[ks.t] holds counters, which have neither TTL nor write time");
        assertRefused(
                COUNTERS,
                options().allowNonIdempotent().ifNotExists(),
                "[ks.t] holds counters, which cannot be written with ifNotExists");
        assertRefused(
                COUNTERS,
                options().allowNonIdempotent().columns("k", "C"),
                "[ks.t] holds counters: at least one of them must be written");
        WriteLayout layout = plan(
                COUNTERS,
                options().allowNonIdempotent(),
                "UPDATE ks.t SET n = n + ? WHERE k = ? AND \"C\" = ?",
                "n",
                "k",
                "C");
        assertThat(layout.rules.isCounter()).isTrue();
        assertThat(layout.rules.setsWriteTime()).isFalse();
        assertThat(layout.rules.retry().idempotent()).isFalse();
        assertThat(layout.rules.gathersSingles()).isFalse();
        assertThat(layout.grouping).isEqualTo(Grouping.PARTITION);
    }

    @Test
    void refusesAConsistencyLevelThatTheKeyspaceCannotMeet() {
        assertRefused(
                () -> plan(
                        PLAIN,
                        options().columns("k", "C").consistency(DefaultConsistencyLevel.TWO),
                        "INSERT INTO ks.t (k, \"C\") VALUES (?, ?) USING TIMESTAMP ?",
                        "k",
                        "C",
                        "[timestamp]"),
                "consistency TWO needs 2 replicas");
    }

    @Test
    void addsTheWriteTimeToTheUsersInsertIfTheServerAllowsIt() {
        String cql = "INSERT INTO ks.t (k, \"C\") VALUES (:k, 5) USING TTL 9";
        ScriptedSession server = new ScriptedSession(PLAIN).accept(cql, List.of("k"), List.of());
        WriteLayout untimed = statement(server, cql + ";");
        assertThat(untimed.requestTimestamp).isTrue();
        assertThat(untimed.grouping).as("a request has one write time").isEqualTo(Grouping.NONE);
        assertThat(untimed.rules.gathersSingles()).isFalse();

        server.accept(cql + " AND TIMESTAMP ?", List.of("k", "[timestamp]"), List.of());
        WriteLayout timed = statement(server, cql);
        assertThat(timed.prepared.text()).isEqualTo(cql + " AND TIMESTAMP ?");
        assertThat(timed.pinsTimestamp).isTrue();
        assertThat(timed.columnNames()).containsExactly("k");
        assertThat(timed.grouping).isEqualTo(Grouping.PARTITION);
        assertThat(timed.rules.gathersSingles()).isTrue();
        assertThat(timed.prefixMarkers).isEqualTo(0);
        assertThat(timed.rules.replacesRows()).isFalse();
    }

    @Test
    void takesTheWriteTimeOfAStatementFromItsMarkerOrLeavesItAlone() {
        String own = "UPDATE ks.t USING TIMESTAMP :at SET v = :v WHERE k = :k AND \"C\" = 1";
        ScriptedSession server = new ScriptedSession(PLAIN).accept(own, List.of("at", "v", "k"), List.of());
        WriteLayout layout = statement(server, own);
        assertThat(layout.row.timestamp()).isEqualTo(0);
        assertThat(layout.keyMarkers).containsExactly(2);
        assertThat(layout.grouping).isEqualTo(Grouping.PARTITION);

        String fixed = "UPDATE ks.t USING TIMESTAMP 5 SET v = :v WHERE k = :k AND \"C\" = 1";
        server.accept(fixed, List.of("v", "k"), List.of());
        assertThat(statement(server, fixed).rules.timestamp()).isEqualTo(Timestamp.NONE);

        String other = "UPDATE ks.t USING TIMESTAMP :at SET v = :v WHERE k = f(:k) AND \"C\" = 1";
        server.accept(other, List.of("at", "v"), List.of());
        assertThat(statement(server, other).row.timestamp())
                .as("the server has another number of markers")
                .isEqualTo(-1);
    }

    @Test
    void refusesStatementsThatMayNotRunTwice() {
        String cql = "UPDATE ks.t SET l = l + :l WHERE k = :k AND \"C\" = 1";
        ScriptedSession server = new ScriptedSession(LISTS).accept(cql, List.of("l", "k"), List.of());
        assertRefused(() -> statement(server, cql), "the statement may have another effect when it runs twice");
        WriteLayout allowed = statement(server, WriteOptions.statement(cql).allowNonIdempotent(), cql);
        assertThat(allowed.rules.retry().idempotent()).isFalse();
        assertThat(allowed.rules.timestamp()).isEqualTo(Timestamp.NONE);
        assertThat(allowed.grouping).isEqualTo(Grouping.NONE);

        String timed = "UPDATE ks.t USING TIMESTAMP :at SET l = :l WHERE k = :k AND \"C\" = 1";
        server.accept(timed, List.of("at", "l", "k"), List.of());
        assertRefused(
                () -> statement(server, timed), "the statement writes list \"l\" with its own write time: a retry");
    }

    @Test
    void refusesStatementsThatWriteNothing() {
        String query = "SELECT v FROM ks.t WHERE k = :k";
        ScriptedSession server = new ScriptedSession(PLAIN).accept(query, List.of("k"), List.of());
        assertRefused(
                () -> statement(server, "/* rows */ " + query),
                "the statement writes nothing, it must be an INSERT, UPDATE or DELETE: " + query);
    }

    @Test
    void refusesStatementsWithoutMarkersAndWhatTheServerRefuses() {
        ScriptedSession server =
                new ScriptedSession(PLAIN).accept("DELETE FROM ks.t WHERE k = 1", List.of(), List.of());
        assertRefused(
                () -> statement(server, "DELETE FROM ks.t WHERE k = 1"),
                "the statement has no markers; write :name where a field's value goes: DELETE FROM ks.t WHERE k = 1");
        assertRefused(
                () -> statement(server, "DELETE FROM ks.t WHERE x = ?"),
                "[statement] the server refuses the statement: it is not in the script: DELETE FROM ks.t WHERE x = ?");
    }
}
