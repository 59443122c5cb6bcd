package io.overdrive.internal.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.cql.ScriptedSession;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Options against a schema, and what the server accepts. */
class ScanPlannerTest {
    private static final TableSchema TABLE = new TableSchema(
            "ks",
            "t",
            List.of(
                    new Column("a", DataTypes.INT, Role.PARTITION_KEY),
                    new Column("B", DataTypes.TEXT, Role.PARTITION_KEY),
                    new Column("c", DataTypes.INT, Role.CLUSTERING),
                    new Column("d", DataTypes.INT, Role.CLUSTERING),
                    new Column("v", DataTypes.DOUBLE, Role.REGULAR)));

    private static final String TOKEN = "token(a, \"B\") > ? AND token(a, \"B\") <= ? ";
    private static final List<String> BOUNDS = List.of("start", "end");
    private static final List<String> ALL = List.of("a", "B", "c", "d", "v");

    private final ScriptedSession server = new ScriptedSession(TABLE);

    private ScanPlanner planner(ScanOptions.Builder options) {
        return new ScanPlanner(server.session(), options.build());
    }

    private static ScanOptions.Builder table() {
        return ScanOptions.from("ks", "t");
    }

    private ScanLayout query(String cql) {
        return planner(ScanOptions.query(cql)).forQuery(cql);
    }

    private static void assertRefused(ThrowingCallable call, String message) {
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(call)
                .withMessage(message)
                .matches(e -> e.kind() == Kind.SCHEMA);
    }

    @Test
    void readsAllColumnsByTokenRange() {
        server.accept("SELECT a, \"B\", c, d, v FROM ks.t WHERE " + TOKEN, BOUNDS, ALL);
        ScanLayout layout = planner(table()).forTable(TABLE);
        assertThat(layout.query)
                .isEqualTo(new ScanLayout.Query(
                        /* isSplit */ true,
                        /* whyNotSplit */ "",
                        /* isAggregate */ false,
                        /* hasGroupBy */ false,
                        /* maxLaterPageRows */ Integer.MAX_VALUE));
        assertThat(layout.tableName()).isEqualTo("ks.t");
        assertThat(layout.columns.names()).isEqualTo(ALL);
        assertThat(layout.columns.types()).contains(DataTypes.DOUBLE);
        assertThat(layout.columns.key()).containsExactly(0, 1);
    }

    @Test
    void readsChosenColumnsAndTheirTimes() {
        server.accept(
                "SELECT v, writetime(v), \"B\" FROM ks.t WHERE " + TOKEN, BOUNDS, List.of("v", "writetime(v)", "B"));
        ScanLayout layout = planner(table().columns("v", "writetime(v)", "B")).forTable(TABLE);
        assertThat(layout.columns.key()).as("only a part of the key is read").isEmpty();
        assertRefused(
                () -> planner(table().columns("v", "ttl(x)")).forTable(TABLE),
                "[ks.t] has no column \"x\"; its columns are a, B, c, d, v");
    }

    @Test
    void readsTheTimesOfAllCellsOutsideOfTheKey() {
        server.accept("SELECT a, v, writetime(v), ttl(v) FROM ks.t WHERE " + TOKEN, BOUNDS, List.of("a"));
        assertThat(planner(table().columns("a", "v")).forTimes(TABLE).query.isSplit())
                .isTrue();
    }

    @Test
    void readsAggregatesOfEachTokenRange() {
        server.accept("SELECT count(*), max(v) FROM ks.t WHERE " + TOKEN, BOUNDS, List.of("a", "B"));
        ScanLayout layout = planner(table()).forAggregates(TABLE, List.of("count(*)", "max(v)"));
        assertThat(layout.query.isAggregate()).isTrue();
        assertThat(layout.columns.key())
                .as("an aggregate is no key, whatever its name")
                .isEmpty();
    }

    @Test
    void countsPartitionsInGroups() {
        server.accept(
                "SELECT a, \"B\", count(*) FROM ks.t WHERE " + TOKEN + "GROUP BY a, \"B\"",
                BOUNDS,
                List.of("a", "B", "count"));
        server.accept("SELECT a, \"B\" FROM ks.t WHERE " + TOKEN, BOUNDS, List.of("a", "B"));
        ScanLayout layout = planner(table()).forPartitionCounts(TABLE);
        assertThat(layout.query.hasGroupBy()).isTrue();
        assertThat(layout.columns.key()).containsExactly(0, 1);
        assertThat(Objects.requireNonNull(layout.countedRows).query.isSplit()).isTrue();
    }

    /** Such a limit is one of rows in a partition, or of groups. */
    @Test
    void readsNoRowsInPlaceOfCountsWithALimitOfEachPartition() {
        server.accept("SELECT count(*) FROM ks.t WHERE " + TOKEN + "PER PARTITION LIMIT 1", BOUNDS, List.of("count"));
        assertThat(planner(table().where("PER PARTITION LIMIT 1"))
                        .forAggregates(TABLE, List.of("count(*)"))
                        .countedRows)
                .isNull();
        server.accept("SELECT count(*) FROM ks.t WHERE v > 3 AND " + TOKEN, BOUNDS, List.of("count"));
        server.accept("SELECT a, \"B\" FROM ks.t WHERE v > 3 AND " + TOKEN, BOUNDS, List.of("a", "B"));
        assertThat(planner(table().where("v > 3")).forAggregates(TABLE, List.of("count(*)")).countedRows)
                .isNotNull();
    }

    @Test
    void allowsFilteringOnlyIfTheServerRequiresIt() {
        String conditions = "SELECT v FROM ks.t WHERE v > 3";
        String split = conditions + " AND " + TOKEN;
        server.accept(split + "ALLOW FILTERING", BOUNDS, List.of("v"));
        assertThat(planner(table().columns("v").where("v > 3;"))
                        .forTable(TABLE)
                        .prepared
                        .text())
                .isEqualTo(split + "ALLOW FILTERING");
        assertThat(server.requested).containsExactly(split, split + "ALLOW FILTERING");
    }

    @Test
    void readsUnsplitWhatTheServerDoesNotSplit() {
        server.accept("SELECT v FROM ks.t WHERE a = 1", List.of(), List.of("v"));
        ScanLayout layout = planner(table().columns("v").where("a = 1")).forTable(TABLE);
        assertThat(layout.query.isSplit()).isFalse();
        assertThat(layout.query.whyNotSplit()).isEqualTo("the server does not take a token range with it");
    }

    @Test
    void splitsTheQueryOfATableThatIsCreatedBetweenItsStatements() {
        String all = "SELECT v FROM ks.t";
        server.refuses = count ->
                server.accept(all, List.of(), List.of("v")).accept(all + " WHERE " + TOKEN, BOUNDS, List.of("v"));
        ScanLayout layout = planner(table().columns("v")).forTable(TABLE);
        assertThat(layout.query.isSplit()).isTrue();
        assertThat(layout.prepared.text()).isEqualTo(all + " WHERE " + TOKEN);
        assertThat(server.requested).containsExactly(all + " WHERE " + TOKEN, all, all + " WHERE " + TOKEN);
    }

    @Test
    void doesNotSplitWithoutMurmur3OrIfEachNodeHasItsOwnRows() {
        server.accept("SELECT v FROM ks.t", List.of(), List.of("v"));
        server.partitioner("org.apache.cassandra.dht.RandomPartitioner");
        assertThat(planner(table().columns("v")).forTable(TABLE).query.whyNotSplit())
                .isEqualTo("the cluster does not use the Murmur3 partitioner");
        server.replication(Map.of("class", "org.apache.cassandra.locator.LocalStrategy"));
        assertThat(planner(table().columns("v")).forTable(TABLE).query.whyNotSplit())
                .isEqualTo("it is a table of Cassandra's own, and these may hold other rows on each node");
        assertThat(server.requested).containsOnly("SELECT v FROM ks.t");
    }

    @Test
    void doesNotSplitIfTheMarkersAreNotMurmur3Tokens() {
        server.accept("SELECT v FROM ks.t", List.of(), List.of("v"));
        server.accept("SELECT v FROM ks.t WHERE " + TOKEN, List.of("v", "v"), List.of("v"));
        assertThat(planner(table().columns("v")).forTable(TABLE).query.isSplit())
                .isFalse();
    }

    @Test
    void refusesWhatCannotBeRead() {
        assertRefused(
                () -> planner(table().where("c = 1 LIMIT 3")).forTable(TABLE),
                "the conditions have a LIMIT, and would have it for each token range; read with your own query"
                        + " instead: c = 1 LIMIT 3");
        assertRefused(
                () -> planner(table().columns("v").where("x = 1")).forTable(TABLE),
                "the server refuses the query: it is not in the script: SELECT v FROM ks.t WHERE x = 1");
        server.accept("SELECT v FROM ks.t WHERE v > ?", List.of("v"), List.of("v"));
        assertRefused(
                () -> planner(table().columns("v").where("v > ?")).forTable(TABLE),
                "the conditions have markers; write the values into them instead: v > ?");
        server.replication(Map.of("class", "SimpleStrategy", "replication_factor", "1"));
        server.accept("SELECT v FROM ks.t WHERE " + TOKEN, BOUNDS, List.of("v"));
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> planner(table().columns("v").consistency(DefaultConsistencyLevel.TWO))
                        .forTable(TABLE))
                .withMessageStartingWith("consistency TWO needs 2 replicas");
    }

    @Test
    void everyRequestHasTheLevelOfTheOptions() {
        server.accept("SELECT v FROM ks.t WHERE " + TOKEN, BOUNDS, List.of("v"));
        server.accept("SELECT v, writetime(v), ttl(v) FROM ks.t WHERE " + TOKEN, BOUNDS, List.of("v"));
        server.accept("SELECT count(*) FROM ks.t WHERE " + TOKEN, BOUNDS, List.of("count"));
        server.accept(
                "SELECT a, \"B\", count(*) FROM ks.t WHERE " + TOKEN + "GROUP BY a, \"B\"", BOUNDS, List.of("count"));
        server.accept("SELECT a, \"B\" FROM ks.t WHERE " + TOKEN, BOUNDS, List.of("a", "B"));
        server.accept("SELECT v FROM ks.t WHERE a = ? AND \"B\" = ?", List.of("a", "B"), List.of("v"));
        server.accept("SELECT v FROM ks.t", List.of(), List.of("v"));
        Map<String, Function<ScanPlanner, ScanLayout>> plans = Map.of(
                "rows", planner -> planner.forTable(TABLE),
                "times", planner -> planner.forTimes(TABLE),
                "aggregates", planner -> planner.forAggregates(TABLE, List.of("count(*)")),
                "partitions", planner -> planner.forPartitionCounts(TABLE),
                "keys", planner -> planner.forKeys(TABLE, List.of("a", "B")),
                "a query", planner -> planner.forQuery("SELECT v FROM ks.t"));
        plans.forEach((what, plan) -> {
            assertThat(level(plan.apply(planner(table().columns("v")))))
                    .as("of %s by default", what)
                    .isEqualTo(DefaultConsistencyLevel.LOCAL_QUORUM);
            assertThat(level(plan.apply(planner(table().columns("v").consistency(DefaultConsistencyLevel.LOCAL_ONE)))))
                    .as("of %s", what)
                    .isEqualTo(DefaultConsistencyLevel.LOCAL_ONE);
        });
    }

    /** The consistency levels of a first page and a later one. */
    private static ConsistencyLevel level(ScanLayout layout) {
        int at = 2 + ScriptedSession.ID.length + 2 + ScriptedSession.RESULT_METADATA_ID.length;
        short first =
                ByteBuffer.wrap(layout.execute(Split.WHOLE_RING, null, 1, null)).getShort(at);
        short later = ByteBuffer.wrap(layout.execute(Split.WHOLE_RING, null, 1, new byte[1]))
                .getShort(at);
        assertThat(later).isEqualTo(first);
        return DefaultConsistencyLevel.fromCode(first);
    }

    @Test
    void readsByKeyInTheOrderOfTheCaller() {
        server.accept("SELECT v FROM ks.t WHERE c = ? AND \"B\" = ? AND a = ?", List.of("c", "B", "a"), List.of("v"));
        ScanLayout layout = planner(table().columns("v")).forKeys(TABLE, List.of("c", "B", "a"));
        assertThat(layout.query.isSplit()).isFalse();
        assertThat(layout.query.whyNotSplit()).isEmpty();
        assertThat(layout.prepared.partitionMarkers()).containsExactly(2, 1);
    }

    @Test
    void readsTheFirstRowsOfEachPartition() {
        String limit = "PER PARTITION LIMIT 2";
        server.accept("SELECT v FROM ks.t WHERE " + TOKEN + limit, BOUNDS, List.of("v"));
        assertThat(planner(table().columns("v").where(limit))
                        .forTable(TABLE)
                        .query
                        .isSplit())
                .isTrue();
        server.accept("SELECT v FROM ks.t WHERE a = ? AND \"B\" = ? " + limit, List.of("a", "B"), List.of("v"));
        assertThat(planner(table().columns("v").where(limit))
                        .forKeys(TABLE, List.of("a", "B"))
                        .prepared
                        .text())
                .endsWith(limit);
    }

    @Test
    void readsByTheWholePartitionKeyAndTheFirstClusteringColumnsOnly() {
        for (List<String> key :
                List.of(List.of("a"), List.of("a", "B", "d"), List.of("a", "B", "v"), List.of("a", "B", "c", "c"))) {
            assertRefused(
                    () -> planner(table()).forKeys(TABLE, key),
                    "[ks.t] rows cannot be looked up by " + key + ": it takes the whole partition key [a, B], and then"
                            + " clustering columns from the first on, of [c, d]");
        }
        server.accept("SELECT v FROM ks.t WHERE a = ? AND \"B\" = ? AND v > ?", List.of("a", "B", "v"), List.of("v"));
        assertRefused(
                () -> planner(table().columns("v").where("v > ?")).forKeys(TABLE, List.of("a", "B")),
                "the conditions have markers; write the values into them instead: v > ?");
    }

    @Test
    void splitsQueriesOfTheUser() {
        server.accept("SELECT \"B\", a FROM ks.t", List.of(), List.of("B", "a"));
        server.accept("SELECT \"B\", a FROM ks.t WHERE " + TOKEN, BOUNDS, List.of("B", "a"));
        ScanLayout layout = query("SELECT \"B\", a FROM ks.t; -- all");
        assertThat(layout.query.isSplit()).isTrue();
        assertThat(layout.columns.key()).containsExactly(1, 0);
    }

    @Test
    void isNotMisledByAnAliasThatLooksLikeAKeyColumn() {
        server.accept("SELECT \"B\", c AS a FROM ks.t", List.of(), List.of("B", "a"));
        server.accept("SELECT \"B\", c AS a FROM ks.t WHERE " + TOKEN, BOUNDS, List.of("B", "a"));
        assertThat(query("SELECT \"B\", c AS a FROM ks.t").columns.key()).isEmpty();
    }

    @Test
    void isNotMisledByACountThatHasTheNameOfAKeyColumn() {
        TableSchema table = new TableSchema(
                "ks",
                "t",
                List.of(
                        new Column("count", DataTypes.BIGINT, Role.PARTITION_KEY),
                        new Column("c", DataTypes.INT, Role.CLUSTERING)));
        String cql = "SELECT count(*), count FROM ks.t GROUP BY count";
        List<String> columns = List.of("count", "count");
        ScriptedSession counts = new ScriptedSession(table)
                .accept(cql, List.of(), columns)
                .accept(
                        "SELECT count(*), count FROM ks.t WHERE token(count) > ? AND token(count) <= ? GROUP BY count",
                        BOUNDS,
                        columns);
        ScanLayout layout =
                new ScanPlanner(counts.session(), ScanOptions.query(cql).build()).forQuery(cql);
        assertThat(layout.columns.key()).isEmpty();
    }

    @Test
    void readsUnsplitWhatWouldBeWrongInParts() {
        server.accept("SELECT a FROM ks.t LIMIT 7", List.of(), List.of("a"));
        server.accept("SELECT a FROM ks.t WHERE " + TOKEN + "LIMIT 7", BOUNDS, List.of("a"));
        ScanLayout.Query limited = query("SELECT a FROM ks.t LIMIT 7").query;
        assertThat(limited.whyNotSplit()).isEqualTo("it has a LIMIT over all rows");
        assertThat(limited.maxLaterPageRows()).isEqualTo(6);
        assertThat(limited.isAggregate()).isFalse();

        server.accept("SELECT my_sum(v) FROM ks.t", List.of(), List.of("my_sum(v)"));
        server.accept("SELECT my_sum(v) FROM ks.t WHERE " + TOKEN, BOUNDS, List.of("my_sum(v)"));
        server.answersEmptyRange();
        ScanLayout.Query aggregate = query("SELECT my_sum(v) FROM ks.t").query;
        assertThat(aggregate.whyNotSplit()).isEqualTo("it aggregates all rows");
        assertThat(aggregate.isSplit()).isFalse();
        assertThat(aggregate.isAggregate()).isTrue();
    }

    @Test
    void treatsACountThatCannotBeSplitAsAnAggregate() {
        server.accept("SELECT count(*) FROM ks.t WHERE a = 1", List.of(), List.of("count"));
        assertThat(query("SELECT count(*) FROM ks.t WHERE a = 1").query.isAggregate())
                .isTrue();
        server.accept("SELECT v AS count FROM ks.t WHERE a = 1", List.of(), List.of("count"));
        assertThat(query("SELECT v AS count FROM ks.t WHERE a = 1").query.isAggregate())
                .isFalse();
    }

    @Test
    void refusesStatementsThatAreNotQueriesOrHaveMarkers() {
        server.accept("DELETE FROM ks.t WHERE a = 1", List.of(), List.of());
        assertRefused(
                () -> query("DELETE FROM ks.t WHERE a = 1"),
                "the statement reads no rows, it must be a SELECT: DELETE FROM ks.t WHERE a = 1");
        server.accept("SELECT v FROM ks.t WHERE a = ?", List.of("a"), List.of("v"));
        assertRefused(
                () -> query("SELECT v FROM ks.t WHERE a = ?"),
                "the query has markers; write the values into it instead: SELECT v FROM ks.t WHERE a = ?");
    }
}
