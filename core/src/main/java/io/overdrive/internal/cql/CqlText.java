package io.overdrive.internal.cql;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.CollectionChange;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The text of statements: finds the clauses of a SELECT outside of quotes, adds the condition on the token, and builds INSERT and
 * UPDATE. Stateless.
 */
public final class CqlText {
    private static final String QUOTE = "'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\"|\\$\\$.*?\\$\\$";
    private static final Pattern QUOTED = Pattern.compile(QUOTE, Pattern.DOTALL);
    private static final Pattern QUOTED_OR_COMMENT =
            Pattern.compile("(" + QUOTE + ")|--[^\r\n]*+|//[^\r\n]*+|/\\*.*?\\*/", Pattern.DOTALL);

    /** Characters that separate words for the server; it refuses other control characters, so they stay. */
    private static final String SPACE = " \t\r\n";

    private static final Pattern WHERE = Pattern.compile("(?i)\\bwhere\\b");
    /** Clauses that may follow the conditions of a SELECT. */
    private static final Pattern AFTER_WHERE =
            Pattern.compile("(?i)\\b(group\\s+by|order\\s+by|per\\s+partition\\s+limit|limit|allow\\s+filtering)\\b");

    private static final Pattern LIMIT =
            Pattern.compile("(?i)(\\bper\\s+partition\\s+)?\\blimit\\b(?:\\s+(\\d{1,10}))?");
    private static final Pattern WORD = Pattern.compile("\\w+");
    private static final Pattern ALIAS = Pattern.compile("(?i)\\bas\\b");
    private static final Pattern GROUP_BY = Pattern.compile("(?i)\\bgroup\\s+by\\b");

    private CqlText() {}

    /** The statement without comments, which would swallow conditions added after them, and without semicolons at its end. */
    public static String bare(String cql) {
        String bare = QUOTED_OR_COMMENT
                .matcher(cql)
                .replaceAll(found -> found.group(1) == null ? " " : Matcher.quoteReplacement(found.group()))
                .strip();
        while (bare.endsWith(";")) {
            bare = bare.substring(0, bare.length() - 1).stripTrailing();
        }
        return bare;
    }

    /** Whether it has a LIMIT over all rows; PER PARTITION LIMIT is none. */
    public static boolean hasLimit(String cql) {
        return LIMIT.matcher(masked(cql)).results().anyMatch(found -> found.group(1) == null);
    }

    /**
     * The maximum number of rows to request in pages after the first. On a request for at least as many rows as the LIMIT, the
     * server starts from the first row, whatever the paging state says.
     */
    public static int maxLaterPageRows(String cql) {
        return LIMIT.matcher(masked(cql))
                .results()
                .filter(found -> found.group(1) == null && found.group(2) != null)
                .mapToInt(found -> (int) Math.min(Integer.MAX_VALUE, Long.parseLong(found.group(2)) - 1))
                .min()
                .orElse(Integer.MAX_VALUE);
    }

    /** Whether conditions are none, but only what follows them, like PER PARTITION LIMIT. */
    public static boolean hasNoConditions(String where) {
        return AFTER_WHERE.matcher(masked(where)).lookingAt();
    }

    /** Whether nothing follows conditions, such as PER PARTITION LIMIT. */
    public static boolean hasOnlyConditions(String where) {
        return !AFTER_WHERE.matcher(masked(where)).find();
    }

    /** Whether it has a LIMIT over all rows, or those of each partition. */
    public static boolean hasAnyLimit(String cql) {
        return LIMIT.matcher(masked(cql)).find();
    }

    /**
     * Whether it has a name, in quotes or not. Functions and fields of types may have that name, too.
     *
     * @param name as the server has it
     */
    public static boolean hasName(String cql, String name) {
        String quoted = '"' + name.replace("\"", "\"\"") + '"';
        return QUOTED.matcher(cql).results().anyMatch(found -> found.group().equals(quoted))
                || WORD.matcher(masked(cql)).results().anyMatch(found -> found.group()
                        .toLowerCase(Locale.ROOT)
                        .equals(name));
    }

    public static boolean hasAlias(String cql) {
        return ALIAS.matcher(masked(cql)).find();
    }

    public static boolean hasGroupBy(String cql) {
        return GROUP_BY.matcher(masked(cql)).find();
    }

    /**
     * Adds the condition {@code token(key) > ? AND token(key) <= ?} to a query without comments. The server decides whether the
     * query may have it.
     *
     * @param key columns of the partition key, quoted if necessary
     */
    public static String withToken(String cql, List<String> key) {
        String token = "token(" + String.join(", ", key) + ")";
        String masked = masked(cql);
        Matcher after = AFTER_WHERE.matcher(masked);
        int at = after.find() ? after.start() : cql.length();
        boolean where = WHERE.matcher(masked).find();
        int end = at;
        while (end > 0 && SPACE.indexOf(cql.charAt(end - 1)) >= 0) {
            end--;
        }
        return cql.substring(0, end) + (where ? " AND " : " WHERE ") + token + " > ? AND " + token + " <= ? "
                + cql.substring(at);
    }

    /**
     * The statement with another keyspace before the names of tables, types and functions.
     *
     * @param from the keyspace as the statement has it, in quotes if necessary
     */
    public static String withKeyspace(String cql, String from, String to) {
        Matcher qualifier = Pattern.compile(
                        "'(?:[^']|'')*+'|\\$\\$.*?\\$\\$|(?<![\\w.])" + Pattern.quote(from)
                                + "\\.|\"(?:[^\"]|\"\")*+\"",
                        Pattern.DOTALL)
                .matcher(cql);
        return qualifier.replaceAll(
                found -> Matcher.quoteReplacement(found.group().equals(from + ".") ? to + "." : found.group()));
    }

    /** An INSERT with a marker for each column. */
    public static String insert(TableSchema table, List<Column> columns, boolean ifNotExists, String using) {
        return "INSERT INTO " + table.cqlName() + " (" + Columns.list(columns) + ") VALUES ("
                + String.join(", ", Collections.nCopies(columns.size(), "?")) + ")"
                + (ifNotExists ? " IF NOT EXISTS" : "") + using;
    }

    /** An UPDATE with a marker for each value, and then one for each column of the key. */
    public static String update(
            TableSchema table,
            String using,
            List<Column> values,
            Map<String, CollectionChange> changes,
            List<Column> key) {
        return "UPDATE " + table.cqlName() + using + " SET "
                + values.stream()
                        .map(column -> assignment(column, changes.get(column.name())))
                        .collect(Collectors.joining(", "))
                + " WHERE " + Columns.equalMarkers(key);
    }

    private static String assignment(Column column, @Nullable CollectionChange change) {
        String name = column.cqlName();
        if (column.type().equals(DataTypes.COUNTER)) {
            return name + " = " + name + " + ?";
        }
        if (change == null) {
            return name + " = ?";
        }
        return switch (change) {
            case ADD -> name + " = " + name + " + ?";
            case PREPEND -> name + " = ? + " + name;
            case REMOVE -> name + " = " + name + " - ?";
        };
    }

    /**
     * The clause USING, with a space in front; empty if it has no part.
     *
     * @param ttl seconds or {@code ?}; null for none
     * @param timestamp whether it has a marker for the write time
     */
    public static String using(@Nullable String ttl, boolean timestamp) {
        String both = ttl != null && timestamp ? " AND " : "";
        return ttl == null && !timestamp
                ? ""
                : " USING " + (ttl == null ? "" : "TTL " + ttl) + both + (timestamp ? "TIMESTAMP ?" : "");
    }

    /** A text of the same length, with quotes in place of everything quoted. */
    static String masked(String cql) {
        return QUOTED.matcher(cql)
                .replaceAll(quoted -> "'".repeat(quoted.group().length()));
    }
}
