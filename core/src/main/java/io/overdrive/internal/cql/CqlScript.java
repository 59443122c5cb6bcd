package io.overdrive.internal.cql;

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
public final class CqlScript {
    private static final Pattern BATCH = Pattern.compile("(?is)BEGIN\\s.*");
    private static final Pattern WHOLE_BATCH = Pattern.compile("(?is).*\\sAPPLY\\s+BATCH\\s*");
    private static final int NONE = 0;
    private static final int DOLLARS = '$';
    private static final int COMMENT = '*';

    /** The source of lines. */
    @FunctionalInterface
    public interface Lines {
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
    public record Statement(String cql, int line, int column) {}

    private final Lines lines;
    private String line = "";
    private int lineNumber;
    private int index;
    /** The statement that is being read. */
    private final StringBuilder text = new StringBuilder();

    private int startLine;
    private int startColumn;
    /** The quote or comment that is open. */
    private int inside = NONE;

    private String opened = "";

    public CqlScript(Lines lines) {
        this.lines = lines;
    }

    /** The statements of a text. */
    public static CqlScript of(String text) {
        Iterator<String> each = List.of(text.split("\\R", -1)).iterator();
        return new CqlScript(continued -> each.hasNext() ? each.next() : null);
    }

    /**
     * The next statement; null at the end. The last one needs no semicolon.
     *
     * @throws OverdriveException of kind INPUT if a quote or a comment is not closed
     */
    public @Nullable Statement next() {
        while (true) {
            if (index >= line.length()) {
                if (!readLine()) {
                    return end();
                }
            } else if (inside != NONE) {
                continueInside(line.charAt(index));
            } else if (line.startsWith("--", index) || line.startsWith("//", index)) {
                index = line.length();
            } else if (line.charAt(index) == ';' && !isOpenBatch(text)) {
                index++;
                Statement statement = end();
                if (statement != null) {
                    return statement;
                }
            } else {
                continueOutside(line.charAt(index));
            }
        }
    }

    /** Continues with the next line; false at the end. */
    private boolean readLine() {
        String next = lines.next(!text.isEmpty() || inside != NONE);
        if (next == null) {
            if (inside != NONE) {
                inside = NONE;
                text.setLength(0);
                throw new OverdriveException(Kind.INPUT, opened + " is not closed");
            }
            return false;
        }
        line = next;
        lineNumber++;
        index = 0;
        if (!text.isEmpty()) {
            text.append('\n');
        }
        return true;
    }

    /** Ends the statement; null if it is empty. */
    private @Nullable Statement end() {
        String cql = text.toString().stripTrailing();
        text.setLength(0);
        return cql.isEmpty() ? null : new Statement(cql, startLine, startColumn);
    }

    private void continueOutside(char c) {
        boolean comments = line.startsWith("/*", index);
        if (comments || c == '\'' || c == '"' || line.startsWith("$$", index)) {
            inside = comments ? COMMENT : c;
            opened = "line " + lineNumber + ", column " + (index + 1) + ": the " + (comments ? "comment" : "quote")
                    + " that starts here";
        }
        if (text.isEmpty() && (comments || Character.isWhitespace(c))) {
            index += comments ? 2 : 1;
            return;
        }
        if (text.isEmpty()) {
            startLine = lineNumber;
            startColumn = index + 1;
        }
        append(comments || inside == DOLLARS ? 2 : 1);
    }

    private void continueInside(char c) {
        if (inside == COMMENT && line.startsWith("*/", index)) {
            skipOrAppend(2);
            inside = NONE;
        } else if (inside == DOLLARS && line.startsWith("$$", index)) {
            append(2);
            inside = NONE;
        } else {
            inside = c == inside && inside != DOLLARS && inside != COMMENT ? NONE : inside;
            skipOrAppend(1);
        }
    }

    /** Leaves out a comment before the statement. */
    private void skipOrAppend(int count) {
        if (text.isEmpty()) {
            index += count;
        } else {
            append(count);
        }
    }

    private void append(int count) {
        text.append(line, index, index + count);
        index += count;
    }

    private static boolean isOpenBatch(StringBuilder text) {
        return BATCH.matcher(text).matches() && !WHOLE_BATCH.matcher(text).matches();
    }
}
