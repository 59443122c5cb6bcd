package io.overdrive.formats.text;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;

/**
 * Lists and sets: <code>[1, 2]</code> and <code>{1, 2}</code>, in JSON both arrays. Confined to one thread.
 *
 * <p>The bytes are {@code [int] count}, then each element, prefixed with its length. A set's elements are sent in their
 * order: the server sorts them and removes duplicates.
 */
final class SequenceText extends ValueText {
    private final ValueText element;
    private final boolean isSet;
    private final CqlLiteral literal = new CqlLiteral(this);

    private SequenceText(String type, ValueText element, boolean isSet) {
        super(type, /* hasFields */ false, element);
        this.element = element;
        this.isSet = isSet;
    }

    static SequenceText list(String type, ValueText element) {
        return new SequenceText(type, element, /* isSet */ false);
    }

    static SequenceText set(String type, ValueText element) {
        return new SequenceText(type, element, /* isSet */ true);
    }

    @Override
    public boolean isNested() {
        return true;
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        char bracket = literal.open(chars, from, to);
        if (bracket != '[' && !(isSet && bracket == '{')) {
            throw got(chars, from, to);
        }
        int start = out.length();
        out.putInt(0);
        int count = 0;
        while (literal.next()) {
            count++;
            if (literal.isNull()) {
                throw nullElement(count);
            }
            int begin = out.beginValue();
            try {
                literal.parse(element, out);
            } catch (BadValueException e) {
                throw e.inside("element " + count);
            }
            out.endValue(begin);
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
        if (token != JsonToken.START_ARRAY) {
            throw gotToken(token);
        }
        int start = out.length();
        out.putInt(0);
        int count = 0;
        while ((token = json.nextToken()) != JsonToken.END_ARRAY) {
            count++;
            if (token == JsonToken.VALUE_NULL) {
                throw nullElement(count);
            }
            int begin = out.beginValue();
            try {
                element.parse(json, out);
            } catch (BadValueException e) {
                throw e.inside("element " + count);
            }
            out.endValue(begin);
        }
        out.setInt(start, count);
    }

    private BadValueException nullElement(int count) {
        return new BadValueException("element " + count + " is null, which a " + type + " cannot hold");
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
