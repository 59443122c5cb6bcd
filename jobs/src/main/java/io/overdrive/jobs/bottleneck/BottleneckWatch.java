package io.overdrive.jobs.bottleneck;

import com.sun.management.OperatingSystemMXBean;
import io.overdrive.internal.flow.JobTimes;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds what limits a run while it runs, by measuring once a second on a separate thread. Costs the job nothing but a few readings of the
 * clock for each block, page or wait. Thread-safe.
 */
public final class BottleneckWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BottleneckWatch.class);

    private final Supplier<JobTimes> job;
    private final @Nullable OperatingSystemMXBean system;
    private final BottleneckMeter meter;
    private final ScheduledExecutorService timer;
    /** Processor time of the machine, added up from its load at each measurement; used by one thread at a time. */
    private double machineNanos;

    private long measuredNanos = System.nanoTime();

    private BottleneckWatch(Supplier<JobTimes> job) {
        this.job = job;
        this.system =
                ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean known ? known : null;
        this.meter = new BottleneckMeter(this::measure);
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "overdrive-bottleneck");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** @param job returns where the job's threads have spent their time; called by any thread */
    public static BottleneckWatch start(Supplier<JobTimes> job) {
        BottleneckWatch watch = new BottleneckWatch(job);
        var unused = watch.timer.scheduleAtFixedRate(watch::tick, 1, 1, TimeUnit.SECONDS);
        return watch;
    }

    private void tick() {
        try {
            meter.sample();
        } catch (RuntimeException e) {
            LOG.warn("what limits the run cannot be measured now", e); // an exception would end the timer's task
        }
    }

    /** The bottleneck of the last ten seconds; null if the run has just begun. */
    public @Nullable Bottleneck now() {
        return meter.recent();
    }

    /** The bottleneck since the run began; null if that was less than a second ago. */
    public @Nullable Bottleneck overall() {
        if (!meter.isTooEarly(System.nanoTime())) {
            meter.sample();
        }
        return meter.overall();
    }

    synchronized Span measure() {
        long now = System.nanoTime();
        int processors = Runtime.getRuntime().availableProcessors();
        double load = system == null ? 0 : Math.max(0, system.getCpuLoad());
        machineNanos += load * processors * (now - measuredNanos);
        measuredNanos = now;
        return new Span(
                now,
                job.get(),
                system == null ? 0 : system.getProcessCpuTime(),
                (long) machineNanos,
                gcNanos(),
                processors);
    }

    /** Concurrent collectors report how long they ran, and do not stop the program. */
    private static long gcNanos() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(bean -> !bean.getName().contains("Concurrent")
                        && !bean.getName().contains("Cycles"))
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .map(TimeUnit.MILLISECONDS::toNanos)
                .sum();
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
