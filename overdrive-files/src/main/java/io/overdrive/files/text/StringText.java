package io.overdrive.files.text;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;

/** Text and ascii as they are, spaces included. Immutable; on the hot path. */
final class StringText extends ValueText {
    enum Charset {
        ASCII,
        UTF8
    }

    private final Charset charset;

    StringText(String type, Charset charset) {
        super(type);
        this.charset = charset;
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        int start = out.length();
        try {
            out.putUtf8(chars, from, to);
        } catch (IllegalArgumentException e) {
            throw holds("half a surrogate pair", chars, from, to);
        }
        // a character is one byte in UTF-8 if and only if it is ASCII
        if (charset == Charset.ASCII && out.length() - start != to - from) {
            throw holds("other characters", chars, from, to);
        }
    }

    @Override
    public void parse(JsonParser json, Bytes out) throws IOException {
        JsonToken token = json.currentToken();
        if (token.isStructStart()) {
            throw new BadValueException(gotToken(token).getMessage() + "; to store it as text, write it as a string");
        }
        super.parse(json, out);
    }

    private BadValueException holds(String what, char[] chars, int from, int to) {
        return new BadValueException(
                "is " + type + ", but \"" + BadValueException.shown(chars, from, to) + "\" holds " + what);
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
