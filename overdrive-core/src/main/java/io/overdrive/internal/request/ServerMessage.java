package io.overdrive.internal.request;

import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.response.Error;

/** The messages of errors that a server answers. Stateless. */
public final class ServerMessage {
    private ServerMessage() {}

    /** What the server says, and the way out if it does not say that. */
    public static String of(Error error) {
        return error.code == ErrorCode.UNAUTHORIZED ? withWayOutOfUnauthorized(error.message) : error.message;
    }

    /** The same for an error that the driver throws. */
    public static String of(Throwable e) {
        String message = String.valueOf(e.getMessage());
        return e instanceof UnauthorizedException ? withWayOutOfUnauthorized(message) : message;
    }

    /** The message of a server that misses a right, which it names, with the way out. */
    public static String withWayOutOfUnauthorized(String message) {
        return message
                + "; have it granted, or connect as another user (docs/security.md lists the rights of each command)";
    }
}
