package io.overdrive.internal.cql;

import static io.overdrive.internal.cql.ScriptedSession.fake;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is asked, and what the answers mean, with a server whose tables of the system a test sets. */
class SameTableTest {
    private static final UUID ID = new UUID(0, 1);
    private static final Row DROP = drop("a", "2026-01-01T00:00:00Z");

    /** Pages of rows, by their table. One that is missing is unknown to the server. */
    private final Map<String, List<List<Row>>> tables = new HashMap<>(Map.of(
            "tables",
            List.of(List.of(id(ID))),
            "views",
            List.of(List.of()),
            "dropped_columns",
            List.of(List.of(DROP))));

    /** The tables that were read, in this order. */
    private final List<String> asked = new ArrayList<>();
    /** Completed before a node answers. */
    private CompletableFuture<@Nullable Void> isUp = CompletableFuture.completedFuture(null);

    @SuppressWarnings("FutureReturnValueIgnored") // the caller of executeAsync gets it
    private final CqlSession session = fake(CqlSession.class, Map.of("executeAsync", args -> {
        String table = ((SimpleStatement) args[0]).getQuery().replaceAll(".* FROM system_schema.(\\w+) .*", "$1");
        asked.add(table);
        return isUp.thenCompose(up -> answer(table));
    }));

    private CompletionStage<AsyncResultSet> answer(String table) {
        List<List<Row>> pages = tables.get(table);
        return pages == null
                ? CompletableFuture.failedStage(new InvalidQueryException(fake(Node.class, Map.of()), "unconfigured"))
                : CompletableFuture.completedStage(page(pages.iterator()));
    }

    private static AsyncResultSet page(Iterator<List<Row>> pages) {
        List<Row> rows = pages.next();
        return fake(
                AsyncResultSet.class,
                Map.of(
                        "currentPage", args -> rows,
                        "hasMorePages", args -> pages.hasNext(),
                        "fetchNextPage", args -> CompletableFuture.completedStage(page(pages))));
    }

    private static Row id(UUID id) {
        return fake(Row.class, Map.of("getUuid", args -> id));
    }

    private static Row drop(String column, String at) {
        return fake(Row.class, Map.of("getString", args -> column, "getInstant", args -> Instant.parse(at)));
    }

    private SameTable table() {
        return SameTable.ask(
                session, CqlIdentifier.fromInternal("ks"), CqlIdentifier.fromInternal("t"), List.of("a", "b"));
    }

    @Test
    void asksForTheIdAndTheDropsAtOnce() {
        isUp = new CompletableFuture<>();
        SameTable table = table();
        assertThat(asked).containsExactlyInAnyOrder("tables", "dropped_columns");
        isUp.complete(null);
        table.await();
        assertThat(table.dropped(Kind.READ)).isNull();
        assertThat(asked).hasSize(4).doesNotContain("views");
    }

    @Test
    void noticesAnotherTable() {
        SameTable table = table();
        tables.put("tables", List.of(List.of(id(new UUID(0, 2)))));
        assertThat(table.dropped(Kind.READ)).isEqualTo("the table");
        tables.put("tables", List.of(List.of()));
        assertThat(table.dropped(Kind.READ)).isEqualTo("the table");
        assertThatThrownBy(table::requireForRead)
                .isInstanceOf(OverdriveException.class)
                .hasMessageStartingWith("[ks.t] the table was dropped while the table was read");
    }

    @Test
    void noticesAnotherView() {
        tables.put("tables", List.of(List.of()));
        tables.put("views", List.of(List.of(id(ID))));
        SameTable view = table();
        assertThat(view.dropped(Kind.READ)).isNull();
        tables.put("views", List.of(List.of(id(new UUID(0, 2)))));
        assertThat(view.dropped(Kind.READ)).isEqualTo("the table");
    }

    @Test
    void noticesADropOnALaterPage() {
        SameTable table = table();
        tables.put("dropped_columns", List.of(List.of(DROP), List.of(drop("b", "2026-01-01T00:00:00Z"))));
        assertThat(table.dropped(Kind.READ)).isEqualTo("column \"b\"");
    }

    @Test
    void noticesNothingIfAServerDoesNotHaveTheTables() {
        tables.clear();
        SameTable table = table();
        table.await();
        assertThat(table.dropped(Kind.READ)).isNull();
    }

    @Test
    void noticesNothingIfNoNodeHasAnsweredAtTheBeginning() {
        isUp = CompletableFuture.failedFuture(new DriverTimeoutException("no answer"));
        SameTable table = table();
        table.await();
        isUp = CompletableFuture.completedFuture(null);
        tables.clear();
        assertThat(table.dropped(Kind.READ)).isNull();
    }
}
