package io.overdrive.formats.text;

import io.overdrive.formats.hints.NumberHint;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.MessageText;
import java.math.BigInteger;

/** Integers of any length. Immutable; on the hot path up to 18 digits or 8 bytes. */
final class VarintText extends ValueText {
    /** Maximum digits of a number to parse; more than any use needs. */
    private static final int MAX_DIGITS = 100_000;
    /** JSON readers, including ours, commonly refuse numbers of more than 1,000 digits, but accept them as strings. */
    private static final int MAX_JSON_NUMBER_BYTES = 1000;

    VarintText() {
        super("varint");
    }

    @Override
    boolean isNumber() {
        return true;
    }

    @Override
    public MessageText hint(String value) {
        return NumberHint.whole(value);
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        int start = skipSpaces(chars, from, to);
        int end = trimEnd(chars, start, to);
        int i = start;
        boolean negative = false;
        if (i < end && (chars[i] == '-' || chars[i] == '+')) {
            negative = chars[i++] == '-';
        }
        int digits = end - i;
        if (digits == 0) {
            throw got(chars, from, to);
        }
        checkDigits(this, digits, chars, from, to);
        long value = 0;
        for (; i < end; i++) {
            int digit = chars[i] - '0';
            if (digit < 0 || digit > 9) {
                throw got(chars, from, to);
            }
            value = value * 10 + digit;
        }
        if (digits <= 18) {
            out.putVarint(negative ? -value : value);
        } else {
            out.put(new BigInteger(new String(chars, start, end - start)).toByteArray());
        }
    }

    /** The JDK takes a time that grows with the square of the digits: hours for a value as long as a record may be. */
    static void checkDigits(ValueText parser, int digits, char[] chars, int from, int to) {
        if (digits > MAX_DIGITS) {
            throw BadValueException.but(
                    parser.type, chars, from, to, "has " + digits + " digits, more than " + MAX_DIGITS);
        }
    }

    @Override
    boolean keeps(char[] chars, int from, int to, byte[] value, int start, int end) {
        return Digits.isPlainInteger(chars, from, to);
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        put(from, offset, length, out);
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        writeNumber(this, from, offset, length, out);
    }

    /** A JSON number, or if it is too long for one, a string. */
    static void writeNumber(ValueText writer, byte[] from, int offset, int length, Bytes out) {
        int start = out.length();
        writer.write(from, offset, length, out);
        if (out.length() - start > MAX_JSON_NUMBER_BYTES) {
            out.truncate(start);
            writer.writeQuoted('"', from, offset, length, out);
        }
    }

    static void put(byte[] from, int offset, int length, Bytes out) {
        if (length > Long.BYTES) {
            TextForms.putAscii(new BigInteger(from, offset, length).toString(), out);
            return;
        }
        long value = from[offset];
        for (int i = 1; i < length; i++) {
            value = value << 8 | (from[offset + i] & 0xFF);
        }
        Digits.put(value, out);
    }
}
