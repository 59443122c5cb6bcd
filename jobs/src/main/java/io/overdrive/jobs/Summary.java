package io.overdrive.jobs;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The report of every job: its progress, or how it ended. Immutable. */
public interface Summary {
    /** How a run ended. */
    enum Outcome {
        RUNNING,
        /** Everything was processed; rows may have been rejected. */
        DONE,
        /** It was stopped on request; what a load or a copy had read until then is written. */
        STOPPED,
        /** Something went wrong; what a load or a copy had read until then is written or rejected. */
        FAILED
    }

    /** Time since the start. */
    Duration elapsed();

    Outcome outcome();

    /** The failure that stopped it; null unless it failed. */
    @Nullable RuntimeException failure();

    /** The same figures for every kind of job, for its progress and for metrics. */
    Figures figures();
}
