package io.overdrive.jobs.diff;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.journal.RunStore;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.journal.SplitJournal;
import io.overdrive.jobs.journal.SplitJournal.Reached;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The token ranges in which a comparison that is done found differences, so that another one can read only these. Immutable. */
public final class EarlierDiff {
    private static final String COMMAND = "diff";
    /** A file in the directory of the run: START,END in each line. */
    private static final String FILE = "differing-ranges";

    private final String id;
    private final Map<String, RunStore.Entry> runs = new HashMap<>();
    private final Map<String, List<Range>> ranges = new HashMap<>();

    private EarlierDiff(String id) {
        this.id = id;
    }

    /** Keeps the ranges of a comparison that is done: those of splits with differences, or that it did not come to. */
    static void keep(SplitJournal journal) {
        Map<Integer, Reached> reached = new HashMap<>();
        journal.reached().forEach(each -> reached.put(each.split(), each));
        StringBuilder lines = new StringBuilder();
        List<Split> splits = journal.splits();
        for (int number = 0; number < splits.size(); number++) {
            Reached each = reached.get(number);
            if (each == null || !each.isFinished() || SplitFigures.differences(each.figures()) > 0) {
                splits.get(number).ranges().forEach(range -> lines.append(range.start())
                        .append(',')
                        .append(range.end())
                        .append('\n'));
            }
        }
        journal.keep(FILE, lines.toString().getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Reads what a comparison has kept, of one table or of a keyspace.
     *
     * @throws OverdriveException of kind INPUT if there is no such run, it is of another command, or it is not done
     */
    public static EarlierDiff of(RunStore store, String id) {
        EarlierDiff earlier = new EarlierDiff(id);
        RunStore.Entry run = store.find(id);
        if (!run.info().command().equals(COMMAND)) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "run " + id + " is a run of overdrive " + run.info().command() + ", not of diff");
        }
        if (run.status().state() != State.DONE) {
            throw new OverdriveException(
                    Kind.INPUT, "run " + id + " is not done: overdrive resume " + id + " compares the rest");
        }
        earlier.add(store, run);
        RunStore ofTables = store.ofTables(id);
        for (RunStore.Entry table : ofTables.list()) { // the newest first
            if (table.status().state() == State.DONE) {
                earlier.add(ofTables, table);
            }
        }
        if (earlier.ranges.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT, "run " + id + " has not kept where it found differences: compare whole tables");
        }
        return earlier;
    }

    private void add(RunStore store, RunStore.Entry run) {
        String table = run.info().targets().get(0).table();
        byte[] kept = store.read(run.id(), FILE);
        if (kept == null || runs.putIfAbsent(table, run) != null) {
            return;
        }
        List<Range> read = new ArrayList<>();
        try {
            for (String line :
                    new String(kept, StandardCharsets.US_ASCII).lines().toList()) {
                int comma = line.indexOf(',');
                read.add(
                        new Range(Long.parseLong(line.substring(0, comma)), Long.parseLong(line.substring(comma + 1))));
            }
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new OverdriveException(
                    Kind.INPUT, "run " + run.id() + ": the file " + FILE + " is damaged: compare whole tables", e);
        }
        ranges.put(table, List.copyOf(read));
    }

    /**
     * The ranges of two tables in which differences were found; none if they were equal.
     *
     * @param tables the left and the right one as they are now
     * @throws OverdriveException of kind INPUT if the run did not compare them
     */
    public List<Range> ranges(List<RunTarget> tables) {
        String left = tables.get(0).table();
        RunStore.Entry run = runs.get(left);
        if (run == null) {
            throw new OverdriveException(Kind.INPUT, "run " + id + " did not compare " + left + ": compare it whole");
        }
        for (int i = 0; i < tables.size(); i++) {
            String change = run.info().targets().get(i).change(tables.get(i));
            if (change != null) {
                throw new OverdriveException(
                        Kind.INPUT, "run " + id + " did not compare these tables: " + change + "; compare them whole");
            }
        }
        return ranges.getOrDefault(left, List.of());
    }
}
