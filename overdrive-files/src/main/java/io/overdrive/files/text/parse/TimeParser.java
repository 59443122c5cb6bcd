package io.overdrive.files.text.parse;

import io.overdrive.internal.codec.Bytes;

/**
 * Times of day: {@code 10:15} or {@code 10:15:30.123456789}. Confined to one thread; on the hot path.
 *
 * <p>A number of nanoseconds since midnight, which CQL also accepts, is refused: in a file {@code 1015} more likely
 * means a quarter past ten.
 */
final class TimeParser extends ValueParser {
    private final IsoText text = new IsoText();

    TimeParser() {
        super("time");
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        text.open(chars, from, to);
        if (text.time() && text.atEnd()) {
            out.putLong(text.secondOfDay * IsoText.NANOS_PER_SECOND + text.nano);
        } else {
            throw got(chars, from, to);
        }
    }

    @Override
    public String hint(String value) {
        String digits = value.strip();
        if (!NumericDate.isDigits(digits)) {
            return NumericDate.hint("--time-format", "hh:mm a", value);
        }
        return switch (digits.length()) {
            case 4 -> "; if it means hours and minutes, give --time-format HHmm";
            case 6 -> "; if it means hours, minutes and seconds, give --time-format HHmmss";
            default -> "; if it is nanoseconds since midnight, give --time-format N";
        };
    }
}
