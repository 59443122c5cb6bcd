package io.overdrive.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.overdrive.cli.options.Amount;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The verdict of a report, from its other members: it says that tables are equal only if all of them were compared as a whole. Confined to one
 * thread.
 */
final class ReportVerdict {
    /** The verdicts of a report, as {@code result} in JSON and as a style of the page. */
    private enum Result {
        EQUAL("equal", "good"),
        NO_DIFFERENCE_FOUND("noDifferenceFound", "open"),
        DIFFERENT("different", "bad"),
        DONE("done", "good"),
        DONE_IN_PART("doneInPart", "open"),
        NOT_FINISHED("notFinished", "bad"),
        FAILED("failed", "bad");

        private final String word;
        private final String style;

        Result(String word, String style) {
            this.word = word;
            this.style = style;
        }
    }

    /**
     * A number of rows or values of a table that a run has left out.
     *
     * @param words after the number and the noun
     */
    private record Figure(String member, String noun, String words) {}

    private static final List<Figure> LEFT_OUT = List.of(
            new Figure("recordsRejected", "rejected record", ""),
            new Figure("rowsRejected", "rejected row", ""),
            new Figure("rowsLeftOut", "row", " left out"),
            new Figure("filesLeftOut", "file", " in its directory, because of the name"),
            new Figure("emptyKeys", "row", " with an empty number, time or the like in the key"),
            new Figure("emptyElements", "element", " of collections, each an empty number, time or the like"),
            new Figure("emptyValues", "value", ", each an empty number, time or the like"),
            new Figure("repeatedTimes", "time", " in the second of two hours that look the same"),
            new Figure("elementTimes", "value", " with elements of different write times or times to live"));

    private static final String DONE = "done";
    private static final Map<String, String> DID =
            Map.of("diff", "compared", "verify", "compared", "copy", "copied", "load", "loaded", "unload", "unloaded");

    private final JsonNode report;
    private final JsonNode tables;
    private final List<String> leftOut;
    private final String did;
    private final long total;

    /** @param leftOut what the command knows about what it did not do */
    ReportVerdict(JsonNode report, List<String> leftOut) {
        this.report = report;
        this.tables = report.path("tables");
        this.leftOut = new ArrayList<>(leftOut);
        this.did = DID.getOrDefault(report.path("command").asText(), DONE);
        this.total = report.path("summary").path("tables").asLong(tables.size());
    }

    void write(ObjectNode to) {
        tables.forEach(this::addLeftOut);
        if (report.path("command").asText().equals("verify")) {
            leftOut.add("rows that only the table has, which verify does not search for");
        }
        if (total > tables.size()) {
            leftOut.add(Amount.count(total - tables.size(), "table") + " did not begin");
        }
        boolean isDone = report.path("outcome").asText().equals(DONE) && code() != 1;
        Result result = !isDone ? notDone() : isComparison() ? compared() : moved();
        to.put("result", result.word);
        to.put("text", isDone ? isComparison() ? comparedText(result) : movedText(result) : notDoneText(result));
        ArrayNode without = to.putArray("leftOut");
        leftOut.forEach(without::add);
    }

    /** The style of a result on the page. */
    static String style(String word) {
        for (Result each : Result.values()) {
            if (each.word.equals(word)) {
                return each.style;
            }
        }
        throw new IllegalArgumentException(word);
    }

    /** The number of rows in which a table differs. */
    static long differences(JsonNode table) {
        return table.path("different").asLong()
                + table.path("missingLeft").asLong()
                + table.path("missingRight").asLong()
                + table.path("missing").asLong();
    }

    /** Whether SSTables were written for a node that has not imported them. */
    private static boolean isWaiting(JsonNode node) {
        return !node.path("imported").asBoolean(/* defaultValue */ true)
                && node.path("rows").asLong() > 0;
    }

    private boolean areAllWaiting() {
        boolean isOneWaiting = false;
        for (JsonNode table : tables) {
            for (JsonNode node : table.path("nodes")) {
                if (node.path("rows").asLong() > 0 && !isWaiting(node)) {
                    return false;
                }
                isOneWaiting |= isWaiting(node);
            }
        }
        return isOneWaiting;
    }

    private boolean isComparison() {
        return did.equals("compared");
    }

    /** -1 before the end. */
    private int code() {
        return report.path("exitCode").asInt(-1);
    }

    private void addLeftOut(JsonNode table) {
        String name = table.path("table").asText();
        if (!table.path("outcome").asText().equals(DONE)) {
            leftOut.add(name + ": not " + did + " to its end");
        } else if (table.has("whole") && !table.path("whole").asBoolean()) {
            leftOut.add(name + ": not all rows were compared");
        }
        for (JsonNode node : table.path("nodes")) {
            if (isWaiting(node)) {
                leftOut.add(name + ": " + node.path("node").asText() + " has not imported its "
                        + Amount.count(node.path("rows").asLong(), "row") + " yet");
            }
        }
        table.path("notCompared").forEach(column -> leftOut.add("column " + column.asText()));
        table.path("leftOut").forEach(each -> leftOut.add(name + ": " + each.asText()));
        for (Figure each : LEFT_OUT) {
            long count = table.path(each.member).asLong();
            if (count > 0) {
                leftOut.add(name + ": " + Amount.count(count, each.noun) + each.words);
            }
        }
    }

    private Result notDone() {
        boolean isFailed = report.path("outcome").asText().equals("failed") || code() == 1 || code() == 2;
        return isFailed ? Result.FAILED : Result.NOT_FINISHED;
    }

    private String notDoneText(Result result) {
        if (code() < 0) {
            return "not finished: the run has not ended yet, or was killed";
        }
        String words = result == Result.FAILED ? "failed" : "not finished: it was stopped";
        long done = count(DONE);
        if (total < 2) {
            return words + (isComparison() && differing() > 0 ? "; differences were found until then" : "");
        }
        return words + ": " + done + " of " + Amount.count(total, "table") + (done == 1 ? " was " : " were ") + did
                + (differing() == 0 ? "" : "; differences in " + differing());
    }

    private long count(String outcome) {
        long count = 0;
        for (JsonNode each : tables) {
            count += each.path("outcome").asText().equals(outcome) ? 1 : 0;
        }
        return count;
    }

    private long differing() {
        long count = 0;
        for (JsonNode each : tables) {
            count += differences(each) > 0 ? 1 : 0;
        }
        return count;
    }

    private long sum(String member) {
        long sum = 0;
        for (JsonNode each : tables) {
            sum += each.path(member).asLong();
        }
        return sum;
    }

    private Result compared() {
        if (differing() > 0 || report.path("onlyRight").size() > 0) {
            return Result.DIFFERENT;
        }
        return code() == 0 && leftOut.isEmpty() ? Result.EQUAL : Result.NO_DIFFERENCE_FOUND;
    }

    private String comparedText(Result result) {
        if (result == Result.EQUAL) {
            return total < 2 ? "equal" : "equal: " + Amount.count(total, "table");
        }
        if (result == Result.NO_DIFFERENCE_FOUND) {
            return "no difference in what was compared";
        }
        List<String> parts = new ArrayList<>();
        long found = 0;
        for (JsonNode each : tables) {
            found += differences(each);
        }
        if (found > 0) {
            parts.add(
                    total < 2
                            ? "differs in " + Amount.count(found, "row")
                            : "differs in " + differing() + " of " + Amount.count(total, "table"));
        }
        int right = report.path("onlyRight").size();
        if (right > 0) {
            parts.add(Amount.count(right, "table")
                    + (right == 1 ? " is" : " are")
                    + (report.path("command").asText().equals("verify") ? " not in the files" : " only on the right"));
        }
        long repaired = sum("rowsRepaired");
        if (repaired > 0) {
            parts.add(Amount.count(repaired) + " of " + Amount.count(found, "difference")
                    + (repaired == 1 ? " was" : " were") + " repaired");
        }
        return String.join("; ", parts);
    }

    private Result moved() {
        return code() == 0 && leftOut.isEmpty() ? Result.DONE : Result.DONE_IN_PART;
    }

    private String movedText(Result result) {
        boolean areWaiting = areAllWaiting();
        String rows = Amount.count(sum("rowsWritten"), "row") + (total < 2 ? "" : " of " + Amount.count(total, "table"))
                + " " + (areWaiting ? "in SSTables that are not imported yet" : did);
        long rejected = sum("rowsRejected");
        if (result == Result.DONE) {
            return rows;
        }
        if (rejected > 0) {
            return rows + ", " + Amount.count(rejected) + " rejected";
        }
        if (code() != 0) {
            return rows + ", and not everything: see the messages";
        }
        return areWaiting ? rows : rows + ", of those that were chosen";
    }
}
