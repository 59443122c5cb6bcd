package io.overdrive.formats.text;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;

/**
 * Maps: <code>{'a': 1, 'b': 2}</code>. In JSON an object, whose names are the text of the keys, or an array of pairs, which
 * is written if keys are collections, tuples or UDTs. Confined to one thread.
 *
 * <p>The bytes are {@code [int] count}, then each key and value, prefixed with its length. Entries are sent in their order:
 * the server sorts them.
 */
final class MapText extends ValueText {
    private static final byte[] COLON = TextForms.utf8(": ");
    private static final byte[] NO_NAME = TextForms.utf8("\"\"");

    private final ValueText key;
    private final ValueText value;
    private final CqlLiteral literal = new CqlLiteral(this);
    private final CqlLiteral pair = new CqlLiteral(this);

    MapText(String type, ValueText key, ValueText value) {
        super(type, /* hasFields */ false, key, value);
        this.key = key;
        this.value = value;
    }

    @Override
    public boolean isNested() {
        return true;
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        char bracket = literal.open(chars, from, to);
        int start = out.length();
        out.putInt(0);
        int count = 0;
        if (bracket == '{') {
            while (literal.nextKey()) {
                count++;
                put(key, literal, "key", count, out);
                literal.next();
                put(value, literal, "value", count, out);
            }
        } else if (bracket == '[') {
            while (literal.next()) {
                count++;
                putPair(count, out);
            }
        } else {
            throw got(chars, from, to);
        }
        out.setInt(start, count);
    }

    @Override
    public void parse(JsonParser json, Bytes out) throws IOException {
        JsonToken token = json.currentToken();
        if (token == JsonToken.VALUE_STRING) {
            parseToken(json, out);
            return;
        }
        int start = out.length();
        out.putInt(0);
        int count = 0;
        if (token == JsonToken.START_OBJECT) {
            while (json.nextToken() != JsonToken.END_OBJECT) {
                count++;
                putName(json, count, out);
                json.nextToken();
                put(value, json, "value", count, out);
            }
        } else if (token == JsonToken.START_ARRAY) {
            while (json.nextToken() != JsonToken.END_ARRAY) {
                count++;
                putPair(json, count, out);
            }
        } else {
            throw gotToken(token);
        }
        out.setInt(start, count);
    }

    private void putPair(int count, Bytes out) {
        if (literal.openPart(pair) == '{' || !pair.next()) {
            throw noPair(count);
        }
        put(key, pair, "key", count, out);
        if (!pair.next()) {
            throw noPair(count);
        }
        put(value, pair, "value", count, out);
        if (pair.next()) {
            throw noPair(count);
        }
    }

    private void putPair(JsonParser json, int count, Bytes out) throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY || json.nextToken() == JsonToken.END_ARRAY) {
            throw noPair(count);
        }
        put(key, json, "key", count, out);
        if (json.nextToken() == JsonToken.END_ARRAY) {
            throw noPair(count);
        }
        put(value, json, "value", count, out);
        if (json.nextToken() != JsonToken.END_ARRAY) {
            throw noPair(count);
        }
    }

    private void putName(JsonParser json, int count, Bytes out) throws IOException {
        int begin = out.beginValue();
        try {
            key.parseToken(json, out);
        } catch (BadValueException e) {
            throw e.inside("key of entry " + count);
        }
        out.endValue(begin);
    }

    private void put(ValueText parser, JsonParser json, String part, int count, Bytes out) throws IOException {
        if (json.currentToken() == JsonToken.VALUE_NULL) {
            throw isNull(part, count);
        }
        int begin = out.beginValue();
        try {
            parser.parse(json, out);
        } catch (BadValueException e) {
            throw e.inside(part + " of entry " + count);
        }
        out.endValue(begin);
    }

    private void put(ValueText parser, CqlLiteral from, String part, int count, Bytes out) {
        if (from.isNull()) {
            throw isNull(part, count);
        }
        int begin = out.beginValue();
        try {
            from.parse(parser, out);
        } catch (BadValueException e) {
            throw e.inside(part + " of entry " + count);
        }
        out.endValue(begin);
    }

    private BadValueException isNull(String part, int count) {
        return new BadValueException(part + " of entry " + count + " is null, which a " + type + " cannot hold");
    }

    private BadValueException noPair(int count) {
        return new BadValueException("entry " + count + " of a " + type + " is not a pair of a key and a value");
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
            key.countIfEmpty(length);
            out.put(NO_NAME);
        } else {
            key.writeName(from, offset, length, out);
        }
    }
}
