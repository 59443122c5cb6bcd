package io.overdrive.sql;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Reads a text of SQL as far as texts, names and comments go. Stateless. */
final class Statements {
    private Statements() {}

    /**
     * The statements that are not empty, without the semicolons between them. Each begins with as many line ends as come before it in the
     * text, so that messages about it have the right line.
     */
    static List<String> of(String sql) {
        List<String> statements = new ArrayList<>();
        boolean hasText = false;
        int start = 0;
        int at = 0;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (c == ';') {
                if (hasText) {
                    statements.add(statement(sql, start, at));
                }
                hasText = false;
                start = ++at;
                continue;
            }
            int end = unit(sql, at);
            boolean isComment = sql.startsWith("--", at) || sql.startsWith("/*", at);
            hasText |= !isComment && !Character.isWhitespace(c);
            at = end;
        }
        if (hasText) {
            statements.add(statement(sql, start, at));
        }
        return statements;
    }

    /** The text with these words in quotes wherever they stand by themselves, unless they are called like functions. */
    static String quoted(String sql, Collection<String> words) {
        StringBuilder quoted = new StringBuilder();
        int at = 0;
        while (at < sql.length()) {
            int end = at;
            while (end < sql.length() && Character.isJavaIdentifierPart(sql.charAt(end)) && sql.charAt(end) != '$') {
                end++;
            }
            boolean isWord = end > at;
            end = isWord ? end : unit(sql, at);
            String part = sql.substring(at, end);
            boolean isName = isWord
                    && words.contains(part)
                    && !sql.substring(end).stripLeading().startsWith("(");
            quoted.append(isName ? '"' + part + '"' : part);
            at = end;
        }
        return quoted.toString();
    }

    private static String statement(String sql, int start, int end) {
        return "\n".repeat((int)
                        sql.substring(0, start).chars().filter(c -> c == '\n').count())
                + sql.substring(start, end);
    }

    /** The end of the text, name or comment that begins there, or of the character. */
    private static int unit(String sql, int at) {
        char c = sql.charAt(at);
        if (c == '\'' || c == '"') {
            boolean hasEscapes = c == '\'' && at > 0 && (sql.charAt(at - 1) | ' ') == 'e';
            return endOfQuoted(sql, at + 1, c, hasEscapes);
        }
        if (sql.startsWith("--", at)) {
            return before(sql, "\n", at);
        }
        if (sql.startsWith("/*", at)) {
            return after(sql, "*/", at + 2);
        }
        if (c == '$') {
            int tag = at + 1;
            while (tag < sql.length() && Character.isJavaIdentifierPart(sql.charAt(tag)) && sql.charAt(tag) != '$') {
                tag++;
            }
            if (tag < sql.length() && sql.charAt(tag) == '$') {
                return after(sql, sql.substring(at, tag + 1), tag + 1);
            }
        }
        return at + 1;
    }

    private static int endOfQuoted(String sql, int from, char quote, boolean hasEscapes) {
        int at = from;
        while (at < sql.length()) {
            if (hasEscapes && sql.charAt(at) == '\\') {
                at += 2;
            } else if (sql.charAt(at++) == quote) {
                return at; // a doubled quote begins the next unit
            }
        }
        return sql.length();
    }

    private static int before(String sql, String end, int from) {
        int at = sql.indexOf(end, from);
        return at < 0 ? sql.length() : at;
    }

    private static int after(String sql, String end, int from) {
        int at = sql.indexOf(end, from);
        return at < 0 ? sql.length() : at + end.length();
    }
}
