package io.overdrive.spark.metric;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.internal.flow.ThreadWaits;

/**
 * Waits in what the tasks of one job in this JVM share: each of them reports those that no other has. Executes (on the executors).
 * Thread-safe.
 */
public final class UnreportedWaits {
    @GuardedBy("this") private ThreadWaits reported = ThreadWaits.NONE;

    /**
     * The waits since the previous call by any task.
     *
     * @param now all until now
     */
    public synchronized ThreadWaits take(ThreadWaits now) {
        ThreadWaits before = reported;
        reported = now.max(before); // tasks may come here in another order than they have measured
        return reported.since(before);
    }
}
