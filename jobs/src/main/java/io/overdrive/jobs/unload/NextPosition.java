package io.overdrive.jobs.unload;

/**
 * Finds the rows before which a split gives a position: the first row of a token, once a checkpoint has kept the last position. Used by one
 * thread at a time.
 */
final class NextPosition {
    /** The number of checkpoints when the last position was given. */
    private int lastCheckpoint;

    private boolean isWanted;
    private boolean knowsToken;
    /** Token of the row before, while a position is wanted. */
    private long token;

    NextPosition(int checkpoints) {
        this.lastCheckpoint = checkpoints;
    }

    /**
     * Whether a position is wanted: then all rows are given to {@link #isAtNextToken} until it is given.
     *
     * @param checkpoints their number
     * @param canWait whether it should not be given without need
     */
    boolean isWanted(int checkpoints, boolean canWait) {
        isWanted |= lastCheckpoint != checkpoints && !canWait;
        return isWanted;
    }

    /** Whether the row with this token is the first one that has it. */
    boolean isAtNextToken(long now) {
        boolean isNext = knowsToken && now > token;
        if (!isNext) {
            token = now;
            knowsToken = true;
        }
        return isNext;
    }

    /** The position is given: all rows up to the token that is returned are written. */
    long give(int checkpoints) {
        lastCheckpoint = checkpoints;
        isWanted = false;
        knowsToken = false;
        return token;
    }
}
