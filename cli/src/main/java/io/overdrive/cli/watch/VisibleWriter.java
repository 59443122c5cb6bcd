package io.overdrive.cli.watch;

import io.overdrive.internal.names.VisibleText;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;

/** Passes text on with its control characters escaped, as names and values of an input may be in it. As thread-safe as its target. */
public final class VisibleWriter extends FilterWriter {
    private VisibleWriter(Writer out) {
        super(out);
    }

    /** A writer of messages and summaries; it is flushed after each line. */
    public static PrintWriter on(Writer out) {
        return new PrintWriter(new VisibleWriter(out), /* autoFlush */ true);
    }

    @Override
    public void write(int c) throws IOException {
        out.write(VisibleText.of(String.valueOf((char) c)));
    }

    @Override
    public void write(char[] chars, int from, int count) throws IOException {
        out.write(VisibleText.of(new String(chars, from, count)));
    }

    @Override
    public void write(String text, int from, int count) throws IOException {
        out.write(VisibleText.of(text.substring(from, from + count)));
    }
}
