package io.overdrive.files.text.write;

import com.fasterxml.jackson.core.io.NumberOutput;
import io.overdrive.internal.codec.Bytes;

/**
 * Floats with the fewest digits that are read as the same float, in the form of {@code Float.toString}. Immutable; on
 * the hot path, where Jackson's method creates three objects.
 */
final class FloatWriter extends ValueWriter {
    FloatWriter() {
        super("float");
    }

    @Override
    boolean isFraction() {
        return true;
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        checkLength(length, Float.BYTES);
        float value = Float.intBitsToFloat(Bytes.getInt(from, offset));
        TextForms.putAscii(NumberOutput.toString(value, /* useFastWriter */ true), out);
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        checkLength(length, Float.BYTES);
        if (Float.isFinite(Float.intBitsToFloat(Bytes.getInt(from, offset)))) {
            write(from, offset, length, out);
        } else {
            writeQuoted('"', from, offset, length, out);
        }
    }
}
