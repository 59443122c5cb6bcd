package io.overdrive.formats.text;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.JobOption;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Text and ascii as they are, spaces included. Immutable; on the hot path. */
final class StringText extends ValueText {
    enum Charset {
        ASCII,
        UTF8
    }

    private final Charset charset;
    private final boolean keepsJson;

    /** @param keepsJson whether JSON objects and arrays are values, too */
    StringText(String type, Charset charset, boolean keepsJson) {
        super(type);
        this.charset = charset;
        this.keepsJson = keepsJson;
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
            if (!keepsJson) {
                throw gotToken(token).withHint(words -> "; " + words.of(JobOption.JSON_TEXT) + " keeps it as its JSON");
            }
            Bytes text = new Bytes(256);
            putJson(json, text);
            char[] chars = new String(text.toByteArray(), StandardCharsets.UTF_8).toCharArray();
            parse(chars, 0, chars.length, out);
            return;
        }
        super.parse(json, out);
    }

    /** Writes the value at {@code json} without spaces, and its numbers as they are. */
    private static void putJson(JsonParser json, Bytes out) throws IOException {
        switch (json.currentToken()) {
            case START_OBJECT -> {
                out.putByte('{');
                for (boolean first = true; json.nextToken() != JsonToken.END_OBJECT; first = false) {
                    putComma(first, out);
                    putJsonString(json.currentName(), out);
                    out.putByte(':');
                    json.nextToken();
                    putJson(json, out);
                }
                out.putByte('}');
            }
            case START_ARRAY -> {
                out.putByte('[');
                for (boolean first = true; json.nextToken() != JsonToken.END_ARRAY; first = false) {
                    putComma(first, out);
                    putJson(json, out);
                }
                out.putByte(']');
            }
            case VALUE_STRING -> putJsonString(json.getText(), out);
            default -> TextForms.putAscii(json.getText(), out);
        }
    }

    private static void putComma(boolean first, Bytes out) {
        if (!first) {
            out.putByte(',');
        }
    }

    private static void putJsonString(String text, Bytes out) {
        Bytes utf8 = new Bytes(text.length());
        utf8.putUtf8(text.toCharArray(), 0, text.length());
        TextForms.putJson(utf8.array(), 0, utf8.length(), out);
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
