package io.overdrive.cli.options;

import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.names.VisibleText;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A program that runs commands in this process, one call at a time, and gets as data what a person would see: docs/design/python.md. A
 * process that a person has started has none. Set and read by the thread of the command; the methods are called by any thread.
 */
public abstract class Caller {
    private static volatile @Nullable Caller current;

    /** The program whose call runs; null if a person runs the command. */
    public static @Nullable Caller current() {
        return current;
    }

    /** Begins a call, or with null ends it. */
    protected static void set(@Nullable Caller caller) {
        current = caller;
    }

    /**
     * Reports why a command fails, in one sentence.
     *
     * @param cause null if there is none
     */
    public static void fail(PrintWriter err, String message, @Nullable Throwable cause) {
        Caller caller = current;
        if (caller == null) {
            err.println("overdrive: " + message);
        } else {
            caller.failed(VisibleText.of(message), cause instanceof OverdriveException known ? known.kind() : null);
        }
    }

    /** Gets the progress of a job, an object of JSON; twice a second. */
    public abstract void progress(String json);

    /** Gets the summary of a command, an object of JSON. */
    public abstract void summary(String json);

    /** Sets what ends the job that runs in an orderly way; null after it. A call that is cancelled already ends it at once. */
    public abstract void onCancel(@Nullable Runnable stop);

    /** Connects to a cluster, by a connection of an earlier call if possible. */
    public abstract Overdrive connect(ConnectOptions options);

    /**
     * Keys for TLS, those of an earlier call if possible.
     *
     * @param parts what they are made of
     */
    public abstract SSLContext tls(List<Object> parts, Supplier<SSLContext> made);

    /**
     * Gets the sentence of a failure.
     *
     * @param kind null if it is of none
     */
    protected abstract void failed(String message, @Nullable Kind kind);
}
