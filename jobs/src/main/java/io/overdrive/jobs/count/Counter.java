package io.overdrive.jobs.count;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowCursor;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.TableSchema;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.Top;
import io.overdrive.jobs.Workers;
import io.overdrive.jobs.count.CountSummary.Group;
import io.overdrive.jobs.journal.Checkpoints;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.journal.SplitJournal;
import io.overdrive.jobs.journal.SplitJournal.Reached;
import io.overdrive.jobs.journal.SplitJournal.Remaining;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the rows of a table, and of its parts. The servers count; keys of rows are transferred only where a server does not count in
 * time. A count with a journal can be resumed: splits that are finished are not counted again.
 */
public final class Counter implements Job<CountSummary> {
    /** Page size when counting partitions; each result stands for a partition with maybe many rows. */
    private static final int PAGE_ROWS = 1000;

    /** Maximum number of the largest partitions that the journal keeps. */
    private static final int MAX_TOP_OF_JOURNAL = 10_000;

    /** The first figure of a split in the journal; ranges follow if they are counted: start, end and rows of each. */
    private static final int ROWS = 0;

    /** Which parts are also counted separately. */
    public enum By {
        /** Each token range. */
        RANGE,
        /** The rows that each node holds a replica of. */
        NODE,
        /** The largest partitions. */
        PARTITION
    }

    private final @Nullable By by;
    private final int top;
    private final Scan scan;
    private final String whyNotResumable;
    private final @Nullable SplitJournal journal;
    private final long startNanos = System.nanoTime();
    private final LongAdder rows = new LongAdder();
    private long rowsBefore;
    private int splitsBefore;
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private volatile Outcome outcome = Outcome.RUNNING;

    /** Guards the counts of ended splits. */
    private final Object lock = new Object();

    @GuardedBy("lock") private final Map<Integer, Reached> finished = new TreeMap<>();

    @GuardedBy("lock") private final List<Reached> unsaved = new ArrayList<>();

    @GuardedBy("lock") private final Top<Group> largest;

    private Counter(Overdrive overdrive, ScanOptions options, @Nullable By by, int top, @Nullable RunRequest request) {
        this.by = by;
        this.top = top;
        this.largest = new Top<>(top, Group::rows);
        this.scan = by == By.PARTITION ? overdrive.countPartitions(options) : overdrive.count(options);
        SplitJournal opened = null;
        try {
            whyNotResumable = !scan.whyNotSplit().isEmpty()
                    ? "the table is counted as one: " + scan.whyNotSplit()
                    : by == By.PARTITION && top > MAX_TOP_OF_JOURNAL
                            ? "top is " + top + ", and a journal keeps at most " + MAX_TOP_OF_JOURNAL + " partitions"
                            : "";
            if (request != null && whyNotResumable.isEmpty()) {
                TableSchema table = overdrive.table(
                        Objects.requireNonNull(options.keyspace()), Objects.requireNonNull(options.table()));
                opened = SplitJournal.open(
                        request, List.of(RunTarget.of(overdrive, table).rowsOf(options.source())));
                opened.prepare(scan);
                restore(opened);
            } else if (request != null && request.isResume()) {
                throw new OverdriveException(Kind.INPUT, "the run cannot be resumed: " + whyNotResumable);
            }
        } catch (RuntimeException e) {
            scan.close();
            if (opened != null) {
                opened.closeAfter(e);
            }
            throw e;
        }
        this.journal = opened;
    }

    /**
     * The options that {@link #open} needs for a table, for the caller to extend.
     *
     * @param by null for the whole table only
     */
    public static ScanOptions.Builder options(@Nullable By by, String keyspace, String table) {
        ScanOptions.Builder options = ScanOptions.from(keyspace, table);
        return by == By.PARTITION ? options.pageRows(PAGE_ROWS) : options;
    }

    /**
     * Prepares a count, or the resumption of one.
     *
     * @param by null for the whole table only
     * @param top number of largest partitions to report, 1 or more
     * @param request without effect if the count cannot be resumed ({@link #whyNotResumable}); null for no journal
     * @throws OverdriveException of kind INPUT if a run cannot be resumed
     */
    public static Counter open(
            Overdrive overdrive, ScanOptions options, @Nullable By by, int top, @Nullable RunRequest request) {
        return new Counter(overdrive, options, by, top, request);
    }

    private void restore(SplitJournal from) {
        rowsBefore = from.sum(ROWS);
        splitsBefore = from.finished();
        rows.add(rowsBefore);
        synchronized (lock) {
            from.reached().forEach(each -> finished.put(each.split(), each));
            groups(from.shared()).forEach(largest::add);
        }
    }

    /** Why the count has no journal even if one is wanted; empty if it can have one. */
    public String whyNotResumable() {
        return whyNotResumable;
    }

    @Override
    public @Nullable String runId() {
        return journal == null ? null : journal.id();
    }

    @Override
    public MessageText resumed() {
        return Job.rowsDoneBefore(rowsBefore);
    }

    /** The scan whose rows are counts. */
    public Scan scan() {
        return scan;
    }

    @Override
    public Plan plan() {
        return new Plan(Plan.reads(scan));
    }

    @Override
    public String effectOfStop() {
        return "stops";
    }

    @Override
    public CountSummary run() {
        SplitJournal to = journal;
        Map<Split, Remaining> remaining = SplitJournal.remaining(to, scan.splits());
        Checkpoints regular = to == null
                ? null
                : Checkpoints.start(() -> checkpoint(to, State.RUNNING), e -> {
                    failure.compareAndSet(null, e);
                    scan.stop();
                });
        int threads =
                by == By.PARTITION ? JobSetting.LOAD_THREADS.requireDefault().intValue() : 1;
        Workers.guard(
                "these rows",
                e -> failure.compareAndSet(null, e),
                () -> scan.forEachSplit(
                        threads,
                        split -> new SplitCount(
                                Objects.requireNonNull(remaining.get(split)).number())));
        if (regular != null) {
            regular.close();
        }
        if (to != null) {
            save(to);
        }
        RuntimeException e = failure.get();
        outcome = e == null ? Outcome.DONE : isStop(e) ? Outcome.STOPPED : Outcome.FAILED;
        return progress();
    }

    private static boolean isStop(@Nullable RuntimeException failure) {
        return failure instanceof OverdriveException e && e.kind() == Kind.INTERRUPTED;
    }

    private void save(SplitJournal to) {
        RuntimeException early = failure.get();
        try {
            checkpoint(to, State.RUNNING);
            to.status(
                    early == null ? State.DONE : isStop(early) ? State.STOPPED : State.FAILED,
                    to.sum(ROWS),
                    isStop(early) ? null : early);
        } catch (OverdriveException e) {
            if (early == null) {
                failure.set(e);
            } else {
                early.addSuppressed(e);
            }
        }
    }

    private void checkpoint(SplitJournal to, State state) {
        List<Reached> ended;
        byte[] partitions;
        synchronized (lock) {
            ended = List.copyOf(unsaved);
            unsaved.clear();
            partitions = bytes(largest.kept());
        }
        to.checkpoint(ended, partitions);
        to.status(state, to.sum(ROWS), null);
    }

    private static byte[] bytes(Collection<Group> groups) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            for (Group group : groups) {
                byte[] name = group.name().getBytes(StandardCharsets.UTF_8);
                out.writeLong(group.rows());
                out.writeInt(name.length);
                out.write(name);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static List<Group> groups(byte[] bytes) {
        List<Group> groups = new ArrayList<>();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        while (in.hasRemaining()) {
            long found = in.getLong();
            byte[] name = new byte[in.getInt()];
            in.get(name);
            groups.add(new Group(new String(name, StandardCharsets.UTF_8), found));
        }
        return groups;
    }

    @Override
    public CountSummary progress() {
        Outcome how = outcome;
        RuntimeException e = failure.get();
        boolean ended = how != Outcome.RUNNING;
        return new CountSummary(
                rows.sum() + (ended ? 0 : scan.pendingOfCounts()),
                how == Outcome.DONE ? groups(journal == null ? scan.splits() : journal.splits()) : List.of(),
                rowsBefore,
                splitsBefore,
                Duration.ofNanos(System.nanoTime() - startNanos),
                scan.totals(),
                how,
                how == Outcome.FAILED ? e : null);
    }

    @Override
    public boolean stop() {
        scan.stop();
        return true;
    }

    @Override
    public JobTimes times() {
        return JobTimes.of(scan.waits());
    }

    @Override
    public void close() {
        scan.close();
        if (journal != null) {
            journal.close();
        }
    }

    private List<Group> groups(List<Split> splits) {
        synchronized (lock) {
            List<Group> groups = new ArrayList<>();
            if (by == By.RANGE) {
                Map<Split.Range, Long> ranges = new TreeMap<>(Comparator.comparingLong(Split.Range::start));
                for (Reached each : finished.values()) {
                    long[] figures = each.figures();
                    for (int i = ROWS + 1; i < figures.length; i += 3) {
                        ranges.merge(new Split.Range(figures[i], figures[i + 1]), figures[i + 2], Long::sum);
                    }
                }
                ranges.forEach((range, found) -> groups.add(new Group(range.toString(), found)));
            } else if (by == By.NODE) {
                Map<String, Long> nodes = new TreeMap<>();
                for (Reached each : finished.values()) {
                    splits.get(each.split())
                            .replicas()
                            .forEach(node -> nodes.merge(node, each.figures()[ROWS], Long::sum));
                }
                nodes.forEach((node, found) -> groups.add(new Group(node, found)));
            } else if (by == By.PARTITION) {
                groups.addAll(largest.kept());
                groups.sort(Comparator.comparingLong(Group::rows).reversed().thenComparing(Group::name));
            }
            return groups;
        }
    }

    /** Counts one split. For one thread at a time. */
    private final class SplitCount implements Scan.SplitHandler {
        private final int number;
        private final List<ValueText> writers;
        private final Top<Group> largestOfSplit = new Top<>(top, Group::rows);
        private final List<Long> figures = new ArrayList<>(List.of(0L));

        SplitCount(int number) {
            this.number = number;
            this.writers = by == By.PARTITION
                    ? scan.types().subList(0, scan.columns().size() - 1).stream()
                            .map(type -> ValueText.of(type, ValueFormat.DEFAULT))
                            .toList()
                    : List.of();
        }

        @Override
        public void page(RowCursor page) {
            while (page.next()) {
                long found = page.getLong(page.columns() - 1);
                rows.add(found);
                figures.set(ROWS, figures.get(ROWS) + found);
                if (by == By.RANGE) {
                    Split.Range range = page.range();
                    figures.addAll(List.of(range.start(), range.end(), found));
                } else if (by == By.PARTITION && largestOfSplit.takes(found)) {
                    largestOfSplit.add(new Group(key(page, writers), found));
                }
            }
        }

        @Override
        public void end() {
            Reached reached = new Reached(
                    number,
                    Long.MAX_VALUE,
                    /* isFinished */ true,
                    figures.stream().mapToLong(Long::longValue).toArray());
            synchronized (lock) {
                finished.put(number, reached);
                if (journal != null) {
                    unsaved.add(reached);
                }
                largestOfSplit.kept().forEach(largest::add);
            }
        }
    }

    private static String key(RowCursor page, List<ValueText> writers) {
        Bytes text = new Bytes(64);
        for (int i = 0; i < writers.size(); i++) {
            if (i > 0) {
                text.put(new byte[] {',', ' '});
            }
            writers.get(i).writeInList(page.array(), page.offset(i), page.length(i), text);
        }
        return new String(text.array(), 0, text.length(), StandardCharsets.UTF_8);
    }
}
