package io.overdrive.internal.flow;

import java.util.ArrayList;
import java.util.List;

/**
 * Where the threads of a job have spent their time since its beginning, or since an earlier snapshot. Immutable. Two threads that wait for
 * a second have waited for two.
 *
 * @param threadNanos they were at work or waited
 * @param inputNanos they waited for the next block of the input, or read and unpacked it
 * @param outputNanos they wrote output, or waited for others that did
 * @param diskNanos they wrote spilled rows, or waited for others that did, in addition to {@code waits}
 * @param importNanos they waited for nodes to import SSTables
 * @param queryNanos they waited for a query in SQL, or for it to take rows
 * @param waits of each writer and scan, always in the same order
 */
public record JobTimes(
        long threadNanos,
        long inputNanos,
        long outputNanos,
        long diskNanos,
        long importNanos,
        long queryNanos,
        List<Waits> waits) {
    /** Times of nothing. */
    public static final JobTimes NONE = new JobTimes(0, 0, 0, List.of());

    /** Times without a query in SQL. */
    public JobTimes(
            long threadNanos, long inputNanos, long outputNanos, long diskNanos, long importNanos, List<Waits> waits) {
        this(threadNanos, inputNanos, outputNanos, diskNanos, importNanos, /* queryNanos */ 0, waits);
    }

    /** The same threads, which also waited for a query in SQL. */
    public JobTimes withQuery(long nanos) {
        return new JobTimes(threadNanos, inputNanos, outputNanos, diskNanos, importNanos, nanos, waits);
    }

    /** Times without disk and imports; a target that writes SSTables adds these. */
    public JobTimes(long threadNanos, long inputNanos, long outputNanos, List<Waits> waits) {
        this(threadNanos, inputNanos, outputNanos, /* diskNanos */ 0, /* importNanos */ 0, waits);
    }

    /** Times of a job whose threads belong to a scan. */
    public static JobTimes of(Waits scan) {
        return new JobTimes(scan.threadNanos(), 0, 0, List.of(scan));
    }

    /** The times of two jobs taken together, whose writers count as one, and whose scans, too. */
    public JobTimes plus(JobTimes other) {
        List<Waits> all = new ArrayList<>(waits);
        all.addAll(other.waits);
        return new JobTimes(
                threadNanos + other.threadNanos,
                inputNanos + other.inputNanos,
                outputNanos + other.outputNanos,
                diskNanos + other.diskNanos,
                importNanos + other.importNanos,
                queryNanos + other.queryNanos,
                List.of(Waits.together(all, /* isRead */ true), Waits.together(all, /* isRead */ false)));
    }

    /** The increase since an earlier snapshot. If a job had no writer or scan then, all of its waits count. */
    public JobTimes since(JobTimes before) {
        List<Waits> added = new ArrayList<>();
        for (int i = 0; i < waits.size(); i++) {
            added.add(i < before.waits.size() ? waits.get(i).since(before.waits.get(i)) : waits.get(i));
        }
        return new JobTimes(
                threadNanos - before.threadNanos,
                inputNanos - before.inputNanos,
                outputNanos - before.outputNanos,
                diskNanos - before.diskNanos,
                importNanos - before.importNanos,
                queryNanos - before.queryNanos,
                added);
    }
}
