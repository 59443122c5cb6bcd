package io.overdrive.files.text.write;

import io.overdrive.internal.codec.Bytes;

/**
 * Maps: <code>{'a': 1, 'b': 2}</code>. In JSON an object, whose names are the text of the keys; if keys are collections,
 * tuples or UDTs, an array of pairs. Confined to one thread.
 */
final class MapWriter extends ValueWriter {
    private static final byte[] COLON = TextForms.utf8(": ");
    private static final byte[] NO_NAME = TextForms.utf8("\"\"");

    private final ValueWriter key;
    private final ValueWriter value;

    MapWriter(String type, ValueWriter key, ValueWriter value) {
        super(type);
        this.key = key;
        this.value = value;
    }

    @Override
    boolean isNested() {
        return true;
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        int end = offset + length;
        int count = partCount(from, offset, end);
        int at = offset + 4;
        out.putByte('{');
        for (int i = 0; i < count; i++) {
            if (i > 0) {
                out.put(Spelling.LITERAL.comma);
            }
            int keyLength = partLength(from, at, end);
            key.writePart(Spelling.LITERAL, from, at + 4, keyLength, out);
            at += 4 + Math.max(keyLength, 0);
            out.put(COLON);
            int valueLength = partLength(from, at, end);
            value.writePart(Spelling.LITERAL, from, at + 4, valueLength, out);
            at += 4 + Math.max(valueLength, 0);
        }
        out.putByte('}');
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        int end = offset + length;
        int count = partCount(from, offset, end);
        int at = offset + 4;
        boolean pairs = key.isNested();
        out.putByte(pairs ? '[' : '{');
        for (int i = 0; i < count; i++) {
            if (i > 0) {
                out.putByte(',');
            }
            int keyLength = partLength(from, at, end);
            if (pairs) {
                out.putByte('[');
                key.writePart(Spelling.JSON, from, at + 4, keyLength, out);
                out.putByte(',');
            } else {
                putName(from, at + 4, keyLength, out);
                out.putByte(':');
            }
            at += 4 + Math.max(keyLength, 0);
            int valueLength = partLength(from, at, end);
            value.writePart(Spelling.JSON, from, at + 4, valueLength, out);
            at += 4 + Math.max(valueLength, 0);
            if (pairs) {
                out.putByte(']');
            }
        }
        out.putByte(pairs ? ']' : '}');
    }

    private void putName(byte[] from, int offset, int length, Bytes out) {
        if (key.isNull(length)) {
            out.put(NO_NAME);
        } else {
            key.writeName(from, offset, length, out);
        }
    }
}
