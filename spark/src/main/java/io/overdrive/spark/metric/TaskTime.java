package io.overdrive.spark.metric;

import io.overdrive.internal.flow.ThreadWaits;
import java.util.concurrent.TimeUnit;

/** Where the time of a task was spent since its beginning, for {@link LimitedBy}. Executes (on the executors). Confined to one thread. */
public final class TaskTime {
    /** A hundredth of a second: that of a task of hours fits into the value. */
    private static final long NANOS_PER_UNIT = TimeUnit.MILLISECONDS.toNanos(10);

    private final long startNanos;
    private long clusterNanos;
    private long pacedNanos;

    /** @param startNanos when the task began, as the JVM measures time */
    public TaskTime(long startNanos) {
        this.startNanos = startNanos;
    }

    /** Adds waits, of this task or of others that have not reported them. */
    public void add(ThreadWaits waits) {
        clusterNanos += waits.clusterNanos();
        pacedNanos += waits.pacedNanos();
    }

    /** The value of the metric. */
    public long packed(long nowNanos) {
        return LimitedBy.value(units(nowNanos - startNanos), units(clusterNanos), units(pacedNanos));
    }

    static long units(long nanos) {
        return nanos / NANOS_PER_UNIT;
    }
}
