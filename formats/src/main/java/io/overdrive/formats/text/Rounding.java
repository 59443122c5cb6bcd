package io.overdrive.formats.text;

import java.math.BigInteger;

/**
 * Converts decimal to binary if one or two multiplications provably round correctly. Immutable; on the hot path.
 *
 * <p>Clinger's case: a mantissa of at most 2<sup>53</sup> and a power of ten up to 10<sup>22</sup> are both exact
 * doubles, so that one multiplication or division rounds once. Other numbers of up to 19 digits, such as the 17-digit
 * doubles that most programs print, use Lemire's method ("Number Parsing at a Gigabyte per Second", 2021): the mantissa
 * times the upper 128 bits of the power of ten, unless the truncated bits could change the result.
 */
final class Rounding {
    private static final int MIN_POWER = -342;
    private static final int MAX_POWER = 308;

    private static final double[] EXACT_POWERS = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22
    };

    /** The first 64 bits of each power of ten, starting with a 1, and the next 64, rounded down. */
    private static final long[] POWER_HIGH = new long[MAX_POWER - MIN_POWER + 1];

    private static final long[] POWER_LOW = new long[MAX_POWER - MIN_POWER + 1];

    static {
        for (int power = MIN_POWER; power <= MAX_POWER; power++) {
            BigInteger five = BigInteger.valueOf(5).pow(Math.abs(power));
            BigInteger bits;
            if (power < 0) {
                bits = BigInteger.ONE.shiftLeft(five.bitLength() + 127).divide(five);
            } else {
                bits = five.shiftLeft(Math.max(0, 128 - five.bitLength()));
            }
            bits = bits.shiftRight(bits.bitLength() - 128);
            POWER_HIGH[power - MIN_POWER] = bits.shiftRight(64).longValue();
            POWER_LOW[power - MIN_POWER] = bits.longValue();
        }
    }

    private Rounding() {}

    /** The double nearest to the number, or NaN if {@link Double#parseDouble} is needed to find it. */
    static double fast(DecimalReader text) {
        if (text.digits > 19) {
            return Double.NaN;
        }
        long mantissa = text.mantissa;
        long power = text.exponent - text.fractionDigits;
        double size;
        if (mantissa == 0) {
            size = 0;
        } else if (mantissa > 0 && mantissa <= 1L << 53 && power >= -22 && power <= 22) {
            size = power < 0 ? mantissa / EXACT_POWERS[(int) -power] : mantissa * EXACT_POWERS[(int) power];
        } else if (power >= MIN_POWER && power <= MAX_POWER) {
            size = scaled(mantissa, (int) power);
        } else {
            return Double.NaN;
        }
        return text.negative ? -size : size;
    }

    private static double scaled(long mantissa, int power) {
        int zeros = Long.numberOfLeadingZeros(mantissa);
        long factor = mantissa << zeros;
        // 217706 / 2^16 is log2(10), close enough to be exact after rounding down in this range
        long binaryExponent = ((217706L * power) >> 16) + 64 + 1023 - zeros;
        int index = power - MIN_POWER;
        long high = unsignedMultiplyHigh(factor, POWER_HIGH[index]);
        long low = factor * POWER_HIGH[index];
        if ((high & 0x1FF) == 0x1FF && Long.compareUnsigned(low + factor, factor) < 0) {
            // the truncated bits may carry into the result: include the power's lower half
            long carryHigh = unsignedMultiplyHigh(factor, POWER_LOW[index]);
            long carryLow = factor * POWER_LOW[index];
            long sum = low + carryHigh;
            if (Long.compareUnsigned(sum, low) < 0) {
                high++;
            }
            low = sum;
            if ((high & 0x1FF) == 0x1FF && low == -1 && Long.compareUnsigned(carryLow + factor, factor) < 0) {
                return Double.NaN;
            }
        }
        int top = (int) (high >>> 63);
        long bits = high >>> (top + 9);
        binaryExponent -= 1 ^ top;
        if (low == 0 && (high & 0x1FF) == 0 && (bits & 3) == 1) {
            // looks like a tie, but may not be one
            return Double.NaN;
        }
        bits = (bits + (bits & 1)) >>> 1;
        if (bits >>> 53 != 0) {
            bits >>>= 1;
            binaryExponent++;
        }
        if (binaryExponent <= 0 || binaryExponent >= 0x7FF) {
            // subnormal or infinite
            return Double.NaN;
        }
        return Double.longBitsToDouble(binaryExponent << 52 | (bits & ((1L << 52) - 1)));
    }

    /** {@code Math.unsignedMultiplyHigh}, which came with JDK 18. */
    private static long unsignedMultiplyHigh(long a, long b) {
        return Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a);
    }
}
