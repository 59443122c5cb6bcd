package io.overdrive.cli.options;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.Overdrive;
import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.copy.CatchUp;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.unload.UnloadOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Options of an unload that takes only what was written after a time, and the decision about them. Used by one thread at a time. */
public final class WrittenAfterMixin {
    @Option(
            names = WrittenAfterOption.NAME,
            paramLabel = "TIME",
            description = "With --keep-times: write only the cells that were written after TIME, by their write times:"
                    + " 2026-01-31T18:00Z, microseconds since 1970, or last for the start of the last complete run of this"
                    + " unload, into whichever directory, minus --clock-skew. All rows are read; rows of which nothing is"
                    + " newer have no record, and older cells no value. A row that consists of its key only is always"
                    + " written, as CQL does not return its time. Deletions are not in the files. Loaded after the unloads"
                    + " before it, in any order, they bring the table up to date. Default: all cells.")
    private @Nullable String time;

    private @Nullable CatchUp decided;

    /** How far clocks may be behind those that are known. */
    public Duration skew(CommandSpec command, SettingOptions of) {
        return option(command, of).skew();
    }

    private WrittenAfterOption option(CommandSpec command, SettingOptions of) {
        return WrittenAfterOption.of(command, time, of.find(JobSetting.CLOCK_SKEW));
    }

    /**
     * Checks the options before anything else happens.
     *
     * @param of has the setting for clocks
     * @param unload the options of the unload, or of one of several tables
     * @param hasSnapshot whether rows are read from files
     */
    public void check(CommandSpec command, SettingOptions of, UnloadOptions unload, boolean hasSnapshot) {
        WrittenAfterOption option = option(command, of);
        option.check(unload);
        option.checkTables(hasSnapshot);
    }

    /**
     * Decides which cells are taken, and says what that leaves out.
     *
     * @param keepTimes whether cells have their times; otherwise all are taken, and no other unload can follow
     * @param ids of the tables, as {@link CatchUp#ofTables} has them; empty for one table
     */
    public void decide(
            CommandSpec command,
            SettingOptions of,
            boolean keepTimes,
            @Nullable RunRequest request,
            Overdrive source,
            Supplier<List<RunTarget>> targets,
            Map<CqlIdentifier, String> ids) {
        if (keepTimes) {
            WrittenAfterOption option = option(command, of);
            CatchUp all = option.decide(command, request, source, targets);
            boolean isResume = request != null && request.isResume();
            decided = isResume || ids.isEmpty() ? all : all.ofTables(ids, option.isLast());
        }
    }

    /** The cells that are taken; null for all. */
    public @Nullable WrittenAfter after() {
        return decided == null ? null : decided.after();
    }

    /** The cells that are taken of one of several tables; null for all. */
    public @Nullable WrittenAfter after(CqlIdentifier table) {
        return decided == null ? null : decided.after(table);
    }

    /** The journal of an unload that others may follow. */
    public @Nullable RunRequest keeping(@Nullable RunRequest request) {
        return WrittenAfterOption.keeping(request, decided);
    }

    /** The decision; null before, and if no other unload can follow. */
    public @Nullable CatchUp decided() {
        return decided;
    }
}
