package io.overdrive.formats.text;

/**
 * Parses {@code [sign] digits [. digits] [e exponent]}, the common form of decimal, double and float. Confined to one
 * thread; on the hot path.
 */
public final class DecimalReader {
    /** A number beyond any meaningful exponent, and far from overflow when the digits of a fraction are subtracted. */
    private static final long HUGE_EXPONENT = 1L << 40;

    boolean negative;
    /** The digits without sign and point as a number; meaningless above 19 digits, unsigned at 19. */
    long mantissa;
    /** Digits before and after the point, leading zeros included. */
    public int digits;

    public int fractionDigits;
    long exponent;

    /** Where the number starts and ends, without the spaces around it. */
    int start;

    int end;
    private char[] chars = {};
    private int pointAt;

    /** Whether the text is such a number; if not, only {@code start} and {@code end} are valid. */
    public boolean read(char[] text, int from, int to) {
        int i = ValueText.skipSpaces(text, from, to);
        int last = ValueText.trimEnd(text, i, to);
        chars = text;
        start = i;
        end = last;
        negative = false;
        if (i < last && (text[i] == '-' || text[i] == '+')) {
            negative = text[i++] == '-';
        }
        int firstDigit = i;
        long value = 0;
        int digit;
        while (i < last && (digit = text[i] - '0') >= 0 && digit <= 9) {
            value = value * 10 + digit;
            i++;
        }
        digits = i - firstDigit;
        pointAt = i;
        fractionDigits = 0;
        if (i < last && text[i] == '.') {
            int firstOfFraction = ++i;
            while (i < last && (digit = text[i] - '0') >= 0 && digit <= 9) {
                value = value * 10 + digit;
                i++;
            }
            fractionDigits = i - firstOfFraction;
            digits += fractionDigits;
        }
        mantissa = value;
        exponent = 0;
        return digits > 0 && (i == last || readExponent(i));
    }

    /** The digits without sign, point and exponent. */
    public String digitString() {
        int wholeDigits = digits - fractionDigits;
        StringBuilder result = new StringBuilder(digits).append(chars, pointAt - wholeDigits, wholeDigits);
        return fractionDigits == 0
                ? result.toString()
                : result.append(chars, pointAt + 1, fractionDigits).toString();
    }

    /** The number without the spaces around it. */
    public String string() {
        return new String(chars, start, end - start);
    }

    private boolean readExponent(int at) {
        int i = at;
        if (chars[i] != 'e' && chars[i] != 'E') {
            return false;
        }
        i++;
        boolean minus = false;
        if (i < end && (chars[i] == '-' || chars[i] == '+')) {
            minus = chars[i++] == '-';
        }
        if (i == end) {
            return false;
        }
        long value = 0;
        for (; i < end; i++) {
            int digit = chars[i] - '0';
            if (digit < 0 || digit > 9) {
                return false;
            }
            value = Math.min(value * 10 + digit, HUGE_EXPONENT);
        }
        exponent = minus ? -value : value;
        return true;
    }
}
