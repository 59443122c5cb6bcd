package io.overdrive;

import org.jspecify.annotations.Nullable;

/**
 * What went wrong, in words a user can act on; {@link #kind} tells the sort of it. The one unchecked exception that
 * Overdrive itself throws for anything but a programming mistake. Immutable.
 */
public final class OverdriveException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The sorts of failure. */
    public enum Kind {
        /** No node could be reached, or they refused us. */
        CONNECT,
        /** A keyspace, table, column or statement is not what the options say. */
        SCHEMA,
        /** A row is not complete, for example a key column is not set. */
        ROW,
        /** Cassandra did not take writes: rows are lost unless the input is read again. */
        WRITE,
        /** Cassandra did not give rows: what was read is not all. */
        READ,
        /** A local file could not be read or written. */
        DISK,
        /** The thread was interrupted while it waited, or the scan was stopped or closed. */
        INTERRUPTED
    }

    private final Kind kind;

    public OverdriveException(Kind kind, String message) {
        this(kind, message, null);
    }

    public OverdriveException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
