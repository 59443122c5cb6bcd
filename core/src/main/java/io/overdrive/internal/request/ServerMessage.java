package io.overdrive.internal.request;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.response.Error;
import com.datastax.oss.protocol.internal.response.error.Unavailable;

/** The messages of errors that a server answers. Stateless. */
public final class ServerMessage {
    /** Part of the answer of Cassandra 6.0 to each request for a table with Accord. */
    private static final String UNSUPPORTED_LEVEL = "is unsupported with Accord";
    /** Part of the answer of Cassandra, from 4.1 on, to each request with a level that its guardrails do not allow. */
    private static final String FORBIDDEN_LEVEL = "_consistency_levels violated";

    private ServerMessage() {}

    /** The server's message, with the way out if the message does not give it. */
    public static String of(Error error) {
        if (error instanceof Unavailable few) {
            return few.message + shortage(few);
        }
        if (isUnsupportedLevel(error)) {
            return "the table does not take this consistency level, so choose another one: " + error.message;
        }
        return error.code == ErrorCode.UNAUTHORIZED ? withWayOutOfUnauthorized(error.message) : error.message;
    }

    /** Follows a reason: how many replicas are needed and can answer, as in {@code (QUORUM needs 2 replicas, and 1 can answer)}. */
    public static String shortage(Unavailable few) {
        return " (" + DefaultConsistencyLevel.fromCode(few.consistencyLevel) + " needs " + few.required
                + (few.required == 1 ? " replica" : " replicas") + ", and " + few.alive + " can answer)";
    }

    /** Whether the table does not take the consistency level, as those with Accord take few: no row is the cause. */
    public static boolean isUnsupportedLevel(Error error) {
        String message = String.valueOf(error.message);
        return error.code == ErrorCode.INVALID
                && (message.contains(UNSUPPORTED_LEVEL) || message.contains(FORBIDDEN_LEVEL));
    }

    /** The same for an error that the driver throws. */
    public static String of(Throwable e) {
        String message = String.valueOf(e.getMessage());
        return e instanceof UnauthorizedException ? withWayOutOfUnauthorized(message) : message;
    }

    /** The message of a server that misses a right, which it names, with the way out. */
    public static String withWayOutOfUnauthorized(String message) {
        return message
                + "; have it granted, or connect as another user (docs/guides/security.md lists the rights of each command)";
    }
}
