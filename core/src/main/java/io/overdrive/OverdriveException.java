package io.overdrive;

import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.names.VisibleText;
import org.jspecify.annotations.Nullable;

/**
 * A failure, with a message that a user can act on: where it happened, what failed, the value, and the way out.
 * {@link #kind} classifies it. This is the one exception that Overdrive throws itself; wrong arguments, such as options that
 * are out of range, are IllegalArgumentException, and calls in the wrong state are IllegalStateException. Control characters of names
 * and values are escaped in the message. Immutable.
 */
public final class OverdriveException extends RuntimeException implements MessageText.Bearer {
    private static final long serialVersionUID = 1;

    /** The kinds of failure. */
    public enum Kind {
        /**
         * No node could be reached, the nodes refused the connection, the schema could not be read, or a clock differs too much from
         * theirs.
         */
        CONNECT,
        /** The options do not fit the schema: a keyspace, table, column or statement. */
        SCHEMA,
        /** A row or key is incomplete, for example because a key column is not set. The writer or queue can continue. */
        ROW,
        /** Rows could not be written. Rows neither written nor rejected are lost unless the input is read again. */
        WRITE,
        /** Rows could not be read: the result is incomplete. */
        READ,
        /** A local file could not be read or written. */
        DISK,
        /** The files of a job are not right: missing, damaged, with fields that match no column, or not writable. */
        INPUT,
        /** The thread was interrupted while it waited, or the scan was stopped or closed. */
        INTERRUPTED
    }

    private final Kind kind;
    private final transient @Nullable MessageText text;

    /** A failure without a cause that is an exception. */
    public OverdriveException(Kind kind, String message) {
        this(kind, message, null);
    }

    /** @param cause the exception behind the message, or null */
    public OverdriveException(Kind kind, String message, @Nullable Throwable cause) {
        this(kind, MessageText.plain(message), cause);
    }

    /** A failure with a message that names options. */
    public OverdriveException(Kind kind, MessageText message) {
        this(kind, message, null);
    }

    /** As {@link #OverdriveException(Kind, MessageText)}, with the exception behind the message, or null. */
    public OverdriveException(Kind kind, MessageText message, @Nullable Throwable cause) {
        super(VisibleText.of(message.inJava()), cause);
        this.kind = kind;
        this.text = message;
    }

    /** The part or cause of the failure, for programs that react to it. */
    public Kind kind() {
        return kind;
    }

    @Override
    public @Nullable MessageText text() {
        return text;
    }
}
