package io.overdrive.jobs.verify;

import io.overdrive.jobs.diff.Difference;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/** The findings of the walks of all threads, and whether they should end. Thread-safe. */
final class Findings {
    final LongAdder compared = new LongAdder();
    final LongAdder same = new LongAdder();
    final LongAdder different = new LongAdder();
    final LongAdder missing = new LongAdder();
    /** Records beyond the first one of each key. */
    final LongAdder repeated = new LongAdder();

    volatile boolean stopping;
    private final AtomicLong differences = new AtomicLong();
    private final long maxDifferences;
    private final Consumer<Difference> found;

    /** @param found receives the differences, from one thread at a time */
    Findings(long maxDifferences, Consumer<Difference> found) {
        this.maxDifferences = maxDifferences;
        this.found = found;
    }

    /** Passes the difference on, unless their maximum number was reached before; then it does not count. */
    void report(Difference difference) {
        long number = differences.incrementAndGet();
        if (number >= maxDifferences) {
            stopping = true;
        }
        if (number > maxDifferences) {
            return;
        }
        (difference.kind() == Difference.Kind.DIFFERENT ? different : missing).increment();
        synchronized (found) {
            found.accept(difference);
        }
    }
}
