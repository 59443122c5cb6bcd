package io.overdrive.files.text.write;

import io.overdrive.internal.codec.Bytes;
import java.math.BigInteger;

/** Integers of any length. Immutable; on the hot path up to 8 bytes. */
final class VarintWriter extends ValueWriter {
    /** JSON readers, including ours, commonly refuse numbers of more than 1,000 digits, but accept them as strings. */
    private static final int MAX_JSON_NUMBER_BYTES = 1000;

    VarintWriter() {
        super("varint");
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
    static void writeNumber(ValueWriter writer, byte[] from, int offset, int length, Bytes out) {
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
