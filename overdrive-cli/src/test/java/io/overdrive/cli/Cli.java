package io.overdrive.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** What a command line did: its exit code, and all that it printed but the lines of progress of one that takes long. */
record Cli(int code, String out, String err) {
    private static final Pattern PROGRESS = Pattern.compile("(?m)^[0-9,]+ rows  .* rows/s now  .*\\R");

    /** Runs a command line in this process. */
    static Cli run(String... args) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
        ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(outBytes, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(errBytes, true, StandardCharsets.UTF_8));
        try {
            int code = Main.run(args);
            String told =
                    PROGRESS.matcher(errBytes.toString(StandardCharsets.UTF_8)).replaceAll("");
            return new Cli(code, outBytes.toString(StandardCharsets.UTF_8), told);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
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
