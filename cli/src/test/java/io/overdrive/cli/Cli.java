package io.overdrive.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The result of a command line: its exit code, its output without progress lines and plan, and the plan. */
record Cli(int code, String out, String err, String plan) {
    private static final Pattern PLAN =
            Pattern.compile("(?m)^  (?:cluster|reads|writes|left|right|repairs|cells|limits) +.*\\R");
    private static final Pattern PROGRESS = Pattern.compile("(?m)^[0-9,]+ rows  .* rows/s now  .*\\R");

    /** Runs a command line in this process. */
    static Cli run(String... args) {
        return run(System.getenv(), args);
    }

    /** As {@link #run(String...)}, with another environment. */
    static Cli run(Map<String, String> environment, String... args) {
        return run(environment, /* isResumed */ false, args);
    }

    /** Runs the command line of a run that is resumed in this process. */
    static Cli resume(String... args) {
        return run(System.getenv(), /* isResumed */ true, args);
    }

    private static Cli run(Map<String, String> environment, boolean isResumed, String... args) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
        ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(outBytes, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(errBytes, true, StandardCharsets.UTF_8));
        try {
            int code = Main.run(environment, isResumed, args);
            String withoutProgress =
                    PROGRESS.matcher(errBytes.toString(StandardCharsets.UTF_8)).replaceAll("");
            return new Cli(
                    code,
                    outBytes.toString(StandardCharsets.UTF_8),
                    withoutPlan(withoutProgress),
                    PLAN.matcher(withoutProgress)
                            .results()
                            .map(MatchResult::group)
                            .collect(Collectors.joining()));
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    static String withoutPlan(String err) {
        return PLAN.matcher(err).replaceAll("");
    }

    /** Runs a command line in this process, with a text as its standard input. */
    static Cli runWithInput(String input, String... args) {
        InputStream in = System.in;
        System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
        try {
            return run(args);
        } finally {
            System.setIn(in);
        }
    }
}
