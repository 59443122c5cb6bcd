package io.overdrive.files.text.write;

import io.overdrive.internal.codec.Bytes;

/** The integers of 1, 2, 4 and 8 bytes, and counters. Immutable; on the hot path. */
final class IntegerWriter extends ValueWriter {
    private final int width;

    IntegerWriter(String type, int width) {
        super(type);
        this.width = width;
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        checkLength(length, width);
        long value =
                switch (width) {
                    case Long.BYTES -> Bytes.getLong(from, offset);
                    case Integer.BYTES -> Bytes.getInt(from, offset);
                    case Short.BYTES -> Bytes.getShort(from, offset);
                    default -> from[offset];
                };
        Digits.put(value, out);
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        write(from, offset, length, out);
    }
}
