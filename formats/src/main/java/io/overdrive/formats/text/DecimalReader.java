package io.overdrive.formats.text;

import com.fasterxml.jackson.core.io.NumberOutput;
import java.math.BigDecimal;
import java.math.MathContext;

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

    /**
     * Whether a number that was read has all its digits in the double or float that it became. The number of which a program wrote these
     * digits may have been that double or float itself: then it is kept, however many digits there are. So a number is kept if it is the
     * exact value, the shortest text, or the exact value rounded to the digits that the number has after its point. Confined to one
     * thread; on the hot path up to 15 digits of a double, or 6 of a float, and up to 18 digits of a shortest text.
     */
    static final class Precision {
        /** Digits that a double preserves of any number. */
        private static final int DOUBLE_DIGITS = 15;
        /** The same of a float. */
        private static final int FLOAT_DIGITS = 6;
        /** Digits that a {@code long} holds. */
        private static final int LONG_DIGITS = 18;
        /** More than the exact value of any double has. */
        private static final int MAX_EXACT_DIGITS = 1100;

        private final DecimalReader shortest = new DecimalReader();

        boolean keeps(DecimalReader number, double value) {
            return (number.digits <= DOUBLE_DIGITS && Math.abs(value) >= Double.MIN_NORMAL)
                    || keeps(number, value, NumberOutput.toString(value, /* useFastWriter */ true));
        }

        boolean keeps(DecimalReader number, float value) {
            return (number.digits <= FLOAT_DIGITS && Math.abs(value) >= Float.MIN_NORMAL)
                    || keeps(number, value, NumberOutput.toString(value, /* useFastWriter */ true));
        }

        private boolean keeps(DecimalReader number, double value, String shortestText) {
            char[] chars = shortestText.toCharArray();
            if (number.digits <= LONG_DIGITS && shortest.read(chars, 0, chars.length) && isSame(number, shortest)) {
                return true;
            }
            if (number.digits > MAX_EXACT_DIGITS) {
                return false;
            }
            String digits = number.digitString();
            int significant = digits.length() - leadingZeros(digits);
            if (value == 0 || significant == 0) {
                return value == 0 && significant == 0;
            }
            BigDecimal written = new BigDecimal(number.string());
            return written.compareTo(new BigDecimal(shortestText)) == 0
                    || (number.fractionDigits > 0
                            && written.compareTo(new BigDecimal(value).round(new MathContext(significant))) == 0)
                    || written.compareTo(new BigDecimal(value)) == 0;
        }

        /** Whether both are the same number, but for zeros at its end. */
        private static boolean isSame(DecimalReader a, DecimalReader b) {
            return a.mantissa == b.mantissa
                    ? a.mantissa == 0 || power(a) == power(b)
                    : a.mantissa != 0 && b.mantissa != 0 && isSameWithoutZeros(a, b);
        }

        private static boolean isSameWithoutZeros(DecimalReader a, DecimalReader b) {
            long first = a.mantissa;
            long firstPower = power(a);
            for (; first % 10 == 0; first /= 10) {
                firstPower++;
            }
            long second = b.mantissa;
            long secondPower = power(b);
            for (; second % 10 == 0; second /= 10) {
                secondPower++;
            }
            return first == second && firstPower == secondPower;
        }

        private static long power(DecimalReader number) {
            return number.exponent - number.fractionDigits;
        }

        private static int leadingZeros(String digits) {
            int zeros = 0;
            while (zeros < digits.length() && digits.charAt(zeros) == '0') {
                zeros++;
            }
            return zeros;
        }
    }
}
