package io.overdrive.cli.report;

import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.internal.disk.PrivateFile;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.journal.OutputLock;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/**
 * The option for files that say what a run has done, and how it ended. They are written when it begins, so that the report of an earlier run is
 * not taken for that of one that was killed, when its work begins, and at the end. Confined to the thread of the command.
 */
public final class ReportMixin {
    private static final String NAME = "--report";
    private static final String HTML = ".html";
    private static final String JSON = ".json";
    /** A report begins with its sign within so many bytes. */
    private static final int HEAD_BYTES = 400;

    @Option(
            names = NAME,
            paramLabel = "FILE",
            description =
                    "Write a report of the run to FILE: a page if it ends in .html, an object of JSON if it ends in .json;"
                            + " give the option twice for both. It says what was and what was not done, also if the run fails or is stopped."
                            + " A file that is not such a report is not overwritten.")
    private List<Path> files = new ArrayList<>();

    private final List<OutputLock> locks = new ArrayList<>();
    private volatile @Nullable RunReport report;

    /**
     * Begins the report, if one is wanted, and writes that the run has not ended.
     *
     * @return the writer of the command's messages, which are in the report, too
     * @throws IllegalArgumentException if a file cannot be written, or is something else
     */
    public PrintWriter begin(CommandSpec command) {
        if (!files.isEmpty()) {
            begin(new RunReport(command), command.commandLine().getParseResult());
        }
        return command.commandLine().getErr();
    }

    private void begin(RunReport begun, ParseResult given) {
        for (String option : List.of("--dry-run", "--schema-only")) {
            if (given.hasMatchedOption(option)) {
                throw new IllegalArgumentException(NAME + " is about the rows of a run: it does not go with " + option);
            }
        }
        files.forEach(ReportMixin::check);
        Set<Path> different = new HashSet<>();
        for (Path each : files) {
            if (!different.add(each.toAbsolutePath().normalize())) {
                throw new IllegalArgumentException(NAME + " names " + each + " twice: name two files, or one");
            }
        }
        try {
            for (Path each : files) {
                locks.add(OutputLock.of(each));
            }
            writeFirst(begun);
            report = begun;
        } finally {
            if (report == null) {
                locks.forEach(OutputLock::close);
            }
        }
    }

    /** Replaces the files, if all of them can be written: a report of an earlier run stays as it is otherwise. */
    private void writeFirst(RunReport begun) {
        List<Path> written = new ArrayList<>();
        try {
            for (Path each : files) {
                written.add(next(each));
                try {
                    write(each, next(each), begun);
                } catch (IOException e) {
                    throw new IllegalArgumentException(unwritable(each, e), e);
                }
            }
            for (Path each : files) {
                try {
                    replace(each);
                } catch (IOException e) {
                    throw new IllegalArgumentException(unwritable(each, e), e);
                }
            }
        } finally {
            written.forEach(ReportMixin::delete);
        }
    }

    /** The report of a command; null if none is wanted. */
    public static @Nullable RunReport of(CommandSpec command) {
        ReportMixin mixin = in(command);
        return mixin == null ? null : mixin.report;
    }

    private static @Nullable ReportMixin in(CommandSpec command) {
        return command.mixins().values().stream()
                .map(CommandSpec::userObject)
                .filter(ReportMixin.class::isInstance)
                .map(ReportMixin.class::cast)
                .findFirst()
                .orElse(null);
    }

    /** Writes the report again when the work begins, if there is one, so that the report of a run that is killed has its id. */
    public static void work(CommandSpec command, @Nullable String run, Plan plan, List<Overdrive> connections) {
        ReportMixin mixin = in(command);
        RunReport report = mixin == null ? null : mixin.report;
        if (mixin != null && report != null) {
            report.begin(run, plan, connections);
            mixin.write(report, command.commandLine().getErr());
        }
    }

    /** Returns false if a file cannot be written, and says so. */
    private boolean write(RunReport of, PrintWriter err) {
        boolean isWritten = true;
        for (Path each : files) {
            try {
                write(each, next(each), of);
                replace(each);
            } catch (IOException e) {
                isWritten = false;
                delete(next(each));
                err.println("overdrive: " + unwritable(each, e));
            }
        }
        return isWritten;
    }

    /**
     * Writes the report of a command that has ended, if it has one.
     *
     * @param failure why it did not begin its work; null if it did
     * @return false if it cannot be written, which the command has said then
     */
    public static boolean end(CommandSpec command, int code, @Nullable String failure) {
        ReportMixin mixin = in(command);
        RunReport report = mixin == null ? null : mixin.report;
        if (mixin == null || report == null) {
            return true;
        }
        report.end(code, failure);
        boolean isWritten = mixin.write(report, command.commandLine().getErr());
        mixin.locks.forEach(OutputLock::close);
        mixin.report = null;
        return isWritten;
    }

    /**
     * Prints a difference, and adds it to the report.
     *
     * @param table as spelled in CQL; empty if it is the only one
     */
    public void found(String table, String json, PrintWriter out) {
        DiffPrinter.print(json, out);
        RunReport to = report;
        if (to != null) {
            to.difference(table, json);
        }
    }

    /** Adds tables that have no counterpart, which is a difference. */
    public void onlyRight(List<String> tables) {
        RunReport to = report;
        if (to != null) {
            to.onlyRight(tables);
        }
    }

    /** Adds what is not done or not compared, besides what the options say. */
    public void leftOut(List<String> what) {
        RunReport to = report;
        if (to != null) {
            what.forEach(to::leftOut);
        }
    }

    /** As {@link #leftOut}, and prints a message about each. */
    public void sayLeftOut(List<String> what, PrintWriter err) {
        what.forEach(each -> err.println("overdrive: " + each));
        leftOut(what);
    }

    private static void check(Path file) {
        String name = file.toString();
        if (!name.endsWith(HTML) && !name.endsWith(JSON)) {
            throw new IllegalArgumentException(NAME + " is " + file + ", must end in .html or .json");
        }
        try {
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !isReport(file)) {
                throw new IllegalArgumentException(NAME + " " + file
                        + " exists, and is not such a report: it is not overwritten; choose another name");
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(unwritable(file, e), e);
        } catch (OverdriveException e) {
            throw new IllegalArgumentException(NAME + ": " + e.getMessage(), e);
        }
    }

    private static boolean isReport(Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try (InputStream in = Files.newInputStream(file)) {
            String head = new String(in.readNBytes(HEAD_BYTES), StandardCharsets.UTF_8);
            return head.contains(file.toString().endsWith(HTML) ? ReportPage.SIGN : RunReport.SIGN);
        }
    }

    private static String unwritable(Path file, IOException e) {
        return NAME + " " + file + " cannot be written: " + WritableDirectory.reason(e);
    }

    /** The file that takes the place of a report. */
    private static Path next(Path file) {
        return file.resolveSibling("." + Objects.requireNonNull(file.getFileName()) + "."
                + ProcessHandle.current().pid());
    }

    /** Writes a report, which is for its owner only, as keys of rows are in it. */
    private static void write(Path file, Path to, RunReport report) throws IOException {
        String text = file.toString().endsWith(HTML) ? ReportPage.of(report.json()) : report.text();
        Files.deleteIfExists(to);
        try (OutputStream out = PrivateFile.create(to)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Replaces the file as a whole. */
    private static void replace(Path file) throws IOException {
        Files.move(next(file), file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void delete(Path written) {
        try {
            Files.deleteIfExists(written);
        } catch (IOException e) {
            // what failed before is reported
        }
    }
}
