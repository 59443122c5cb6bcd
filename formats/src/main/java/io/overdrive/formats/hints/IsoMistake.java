package io.overdrive.formats.hints;

import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds what is wrong in a refused value that is written as ISO 8601 has it, so that no other pattern would help. Static and pure; off the
 * hot path.
 *
 * <p>The methods return the end of a message, which is empty if the message itself says enough; null if the value may have another pattern.
 */
public final class IsoMistake {
    private static final Pattern DATE = Pattern.compile("[-+]?(\\d{4,10})-(\\d{1,2})-(\\d{1,2})(?:[Tt ](.*))?");
    private static final Pattern TIME = Pattern.compile("(\\d{1,2}):(\\d{1,2})(?::(\\d{1,2})(?:\\.\\d*)?)?(.*)");

    private IsoMistake() {}

    public static @Nullable MessageText inTimestamp(String value) {
        Matcher parts = DATE.matcher(value.strip());
        if (!parts.matches()) {
            return null;
        }
        MessageText day = inDay(parts);
        String time = parts.group(4);
        return day != null && day.isEmpty() && time != null ? inTime(time, /* mayHaveZone */ true) : day;
    }

    /** A date with a time of day behind it has another pattern. */
    public static @Nullable MessageText inDate(String value) {
        Matcher parts = DATE.matcher(value.strip());
        if (!parts.matches()) {
            return null;
        }
        MessageText day = inDay(parts);
        return day != null && day.isEmpty() && parts.group(4) != null ? null : day;
    }

    public static @Nullable MessageText inTime(String value) {
        return inTime(value.strip(), /* mayHaveZone */ false);
    }

    private static @Nullable MessageText inDay(Matcher parts) {
        int month = Integer.parseInt(parts.group(2));
        int day = Integer.parseInt(parts.group(3));
        if (month > 12 || day > 31) {
            return null; // they may be in another order
        }
        if (month == 0 || day == 0) {
            return words -> "; the calendar has no such day: if it stands for a missing value, give "
                    + words.of(JobOption.NULL_WORDS) + " \"" + parts.group() + "\"";
        }
        try {
            LocalDate unused = LocalDate.of((int) (Long.parseLong(parts.group(1)) % 400), month, day);
            return MessageText.EMPTY;
        } catch (DateTimeException e) {
            return words -> "; the calendar has no such day";
        }
    }

    private static @Nullable MessageText inTime(String time, boolean mayHaveZone) {
        Matcher parts = TIME.matcher(time);
        if (!parts.matches()) {
            return null;
        }
        int hour = Integer.parseInt(parts.group(1));
        int minute = Integer.parseInt(parts.group(2));
        int second = parts.group(3) == null ? 0 : Integer.parseInt(parts.group(3));
        if (hour == 24 && minute == 0 && second == 0) {
            return words -> "; the hours of a day are 0 to 23: 24:00 is 00:00 of the next one";
        }
        if (hour > 23 || minute > 59 || second > 59) {
            return words -> "; hours are 0 to 23, minutes and seconds 0 to 59";
        }
        String zone = parts.group(4).strip();
        boolean isZone = zone.isEmpty() || zone.length() > "AM".length() || zone.equalsIgnoreCase("Z");
        return mayHaveZone && isZone ? MessageText.EMPTY : null;
    }
}
