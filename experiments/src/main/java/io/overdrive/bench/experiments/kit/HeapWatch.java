package io.overdrive.bench.experiments.kit;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * The maximum heap in use while it is open, right after each garbage collection, so that garbage does not count. Watches on a separate
 * thread, which {@link #close} ends. Thread-safe.
 */
public final class HeapWatch implements AutoCloseable {
    private static final long EVERY_NANOS = 20_000_000;

    private final List<GarbageCollectorMXBean> collectors =
            ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class);
    private final Set<String> pools = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getName)
            .collect(Collectors.toSet());
    private final Map<String, Long> seen = new HashMap<>();
    private long maxBytes;
    private volatile boolean closed;

    private HeapWatch() {}

    public static HeapWatch open() {
        HeapWatch watch = new HeapWatch();
        watch.look();
        watch.forget();
        Thread thread = new Thread(watch::watch, "bench-heap");
        thread.setDaemon(true);
        thread.start();
        return watch;
    }

    /** The maximum of the heap in use; without any collection, all of it counts. */
    public synchronized double maxMegabytes() {
        look();
        long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        return (maxBytes == 0 ? used : maxBytes) / 1e6;
    }

    private void watch() {
        while (!closed) {
            look();
            LockSupport.parkNanos(EVERY_NANOS);
        }
    }

    private synchronized void look() {
        for (GarbageCollectorMXBean collector : collectors) {
            GcInfo last = collector.getLastGcInfo();
            if (last != null && !Long.valueOf(last.getId()).equals(seen.put(collector.getName(), last.getId()))) {
                maxBytes = Math.max(
                        maxBytes,
                        last.getMemoryUsageAfterGc().entrySet().stream()
                                .filter(usage -> pools.contains(usage.getKey()))
                                .mapToLong(usage -> usage.getValue().getUsed())
                                .sum());
            }
        }
    }

    private synchronized void forget() {
        maxBytes = 0;
    }

    @Override
    public void close() {
        closed = true;
    }
}
