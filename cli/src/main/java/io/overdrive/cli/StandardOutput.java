package io.overdrive.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * Standard output that remembers whether its reader has gone, such as {@code head} after its last line: this is no failure, and
 * the program ends silently, as other Unix tools do. Thread-safe.
 */
final class StandardOutput extends FilterOutputStream {
    private static volatile boolean readerGone;

    private final BooleanSupplier isPipe;

    private StandardOutput(OutputStream out, BooleanSupplier isPipe) {
        super(out);
        this.isPipe = isPipe;
    }

    /** Replaces {@code System.out}; the text is UTF-8. */
    static void install() {
        install(new FileOutputStream(FileDescriptor.out), StandardOutput::isPipe);
    }

    /** Replaces {@code System.out} by another stream, whose reader is there. */
    static void install(OutputStream out, BooleanSupplier isPipe) {
        readerGone = false;
        System.setOut(new PrintStream(new StandardOutput(out, isPipe), /* autoFlush */ false, StandardCharsets.UTF_8));
    }

    /** Whether a write has failed because the reader has gone. */
    static boolean isReaderGone() {
        return readerGone;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
        try {
            out.write(bytes, from, count);
        } catch (ClosedChannelException e) { // by this process
            throw e;
        } catch (IOException e) {
            readerGone |= isPipe.getAsBoolean();
            throw e;
        }
    }

    /** A write to a pipe fails for no other reason. The text of the error depends on the user's language. */
    private static boolean isPipe() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return target.startsWith("pipe:") || target.startsWith("socket:");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }
}
