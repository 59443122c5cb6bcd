package io.overdrive.files.text.parse;

import io.overdrive.files.text.BadValueException;
import io.overdrive.internal.codec.Bytes;
import java.math.BigInteger;

/**
 * Decimals, exact: {@code 1.50} keeps its scale of 2 and {@code 1e3} has a scale of -3. The bytes are an int with the
 * scale and the unscaled value as a varint. Confined to one thread; on the hot path up to 18 digits.
 */
final class DecimalParser extends ValueParser {
    private final DecimalText text = new DecimalText();

    DecimalParser() {
        super("decimal");
    }

    @Override
    boolean isNumber() {
        return true;
    }

    @Override
    public String hint(String value) {
        return NumberHint.fraction(value);
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        if (!text.read(chars, from, to)) {
            throw got(chars, from, to);
        }
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
}
