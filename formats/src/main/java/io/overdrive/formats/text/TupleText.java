package io.overdrive.formats.text;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.util.stream.IntStream;

/**
 * Tuples: <code>(1, 'x', null)</code>, in JSON an array. The bytes are each field prefixed with its length, -1 for null.
 * Confined to one thread.
 */
final class TupleText extends ValueText {
    private final ValueText[] fields;
    private final String[] labels;
    private final CqlLiteral literal = new CqlLiteral(this);

    TupleText(String type, ValueText[] fields) {
        super(type, /* hasFields */ true, fields);
        this.fields = fields;
        labels = IntStream.rangeClosed(1, fields.length)
                .mapToObj(i -> "field " + i)
                .toArray(String[]::new);
    }

    @Override
    public boolean isNested() {
        return true;
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        if (literal.open(chars, from, to) == '{') {
            throw got(chars, from, to);
        }
        putFields(this, literal, fields, labels, out);
    }

    @Override
    public void parse(JsonParser json, Bytes out) throws IOException {
        JsonToken token = json.currentToken();
        if (token == JsonToken.VALUE_STRING) {
            parseToken(json, out);
        } else if (token == JsonToken.START_ARRAY) {
            putFields(this, json, fields, labels, out);
        } else {
            throw gotToken(token);
        }
    }

    /** The fields by position, which must all be present; the labels name them in messages. */
    static void putFields(ValueText owner, CqlLiteral literal, ValueText[] fields, String[] labels, Bytes out) {
        int count = 0;
        while (literal.nextField()) {
            if (count < fields.length) {
                putField(literal, fields[count], labels[count], out);
            }
            count++;
        }
        checkCount(owner, fields, count);
    }

    static void putFields(ValueText owner, JsonParser json, ValueText[] fields, String[] labels, Bytes out)
            throws IOException {
        int count = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (count < fields.length) {
                putField(json, fields[count], labels[count], out);
            } else {
                json.skipChildren();
            }
            count++;
        }
        checkCount(owner, fields, count);
    }

    static void putField(CqlLiteral literal, ValueText field, String label, Bytes out) {
        if (literal.isNull()) {
            out.putNull();
            return;
        }
        int begin = out.beginValue();
        try {
            literal.parse(field, out);
        } catch (BadValueException e) {
            throw e.inside(label);
        }
        out.endValue(begin);
    }

    static void putField(JsonParser json, ValueText field, String label, Bytes out) throws IOException {
        if (json.currentToken() == JsonToken.VALUE_NULL) {
            out.putNull();
            return;
        }
        int begin = out.beginValue();
        try {
            field.parse(json, out);
        } catch (BadValueException e) {
            throw e.inside(label);
        }
        out.endValue(begin);
    }

    private static void checkCount(ValueText owner, ValueText[] fields, int count) {
        if (count != fields.length) {
            throw new BadValueException("is " + owner.type + " with " + fields.length + " fields, got " + count);
        }
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
