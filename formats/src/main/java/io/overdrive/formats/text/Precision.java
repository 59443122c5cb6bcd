package io.overdrive.formats.text;

import com.fasterxml.jackson.core.io.NumberOutput;
import java.math.BigDecimal;
import java.math.MathContext;

/**
 * Whether a number that was read has all its digits in the double or float that it became. The number of which a program wrote these
 * digits may have been that double or float itself: then it is kept, however many digits there are. So a number is kept if it is the
 * exact value, the shortest text, or the exact value rounded to the digits that the number has after its point. Confined to one
 * thread; on the hot path up to 15 digits of a double, or 6 of a float, and up to 18 digits of a shortest text.
 */
final class Precision {
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
