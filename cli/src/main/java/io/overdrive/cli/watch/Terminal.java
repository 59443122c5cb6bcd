package io.overdrive.cli.watch;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.function.Consumer;

/**
 * The width of the terminal, which the launcher passes, and lines that fit into it: a terminal breaks longer ones amid a word. Stateless.
 */
public final class Terminal {
    /** The width of the terminal to which standard error goes; 0 if there is none. */
    static final int ERR_COLUMNS = Integer.getInteger("overdrive.columns", 0);

    private static final int OUT_COLUMNS = Integer.getInteger("overdrive.stdout.columns", 0);
    /** 0 unless a person reads both: a file keeps whole lines. */
    private static final int COLUMNS = Math.min(ERR_COLUMNS, OUT_COLUMNS);
    /** The column of the text after the label of a line. */
    private static final int INDENT = 12;

    private static final int MIN_COLUMNS = 3 * INDENT;
    /** How lines begin that have a command to be copied. */
    private static final String COMMAND = "  NOT COMPLETE";

    private Terminal() {}

    /** Prints a plan or a summary, whose lines are broken between words. */
    public static void print(PrintWriter out, Consumer<PrintWriter> text) {
        if (COLUMNS == 0) {
            text.accept(out);
            return;
        }
        StringWriter lines = new StringWriter();
        PrintWriter to = new PrintWriter(lines);
        text.accept(to);
        to.flush();
        lines.toString().lines().forEach(line -> out.println(wrapped(line, COLUMNS)));
    }

    /** The line, further lines of which begin below its text. A number stays with the word after it, its unit, if possible. */
    static String wrapped(String line, int columns) {
        if (columns < MIN_COLUMNS || !line.startsWith("  ") || line.startsWith(COMMAND)) {
            return line;
        }
        StringBuilder result = new StringBuilder();
        String rest = line;
        while (rest.length() > columns) {
            int end = end(rest, columns);
            if (end < 0) {
                break;
            }
            result.append(rest.substring(0, end).stripTrailing()).append(System.lineSeparator());
            rest = " ".repeat(INDENT) + rest.substring(end).strip();
        }
        return result.append(rest).toString();
    }

    /** The last space where the line can end, or the first one after that; -1 if there is none. */
    private static int end(String line, int columns) {
        int afterNumber = -1;
        for (int i = columns; i > INDENT; i--) {
            if (line.charAt(i) == ' ') {
                if (!Character.isDigit(line.charAt(i - 1))) {
                    return i;
                }
                afterNumber = Math.max(afterNumber, i);
            }
        }
        return afterNumber > 0 ? afterNumber : line.indexOf(' ', columns);
    }
}
