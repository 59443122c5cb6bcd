package io.overdrive.cli.options;

import io.overdrive.cli.config.Configuration;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.internal.names.DidYouMean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Checks and converts values of options; messages name the option. Stateless. */
public final class OptionValues {
    /** The formats as descriptions of options name them. */
    private static final List<String> FORMATS = List.of("CSV", "JSON", "Arrow", "Parquet");

    private OptionValues() {}

    /** A word of a command line as a shell takes it: in quotes if it needs them. */
    public static String shellWord(String word) {
        return word.matches("[\\w./:=,-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    /** A file that is there. */
    public static Path readable(String option, Path file) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException(option + " " + file + ": no such file, or it cannot be read");
        }
        return file;
    }

    /** A character, or null for an empty text. */
    static @Nullable Character character(String option, @Nullable String text) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        if (text.length() > 1) {
            throw new IllegalArgumentException(option + " is one character, got \"" + text + "\"");
        }
        return text.charAt(0);
    }

    /**
     * A time in microseconds since 1970. Times of this century in seconds, milliseconds or nanoseconds are refused: taken as
     * microseconds, they would be so old that older rows hide the new ones, or so late that the rows cannot be changed.
     */
    static long micros(String option, long value) {
        for (TimeUnit unit : List.of(TimeUnit.SECONDS, TimeUnit.MILLISECONDS, TimeUnit.NANOSECONDS)) {
            long seconds = unit.toSeconds(value);
            if (seconds >= 946_684_800L && seconds < 4_102_444_800L) {
                throw new IllegalArgumentException(option + " counts microseconds, and " + value + " looks like "
                        + unit.name().toLowerCase(Locale.ROOT) + ": give "
                        + (unit == TimeUnit.NANOSECONDS ? value / 1000 : unit.toMicros(value)));
            }
        }
        return value;
    }

    static ZoneId zone(String option, String text) {
        try {
            return ZoneId.of(text);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    option + " \"" + text + "\" is not a time zone: write Europe/Berlin, UTC or +01:00", e);
        }
    }

    static Instant instant(String option, String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    option + " \"" + text + "\" is not a time: write it as 2000-01-01T00:00:00Z", e);
        }
    }

    static @Nullable String pattern(String option, @Nullable String pattern) {
        if (pattern == null || pattern.equals(ValueFormat.SERIAL)) {
            return pattern;
        }
        try {
            Objects.requireNonNull(DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH));
            return pattern;
        } catch (IllegalArgumentException e) {
            String meant = DidYouMean.suggestion(pattern.toLowerCase(Locale.ROOT), List.of(ValueFormat.SERIAL));
            throw new IllegalArgumentException(
                    option + " \"" + pattern + "\" is not a pattern such as dd.MM.yyyy or HH:mm:ss"
                            + (meant.isEmpty() ? ": " + e.getMessage() : meant),
                    e);
        }
    }

    /** Sets the options that files to read and files to write have for times. */
    static ValueFormat.Builder times(
            @Nullable String timestampPattern,
            @Nullable String datePattern,
            @Nullable String timePattern,
            String zone) {
        return ValueFormat.builder()
                .timestampPattern(pattern("--timestamp-format", timestampPattern))
                .datePattern(pattern("--date-format", datePattern))
                .timePattern(pattern("--time-format", timePattern))
                .zone(zone("--time-zone", zone));
    }

    /**
     * Refuses options that have no effect on the kind of file: those whose description starts with {@code CSV:} if no file
     * is CSV, and so on. Options of the configuration are for files of all kinds, and not refused.
     *
     * @param kinds as they are at the start of descriptions
     * @param forText options that have an effect on CSV and JSON only
     */
    static void checkKind(ParseResult given, Set<String> kinds, Set<String> forText) {
        for (OptionSpec option : given.matchedOptions()) {
            String name = option.longestName();
            List<String> named = List.of(
                    String.join(" ", option.description()).split(":", 2)[0].split(", "));
            List<String> only =
                    forText.contains(name) ? List.of("CSV", "JSON") : FORMATS.containsAll(named) ? named : List.of();
            if (!only.isEmpty() && only.stream().noneMatch(kinds::contains) && isTyped(given, name)) {
                throw new IllegalArgumentException(
                        name + " is for " + String.join(" and ", only) + ", and has no effect on "
                                + FORMATS.stream().filter(kinds::contains).collect(Collectors.joining(" and "))
                                + ": leave it out, or give another --format");
            }
        }
    }

    /** Whether an option is on the command line, and not in the configuration, which is for all ways of working. */
    public static boolean isTyped(ParseResult given, String option) {
        return given.hasMatchedOption(option) && !Configuration.isConfigured(given.commandSpec(), option);
    }

    /** Refuses an option that has no effect without another one. */
    public static void checkNeeds(ParseResult given, String option, String needed) {
        if (isTyped(given, option) && !given.hasMatchedOption(needed)) {
            throw new IllegalArgumentException(option + " has no effect without " + needed);
        }
    }

    /** Refuses an option that has no effect together with another one. */
    static void checkAlone(ParseResult given, String option, String other) {
        if (isTyped(given, option) && given.hasMatchedOption(other)) {
            throw new IllegalArgumentException(option + " has no effect with " + other);
        }
    }
}
