package io.overdrive.files;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a load, an unload, a copy and a comparison tell alike: how far it is, or how it ended. Immutable. */
public interface Summary {
    /** How a run ended. */
    enum Outcome {
        RUNNING,
        /** All there was is done; rows may have been rejected. */
        DONE,
        /** It was told to stop; what a load or a copy had read until then is written. */
        STOPPED,
        /** Something went wrong; what a load or a copy had read until then is written or rejected. */
        FAILED
    }

    /** Since the start. */
    Duration elapsed();

    Outcome outcome();

    /** What stopped it; null unless it failed. */
    @Nullable RuntimeException failure();
}
