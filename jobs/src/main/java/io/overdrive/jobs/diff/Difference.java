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
 * @param columns the columns that differ; empty unless the kind is DIFFERENT
 */
public record Difference(Kind kind, String key, List<String> columns) {

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
        String names = columns.stream().map(KeyJson::quoted).collect(Collectors.joining(","));
        return "\"kind\":\"" + kind.name().toLowerCase(Locale.ROOT).replace('_', '-') + "\",\"key\":" + key
                + (columns.isEmpty() ? "" : ",\"columns\":[" + names + "]");
    }
}
