package io.overdrive.files.text.parse;

import io.overdrive.internal.codec.Bytes;
import java.math.BigInteger;

/** Integers of any length. Immutable; on the hot path up to 18 digits. */
final class VarintParser extends ValueParser {
    VarintParser() {
        super("varint");
    }

    @Override
    boolean isNumber() {
        return true;
    }

    @Override
    public String hint(String value) {
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
}
