package io.overdrive.internal.write;

import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import java.util.random.RandomGenerator;

/**
 * What to do with a request that failed. Immutable and pure: it knows its fields and arguments only.
 *
 * @param idempotent whether a request that was applied may be sent again
 * @param needsNewTime whether it then needs a later write time, of which there are as many as attempts
 * @param conditional whether rows are written under a condition
 * @param severalPartitions whether a batch may have rows of several partitions
 * @param maxAttempts how often a request that may have been applied is sent
 */
record RetryRule(
        boolean idempotent, boolean needsNewTime, boolean conditional, boolean severalPartitions, int maxAttempts) {
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long MAX_PAUSE_MILLIS = 10_000;
    private static final long MAX_WAITING_PAUSE_MILLIS = 3_000;

    enum Decision {
        /** It was surely not applied: send it again, for as long as patience lasts. */
        WAIT,
        /** It may have been applied: send it again after a pause, preferably to another replica. */
        AGAIN,
        /** One of the rows may be the cause: look for it. */
        SPLIT,
        /** Give the rows up. */
        REJECT,
        /** No request of this run can succeed. */
        FAIL
    }

    /** What an error message of the server means for the request. */
    Decision afterError(int errorCode, WriteRequest write) {
        return switch (errorCode) {
            case ErrorCode.OVERLOADED, ErrorCode.UNAVAILABLE, ErrorCode.IS_BOOTSTRAPPING ->
                mayBePartlyApplied(write) && (!idempotent || needsNewTime) ? afterMaybeApplied(write) : Decision.WAIT;
            case ErrorCode.UNPREPARED -> Decision.WAIT;
            case ErrorCode.WRITE_TIMEOUT,
                    ErrorCode.WRITE_FAILURE,
                    ErrorCode.CDC_WRITE_FAILURE,
                    ErrorCode.SERVER_ERROR,
                    ErrorCode.TRUNCATE_ERROR,
                    ErrorCode.CAS_WRITE_UNKNOWN,
                    ErrorCode.READ_TIMEOUT,
                    ErrorCode.READ_FAILURE -> afterMaybeApplied(write);
            case ErrorCode.INVALID, ErrorCode.FUNCTION_FAILURE -> write.rows() > 1 ? Decision.SPLIT : Decision.REJECT;
            default -> Decision.FAIL;
        };
    }

    /**
     * The coordinator checks each partition of a batch for itself, after it has sent those before; and a condition is
     * accepted by Paxos before the write that follows may be refused.
     */
    private boolean mayBePartlyApplied(WriteRequest write) {
        return conditional || severalPartitions && write.rows() > 1;
    }

    /** What the lack of an answer means: the connection broke, or the time was up. */
    Decision afterSilence(boolean sent, WriteRequest write) {
        return sent ? afterMaybeApplied(write) : Decision.WAIT;
    }

    /**
     * When all attempts have failed, one row may be the cause for good, such as one that a view cannot take: its
     * neighbours are tried without it, once each.
     */
    private Decision afterMaybeApplied(WriteRequest write) {
        if (!idempotent) {
            return Decision.REJECT;
        }
        if (write.attempts < maxAttempts) {
            return Decision.AGAIN;
        }
        return write.rows() > 1 && !needsNewTime ? Decision.SPLIT : Decision.REJECT;
    }

    /** Before a request that may have been applied is sent again. */
    static long pauseMillis(int attempts, RandomGenerator random) {
        return pauseMillis(attempts, MAX_PAUSE_MILLIS, random);
    }

    /** Before a request is sent again that nobody has taken yet; short, so that a node that is back has work soon. */
    static long waitingPauseMillis(int waits, RandomGenerator random) {
        return pauseMillis(waits, MAX_WAITING_PAUSE_MILLIS, random);
    }

    /** Exponential back-off with jitter: half of the pause is fixed, half random. */
    private static long pauseMillis(int tries, long maxMillis, RandomGenerator random) {
        long full = Math.min(maxMillis, FIRST_PAUSE_MILLIS << Math.min(20, tries - 1));
        return full / 2 + random.nextLong(full / 2 + 1);
    }
}
