package io.overdrive.internal.write;

import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import java.util.random.RandomGenerator;

/** What to do with a request that failed. Pure: all it knows are its arguments. */
final class RetryRule {
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 10_000;

    enum Decision {
        /** Send it again after a pause, to another replica where there is one. */
        AGAIN,
        /** The server refuses one of the rows: look for it. */
        SPLIT,
        /** Give the rows up. */
        REJECT,
        /** No request of this run can succeed. */
        FAIL
    }

    private RetryRule() {}

    /** What an error message of the server means for the request. */
    static Decision afterError(int errorCode, Write write, boolean idempotent, int maxAttempts) {
        return switch (errorCode) {
            // surely not applied
            case ErrorCode.OVERLOADED, ErrorCode.UNAVAILABLE, ErrorCode.IS_BOOTSTRAPPING, ErrorCode.UNPREPARED ->
                again(write, maxAttempts);
            // maybe applied
            case ErrorCode.WRITE_TIMEOUT,
                    ErrorCode.WRITE_FAILURE,
                    ErrorCode.CDC_WRITE_FAILURE,
                    ErrorCode.SERVER_ERROR,
                    ErrorCode.TRUNCATE_ERROR,
                    ErrorCode.CAS_WRITE_UNKNOWN,
                    ErrorCode.READ_TIMEOUT,
                    ErrorCode.READ_FAILURE -> idempotent ? again(write, maxAttempts) : Decision.REJECT;
            case ErrorCode.INVALID, ErrorCode.FUNCTION_FAILURE -> write.rows() > 1 ? Decision.SPLIT : Decision.REJECT;
            default -> Decision.FAIL;
        };
    }

    /** What the lack of an answer means: the connection broke, or the time was up. */
    static Decision afterSilence(boolean sent, Write write, boolean idempotent, int maxAttempts) {
        return !sent || idempotent ? again(write, maxAttempts) : Decision.REJECT;
    }

    private static Decision again(Write write, int maxAttempts) {
        return write.attempts < maxAttempts ? Decision.AGAIN : Decision.REJECT;
    }

    /** Exponential back-off with jitter: half of the pause is fixed, half random. */
    static long pauseMillis(int attempts, RandomGenerator random) {
        long full = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(20, attempts - 1));
        return full / 2 + random.nextLong(full / 2 + 1);
    }
}
