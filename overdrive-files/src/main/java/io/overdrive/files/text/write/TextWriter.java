package io.overdrive.files.text.write;

import io.overdrive.internal.codec.Bytes;

/** Text as it is. Immutable; on the hot path. */
final class TextWriter extends ValueWriter {
    TextWriter(String type) {
        super(type);
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        out.put(from, offset, length);
    }

    @Override
    void writeLiteral(byte[] from, int offset, int length, Bytes out) {
        TextForms.putLiteral(from, offset, length, out);
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        TextForms.putJson(from, offset, length, out);
    }

    @Override
    void writeName(byte[] from, int offset, int length, Bytes out) {
        TextForms.putJson(from, offset, length, out);
    }

    @Override
    boolean mayBeEmpty() {
        return true;
    }

    @Override
    public boolean isText() {
        return true;
    }
}
