package io.overdrive.bench.ledger;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.overdrive.bench.Check;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.Published;
import io.overdrive.bench.Result;
import io.overdrive.bench.ledger.Ledger.Beside;
import io.overdrive.bench.ledger.Ledger.Judged;
import io.overdrive.bench.ledger.Ledger.Row;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The ledger as JSON: a line for each claim, so that a difference of two files shows the claims that differ. Stateless. */
public final class LedgerJson {
    private static final int FORMAT = 1;
    private static final ObjectMapper JSON = new ObjectMapper();

    private LedgerJson() {}

    public static String of(Ledger ledger) {
        return ledger.rows().stream()
                .map(row -> row(row).toString())
                .collect(Collectors.joining(",\n", "{\n\"format\": " + FORMAT + ",\n\"claims\": [\n", "\n]\n}\n"));
    }

    private static ObjectNode row(Row row) {
        Source.Claim claim = row.claim();
        ObjectNode json = JSON.createObjectNode()
                .put("id", claim.id())
                .put("source", row.source().key())
                .put("place", claim.place())
                .put("said", claim.said())
                .put("status", row.status().name().toLowerCase(Locale.ROOT))
                .put("stale", row.isStale());
        putUnlessNull(json, "note", claim.note());
        putUnlessNull(json, "needs", claim.needs());
        putUnlessNull(json, "page", claim.page());
        ArrayNode checks = json.putArray("checks");
        row.judged().forEach(each -> checks.add(judged(each)));
        return json;
    }

    private static ObjectNode judged(Judged judged) {
        ObjectNode json = JSON.createObjectNode().put("check", judged.name());
        Check check = judged.check();
        Result result = judged.result();
        if (check != null && result != null) {
            json.put("claim", check.claim())
                    .put("verdict", check.verdict().name().toLowerCase(Locale.ROOT))
                    .put("evidence", check.evidence());
            ArrayNode measured = json.putArray("measured");
            check.measured().forEach(each -> measured.add(estimate(each)));
            json.put("command", result.command())
                    .put("date", date(result))
                    .put("commit", commit(result))
                    .put("machine", machine(result));
            putUnlessNull(json, "stale", judged.stale());
        }
        ArrayNode figures = json.putArray("figures");
        judged.figures().forEach(each -> figures.add(beside(each)));
        return json;
    }

    private static ObjectNode beside(Beside beside) {
        Published published = beside.published();
        ObjectNode json = JSON.createObjectNode()
                .put("condition", published.condition())
                .put("place", published.place())
                .put("low", published.low())
                .put("high", published.high())
                .put("unit", published.unit());
        ArrayNode ours = json.putArray("ours");
        beside.ours().forEach(each -> ours.add(estimate(each)));
        return json;
    }

    /** An interval without an end has no such member, as JSON has no infinite numbers. */
    private static ObjectNode estimate(Estimate estimate) {
        ObjectNode json = JSON.createObjectNode();
        putFinite(json, "value", estimate.value());
        if (estimate.hasInterval()) {
            putFinite(json, "low", estimate.low());
            putFinite(json, "high", estimate.high());
        }
        return json.put("unit", estimate.unit()).put("n", estimate.n()).put("of", estimate.note());
    }

    private static void putFinite(ObjectNode json, String name, double number) {
        if (Double.isFinite(number)) {
            json.put(name, number);
        }
    }

    private static void putUnlessNull(ObjectNode json, String name, @Nullable String text) {
        if (text != null) {
            json.put(name, text);
        }
    }

    static String date(Result result) {
        return DateTimeFormatter.ISO_LOCAL_DATE.format(result.started().atOffset(ZoneOffset.UTC));
    }

    static String commit(Result result) {
        return result.environment().getOrDefault(Result.COMMIT, "not recorded");
    }

    static String machine(Result result) {
        return Stream.of("machine of the client", "Cassandra", "nodes")
                .filter(result.environment()::containsKey)
                .map(each -> (each.equals("Cassandra") ? "Cassandra " : each.equals("nodes") ? "nodes: " : "")
                        + result.environment().get(each))
                .collect(Collectors.joining("; "));
    }
}
