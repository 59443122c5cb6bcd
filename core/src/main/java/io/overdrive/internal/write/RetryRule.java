package io.overdrive.internal.write;

import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.response.Error;

/**
 * Decides about a request that failed. Immutable and pure.
 *
 * @param idempotent whether a request that was applied may be resent
 * @param needsNewTime whether a retry then needs a later write time, of which there are as many as attempts
 * @param conditional whether rows are written under a condition
 * @param severalPartitions whether a batch may have rows of several partitions
 * @param severalPartitionsARow whether a single row may, as in a statement with IN
 * @param maxAttempts at most this many attempts of a request that may have been applied
 */
record RetryRule(
        boolean idempotent,
        boolean needsNewTime,
        boolean conditional,
        boolean severalPartitions,
        boolean severalPartitionsARow,
        int maxAttempts) {
    enum Decision {
        /** It was surely not applied: retry for as long as patience lasts. */
        WAIT,
        /** It may have been applied: back off, then retry, preferably on another replica. */
        RETRY,
        /** One of the rows may be the cause: split the batch to find it. */
        SPLIT,
        /** Reject the rows, which are surely not written. */
        REJECT,
        /** Reject the rows; whether they are written is unknown. */
        REJECT_UNKNOWN,
        /** No request of this run can succeed. */
        FAIL
    }

    /**
     * Error message of a node, from Cassandra 4.1 on, that is nearly full: it refuses every write before it applies any
     * of it.
     */
    private static final String DISK_FULL = "disk usage exceeds failure threshold";

    /** Whether a replica takes no writes because its disk is nearly full: no row is the cause. */
    static boolean isDiskFull(Error error) {
        return error.code == ErrorCode.INVALID && String.valueOf(error.message).contains(DISK_FULL);
    }

    /** The decision after an error message of the server. */
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
     * The coordinator checks each partition of a batch, or of a statement with IN, only after it has sent the ones before; and Paxos accepts a
     * condition before the write that follows may be refused.
     */
    private boolean mayBePartlyApplied(WriteRequest write) {
        return conditional || severalPartitionsARow || severalPartitions && write.rows() > 1;
    }

    /** The decision if there was no answer: the connection was lost, or the request timed out. */
    Decision afterSilence(boolean sent, WriteRequest write) {
        return sent ? afterMaybeApplied(write) : Decision.WAIT;
    }

    /**
     * When all attempts have failed, a single row may be the cause, such as one that a materialized view cannot take: its
     * neighbours are then sent without it, once each.
     */
    private Decision afterMaybeApplied(WriteRequest write) {
        if (!idempotent) {
            return Decision.REJECT_UNKNOWN;
        }
        if (write.attempts < maxAttempts) {
            return Decision.RETRY;
        }
        return write.rows() > 1 && !needsNewTime ? Decision.SPLIT : Decision.REJECT_UNKNOWN;
    }
}
