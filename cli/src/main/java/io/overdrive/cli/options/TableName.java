package io.overdrive.cli.options;

import com.datastax.oss.driver.api.core.CqlIdentifier;

/** Parses {@code keyspace.table} as in CQL: capitals only in double quotes. Stateless. */
public final class TableName {
    private TableName() {}

    public static CqlIdentifier[] parse(String text) {
        int dot = -1;
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '"') {
                quoted = !quoted;
            } else if (text.charAt(i) == '.' && !quoted) {
                if (dot >= 0) {
                    throw wrong(text);
                }
                dot = i;
            }
        }
        if (dot <= 0 || dot == text.length() - 1 || quoted) {
            throw wrong(text);
        }
        return new CqlIdentifier[] {identifier(text, text.substring(0, dot)), identifier(text, text.substring(dot + 1))
        };
    }

    private static CqlIdentifier identifier(String whole, String part) {
        boolean quoted = part.matches("\"([^\"]|\"\")+\"");
        if (!quoted && !part.matches("[a-zA-Z][a-zA-Z0-9_]*")) {
            throw wrong(whole);
        }
        return name(part, '"' + whole + '"');
    }

    /**
     * A name as in CQL.
     *
     * @param where the place that has it, for the message if it is a word that CQL reserves
     */
    public static CqlIdentifier name(String text, String where) {
        try {
            return CqlIdentifier.fromCql(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    where + ": CQL reserves the word " + text + ", so write the name in double quotes ('\"" + text
                            + "\"')",
                    e);
        }
    }

    private static IllegalArgumentException wrong(String text) {
        return new IllegalArgumentException("\"" + text + "\" is not a table: write keyspace.table, and double quotes"
                + " around a name with capitals or special characters ('\"Shop\".\"Orders\"')");
    }
}
