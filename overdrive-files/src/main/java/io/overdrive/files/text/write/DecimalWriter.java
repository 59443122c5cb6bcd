package io.overdrive.files.text.write;

import io.overdrive.internal.codec.Bytes;

/**
 * Decimals, exact, in the form of {@code BigDecimal.toString}: {@code 1.50}, {@code 1E+3}, {@code 1.2E-10}. It shows
 * the scale, so that parsing restores it. Immutable; on the hot path if the unscaled value has up to 8 bytes.
 */
final class DecimalWriter extends ValueWriter {
    private static final int SCALE_BYTES = 4;
    /** Numbers with more zeros after the point get an exponent. */
    private static final int MIN_PLAIN_EXPONENT = -6;

    DecimalWriter() {
        super("decimal");
    }

    @Override
    boolean isFraction() {
        return true;
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        if (length <= SCALE_BYTES) {
            throw badLength(length);
        }
        int scale = Bytes.getInt(from, offset);
        int start = out.length();
        VarintWriter.put(from, offset + SCALE_BYTES, length - SCALE_BYTES, out);
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
        VarintWriter.writeNumber(this, from, offset, length, out);
    }

    /** Shifts the bytes from {@code at} on. */
    private static void insert(int at, int count, Bytes out) {
        out.reserve(count);
        System.arraycopy(out.array(), at, out.array(), at + count, out.length() - at);
        out.advance(count);
    }
}
