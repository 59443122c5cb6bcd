package io.overdrive.jobs.journal;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Scan;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.jobs.journal.Journal.Record;
import io.overdrive.jobs.journal.RunStatus.State;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How far each split of a scan is done, in the journal of a run. The splits themselves are in it, too, so that a resumed run reads the same
 * ones even if the ring has changed. Thread-safe by its lock; {@link #begin} and {@link #checkpoint} wait for the disk.
 */
public final class SplitJournal implements AutoCloseable {
    private static final int SPLITS = 1;
    private static final int CHECKPOINT = 2;

    /**
     * How far a split is done. Immutable, unless the figures are changed.
     *
     * @param split its number, from 0
     * @param token all rows up to this token are done
     * @param isFinished whether all rows of the split are done
     * @param figures of these rows; the first is their number, and what others mean is up to the job
     */
    public record Reached(int split, long token, boolean isFinished, long[] figures) {}

    /**
     * The rest of a split.
     *
     * @param number of the split
     * @param split to read
     * @param reached how far it is done; null if nothing of it is
     */
    public record Remaining(int number, Split split, @Nullable Reached reached) {}

    private final RunDirectory run;
    private final Journal journal;
    private final Map<Integer, Reached> reached = new TreeMap<>();
    private List<Split> splits = List.of();
    private byte[] shared = {};

    private SplitJournal(RunDirectory run) {
        this.run = run;
        this.journal = Journal.open(run.files(), run.path().toString(), this::replay);
    }

    /**
     * Begins a run, or opens the one that is resumed.
     *
     * @param targets its tables
     * @throws OverdriveException of kind INPUT if there is no run to resume, or its tables are not these; of kind DISK if the journal
     *     cannot be written
     */
    public static SplitJournal open(RunRequest request, List<RunTarget> targets) {
        RunDirectory run = request.isResume() ? request.resume() : request.begin(targets, List.of(), Map.of());
        try {
            run.info().requireSameTargets(targets);
            return new SplitJournal(run);
        } catch (RuntimeException e) {
            run.close();
            throw e;
        }
    }

    /** A file next to the journal, which the user alone can read; cut to this length. */
    public JournalFiles.Appender open(String name, long length) {
        try {
            return run.files().open(name, length);
        } catch (IOException e) {
            throw new OverdriveException(
                    Kind.DISK, file(name) + ": the file of the run cannot be opened: " + e.getMessage(), e);
        }
    }

    /** Replaces a file next to the journal, which stays when the run is done. */
    public void keep(String name, byte[] content) {
        try {
            run.files().replace(name, content);
        } catch (IOException e) {
            throw new OverdriveException(
                    Kind.DISK, file(name) + ": the file of the run cannot be written: " + e.getMessage(), e);
        }
    }

    /** The path of such a file. */
    public Path file(String name) {
        return run.path().resolve(name);
    }

    /** The run's id, as users type it. */
    public String id() {
        return run.id();
    }

    private synchronized void replay(Record each) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(each.payload()))) {
            switch (each.type()) {
                case SPLITS -> splits = readSplits(in);
                case CHECKPOINT -> readCheckpoint(in);
                default ->
                    throw new OverdriveException(
                            Kind.DISK,
                            words -> "the journal of the run has a record of type " + each.type() + ", which this"
                                    + " version of overdrive does not know: resume with the version that began the"
                                    + " run, or " + RunInfo.WAY_OUT.in(words));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Split> readSplits(DataInputStream in) throws IOException {
        List<Split> splits = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            List<Range> ranges = new ArrayList<>();
            for (int more = in.readInt(); more > 0; more--) {
                ranges.add(new Range(in.readLong(), in.readLong()));
            }
            List<String> replicas = new ArrayList<>();
            for (int more = in.readInt(); more > 0; more--) {
                replicas.add(in.readUTF());
            }
            splits.add(new Split(ranges, replicas, in.readLong()));
        }
        return splits;
    }

    private void readCheckpoint(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        shared = bytes;
        for (int left = in.readInt(); left > 0; left--) {
            int split = in.readInt();
            long token = in.readLong();
            boolean isFinished = in.readBoolean();
            long[] figures = new long[in.readInt()];
            for (int i = 0; i < figures.length; i++) {
                figures[i] = in.readLong();
            }
            reached.put(split, new Reached(split, token, isFinished, figures));
        }
    }

    /** Something that is written as bytes. */
    private interface Content {
        void write(DataOutputStream out) throws IOException;
    }

    private static Record record(int type, Content content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            content.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Record(type, bytes.toByteArray());
    }

    private Record splitsRecord() {
        return record(SPLITS, out -> {
            out.writeInt(splits.size());
            for (Split split : splits) {
                out.writeInt(split.ranges().size());
                for (Range range : split.ranges()) {
                    out.writeLong(range.start());
                    out.writeLong(range.end());
                }
                out.writeInt(split.replicas().size());
                for (String replica : split.replicas()) {
                    out.writeUTF(replica);
                }
                out.writeLong(split.estimatedBytes());
            }
        });
    }

    private Record checkpointRecord(Collection<Reached> each) {
        return record(CHECKPOINT, out -> {
            out.writeInt(shared.length);
            out.write(shared);
            out.writeInt(each.size());
            for (Reached one : each) {
                out.writeInt(one.split);
                out.writeLong(one.token);
                out.writeBoolean(one.isFinished);
                out.writeInt(one.figures.length);
                for (long figure : one.figures) {
                    out.writeLong(figure);
                }
            }
        });
    }

    /** Whether the journal has splits: an earlier run has begun to read them. */
    public synchronized boolean isBegun() {
        return !splits.isEmpty();
    }

    /** Keeps the splits of a run that begins. */
    public synchronized void begin(List<Split> ofRun) {
        splits = List.copyOf(ofRun);
        journal.append(splitsRecord());
        journal.sync();
    }

    /** Makes a scan read the rest of the splits; if no run has begun, keeps the splits that it plans. */
    public void prepare(Scan scan) {
        if (isBegun()) {
            scan.readOnly(remaining().stream().map(Remaining::split).toList());
        } else {
            begin(scan.splits());
        }
    }

    /** The rest of each split of a scan that was {@linkplain #prepare prepared}, or of a scan without a journal. */
    public static Map<Split, Remaining> remaining(@Nullable SplitJournal journal, List<Split> ofScan) {
        List<Remaining> remaining = journal == null ? List.of() : journal.remaining();
        Map<Split, Remaining> bySplit = new IdentityHashMap<>();
        for (int i = 0; i < ofScan.size(); i++) {
            Split split = ofScan.get(i);
            bySplit.put(split, journal == null ? new Remaining(i, split, null) : remaining.get(i));
        }
        return bySplit;
    }

    /** All splits of the run, by number. */
    public synchronized List<Split> splits() {
        return splits;
    }

    /** The rest of each split that is not finished, by number. */
    public synchronized List<Remaining> remaining() {
        List<Remaining> left = new ArrayList<>();
        for (int number = 0; number < splits.size(); number++) {
            Reached known = reached.get(number);
            Split split = splits.get(number);
            if (known == null) {
                left.add(new Remaining(number, split, null));
            } else if (!known.isFinished) {
                Split rest = split.after(known.token);
                left.add(new Remaining(number, Objects.requireNonNull(rest, "an unfinished split has a rest"), known));
            }
        }
        return left;
    }

    /** How far splits are done, by number; without splits that have not begun. */
    public synchronized List<Reached> reached() {
        return List.copyOf(reached.values());
    }

    /** The number of finished splits. */
    public synchronized int finished() {
        return (int) reached.values().stream().filter(Reached::isFinished).count();
    }

    /** One figure, added up over all splits; runs of earlier versions may not have it. */
    public synchronized long sum(int figure) {
        return reached.values().stream()
                .filter(each -> figure < each.figures.length)
                .mapToLong(each -> each.figures[figure])
                .sum();
    }

    /** State that the last checkpoint has kept for all splits together; empty before the first. */
    public synchronized byte[] shared() {
        return shared.clone();
    }

    /**
     * Makes a state durable, either as a whole or not at all.
     *
     * @param changed how far these splits are done; nothing has changed for the others
     * @param ofAll state of all splits together
     * @throws OverdriveException of kind DISK if that fails
     */
    public synchronized void checkpoint(Collection<Reached> changed, byte[] ofAll) {
        if (changed.isEmpty() && Arrays.equals(ofAll, shared)) {
            return;
        }
        shared = ofAll.clone();
        changed.forEach(each -> reached.put(each.split, each));
        if (journal.wantsSnapshot()) {
            journal.replace(List.of(splitsRecord(), checkpointRecord(reached.values())));
        } else {
            journal.append(checkpointRecord(changed));
            journal.sync();
        }
    }

    /**
     * Records how far the run is, or how it ended. If it is done, there is no journal afterwards.
     *
     * @param rows finished by this run and those that it resumes
     * @param failure why it failed; null unless it did
     */
    public synchronized void status(State state, long rows, @Nullable RuntimeException failure) {
        double done = splits.isEmpty() ? -1 : (double) finished() / splits.size();
        run.status(new RunStatus(state, Instant.now(), rows, done, failure == null ? "" : run.described(failure)));
    }

    /** Records that the run could not begin or continue, and closes. */
    public void closeAfter(RuntimeException failure) {
        try {
            status(State.FAILED, reached().isEmpty() ? 0 : sum(0), failure);
        } catch (OverdriveException e) {
            failure.addSuppressed(e);
        } finally {
            close();
        }
    }

    /** Releases the lock of the run. */
    @Override
    public synchronized void close() {
        try {
            journal.close();
        } finally {
            run.close();
        }
    }
}
