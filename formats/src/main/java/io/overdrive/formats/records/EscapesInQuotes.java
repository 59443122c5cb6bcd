package io.overdrive.formats.records;

import org.jspecify.annotations.Nullable;

/**
 * Turns CSV whose escape character counts only in quotes, as DSBulk and Spark write it, into CSV whose quotes are doubled: an
 * escaped quote becomes two, an escaped escape character becomes one, and everything else stays. Fields begin and end where
 * {@link CsvScanner} finds them. Used for one text; on the hot path.
 */
final class EscapesInQuotes {
    private final String text;
    private final int length;
    private final String delimiter;
    private final char quote;
    private final char escape;
    private final @Nullable Character comment;
    private final StringBuilder converted;
    private int copied;

    private EscapesInQuotes(String text, InputFormat format, char quote, char escape) {
        this.text = text;
        length = text.length();
        delimiter = String.valueOf(format.delimiter());
        this.quote = quote;
        this.escape = escape;
        comment = format.comment();
        converted = new StringBuilder(length + 16);
    }

    static String toDoubledQuotes(String text, InputFormat format) {
        Character quote = format.quote();
        Character escape = format.escape();
        return quote == null || escape == null || text.indexOf(escape) < 0
                ? text
                : new EscapesInQuotes(text, format, quote, escape).convert();
    }

    private String convert() {
        int i = 0;
        boolean recordStart = true;
        boolean fieldStart = true;
        while (i < length) {
            char c = text.charAt(i);
            if (recordStart && comment != null && c == comment) {
                i = lineEnd(i);
            } else if (fieldStart && c == quote) {
                i = quoted(i + 1);
                recordStart = false;
                fieldStart = false;
            } else if (c == '\n' || c == '\r') {
                i++;
                recordStart = true;
                fieldStart = true;
            } else {
                recordStart = false;
                fieldStart = text.startsWith(delimiter, i);
                i += fieldStart ? delimiter.length() : 1;
            }
        }
        return converted.append(text, copied, length).toString();
    }

    /** Converts the field in quotes that begins at {@code from}; returns where the record continues after it. */
    private int quoted(int from) {
        int i = from;
        while (i < length) {
            char c = text.charAt(i);
            char next = i + 1 < length ? text.charAt(i + 1) : '\0';
            if (c == quote && next != quote) {
                return i + 1;
            }
            if (c == escape && (next == quote || next == escape)) {
                converted.append(text, copied, i);
                copied = i + 1;
                if (next == quote) {
                    converted.append(quote);
                }
            }
            i += c == quote || c == escape ? 2 : 1;
        }
        return length;
    }

    private int lineEnd(int from) {
        int i = from;
        while (i < length && text.charAt(i) != '\n' && text.charAt(i) != '\r') {
            i++;
        }
        return i;
    }
}
