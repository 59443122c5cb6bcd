package io.overdrive.files.text.write;

import io.overdrive.internal.codec.Bytes;

/** Tuples: <code>(1, 'x', null)</code>, in JSON an array. Confined to one thread. */
final class TupleWriter extends ValueWriter {
    private final ValueWriter[] fields;

    TupleWriter(String type, ValueWriter[] fields) {
        super(type);
        this.fields = fields;
    }

    @Override
    boolean isNested() {
        return true;
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        out.putByte('(');
        put(Spelling.LITERAL, from, offset, length, out);
        out.putByte(')');
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        out.putByte('[');
        put(Spelling.JSON, from, offset, length, out);
        out.putByte(']');
    }

    /** Fields missing at the end were added to the type later. */
    private void put(Spelling spelling, byte[] from, int offset, int length, Bytes out) {
        int end = offset + length;
        int at = offset;
        for (int i = 0; i < fields.length; i++) {
            if (i > 0) {
                out.put(spelling.comma);
            }
            int partLength = -1;
            if (at < end) {
                partLength = partLength(from, at, end);
                at += 4;
            }
            fields[i].writePart(spelling, from, at, partLength, out);
            at += Math.max(partLength, 0);
        }
    }
}
