package io.overdrive.bench.run;

import io.overdrive.bench.Result;

/** One experiment on one cluster, run once. {@link #stop} and {@link #progress} may be called by any thread. */
interface ExperimentRun {
    Result run();

    /** Makes {@link #run} return soon, with the measurements so far. */
    void stop();

    Runner.Progress progress();
}
