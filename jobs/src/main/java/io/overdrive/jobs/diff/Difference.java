package io.overdrive.jobs.diff;

import io.overdrive.jobs.KeyJson;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A row, or the static columns of a partition, in which two tables differ. Immutable.
 *
 * @param kind how they differ
 * @param key the primary key as a JSON object; only the partition key for static columns
 * @param columns the columns whose values differ, by their names in the left table; empty unless the kind is DIFFERENT
 * @param times the columns of the same values whose write times or times to live differ, if these are compared; otherwise empty
 */
public record Difference(Kind kind, String key, List<String> columns, List<String> times) {
    /** A difference of values, or a row that one side lacks. */
    public Difference(Kind kind, String key, List<String> columns) {
        this(kind, key, columns, List.of());
    }

    /** How two tables differ. */
    public enum Kind {
        MISSING_LEFT,
        MISSING_RIGHT,
        DIFFERENT
    }

    /** One line of JSON. */
    public String toJson() {
        return "{" + members() + "}";
    }

    /** One line of JSON that names the table, as spelled in CQL. */
    public String toJson(String table) {
        return "{\"table\":" + KeyJson.quoted(table) + "," + members() + "}";
    }

    private String members() {
        return "\"kind\":\"" + kind.name().toLowerCase(Locale.ROOT).replace('_', '-') + "\",\"key\":" + key
                + names("columns", columns) + names("times", times);
    }

    private static String names(String member, List<String> names) {
        return names.isEmpty()
                ? ""
                : ",\"" + member + "\":[" + names.stream().map(KeyJson::quoted).collect(Collectors.joining(",")) + "]";
    }
}
