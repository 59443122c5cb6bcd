package io.overdrive.formats.text;

import com.fasterxml.jackson.core.io.NumberOutput;
import io.overdrive.formats.hints.NumberHint;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.MessageText;

/**
 * Floats, parsed with correct rounding, and written with the fewest digits that are read as the same float, in the form of
 * {@code Float.toString}. Confined to one thread; on the hot path, where Jackson's method of writing creates three objects.
 *
 * <p>Rounding the text to a double and that to a float may round twice. This is harmless unless the double lies exactly in
 * the middle between two floats: the middle is itself a double, so any other double lies on the same side of it as the
 * text does. In a float's normal range, the 29 additional bits of a double in the middle are 1 and 28 zeros.
 */
final class FloatText extends ValueText {
    private static final long EXTRA_BITS = (1L << 29) - 1;
    private static final long MIDDLE = 1L << 28;

    private final DecimalReader text = new DecimalReader();
    private final DecimalReader.Precision precision = new DecimalReader.Precision();

    FloatText() {
        super("float");
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
            out.putFloat((float) DoubleText.word(text, this, chars, from, to));
            return;
        }
        double wide = Rounding.fast(text);
        double size = Math.abs(wide);
        boolean once = (Double.doubleToRawLongBits(wide) & EXTRA_BITS) != MIDDLE
                && size >= Float.MIN_NORMAL
                && size <= Float.MAX_VALUE;
        float value = once || (size == 0 && text.mantissa == 0) ? (float) wide : Float.parseFloat(text.string());
        if (Float.isInfinite(value)) {
            throw outOfRange(chars, from, to, "-3.4028235E38", "3.4028235E38");
        }
        out.putFloat(value);
    }

    @Override
    boolean isFraction() {
        return true;
    }

    @Override
    boolean keeps(char[] chars, int from, int to, byte[] value, int start, int end) {
        return Digits.isPlain(chars, from, to)
                && (text.digits == 0 || precision.keeps(text, Float.intBitsToFloat(Bytes.getInt(value, start))));
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        checkLength(length, Float.BYTES);
        float value = Float.intBitsToFloat(Bytes.getInt(from, offset));
        TextForms.putAscii(NumberOutput.toString(value, /* useFastWriter */ true), out);
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        checkLength(length, Float.BYTES);
        if (Float.isFinite(Float.intBitsToFloat(Bytes.getInt(from, offset)))) {
            write(from, offset, length, out);
        } else {
            writeQuoted('"', from, offset, length, out);
        }
    }
}
