package io.overdrive.internal.cql;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads and changes the text of a SELECT: finds its clauses outside of quotes, and adds the condition on the token. Stateless.
 */
public final class CqlText {
    private static final String QUOTE = "'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\"|\\$\\$.*?\\$\\$";
    private static final Pattern QUOTED = Pattern.compile(QUOTE, Pattern.DOTALL);
    private static final Pattern QUOTED_OR_COMMENT =
            Pattern.compile("(" + QUOTE + ")|--[^\r\n]*+|//[^\r\n]*+|/\\*.*?\\*/", Pattern.DOTALL);

    private static final Pattern WHERE = Pattern.compile("\\bwhere\\b");
    /** What may follow the conditions of a SELECT. */
    private static final Pattern AFTER_WHERE =
            Pattern.compile("\\b(group\\s+by|order\\s+by|per\\s+partition\\s+limit|limit|allow\\s+filtering)\\b");

    private static final Pattern LIMIT = Pattern.compile("(\\bper\\s+partition\\s+)?\\blimit\\b(?:\\s+(\\d{1,10}))?");
    private static final Pattern ALIAS = Pattern.compile("\\bas\\b");
    private static final Pattern GROUP_BY = Pattern.compile("\\bgroup\\s+by\\b");

    private CqlText() {}

    /** The query without comments, which would swallow conditions added after them, and without semicolons at its end. */
    public static String bare(String query) {
        return withoutSemicolon(QUOTED_OR_COMMENT
                .matcher(query)
                .replaceAll(found -> found.group(1) == null ? " " : Matcher.quoteReplacement(found.group())));
    }

    static String withoutSemicolon(String cql) {
        String statement = cql.strip();
        while (statement.endsWith(";")) {
            statement = statement.substring(0, statement.length() - 1).stripTrailing();
        }
        return statement;
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
        return cql.substring(0, at).stripTrailing() + (where ? " AND " : " WHERE ") + token + " > ? AND " + token
                + " <= ? " + cql.substring(at);
    }

    /** The text in lower case and of the same length, with quotes in place of everything quoted. */
    private static String masked(String cql) {
        return QUOTED.matcher(cql)
                .replaceAll(quoted -> "'".repeat(quoted.group().length()))
                .toLowerCase(Locale.ROOT);
    }
}
