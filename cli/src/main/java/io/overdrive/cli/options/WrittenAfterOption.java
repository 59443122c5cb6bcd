package io.overdrive.cli.options;

import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.copy.CatchUp;
import io.overdrive.jobs.copy.CopyOptions;
import io.overdrive.jobs.journal.RunInfo;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.journal.RunStore;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.unload.UnloadOptions;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The value of the option by which a copy or unload takes only what was written after a time: a time, or the start of the last complete run of
 * the same copy or unload. Immutable.
 */
public final class WrittenAfterOption {
    public static final String NAME = "--written-after";
    private static final String LAST = "last";
    private static final long MICROS_A_SECOND = 1_000_000;
    private static final int NANOS_A_MICRO = 1_000;
    private static final String KEEP_TIMES = "--keep-times";
    private static final String COPY = "copy";

    /** Options that decide which cells are copied, and to which columns. */
    private static final Set<String> CHOOSING = Set.of(
            "--columns",
            "--except",
            "--keys",
            "--keys-fields",
            "--keys-map",
            "--map",
            "--sample",
            "--set",
            "--token-range",
            "--where");

    private final boolean isLast;
    private final @Nullable WrittenAfter given;
    private final Duration skew;

    /**
     * @param text as the user gave it; null for all cells
     * @param skew how far clocks may be behind those that are known
     * @throws IllegalArgumentException if it is not a time, or one in the future
     */
    WrittenAfterOption(@Nullable String text, Duration skew) {
        this.isLast = LAST.equals(text);
        this.given = text == null || isLast ? null : new WrittenAfter(micros(text), /* origin */ "");
        this.skew = skew;
        if (given != null && given.time().isAfter(Instant.now())) {
            throw new IllegalArgumentException(NAME + " is " + given.time()
                    + ", which is in the future by the clock of this machine: no cell would be copied");
        }
    }

    /** The option as it was given to a command. */
    public static WrittenAfterOption of(CommandSpec command, @Nullable String text, @Nullable Duration skew) {
        OptionValues.checkNeeds(command.commandLine().getParseResult(), "--clock-skew", KEEP_TIMES);
        return new WrittenAfterOption(
                text, skew == null ? JobSetting.CLOCK_SKEW.requireDefault() : JobSetting.CLOCK_SKEW.check(skew));
    }

    private static long micros(String text) {
        if (text.matches("-?\\d{1,18}")) {
            return OptionValues.micros(NAME, Long.parseLong(text));
        }
        try {
            Instant time = OffsetDateTime.parse(text).toInstant();
            return Math.addExact(
                    Math.multiplyExact(time.getEpochSecond(), MICROS_A_SECOND), time.getNano() / NANOS_A_MICRO);
        } catch (DateTimeException | ArithmeticException e) {
            String hint = text.matches("\\d{4}-\\d\\d-\\d\\d[T ][\\d:.]+")
                    ? " has no time zone: write " + text.replace(' ', 'T') + "Z if it is UTC, or end it with an offset"
                            + " such as +01:00"
                    : " is not a time: write it as 2026-01-31T18:00Z or 2026-01-31T19:00+01:00, in microseconds since"
                            + " 1970, or last for the start of the last complete run of this command";
            throw new IllegalArgumentException(NAME + " \"" + text + "\"" + hint, e);
        }
    }

    /** Refuses to choose cells of a copy that does not keep their times. */
    public void check(CopyOptions copy) {
        if (isLast || given != null) {
            copy.writtenAfter(given != null ? given : new WrittenAfter(0, LAST));
        }
    }

    /** Refuses to choose cells of an unload that does not keep their times. */
    public void check(UnloadOptions unload) {
        if (isLast || given != null) {
            unload.writtenAfter(given != null ? given : new WrittenAfter(0, LAST));
        }
    }

    /** Refuses the time of the last copy for the tables of a keyspace that are read from files. */
    public void checkTables(boolean areFromFiles) {
        if (areFromFiles && isLast) {
            throw new IllegalArgumentException(NAME + " " + LAST
                    + " is about the tables of a cluster: with --from-sstables, give a time in its place");
        }
    }

    /** How far clocks may be behind those that are known. */
    public Duration skew() {
        return skew;
    }

    /** Whether the tables of the last run matter: the ones that it did not have are copied with all of their cells. */
    public boolean isLast() {
        return isLast;
    }

    /** Decides which cells are taken, and says what that leaves out; parameters as of {@link #decide(RunStore, String, LongSupplier, Supplier, List)}. */
    public CatchUp decide(
            CommandSpec command, @Nullable RunRequest request, Overdrive source, Supplier<List<RunTarget>> targets) {
        CatchUp decided = decide(
                JournalMixin.store(),
                request == null ? null : request.resumes(),
                command.name(),
                () -> CatchUp.now(source),
                targets,
                RunArguments.of(command.commandLine().getParseResult()));
        if (decided.after() != null) {
            command.commandLine()
                    .getErr()
                    .println("overdrive: deletions since then are not "
                            + (command.name().equals(COPY)
                                    ? "copied, as reads do not return them: when nothing"
                                            + " writes to the source any more, overdrive diff --repair"
                                            + " missing,different,extra finds and repeats them"
                                    : "in the files, as reads do not return them"));
        }
        return decided;
    }

    /** The journal of a copy that others may follow. */
    public static @Nullable RunRequest keeping(@Nullable RunRequest request, @Nullable CatchUp copy) {
        return request == null || copy == null ? request : request.keeping(copy.values());
    }

    /**
     * Decides which cells are taken: the same as before if a run is resumed.
     *
     * @param store of the runs among which the last one is
     * @param resumes the id of the run to resume; null to begin one
     * @param command {@code copy} or {@code unload}
     * @param clock the time now, by the slowest clock, in microseconds since 1970
     * @param targets makes the source and the target, as the journal has them
     * @param arguments of the command, as the journal has them
     * @throws OverdriveException of kind INPUT if there is no run whose start is wanted
     */
    CatchUp decide(
            RunStore store,
            @Nullable String resumes,
            String command,
            LongSupplier clock,
            Supplier<List<RunTarget>> targets,
            List<String> arguments) {
        if (resumes != null) {
            CatchUp before = CatchUp.of(store.find(resumes).info());
            if (before != null) {
                return before;
            }
        }
        long now = clock.getAsLong();
        if (!isLast) {
            return new CatchUp(now, given, Map.of());
        }
        RunStore.Entry run = last(store, command, targets.get(), arguments);
        CatchUp last = Objects.requireNonNull(CatchUp.of(run.info()));
        String origin = "the start of run " + run.id()
                + (skew.isZero() ? "" : " minus " + seconds(skew) + " s of --clock-skew");
        return new CatchUp(now, new WrittenAfter(last.nextMicros(skew), origin), last.tables());
    }

    private static String seconds(Duration time) {
        return BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString();
    }

    private static RunStore.Entry last(
            RunStore store, String command, List<RunTarget> targets, List<String> arguments) {
        List<RunStore.Entry> ofTables = store.list().stream()
                .filter(each -> each.info().command().equals(command) && areSame(each.info(), targets))
                .toList();
        List<RunStore.Entry> complete = new ArrayList<>(ofTables.stream()
                .filter(each -> whyNot(each, arguments) == null)
                .toList());
        Collections.reverse(complete);
        return complete.stream()
                .reduce((older, newer) -> leavesGap(newer, older) ? older : newer)
                .orElseThrow(() -> new OverdriveException(
                        Kind.INPUT,
                        NAME + " " + LAST + ": there is no complete run of this " + command
                                + (ofTables.isEmpty()
                                        ? (targets.size() == 1
                                                        ? " of "
                                                                + targets.get(0).table()
                                                        : " from "
                                                                + targets.get(0).table() + " to "
                                                                + targets.get(1).table())
                                                + " in " + store.directory()
                                        : "; the nearest is run "
                                                + ofTables.get(0).id() + ", which "
                                                + whyNot(ofTables.get(0), arguments))
                                + "; " + command + " everything first, with --keep-times and without " + NAME
                                + ", or give the time at which the last " + command + " began"));
    }

    /** Whether a run took only what was written after a time that the user gave, and that is after the start of a run before it. */
    private static boolean leavesGap(RunStore.Entry run, RunStore.Entry before) {
        CatchUp now = Objects.requireNonNull(CatchUp.of(run.info()));
        WrittenAfter after = now.after();
        return after != null
                && after.origin().isEmpty()
                && after.micros()
                        > Objects.requireNonNull(CatchUp.of(before.info())).beganMicros();
    }

    private static boolean areSame(RunInfo run, List<RunTarget> targets) {
        List<RunTarget> then = run.targets();
        return then.size() == targets.size()
                && IntStream.range(0, then.size()).allMatch(i -> then.get(i).isSameTable(targets.get(i)));
    }

    /** Why the next copy cannot begin where this run did; null if it can. */
    private static @Nullable String whyNot(RunStore.Entry run, List<String> arguments) {
        List<String> then = run.info().arguments();
        List<String> more = RunArguments.of(then, CHOOSING);
        List<String> now = RunArguments.of(arguments, CHOOSING);
        if (!then.contains(KEEP_TIMES) || CatchUp.of(run.info()) == null) {
            return "gave the values other write times than the source has: it was without " + KEEP_TIMES;
        }
        if (!more.equals(now)) {
            List<String> missing =
                    now.stream().filter(each -> !more.contains(each)).toList();
            List<String> gone =
                    more.stream().filter(each -> !now.contains(each)).toList();
            return (gone.isEmpty() ? "" : "had " + String.join(" ", gone))
                    + (gone.isEmpty() || missing.isEmpty() ? "" : " and ")
                    + (missing.isEmpty() ? "" : "did not have " + String.join(" ", missing));
        }
        State state = run.status().state();
        return switch (state) {
            case DONE -> null;
            case RUNNING -> "has not ended";
            case KILLED, FAILED, STOPPED -> "is not complete: overdrive resume " + run.id();
        };
    }
}
