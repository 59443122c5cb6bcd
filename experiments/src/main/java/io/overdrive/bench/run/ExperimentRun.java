package io.overdrive.bench.run;

import io.overdrive.bench.Result;

/** One experiment on one cluster, run once. {@link #stop} and {@link #progress} may be called by any thread. */
interface ExperimentRun {
    Result run();

    /** Has {@link #run} return soon, with what was measured before. */
    void stop();

    Runner.Progress progress();
}
