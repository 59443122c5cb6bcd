package io.overdrive.internal.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.SyntaxError;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The answer of the server to DESCRIBE TABLE, which also has what no table of system_schema has, such as Accord and constraints in
 * Cassandra 6.0. Immutable.
 *
 * @param options CQL literals by names in lower case; words of several, such as CLUSTERING ORDER BY, are among them by the first one
 * @param constraints by column, as in CQL: words after its type other than STATIC, PRIMARY KEY and a mask
 */
public record TableDescription(Map<String, String> options, Map<String, String> constraints) {
    /** Words of a column that say nothing about values that are written. */
    private static final Pattern HARMLESS =
            Pattern.compile("(?i)\\bSTATIC\\b|\\bPRIMARY\\s+KEY\\b|\\bMASKED\\s+WITH\\s+[\\w.']+(\\s*\\([^()]*\\))?");

    private static final Pattern WITH = Pattern.compile("(?i)\\s*WITH\\b");
    private static final Pattern AND = Pattern.compile("(?i)\\bAND\\b");
    private static final Pattern OPTION = Pattern.compile("(?s)\\s*(\\w+)\\s*=?\\s*(.*?)[\\s;]*");
    /** The first word of the clustering order. */
    private static final String CLUSTERING = "clustering";

    private static final Pattern KEY = Pattern.compile("(?i)PRIMARY\\s+KEY\\s*\\(");

    public TableDescription {
        options = Map.copyOf(options);
        constraints = Map.copyOf(constraints);
    }

    /**
     * Asks the server.
     *
     * @param node that is asked; null for any
     * @return empty if there is no such table, or it cannot be created with CQL, or the server is older than Cassandra 4.0 and describes none
     */
    public static Optional<TableDescription> read(
            CqlSession session, @Nullable Node node, CqlIdentifier keyspace, CqlIdentifier table) {
        SimpleStatement describe = OwnQuery.of("DESCRIBE TABLE " + keyspace.asCql(true) + "." + table.asCql(true))
                .setNode(node);
        try {
            for (Row row : session.execute(describe)) {
                String create = String.valueOf(row.getString("create_statement"));
                // others are its indexes and views; that of a virtual table, or of compact storage, may be a comment
                if ("table".equals(row.getString("type"))
                        && !CqlText.bare(create).isEmpty()) {
                    return Optional.of(of(create));
                }
            }
        } catch (InvalidQueryException | SyntaxError e) {
            return Optional.empty();
        }
        return Optional.empty();
    }

    /**
     * The parts of a statement that creates a table.
     *
     * @param create a CREATE TABLE
     * @throws IllegalArgumentException if it is none
     */
    public static TableDescription of(String create) {
        String text = CqlText.bare(create);
        String masked = CqlText.masked(text);
        int columns = masked.indexOf('(') + 1;
        int end = end(create, masked);
        return new TableDescription(options(text, masked, end), constraints(text, masked, columns, end - 1));
    }

    /**
     * The definitions of a statement's columns, and of their primary key if it is apart from them.
     *
     * @param create a CREATE TABLE
     * @throws IllegalArgumentException if it is none
     */
    public static List<String> columns(String create) {
        String text = CqlText.bare(create);
        String masked = CqlText.masked(text).replace('<', '(').replace('>', ')');
        int to = end(create, masked) - 1;
        List<String> columns = new ArrayList<>();
        int end;
        for (int at = masked.indexOf('(') + 1; at < to; at = end + 1) {
            end = Math.min(to, part(masked, at, ','));
            columns.add(text.substring(at, end).strip());
        }
        return columns;
    }

    /**
     * The statement with other columns.
     *
     * @param create a CREATE TABLE
     * @param columns as {@link #columns} returns them
     * @throws IllegalArgumentException if it is none
     */
    public static String withColumns(String create, List<String> columns) {
        String text = CqlText.bare(create);
        String masked = CqlText.masked(text);
        return text.substring(0, masked.indexOf('(') + 1)
                + String.join(", ", columns)
                + text.substring(end(create, masked) - 1);
    }

    /** Where the brackets around the columns end. */
    private static int end(String create, String masked) {
        int columns = masked.indexOf('(') + 1;
        int end = columns == 0 ? masked.length() : part(masked, columns, ')');
        if (end == masked.length()) {
            throw new IllegalArgumentException("not the definition of a table: " + create);
        }
        return end + 1;
    }

    /**
     * The statement with other options. The clustering order stays, which is none of them.
     *
     * @param create a CREATE TABLE
     * @param options CQL literals by names
     * @throws IllegalArgumentException if it is none
     */
    public static String withOptions(String create, Map<String, String> options) {
        String text = CqlText.bare(create);
        String masked = CqlText.masked(text);
        int end = end(create, masked);
        String order = options(text, masked, end).get(CLUSTERING);
        List<String> parts = new ArrayList<>();
        if (order != null) {
            parts.add("CLUSTERING " + order);
        }
        options.forEach((name, value) -> parts.add(name + " = " + value));
        return text.substring(0, end) + (parts.isEmpty() ? "" : " WITH " + String.join("\n    AND ", parts));
    }

    private static Map<String, String> constraints(String text, String masked, int from, int to) {
        Map<String, String> constraints = new LinkedHashMap<>();
        int end;
        for (int at = from; at < to; at = end + 1) {
            int name = skip(masked, at, /* spaces */ true);
            if (KEY.matcher(masked).region(name, to).lookingAt()) {
                end = part(masked, name, ',');
                continue;
            }
            int nameEnd = skip(masked, name, /* spaces */ false);
            int rest = Math.min(to, typeEnd(masked, skip(masked, nameEnd, /* spaces */ true)));
            end = Math.min(to, part(masked, rest, ','));
            String unknown = HARMLESS.matcher(masked.substring(rest, end))
                    .replaceAll(word -> " ".repeat(word.group().length()));
            if (!unknown.isBlank()) {
                int begin = rest + skip(unknown, 0, /* spaces */ true);
                constraints.put(
                        text.substring(name, nameEnd),
                        text.substring(begin, rest + unknown.stripTrailing().length()));
            }
        }
        return constraints;
    }

    private static Map<String, String> options(String text, String masked, int from) {
        Map<String, String> options = new LinkedHashMap<>();
        Matcher with = WITH.matcher(masked).region(from, masked.length());
        Matcher and = AND.matcher(masked);
        int end;
        for (int at = with.lookingAt() ? with.end() : masked.length(); at < masked.length(); at = end) {
            boolean isLast = !and.find(at);
            Matcher option = OPTION.matcher(text.substring(at, isLast ? masked.length() : and.start()));
            if (option.matches()) {
                options.put(option.group(1).toLowerCase(Locale.ROOT), option.group(2));
            }
            end = isLast ? masked.length() : and.end();
        }
        return options;
    }

    /** Where spaces end, or words. */
    private static int skip(String masked, int from, boolean spaces) {
        int at = from;
        while (at < masked.length() && Character.isWhitespace(masked.charAt(at)) == spaces) {
            at++;
        }
        return at;
    }

    /** Where the type that begins here ends: at a space or comma that is not within angle brackets. */
    private static int typeEnd(String masked, int from) {
        int depth = 0;
        int at = from;
        while (at < masked.length()) {
            char c = masked.charAt(at);
            depth += c == '<' ? 1 : c == '>' ? -1 : 0;
            if (depth == 0 && (c == ',' || Character.isWhitespace(c))) {
                return at;
            }
            at++;
        }
        return at;
    }

    /** Where the definition of a column, or a list of them, ends: at this character outside of brackets. */
    private static int part(String masked, int from, char end) {
        int depth = 0;
        int at = from;
        while (at < masked.length() && (depth > 0 || masked.charAt(at) != end)) {
            char c = masked.charAt(at);
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            at++;
        }
        return at;
    }
}
