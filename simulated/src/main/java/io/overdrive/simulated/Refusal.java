package io.overdrive.simulated;

import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.response.Error;

/** A request that a node answers with an error. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int code;

    private Refusal(int code, String message) {
        super(message, /* cause */ null, /* enableSuppression */ false, /* writableStackTrace */ false);
        this.code = code;
    }

    static Refusal invalid(String message) {
        return new Refusal(ErrorCode.INVALID, message);
    }

    static Refusal syntax(String message) {
        return new Refusal(ErrorCode.SYNTAX_ERROR, message);
    }

    /** Refuses what Cassandra takes. */
    static Refusal notSimulated(String what) {
        return invalid("a simulated cluster has no " + what + ": use a real one, overdrive local start");
    }

    Error answer() {
        return new Error(code, String.valueOf(getMessage()));
    }
}
