package io.overdrive.files.text.write;

import io.overdrive.internal.codec.Bytes;

/** Lists and sets: <code>[1, 2]</code> and <code>{1, 2}</code>, in JSON both arrays. Confined to one thread. */
final class SequenceWriter extends ValueWriter {
    private final ValueWriter element;
    private final boolean isSet;

    private SequenceWriter(String type, ValueWriter element, boolean isSet) {
        super(type);
        this.element = element;
        this.isSet = isSet;
    }

    static SequenceWriter list(String type, ValueWriter element) {
        return new SequenceWriter(type, element, /* isSet */ false);
    }

    static SequenceWriter set(String type, ValueWriter element) {
        return new SequenceWriter(type, element, /* isSet */ true);
    }

    @Override
    boolean isNested() {
        return true;
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        out.putByte(isSet ? '{' : '[');
        put(Spelling.LITERAL, from, offset, length, out);
        out.putByte(isSet ? '}' : ']');
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        out.putByte('[');
        put(Spelling.JSON, from, offset, length, out);
        out.putByte(']');
    }

    private void put(Spelling spelling, byte[] from, int offset, int length, Bytes out) {
        int end = offset + length;
        int count = partCount(from, offset, end);
        int at = offset + 4;
        for (int i = 0; i < count; i++) {
            if (i > 0) {
                out.put(spelling.comma);
            }
            int partLength = partLength(from, at, end);
            at += 4;
            element.writePart(spelling, from, at, partLength, out);
            at += Math.max(partLength, 0);
        }
    }
}
