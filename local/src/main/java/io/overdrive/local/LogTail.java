package io.overdrive.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The part of a log that says why something failed. Thread-safe: no state. */
final class LogTail {
    private static final int LINES = 20;

    /** How errors start in Cassandra's log, on the console of Cassandra or a JVM, and in Maven's output. */
    private static final Pattern ERROR =
            Pattern.compile("^(ERROR|\\[ERROR]|Exception |Error|Caused by: |Unrecognized |Invalid ).*");

    /** A line that a JVM or Cassandra writes when it ends itself. */
    private static final Pattern LAST_WORDS =
            Pattern.compile(".*(java\\.lang\\.OutOfMemoryError|Terminating due to|A fatal error has been detected).*");

    private LogTail() {}

    /**
     * The first log that has an error, from its first error on, at most 20 lines; else the end of the first log that is
     * not empty.
     */
    static String of(Path... logs) {
        String end = "";
        for (Path log : logs) {
            List<String> lines = read(log);
            for (int i = 0; i < lines.size(); i++) {
                if (ERROR.matcher(lines.get(i)).matches()) {
                    return text(lines, i);
                }
            }
            end = end.isEmpty() ? text(lines, Math.max(0, lines.size() - LINES)) : end;
        }
        return end;
    }

    /** Why a process ended itself: the last line that says so in the first log that has one. */
    static Optional<String> lastWords(Path... logs) {
        for (Path log : logs) {
            List<String> lines = read(log);
            for (int i = lines.size() - 1; i >= 0; i--) {
                if (LAST_WORDS.matcher(lines.get(i)).matches()) {
                    return Optional.of(lines.get(i).strip());
                }
            }
        }
        return Optional.empty();
    }

    private static String text(List<String> lines, int from) {
        return String.join("\n", lines.subList(from, Math.min(lines.size(), from + LINES)));
    }

    /** Empty if there is no such log yet. */
    private static List<String> read(Path log) {
        try {
            return new String(Files.readAllBytes(log), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
