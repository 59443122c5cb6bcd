package io.overdrive.cli.options;

import io.overdrive.GuardLimit;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options about requests in flight, shared by the commands that move data. Confined to the thread of the command. */
public final class FlowMixin {
    private static final String EXPLAIN_FLOW = "--explain-flow";
    private static final String GUARD = "--guard";

    @Option(
            names = EXPLAIN_FLOW,
            paramLabel = "FILE",
            description =
                    "Write each decision as one line of JSON: how much may be in flight to a node and how large requests"
                            + " are, whether single rows share requests, and how far --guard holds back; what was measured,"
                            + " and why.")
    private @Nullable Path file;

    @Option(
            names = GUARD,
            paramLabel = "LIMIT",
            description =
                    "Hold back while the cluster's other users are slow: p99=20ms keeps the 99th percentile of small reads to"
                            + " 20 ms, 1.2x keeps it to 1.2 times its value before the job, which takes 11 s to measure."
                            + " Default: do not hold back.")
    private @Nullable String guard;

    /** Whether there is a guard. */
    public boolean isGuarded() {
        return guard != null;
    }

    /** The names of options that are about requests, and have no effect on a run that sends none. */
    public static String[] options() {
        return new String[] {EXPLAIN_FLOW, GUARD};
    }

    /**
     * Begins the file of decisions, if there is one.
     *
     * @param err gets later problems of the file
     * @throws IllegalArgumentException if the limit is none, or the file cannot be written
     */
    public Flow open(PrintWriter err) {
        return new Flow(file, guard == null ? null : GuardLimit.parse(guard), err);
    }
}
