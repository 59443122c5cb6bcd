package io.overdrive.files.text.write;

import io.overdrive.internal.codec.Bytes;

/**
 * Fractions with a decimal comma or another separator. Thousands are not separated: parsing does not need it. JSON
 * always has a point. Confined to one thread.
 */
final class SeparatedNumberWriter extends ValueWriter {
    private final ValueWriter plain;
    private final byte[] decimal;
    private final Bytes plainText = new Bytes(64);
    private final Bytes text = new Bytes(64);

    SeparatedNumberWriter(ValueWriter plain, char decimal) {
        super(plain.type);
        this.plain = plain;
        this.decimal = TextForms.utf8(String.valueOf(decimal));
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        plainText.clear();
        plain.write(from, offset, length, plainText);
        byte[] chars = plainText.array();
        for (int i = 0; i < plainText.length(); i++) {
            if (chars[i] == '.') {
                out.put(decimal);
            } else {
                out.putByte(chars[i]);
            }
        }
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        int start = out.length();
        plain.writeJson(from, offset, length, out);
        if (out.array()[start] == '"') {
            // strings are parsed with the separator
            out.truncate(start);
            text.clear();
            write(from, offset, length, text);
            TextForms.putJson(text.array(), 0, text.length(), out);
        }
    }
}
