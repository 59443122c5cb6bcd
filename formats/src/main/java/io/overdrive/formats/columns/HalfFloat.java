package io.overdrive.formats.columns;

/** Numbers of 16 bits with a fraction, for which Java has no method before version 20. Stateless. */
final class HalfFloat {
    private static final int EXPONENT_BITS = 0x7C00;
    private static final int FRACTION_BITS = 0x3FF;
    private static final float SMALLEST = 0x1p-24f;

    private HalfFloat() {}

    /** Exact. */
    static float toFloat(short half) {
        int sign = (half & 0x8000) << 16;
        int exponent = half & EXPONENT_BITS;
        int fraction = half & FRACTION_BITS;
        if (exponent == EXPONENT_BITS) {
            return Float.intBitsToFloat(sign | 0x7F80_0000 | fraction << 13);
        }
        if (exponent == 0) {
            float small = fraction * SMALLEST;
            return sign == 0 ? small : -small;
        }
        return Float.intBitsToFloat(sign | (exponent << 13) + (112 << 23) | fraction << 13);
    }
}
