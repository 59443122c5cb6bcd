package io.overdrive.formats.text;

import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The text form of values. Immutable.
 *
 * @param timestampPattern a {@link DateTimeFormatter} pattern, then the only form accepted, or {@code excel} for days as
 *     spreadsheets count them; null for CQL's forms and numbers
 * @param datePattern the same for dates
 * @param timePattern the same for times
 * @param zone the zone of timestamps without one
 * @param epochUnit unit of a timestamp that is a plain number; null for milliseconds, refusing numbers that more likely
 *     mean something else: those within a year of the epoch, other than 0, or more than 530 years from it
 * @param epoch the origin of such a number
 * @param blobEncoding text form of blobs
 * @param trueWords words for true, in any case
 * @param falseWords words for false, in any case
 * @param decimalSeparator in numbers that are whole values; elements of collections have a point
 * @param jsonText whether a JSON object or array is a value of a text column, which keeps its JSON
 * @param groupingSeparator a character skipped in such numbers; {@link #NO_GROUPING} for none
 * @param ignoresExtraFields whether a value of a user-defined type may have fields that the type does not have
 * @param writesNullFields whether fields of a user-defined type that are null are in its JSON
 */
public record ValueFormat(
        @Nullable String timestampPattern,
        @Nullable String datePattern,
        @Nullable String timePattern,
        ZoneId zone,
        @Nullable TimeUnit epochUnit,
        Instant epoch,
        BlobEncoding blobEncoding,
        List<String> trueWords,
        List<String> falseWords,
        boolean jsonText,
        char decimalSeparator,
        char groupingSeparator,
        boolean ignoresExtraFields,
        boolean writesNullFields) {

    /** How a blob is written. */
    public enum BlobEncoding {
        /**
         * Hexadecimal after {@code 0x}, else Base64. Ambiguous text, an even number of hexadecimal digits without
         * {@code 0x}, is refused. One in 4,096 Base64 blobs happens to start with {@code 0x} and is refused, or misread
         * if it is short: use {@link #BASE64} for files with Base64.
         */
        AUTO,
        /** Hexadecimal, with or without {@code 0x}. */
        HEX,
        /** Base64 with the standard or the URL alphabet, padded or not. */
        BASE64
    }

    /** Stands for a pattern: days since 30 December 1899, and the time of day as a fraction, as spreadsheets have them. */
    public static final String SERIAL = "excel";

    public static final char NO_GROUPING = '\0';

    /** The parts of a pattern that stand for themselves. */
    private static final Pattern QUOTED = Pattern.compile("'[^']*'");

    /** Not in two optional parts. */
    private static final Pattern DAY_OF_YEAR_AND_MONTH = Pattern.compile("D[^\\[]*[ML]|[ML][^\\[]*D");

    private static final Pattern MONTH_AFTER_HOUR = Pattern.compile("M[^\\[M]*[HhKk][^\\[M]*M");

    public static final ValueFormat DEFAULT = builder().build();

    public ValueFormat {
        trueWords = trueWords.stream().map(w -> w.toLowerCase(Locale.ROOT)).toList();
        falseWords = falseWords.stream().map(w -> w.toLowerCase(Locale.ROOT)).toList();
        checkPattern(JobOption.TIMESTAMP_PATTERN, timestampPattern);
        checkPattern(JobOption.DATE_PATTERN, datePattern);
        checkPattern(JobOption.TIME_PATTERN, timePattern);
        for (String word : trueWords) {
            if (falseWords.contains(word)) {
                throw new IllegalOptionException(words -> words.of(JobOption.TRUE_WORDS) + " and "
                        + words.of(JobOption.FALSE_WORDS) + " both contain" + " \"" + word + "\"");
            }
        }
        checkSeparator(JobOption.DECIMAL_SEPARATOR, decimalSeparator);
        checkSeparator(JobOption.GROUPING_SEPARATOR, groupingSeparator);
        if (decimalSeparator == groupingSeparator) {
            throw new IllegalOptionException(words -> words.of(JobOption.DECIMAL_SEPARATOR) + " and "
                    + words.of(JobOption.GROUPING_SEPARATOR) + " are both '" + decimalSeparator + "', must differ");
        }
    }

    /** Starts from the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Starts from this format. */
    public Builder toBuilder() {
        return builder()
                .timestampPattern(timestampPattern)
                .datePattern(datePattern)
                .timePattern(timePattern)
                .zone(zone)
                .epochUnit(epochUnit)
                .epoch(epoch)
                .blobEncoding(blobEncoding)
                .booleanWords(trueWords, falseWords)
                .jsonText(jsonText)
                .decimalSeparator(decimalSeparator)
                .groupingSeparator(groupingSeparator)
                .ignoreExtraFields(ignoresExtraFields)
                .nullFields(writesNullFields);
    }

    public boolean plainNumbers() {
        return decimalSeparator == '.' && groupingSeparator == NO_GROUPING;
    }

    private static void checkPattern(JobOption name, @Nullable String pattern) {
        if (pattern == null || SerialText.isMeant(pattern)) {
            return;
        }
        String mistake = mistakeIn(pattern);
        if (mistake != null) {
            throw new IllegalOptionException(words -> words.of(name) + " is \"" + pattern + "\", whose " + mistake);
        }
        try {
            DateTimeFormatter unused = DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH);
        } catch (IllegalArgumentException e) {
            throw new IllegalOptionException(
                    words -> words.of(name) + " is \"" + pattern + "\", must be a pattern of java.time such as"
                            + " dd.MM.yyyy HH:mm: " + e.getMessage(),
                    e);
        }
    }

    /** The mistake in a pattern for reading times, as the end of a sentence; null if none is seen. */
    public static @Nullable String mistakeIn(String pattern) {
        return mistake(QUOTED.matcher(pattern).replaceAll(""));
    }

    /** Which letters of a pattern stand for something else than such patterns show: it would write other times. Null if none do. */
    private static @Nullable String mistake(String letters) {
        boolean hasMinute = hasAny(letters, "m");
        if (hasAny(letters, "hK") && !hasAny(letters, "aB")) {
            return "h or K is an hour of half a day: use HH, or add a for AM and PM";
        } else if (hasAny(letters, "Y") && !hasAny(letters, "wW")) {
            return "Y is the year of a week: use yyyy";
        } else if (DAY_OF_YEAR_AND_MONTH.matcher(letters).find()) {
            return "D is the day of the year: use dd";
        } else if (hasAny(letters, "d") && hasMinute && !hasAny(letters, "ML")) {
            return "m is the minute: use MM for the month";
        } else if (!hasMinute && MONTH_AFTER_HOUR.matcher(letters).find()) {
            return "second M is the month: use mm for the minute";
        } else if (hasAny(letters, "S") && hasMinute && !hasAny(letters, "s")) {
            return "S is a fraction of a second: use ss";
        }
        return null;
    }

    private static boolean hasAny(String letters, String of) {
        return letters.chars().anyMatch(letter -> of.indexOf(letter) >= 0);
    }

    private static void checkSeparator(JobOption name, char c) {
        if (Character.isLetterOrDigit(c) || c == '-' || c == '+') {
            throw new IllegalOptionException(
                    words -> words.of(name) + " is '" + c + "', must not be a letter, a digit or a sign");
        }
    }

    /** Collects options. Confined to one thread. */
    public static final class Builder {
        private @Nullable String timestampPattern;
        private @Nullable String datePattern;
        private @Nullable String timePattern;
        private ZoneId zone = ZoneOffset.UTC;
        private @Nullable TimeUnit epochUnit;
        private Instant epoch = Instant.EPOCH;
        private BlobEncoding blobEncoding = BlobEncoding.AUTO;
        private List<String> trueWords = List.of("true", "1", "t", "yes", "y");
        private List<String> falseWords = List.of("false", "0", "f", "no", "n");
        private boolean jsonText;
        private char decimalSeparator = '.';
        private char groupingSeparator = NO_GROUPING;
        private boolean ignoresExtraFields;
        private boolean writesNullFields = true;

        private Builder() {}

        public Builder timestampPattern(@Nullable String pattern) {
            timestampPattern = pattern;
            return this;
        }

        public Builder datePattern(@Nullable String pattern) {
            datePattern = pattern;
            return this;
        }

        public Builder timePattern(@Nullable String pattern) {
            timePattern = pattern;
            return this;
        }

        public Builder zone(ZoneId zone) {
            this.zone = zone;
            return this;
        }

        public Builder epochUnit(@Nullable TimeUnit unit) {
            epochUnit = unit;
            return this;
        }

        public Builder epoch(Instant epoch) {
            this.epoch = epoch;
            return this;
        }

        public Builder blobEncoding(BlobEncoding encoding) {
            blobEncoding = encoding;
            return this;
        }

        public Builder booleanWords(List<String> trueWords, List<String> falseWords) {
            this.trueWords = trueWords;
            this.falseWords = falseWords;
            return this;
        }

        public Builder jsonText(boolean keepsJson) {
            jsonText = keepsJson;
            return this;
        }

        public Builder decimalSeparator(char separator) {
            decimalSeparator = separator;
            return this;
        }

        public Builder groupingSeparator(char separator) {
            groupingSeparator = separator;
            return this;
        }

        public Builder ignoreExtraFields(boolean ignores) {
            ignoresExtraFields = ignores;
            return this;
        }

        public Builder nullFields(boolean writes) {
            writesNullFields = writes;
            return this;
        }

        public ValueFormat build() {
            return new ValueFormat(
                    timestampPattern,
                    datePattern,
                    timePattern,
                    zone,
                    epochUnit,
                    epoch,
                    blobEncoding,
                    trueWords,
                    falseWords,
                    jsonText,
                    decimalSeparator,
                    groupingSeparator,
                    ignoresExtraFields,
                    writesNullFields);
        }
    }
}
