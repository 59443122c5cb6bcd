package io.overdrive.cli;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Splits text into CQL statements at semicolons outside of quotes, comments and batches. A statement is returned as soon as
 * its semicolon is read, so that lines may come from a terminal. Confined to one thread.
 */
final class CqlScript {
    private static final Pattern BATCH = Pattern.compile("(?is)BEGIN\\s.*");
    private static final Pattern WHOLE_BATCH = Pattern.compile("(?is).*\\sAPPLY\\s+BATCH\\s*");
    private static final int NONE = 0;
    private static final int DOLLARS = '$';
    private static final int COMMENT = '*';

    /** The source of lines. */
    @FunctionalInterface
    interface Lines {
        /**
         * The next line without its line end; null at the end.
         *
         * @param continued whether a statement has begun and not ended
         */
        @Nullable String next(boolean continued);
    }

    /**
     * A statement without its semicolon.
     *
     * @param line where it begins, from 1
     * @param column where it begins, from 1
     */
    record Statement(String cql, int line, int column) {}

    private final Lines lines;
    private String line = "";
    private int lineNumber;
    private int index;

    CqlScript(Lines lines) {
        this.lines = lines;
    }

    static CqlScript of(String text) {
        Iterator<String> each = List.of(text.split("\\R", -1)).iterator();
        return new CqlScript(continued -> each.hasNext() ? each.next() : null);
    }

    /**
     * The next statement; null at the end. The last one needs no semicolon.
     *
     * @throws OverdriveException of kind INPUT if a quote or a comment is not closed
     */
    @Nullable Statement next() {
        StringBuilder text = new StringBuilder();
        int startLine = 0;
        int startColumn = 0;
        int inside = NONE;
        String opened = "";
        while (true) {
            if (index >= line.length()) {
                String next = lines.next(!text.isEmpty() || inside != NONE);
                if (next == null) {
                    if (inside != NONE) {
                        throw new OverdriveException(Kind.INPUT, opened + " is not closed");
                    }
                    return statement(text, startLine, startColumn);
                }
                line = next;
                lineNumber++;
                index = 0;
                if (!text.isEmpty()) {
                    text.append('\n');
                }
                continue;
            }
            char c = line.charAt(index);
            if (inside == NONE) {
                if (line.startsWith("--", index) || line.startsWith("//", index)) {
                    index = line.length();
                    continue;
                }
                if (c == ';' && !isOpenBatch(text)) {
                    index++;
                    Statement statement = statement(text, startLine, startColumn);
                    if (statement != null) {
                        return statement;
                    }
                    continue;
                }
                boolean comments = line.startsWith("/*", index);
                if (comments || c == '\'' || c == '"' || line.startsWith("$$", index)) {
                    inside = comments ? COMMENT : c;
                    opened = "line " + lineNumber + ", column " + (index + 1) + ": the "
                            + (comments ? "comment" : "quote") + " that starts here";
                }
                if (text.isEmpty() && (comments || Character.isWhitespace(c))) {
                    index += comments ? 2 : 1;
                    continue;
                }
                if (text.isEmpty()) {
                    startLine = lineNumber;
                    startColumn = index + 1;
                }
                index = append(text, comments || inside == DOLLARS ? 2 : 1);
            } else if (inside == COMMENT && line.startsWith("*/", index)) {
                index = text.isEmpty() ? index + 2 : append(text, 2);
                inside = NONE;
            } else if (inside == DOLLARS && line.startsWith("$$", index)) {
                index = append(text, 2);
                inside = NONE;
            } else {
                inside = c == inside && inside != DOLLARS && inside != COMMENT ? NONE : inside;
                index = text.isEmpty() ? index + 1 : append(text, 1);
            }
        }
    }

    private int append(StringBuilder text, int count) {
        text.append(line, index, index + count);
        return index + count;
    }

    private static boolean isOpenBatch(StringBuilder text) {
        return BATCH.matcher(text).matches() && !WHOLE_BATCH.matcher(text).matches();
    }

    private static @Nullable Statement statement(StringBuilder text, int line, int column) {
        String cql = text.toString().stripTrailing();
        return cql.isEmpty() ? null : new Statement(cql, line, column);
    }
}
