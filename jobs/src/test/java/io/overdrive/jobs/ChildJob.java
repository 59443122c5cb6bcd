package io.overdrive.jobs;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.ScanOptions;
import io.overdrive.TestCluster;
import io.overdrive.WriteOptions;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.copy.Copier;
import io.overdrive.jobs.copy.CopyOptions;
import io.overdrive.jobs.copy.CopySummary;
import io.overdrive.jobs.count.CountSummary;
import io.overdrive.jobs.count.Counter;
import io.overdrive.jobs.diff.DiffOptions;
import io.overdrive.jobs.diff.DiffOptions.Comparison;
import io.overdrive.jobs.diff.DiffOptions.Repaired;
import io.overdrive.jobs.diff.DiffSummary;
import io.overdrive.jobs.diff.Differ;
import io.overdrive.jobs.expression.Assignments;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStore;
import io.overdrive.jobs.unload.FileLimit;
import io.overdrive.jobs.unload.UnloadOptions;
import io.overdrive.jobs.unload.UnloadSummary;
import io.overdrive.jobs.unload.Unloader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A job with a journal in a separate process, so that it can be killed. */
final class ChildJob {
    static final int FILE_ROWS = 150;

    private ChildJob() {}

    /** Work of such a process. */
    enum Job {
        /**
         * Arguments: the keyspace and the output, a file if its name has a point, else a directory; {@code gz} at its end compresses,
         * and {@code arrow} and {@code parquet} are other formats than CSV; {@code by-p} makes directories of the values of p, and {@code
         * limited} files of at most {@link #FILE_ROWS} rows.
         */
        UNLOAD {
            @Override
            Summary run(Overdrive overdrive, RunRequest request, int rowsPerSecond, List<String> arguments) {
                Path output = Path.of(arguments.get(1));
                String name = output.getFileName().toString();
                boolean isFile = name.contains(".");
                OutputFormat.Kind kind = name.contains("arrow")
                        ? OutputFormat.Kind.ARROW
                        : name.contains("parquet") ? OutputFormat.Kind.PARQUET : OutputFormat.Kind.CSV;
                UnloadOptions options = new UnloadOptions(
                        isFile ? null : output,
                        isFile ? output : null,
                        null,
                        OutputFormat.builder(kind)
                                .partitionBy(name.contains("by-p") ? List.of("p") : List.of())
                                .build(),
                        ValueFormat.DEFAULT,
                        output.toString().endsWith("gz") ? "gzip" : "none",
                        2,
                        Mapping.BY_NAME,
                        Assignments.NONE,
                        /* keepTimes */ false,
                        /* listsFiles */ false,
                        /* after */ null,
                        name.contains("limited") ? new FileLimit(FILE_ROWS, Long.MAX_VALUE) : FileLimit.NONE);
                try (Unloader unloader = Unloader.open(
                        overdrive,
                        source(arguments.get(0), "source", rowsPerSecond).build(),
                        options,
                        request)) {
                    UnloadSummary summary = unloader.run();
                    System.out.println(summary.rowsWritten() + " rows, " + summary.rowsBefore() + " before, digest "
                            + summary.digest());
                    return summary;
                }
            }
        },
        /** Argument: the keyspace. */
        COUNT {
            @Override
            Summary run(Overdrive overdrive, RunRequest request, int rowsPerSecond, List<String> arguments) {
                Counter.By by = Counter.By.valueOf(arguments.get(1));
                ScanOptions.Builder read =
                        ScanOptions.from(arguments.get(0), "source").splitsInFlight(1);
                ScanOptions options = by == Counter.By.PARTITION
                        ? read.rowsPerSecond(rowsPerSecond).build()
                        : read.bytesPerSecond(rowsPerSecond).build(); // each split has only one row
                try (Counter counter = Counter.open(overdrive, options, by, 5, request)) {
                    CountSummary summary = counter.run();
                    System.out.println(summary.rows() + " rows, " + summary.rowsBefore() + " before");
                    System.out.println("groups " + summary.groups());
                    return summary;
                }
            }
        },
        /** Argument: the keyspace. */
        COPY {
            @Override
            Summary run(Overdrive overdrive, RunRequest request, int rowsPerSecond, List<String> arguments) {
                CopyOptions options = new CopyOptions(
                        Mapping.parse("* = *"), false, RejectLimit.parse("0"), Path.of(arguments.get(1)), "target", 2);
                try (Copier copier = Copier.of(
                                overdrive,
                                source(arguments.get(0), "source", rowsPerSecond),
                                overdrive,
                                WriteOptions.into(arguments.get(0), "target"),
                                options)
                        .journal(request)
                        .open()) {
                    CopySummary summary = copier.run();
                    System.out.println(summary.rowsRead() + " rows, " + summary.rowsWritten() + " written, "
                            + summary.rowsBefore() + " before");
                    return summary;
                }
            }
        },
        /** Arguments: the keyspace, and whether to repair. */
        DIFF {
            @Override
            Summary run(Overdrive overdrive, RunRequest request, int rowsPerSecond, List<String> arguments) {
                boolean repairs = Boolean.parseBoolean(arguments.get(1));
                DiffOptions options = new DiffOptions(
                        Comparison.DEFAULT,
                        repairs ? EnumSet.of(Repaired.MISSING, Repaired.DIFFERENT) : Set.of(),
                        /* keepsTimes */ false,
                        DefaultConsistencyLevel.LOCAL_QUORUM,
                        Long.MAX_VALUE,
                        2);
                try (Differ differ = Differ.open(
                        overdrive,
                        source(arguments.get(0), "source", rowsPerSecond),
                        overdrive,
                        source(arguments.get(0), "other", rowsPerSecond),
                        options,
                        request,
                        difference -> System.out.println(difference.toJson()))) {
                    DiffSummary summary = differ.run();
                    System.out.println(summary.rowsLeft() + " rows, " + summary.rowsRight() + " right, "
                            + summary.differences() + " differences, " + summary.rowsBefore() + " before, digest "
                            + summary.digestLeft());
                    return summary;
                }
            }
        };

        abstract Summary run(Overdrive overdrive, RunRequest request, int rowsPerSecond, List<String> arguments);
    }

    private static ScanOptions.Builder source(String keyspace, String table, int rowsPerSecond) {
        return ScanOptions.from(keyspace, table).rowsPerSecond(rowsPerSecond).pageRows(200);
    }

    /** Starts it; what it says goes to a file. */
    static Process start(
            Path directory, @Nullable String resumes, int rowsPerSecond, Path said, Job job, String... arguments) {
        try {
            return builder(directory, resumes, rowsPerSecond, said, job, arguments)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ProcessBuilder builder(
            Path directory, @Nullable String resumes, int rowsPerSecond, Path said, Job job, String... arguments) {
        InetSocketAddress node = TestCluster.address();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-cp",
                System.getProperty("java.class.path"),
                ChildJob.class.getName(),
                node.getHostString(),
                String.valueOf(node.getPort()),
                TestCluster.datacenter(),
                directory.toString(),
                resumes == null ? "-" : resumes,
                String.valueOf(rowsPerSecond),
                job.name()));
        command.addAll(List.of(arguments));
        try {
            Files.deleteIfExists(said);
            return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void main(String[] args) {
        RunRequest request = new RunRequest(
                new RunStore(Path.of(args[3])),
                "job",
                List.of(),
                Path.of("").toAbsolutePath(),
                "1",
                args[4].equals("-") ? null : args[4]);
        try (Overdrive overdrive = Overdrive.connect(ConnectOptions.builder()
                .contactPoint(new InetSocketAddress(args[0], Integer.parseInt(args[1])))
                .datacenter(args[2])
                .build())) {
            Summary summary = Job.valueOf(args[6])
                    .run(
                            overdrive,
                            request,
                            Integer.parseInt(args[5]),
                            List.of(args).subList(7, args.length));
            if (summary.failure() != null) {
                throw summary.failure();
            }
            System.exit(summary.outcome() == Outcome.DONE ? 0 : 1);
        }
    }
}
