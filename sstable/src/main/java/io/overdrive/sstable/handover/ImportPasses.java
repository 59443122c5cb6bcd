package io.overdrive.sstable.handover;

import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.flow.WaitTime;
import io.overdrive.internal.names.MessageText;
import io.overdrive.sstable.handover.HandOver.Share;
import io.overdrive.sstable.sort.Pass;
import io.overdrive.sstable.sort.SstableSorter;
import io.overdrive.sstable.sort.SstableSorter.Written;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Writes the rows of a sorter as SSTables, and hands them over, in one pass or several: while nodes import those of a pass, the next one is
 * written, so the disk has the SSTables of two passes at most. In one pass, no node has any of the rows before all are written. {@link #run}
 * is called once; the other methods by any thread.
 */
public final class ImportPasses implements AutoCloseable {
    /** More SSTables of one size would be compacted at once. */
    private static final int MAX_THREADS = 3;

    private final Importers importers;
    /** Creates the directories of another pass. */
    private final Supplier<HandOver> opener;

    private final int count;
    private final WaitTime waiting = new WaitTime();
    /** The passes until now. Nodes import one at a time, and the last one may still be written. */
    private final List<HandOver> begun = new ArrayList<>();

    private volatile boolean isStopped;
    private volatile int finished;

    /**
     * @param first the first pass
     * @param opener opens the others
     */
    ImportPasses(Importers importers, HandOver first, Supplier<HandOver> opener) {
        this.importers = importers;
        this.opener = opener;
        this.count = importers.passes();
        begun.add(first);
    }

    /**
     * Creates the directories of the first pass, and deletes the leftovers of killed runs next to them.
     *
     * @throws OverdriveException as {@link Importers#stage} does
     */
    public static ImportPasses open(Overdrive overdrive, Importers importers, List<String> columns) {
        Staging staging = importers.stage();
        if (importers.imports()) {
            importers.warn(staging.sweep());
        }
        return new ImportPasses(
                importers,
                HandOver.of(overdrive, importers, columns, staging),
                () -> HandOver.of(overdrive, importers, columns, importers.stage()));
    }

    /**
     * Makes it end early: before nodes have begun to import, nothing is imported; later, the pass that they import is the last one.
     *
     * @return false if nodes have begun to import, which they then end
     */
    public boolean stop() {
        isStopped = true;
        return pass(0).stop();
    }

    private HandOver pass(int number) {
        synchronized (begun) {
            return begun.get(number);
        }
    }

    private List<HandOver> passes() {
        synchronized (begun) {
            return List.copyOf(begun);
        }
    }

    /** The number of passes that all nodes have imported. */
    public int finished() {
        return finished;
    }

    /** The number of passes. */
    public int count() {
        return count;
    }

    /** The result of each node, of all passes until now together; empty before the first hand-over begins. */
    public List<ImportResult> results() {
        List<ImportResult> all = List.of();
        for (HandOver pass : passes()) {
            List<ImportResult> next = pass.results();
            if (all.isEmpty()) {
                all = next;
            } else if (!next.isEmpty()) {
                List<ImportResult> sums = new ArrayList<>();
                for (int node = 0; node < next.size(); node++) {
                    sums.add(next.get(node).after(all.get(node)));
                }
                all = sums;
            }
        }
        return all;
    }

    /** Rows that all of their nodes have imported; if scripts do it, those that are in files. */
    public long rows() {
        return passes().stream().mapToLong(HandOver::rows).sum();
    }

    /**
     * Where the threads of a job have spent their time: they read rows into a sorter, which is then written and handed over.
     *
     * @param reading only their time to read
     * @param sorted the sorter's
     * @param threads that read; all of them wait for the nodes
     */
    public JobTimes times(JobTimes reading, SstableSorter.Times sorted, int threads) {
        long importNanos = threads * waiting.nanos(System.nanoTime());
        return new JobTimes(
                reading.threadNanos() + sorted.writingNanos() + importNanos,
                reading.inputNanos(),
                sorted.completingNanos(),
                sorted.spillingNanos(),
                importNanos,
                reading.waits());
    }

    /**
     * Writes the rows of a sorter, and hands them over.
     *
     * @return false if it was stopped before nodes began to import
     * @throws OverdriveException as {@link SstableSorter#write} and {@link HandOver#run} do, and of kind WRITE if it was stopped between
     *     passes. If there are no {@link #results}, no node has imported anything; else what was not imported stays where it is, and the
     *     rows of other passes than the {@link #finished} ones are nowhere
     */
    public boolean run(SstableSorter sorter) {
        Ready ready;
        try {
            ready = write(sorter, pass(0), 0);
        } catch (OverdriveException e) {
            if (e.kind() == Kind.INTERRUPTED) {
                return false;
            }
            throw e;
        }
        for (int number = 0; ; number++) {
            CompletableFuture<Ready> next = begin(ready, number + 1, sorter);
            if (!handOver(ready, number, sorter, next)) {
                return false;
            }
            finished = number + 1;
            if (finished == count) {
                return true;
            }
            ready = take(next);
        }
    }

    /** A pass that is written. */
    private record Ready(HandOver pass, Written written) {}

    private Ready write(SstableSorter sorter, HandOver pass, int number) {
        try {
            return new Ready(
                    pass,
                    sorter.write(
                            importers.replicas().owners(),
                            pass.directories(),
                            Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors()),
                            new Pass(number, count)));
        } catch (RuntimeException | Error e) {
            pass.deleteUnlessBegun();
            throw e;
        }
    }

    /** Begins to write the next pass, if there is one. */
    private CompletableFuture<Ready> begin(Ready current, int number, SstableSorter sorter) {
        if (number == count) {
            return CompletableFuture.completedFuture(current);
        }
        HandOver pass;
        try {
            pass = opener.get();
        } catch (RuntimeException e) {
            current.pass.deleteUnlessBegun();
            throw ofPass(number, e);
        }
        synchronized (begun) {
            begun.add(pass);
        }
        CompletableFuture<Ready> next = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        next.complete(write(sorter, pass, number));
                    } catch (RuntimeException | Error e) {
                        next.completeExceptionally(e);
                    }
                },
                "overdrive-passes");
        thread.setDaemon(true);
        thread.start();
        return next;
    }

    /**
     * Hands a pass over.
     *
     * @param next the pass that is written meanwhile; when that is done, threads of the job have nothing to do
     * @return false if it was stopped before nodes began to import
     */
    private boolean handOver(Ready ready, int number, SstableSorter sorter, CompletableFuture<Ready> next) {
        CompletableFuture<?> idle = next.handle((written, failure) -> {
            waiting.begin(System.nanoTime());
            return written;
        });
        boolean isDone = false;
        try {
            isDone = ready.pass.run(
                    ready.written.sstables().stream().map(Share::of).toList(), ready.written.rows());
        } catch (RuntimeException e) {
            throw ofPass(number, e);
        } finally {
            if (!isDone) {
                sorter.stop();
            }
            idle.join();
            waiting.end(System.nanoTime());
            if (!isDone && number + 1 < count && !next.isCompletedExceptionally()) {
                next.join().pass.deleteUnlessBegun();
            }
            ready.pass.release();
        }
        return isDone;
    }

    /** The next pass, unless it could not be written, or nothing more is wanted. */
    private Ready take(CompletableFuture<Ready> next) {
        Ready ready = null;
        RuntimeException failure = null;
        try {
            ready = next.join();
        } catch (CompletionException e) {
            failure = e.getCause() instanceof RuntimeException cause
                    ? cause
                    : new IllegalStateException("a thread that writes ended: " + e.getCause(), e);
        }
        if (isStopped) {
            if (ready != null) {
                ready.pass.deleteUnlessBegun();
            }
            throw new OverdriveException(
                    Kind.WRITE,
                    "it was stopped after " + finished + " of " + count + " passes: nodes have the rows of these only");
        }
        if (ready == null) {
            throw ofPass(finished, Objects.requireNonNull(failure));
        }
        return ready;
    }

    private RuntimeException ofPass(int number, RuntimeException e) {
        if (count == 1 || !(e instanceof OverdriveException known)) {
            return e;
        }
        return new OverdriveException(
                known.kind(),
                words -> "pass " + (number + 1) + " of " + count + ": "
                        + MessageText.of(e).in(words),
                e);
    }

    /** Deletes the directories, unless nodes may have begun to import. */
    public void deleteUnlessBegun() {
        pass(0).deleteUnlessBegun();
    }

    /** Closes the connections and releases the locks. SSTables that are not imported stay. */
    @Override
    public void close() {
        importers.close();
        passes().forEach(HandOver::release);
    }
}
