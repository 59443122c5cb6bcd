package io.overdrive.formats.text;

import com.fasterxml.jackson.core.io.NumberOutput;
import io.overdrive.formats.hints.NumberHint;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.MessageText;

/**
 * Doubles, parsed with correct rounding, and written with the fewest digits that are read as the same double, in the form
 * of {@code Double.toString}: {@code 0.1}, {@code 1.0E10}. Confined to one thread; on the hot path, where Jackson's method
 * of writing creates three objects.
 *
 * <p>Numbers from people and sensors have few digits, which are written without Jackson. Let v lie between 0.001 and
 * 10<sup>7</sup>, and m be 10<sup>8</sup>v, rounded to a whole number. As m and 10<sup>8</sup> are exact doubles, their
 * quotient is rounded once, like the text of m / 10<sup>8</sup> when it is parsed. If it equals v, the text is correct; and
 * since no two numbers of up to 15 digits are the same double, it is the only one this short.
 */
final class DoubleText extends ValueText {
    private static final int FRACTION_DIGITS = 8;
    private static final double SCALE = 1e8;
    private static final double MIN_PLAIN = 1e-3;
    private static final double MAX_PLAIN = 1e7;
    /** A minus, seven digits, a point and eight digits. */
    private static final int MAX_PLAIN_BYTES = 17;

    private final DecimalReader text = new DecimalReader();
    private final DecimalReader.Precision precision = new DecimalReader.Precision();

    DoubleText() {
        super("double");
    }

    @Override
    boolean isNumber() {
        return true;
    }

    @Override
    public MessageText hint(String value) {
        return NumberHint.fraction(value);
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        if (!text.read(chars, from, to)) {
            out.putDouble(word(text, this, chars, from, to));
            return;
        }
        double value = Rounding.fast(text);
        if (Double.isNaN(value)) {
            value = Double.parseDouble(text.string());
            if (Double.isInfinite(value)) {
                throw outOfRange(chars, from, to, "-1.7976931348623157E308", "1.7976931348623157E308");
            }
        }
        out.putDouble(value);
    }

    /** NaN and the infinities. */
    static double word(DecimalReader text, ValueText parser, char[] chars, int from, int to) {
        int i = text.start;
        boolean negative = text.negative;
        if (isWord(chars, i, text.end, "nan")) {
            return Double.NaN;
        }
        if (i < text.end && (chars[i] == '-' || chars[i] == '+')) {
            i++;
        }
        if (isWord(chars, i, text.end, "infinity") || isWord(chars, i, text.end, "inf")) {
            return negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        throw parser.got(chars, from, to);
    }

    @Override
    boolean isFraction() {
        return true;
    }

    @Override
    boolean keeps(char[] chars, int from, int to, byte[] value, int start, int end) {
        return Digits.isPlain(chars, from, to)
                && (text.digits == 0 || precision.keeps(text, Double.longBitsToDouble(Bytes.getLong(value, start))));
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        checkLength(length, Double.BYTES);
        put(Double.longBitsToDouble(Bytes.getLong(from, offset)), out);
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        checkLength(length, Double.BYTES);
        double value = Double.longBitsToDouble(Bytes.getLong(from, offset));
        if (Double.isFinite(value)) {
            put(value, out);
        } else {
            writeQuoted('"', from, offset, length, out);
        }
    }

    private static void put(double value, Bytes out) {
        double size = Math.abs(value);
        if (size < MAX_PLAIN && (size >= MIN_PLAIN || size == 0)) {
            long scaled = (long) (size * SCALE + 0.5);
            if (scaled / SCALE == size) {
                putPlain(Double.doubleToRawLongBits(value) < 0, scaled, out);
                return;
            }
        }
        TextForms.putAscii(NumberOutput.toString(value, /* useFastWriter */ true), out);
    }

    private static void putPlain(boolean negative, long scaled, Bytes out) {
        out.reserve(MAX_PLAIN_BYTES);
        byte[] a = out.array();
        int start = out.length();
        int at = start;
        if (negative) {
            a[at++] = '-';
        }
        long whole = scaled / (long) SCALE;
        at = Digits.put(a, at, whole);
        a[at++] = '.';
        int end = at + FRACTION_DIGITS;
        Digits.put(a, at, end, scaled - whole * (long) SCALE);
        while (end > at + 1 && a[end - 1] == '0') {
            end--;
        }
        out.advance(end - start);
    }
}
