package io.overdrive.files.text.parse;

import io.overdrive.internal.codec.Bytes;

/** Doubles, correctly rounded. Confined to one thread; on the hot path. */
final class DoubleParser extends ValueParser {
    private final DecimalText text = new DecimalText();

    DoubleParser() {
        super("double");
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
    static double word(DecimalText text, ValueParser parser, char[] chars, int from, int to) {
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
}
