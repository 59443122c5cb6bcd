package io.overdrive.formats.text;

import io.overdrive.formats.hints.IsoMistake;
import io.overdrive.formats.hints.NumericDate;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import java.util.regex.Pattern;

/**
 * Times of day: {@code 10:15} or {@code 10:15:30.123456789}; written with seconds, and with 3, 6 or 9 digits of a fraction
 * if it is not zero. Confined to one thread; on the hot path.
 *
 * <p>A number of nanoseconds since midnight, which CQL also accepts, is refused: in a file {@code 1015} more likely means a
 * quarter past ten.
 */
final class TimeText extends ValueText {
    /** {@code HH:MM:SS}. */
    static final int SECOND_BYTES = 8;

    private static final int MAX_BYTES = SECOND_BYTES + 10;
    private static final long SECONDS_PER_DAY = 86_400;
    private static final Pattern PART_OF_DAY = Pattern.compile("0?[.,]\\d+");

    private final IsoReader text = new IsoReader();

    TimeText() {
        super("time");
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        text.open(chars, from, to);
        if (text.time() && text.atEnd()) {
            out.putLong(text.secondOfDay * IsoReader.NANOS_PER_SECOND + text.nano);
        } else {
            throw got(chars, from, to);
        }
    }

    @Override
    public MessageText hint(String value) {
        String digits = value.strip();
        if (PART_OF_DAY.matcher(digits).matches()) {
            return words -> "; if it is a part of a day, as in spreadsheets, give " + words.of(JobOption.TIME_PATTERN)
                    + " excel";
        }
        if (!NumericDate.isDigits(digits)) {
            MessageText mistake = IsoMistake.inTime(value);
            return mistake != null ? mistake : NumericDate.hint(JobOption.TIME_PATTERN, "hh:mm a", value);
        }
        return switch (digits.length()) {
            case 4 -> words -> "; if it means hours and minutes, give " + words.of(JobOption.TIME_PATTERN) + " HHmm";
            case 6 ->
                words -> "; if it means hours, minutes and seconds, give " + words.of(JobOption.TIME_PATTERN)
                        + " HHmmss";
            default ->
                words -> "; if it is nanoseconds since midnight, give " + words.of(JobOption.TIME_PATTERN) + " N";
        };
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        checkLength(length, Long.BYTES);
        long nanos = Bytes.getLong(from, offset);
        long second = nanos / IsoReader.NANOS_PER_SECOND;
        if (nanos < 0 || second >= SECONDS_PER_DAY) {
            throw new BadValueException("is time, but " + nanos + " nanoseconds are not within a day");
        }
        out.reserve(MAX_BYTES);
        byte[] a = out.array();
        int at = out.length();
        put(a, at, (int) second);
        at += SECOND_BYTES;
        int nano = (int) (nanos - second * IsoReader.NANOS_PER_SECOND);
        if (nano != 0) {
            a[at++] = '.';
            int digits = nano % 1_000 != 0 ? 9 : nano % 1_000_000 != 0 ? 6 : 3;
            Digits.put(a, at, at + digits, digits == 9 ? nano : digits == 6 ? nano / 1_000 : nano / 1_000_000);
            at += digits;
        }
        out.advance(at - out.length());
    }

    @Override
    void writeLiteral(byte[] from, int offset, int length, Bytes out) {
        writeQuoted('\'', from, offset, length, out);
    }

    /** Writes {@link #SECOND_BYTES} bytes. */
    static void put(byte[] a, int at, int secondOfDay) {
        int minuteOfDay = secondOfDay / 60;
        Digits.put2(a, at, minuteOfDay / 60);
        a[at + 2] = ':';
        Digits.put2(a, at + 3, minuteOfDay % 60);
        a[at + 5] = ':';
        Digits.put2(a, at + 6, secondOfDay % 60);
    }
}
