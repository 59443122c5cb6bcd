package io.overdrive.files.text.parse;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.files.text.BadValueException;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;

/**
 * Lists and sets: {@code [int] count}, then each element, prefixed with its length. Confined to one thread.
 *
 * <p>A set's elements are sent in their order: the server sorts them and removes duplicates.
 */
final class SequenceParser extends ValueParser {
    private final ValueParser element;
    private final boolean isSet;
    private final CqlLiteral literal = new CqlLiteral(this);

    private SequenceParser(String type, ValueParser element, boolean isSet) {
        super(type);
        this.element = element;
        this.isSet = isSet;
    }

    static SequenceParser list(String type, ValueParser element) {
        return new SequenceParser(type, element, /* isSet */ false);
    }

    static SequenceParser set(String type, ValueParser element) {
        return new SequenceParser(type, element, /* isSet */ true);
    }

    @Override
    boolean isNested() {
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
}
