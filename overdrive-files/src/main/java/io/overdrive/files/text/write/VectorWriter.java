package io.overdrive.files.text.write;

import com.datastax.oss.driver.api.core.type.VectorType;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;

/** Vectors: <code>[0.5, 1.0]</code>, in JSON too. Confined to one thread. */
final class VectorWriter extends ValueWriter {
    private final ValueWriter element;
    private final int dimensions;
    /** The length of an element; -1 if each is prefixed with its length. */
    private final int fixedLength;

    VectorWriter(String type, VectorType vector, ValueWriter element) {
        super(type);
        this.element = element;
        dimensions = vector.getDimensions();
        fixedLength = CqlType.elementBytes(vector.getElementType());
    }

    @Override
    boolean isNested() {
        return true;
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        put(Spelling.LITERAL, from, offset, length, out);
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        put(Spelling.JSON, from, offset, length, out);
    }

    private void put(Spelling spelling, byte[] from, int offset, int length, Bytes out) {
        int end = offset + length;
        int at = offset;
        out.putByte('[');
        for (int i = 0; i < dimensions; i++) {
            if (i > 0) {
                out.put(spelling.comma);
            }
            long partLength = fixedLength;
            if (fixedLength < 0) {
                if (at >= end || Bytes.vintBytes(from[at]) > end - at) {
                    throw badLength(length);
                }
                partLength = Bytes.getUnsignedVint(from, at);
                at += Bytes.vintBytes(from[at]);
            }
            if (partLength < 0 || partLength > end - at) {
                throw badLength(length);
            }
            element.writePart(spelling, from, at, (int) partLength, out);
            at += (int) partLength;
        }
        if (at != end) {
            throw badLength(length);
        }
        out.putByte(']');
    }
}
