package io.overdrive.jobs.journal;

import java.time.Instant;

/**
 * How far a run is, or how it ended, as of its last checkpoint. Immutable.
 *
 * @param rows finished by this run and those that it resumes
 * @param done the share of the work that is finished, 0 to 1; negative if unknown
 * @param message why it failed; empty unless it did
 */
public record RunStatus(State state, Instant at, long rows, double done, String message) {
    /** The state of a run. */
    public enum State {
        RUNNING,
        /** It was ended from outside, without a chance to record it. */
        KILLED,
        FAILED,
        STOPPED,
        DONE;

        /** Whether there is work left, and no process does it. */
        public boolean isResumable() {
            return this == KILLED || this == FAILED || this == STOPPED;
        }
    }
}
