package io.overdrive.files.text.parse;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.files.text.BadValueException;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;

/**
 * Maps: {@code [int] count}, then each key and value, prefixed with its length. Confined to one thread.
 *
 * <p>In JSON an object, whose names are the text of the keys, or an array of pairs, for keys that are not text. Entries
 * are sent in their order: the server sorts them.
 */
final class MapParser extends ValueParser {
    private final ValueParser key;
    private final ValueParser value;
    private final CqlLiteral literal = new CqlLiteral(this);
    private final CqlLiteral pair = new CqlLiteral(this);

    MapParser(String type, ValueParser key, ValueParser value) {
        super(type);
        this.key = key;
        this.value = value;
    }

    @Override
    boolean isNested() {
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

    private void put(ValueParser parser, JsonParser json, String part, int count, Bytes out) throws IOException {
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

    private void put(ValueParser parser, CqlLiteral from, String part, int count, Bytes out) {
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
}
