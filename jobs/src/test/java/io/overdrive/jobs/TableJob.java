package io.overdrive.jobs;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.Overdrive;
import io.overdrive.ScanOptions;
import io.overdrive.ScanTotals;
import io.overdrive.WriteOptions;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.jobs.copy.Copier;
import io.overdrive.jobs.copy.CopyOptions;
import io.overdrive.jobs.copy.CopySummary;
import io.overdrive.jobs.count.CountSummary;
import io.overdrive.jobs.count.Counter;
import io.overdrive.jobs.diff.DiffOptions;
import io.overdrive.jobs.diff.DiffOptions.Comparison;
import io.overdrive.jobs.diff.DiffSummary;
import io.overdrive.jobs.diff.Differ;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.unload.UnloadOptions;
import io.overdrive.jobs.unload.UnloadSummary;
import io.overdrive.jobs.unload.Unloader;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The jobs that read a table and can be resumed, for tests that treat them alike. */
enum TableJob {
    UNLOAD {
        @Override
        Opened open(Tables tables, RunRequest request) {
            return unload(tables, tables.directory.resolve("rows"), /* isFile */ false, request);
        }
    },
    UNLOAD_FILE {
        @Override
        Opened open(Tables tables, RunRequest request) {
            return unload(tables, tables.directory.resolve("rows.csv"), /* isFile */ true, request);
        }
    },
    COUNT {
        @Override
        Opened open(Tables tables, RunRequest request) {
            Counter counter = Counter.open(
                    tables.overdrive,
                    Counter.options(Counter.By.RANGE, tables.keyspace, tables.source)
                            .build(),
                    Counter.By.RANGE,
                    /* top */ 5,
                    request);
            return new Opened(Objects.requireNonNull(counter.runId())) {
                @Override
                Result run() {
                    CountSummary summary = counter.run();
                    return new Result(summary.rows(), summary.totals(), summary.failure());
                }

                @Override
                public void close() {
                    counter.close();
                }
            };
        }
    },
    COPY {
        @Override
        Opened open(Tables tables, RunRequest request) {
            Copier copier = Copier.of(
                            tables.overdrive,
                            ScanOptions.from(tables.keyspace, tables.source),
                            tables.overdrive,
                            WriteOptions.into(tables.keyspace, tables.other),
                            new CopyOptions(
                                    Mapping.parse("* = *"),
                                    false,
                                    RejectLimit.parse("0"),
                                    tables.directory,
                                    "rejects",
                                    2))
                    .journal(request)
                    .open();
            return new Opened(Objects.requireNonNull(copier.runId())) {
                @Override
                Result run() {
                    CopySummary summary = copier.run();
                    return new Result(summary.rowsWritten(), summary.reads(), summary.failure());
                }

                @Override
                public void close() {
                    copier.close();
                }
            };
        }
    },
    DIFF {
        @Override
        Opened open(Tables tables, RunRequest request) {
            Differ differ = Differ.open(
                    tables.overdrive,
                    ScanOptions.from(tables.keyspace, tables.source),
                    tables.overdrive,
                    ScanOptions.from(tables.keyspace, tables.other),
                    new DiffOptions(
                            Comparison.DEFAULT,
                            /* repairs */ Set.of(),
                            /* keepsTimes */ false,
                            DefaultConsistencyLevel.LOCAL_QUORUM,
                            Long.MAX_VALUE,
                            2),
                    request,
                    difference -> {});
            return new Opened(Objects.requireNonNull(differ.runId())) {
                @Override
                Result run() {
                    DiffSummary summary = differ.run();
                    return new Result(summary.rowsLeft(), summary.left(), summary.failure());
                }

                @Override
                public void close() {
                    differ.close();
                }
            };
        }
    };

    /**
     * The tables of a job.
     *
     * @param other the target of a copy, and the right table of a comparison
     * @param directory for files
     */
    record Tables(Overdrive overdrive, String keyspace, String source, String other, Path directory) {}

    /**
     * How a job has ended.
     *
     * @param rows read, or written by a copy
     */
    record Result(long rows, ScanTotals reads, @Nullable RuntimeException failure) {}

    /** A job that can be run once. */
    abstract static class Opened implements AutoCloseable {
        private final String id;

        Opened(String id) {
            this.id = id;
        }

        String id() {
            return id;
        }

        abstract Result run();

        @Override
        public abstract void close();
    }

    abstract Opened open(Tables tables, RunRequest request);

    /** The targets of the job in the journal. */
    List<RunTarget> targets(Tables tables) {
        return Stream.of(tables.source, tables.other)
                .limit(this == COPY || this == DIFF ? 2 : 1)
                .map(table -> RunTarget.of(tables.overdrive, tables.overdrive.table(tables.keyspace, table)))
                .toList();
    }

    private static Opened unload(Tables tables, Path output, boolean isFile, RunRequest request) {
        UnloadOptions options = new UnloadOptions(
                isFile ? null : output,
                isFile ? output : null,
                null,
                OutputFormat.builder(OutputFormat.Kind.CSV).build(),
                ValueFormat.DEFAULT,
                "none",
                2);
        Unloader unloader = Unloader.open(
                tables.overdrive,
                ScanOptions.from(tables.keyspace, tables.source).build(),
                options,
                request);
        return new Opened(Objects.requireNonNull(unloader.runId())) {
            @Override
            Result run() {
                UnloadSummary summary = unloader.run();
                return new Result(summary.rowsWritten(), summary.reads(), summary.failure());
            }

            @Override
            public void close() {
                unloader.close();
            }
        };
    }
}
