package io.overdrive.formats.text;

import io.overdrive.formats.hints.NumberHint;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.MessageText;
import java.math.BigInteger;

/**
 * Decimals, exact: {@code 1.50} keeps its scale of 2 and {@code 1e3} has a scale of -3. Written in the form of
 * {@code BigDecimal.toString}, such as {@code 1.50}, {@code 1E+3} or {@code 1.2E-10}, which shows the scale, so that parsing
 * restores it. The bytes are an int with the scale and the unscaled value as a varint. Confined to one thread; on the hot
 * path, for parsing up to 18 digits, for writing if the unscaled value has up to 8 bytes.
 */
final class DecimalText extends ValueText {
    private static final int SCALE_BYTES = 4;
    /** Numbers with more zeros after the point get an exponent. */
    private static final int MIN_PLAIN_EXPONENT = -6;

    private final DecimalReader text = new DecimalReader();

    DecimalText() {
        super("decimal");
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
            throw got(chars, from, to);
        }
        VarintText.checkDigits(this, text.digits, chars, from, to);
        long scale = text.fractionDigits - text.exponent;
        if (scale != (int) scale) {
            throw BadValueException.but(type, chars, from, to, "has a scale out of range (-2147483648 to 2147483647)");
        }
        out.putInt((int) scale);
        if (text.digits <= 18) {
            out.putVarint(text.negative ? -text.mantissa : text.mantissa);
        } else {
            BigInteger unscaled = new BigInteger(text.digitString());
            out.put((text.negative ? unscaled.negate() : unscaled).toByteArray());
        }
    }

    @Override
    boolean isFraction() {
        return true;
    }

    @Override
    boolean keeps(char[] chars, int from, int to, byte[] value, int start, int end) {
        boolean isZero = end - start == SCALE_BYTES + 1 && value[end - 1] == 0;
        return Digits.isPlain(chars, from, to) && !(isZero && text.negative); // 0 has no sign
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        if (length <= SCALE_BYTES) {
            throw badLength(length);
        }
        int scale = Bytes.getInt(from, offset);
        int start = out.length();
        VarintText.put(from, offset + SCALE_BYTES, length - SCALE_BYTES, out);
        if (scale == 0) {
            return;
        }
        int first = out.array()[start] == '-' ? start + 1 : start;
        int digits = out.length() - first;
        long exponent = digits - 1L - scale;
        if (scale < 0 || exponent < MIN_PLAIN_EXPONENT) {
            if (digits > 1) {
                insert(first + 1, 1, out);
                out.array()[first + 1] = '.';
            }
            out.putByte('E');
            if (exponent > 0) {
                out.putByte('+');
            }
            Digits.put(exponent, out);
        } else if (scale < digits) {
            int point = first + digits - scale;
            insert(point, 1, out);
            out.array()[point] = '.';
        } else {
            int zeros = scale - digits + 2;
            insert(first, zeros, out);
            byte[] a = out.array();
            for (int i = first; i < first + zeros; i++) {
                a[i] = '0';
            }
            a[first + 1] = '.';
        }
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        VarintText.writeNumber(this, from, offset, length, out);
    }

    /** Shifts the bytes from {@code at} on. */
    private static void insert(int at, int count, Bytes out) {
        out.reserve(count);
        System.arraycopy(out.array(), at, out.array(), at + count, out.length() - at);
        out.advance(count);
    }
}
