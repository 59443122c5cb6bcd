package io.overdrive.files.text.parse;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.files.text.BadValueException;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.util.stream.IntStream;

/** Tuples: each field prefixed with its length, -1 for null. Confined to one thread. */
final class TupleParser extends ValueParser {
    private final ValueParser[] fields;
    private final String[] labels;
    private final CqlLiteral literal = new CqlLiteral(this);

    TupleParser(String type, ValueParser[] fields) {
        super(type);
        this.fields = fields;
        labels = IntStream.rangeClosed(1, fields.length)
                .mapToObj(i -> "field " + i)
                .toArray(String[]::new);
    }

    @Override
    boolean isNested() {
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
    static void putFields(ValueParser owner, CqlLiteral literal, ValueParser[] fields, String[] labels, Bytes out) {
        int count = 0;
        while (literal.next()) {
            if (count < fields.length) {
                putField(literal, fields[count], labels[count], out);
            }
            count++;
        }
        checkCount(owner, fields, count);
    }

    static void putFields(ValueParser owner, JsonParser json, ValueParser[] fields, String[] labels, Bytes out)
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

    static void putField(CqlLiteral literal, ValueParser field, String label, Bytes out) {
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

    static void putField(JsonParser json, ValueParser field, String label, Bytes out) throws IOException {
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

    private static void checkCount(ValueParser owner, ValueParser[] fields, int count) {
        if (count != fields.length) {
            throw new BadValueException("is " + owner.type + " with " + fields.length + " fields, got " + count);
        }
    }
}
