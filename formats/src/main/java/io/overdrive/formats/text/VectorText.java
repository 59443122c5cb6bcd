package io.overdrive.formats.text;

import com.datastax.oss.driver.api.core.type.VectorType;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import java.io.IOException;

/**
 * Vectors: <code>[0.5, 1.0]</code>, in JSON too. The bytes are the elements in sequence, each prefixed with its length as an
 * unsigned vint unless the type has a fixed length in Cassandra. Confined to one thread.
 */
final class VectorText extends ValueText {
    private final ValueText element;
    private final int dimensions;
    /** The length of an element; -1 if each is prefixed with its length. */
    private final int elementBytes;

    private final CqlLiteral literal = new CqlLiteral(this);
    private final Bytes scratch = new Bytes(64);

    VectorText(String type, VectorType vector, ValueText element) {
        super(type, /* hasFields */ false, element);
        this.element = element;
        dimensions = vector.getDimensions();
        elementBytes = CqlType.elementBytes(vector.getElementType());
    }

    @Override
    public boolean isNested() {
        return true;
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        if (literal.open(chars, from, to) != '[') {
            throw got(chars, from, to);
        }
        int count = 0;
        while (literal.next()) {
            count++;
            if (count <= dimensions) {
                put(count, out);
            }
        }
        checkCount(count);
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
        int count = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            count++;
            if (count <= dimensions) {
                put(json, count, out);
            } else {
                json.skipChildren();
            }
        }
        checkCount(count);
    }

    private void put(int count, Bytes out) {
        if (literal.isNull()) {
            throw nullElement(count);
        }
        try {
            literal.parse(element, begin(out));
        } catch (BadValueException e) {
            throw e.inside("element " + count);
        }
        end(out);
    }

    private void put(JsonParser json, int count, Bytes out) throws IOException {
        if (json.currentToken() == JsonToken.VALUE_NULL) {
            throw nullElement(count);
        }
        try {
            element.parse(json, begin(out));
        } catch (BadValueException e) {
            throw e.inside("element " + count);
        }
        end(out);
    }

    /** The sink for an element: a scratch one if its length must be written before it. */
    private Bytes begin(Bytes out) {
        if (elementBytes >= 0) {
            return out;
        }
        scratch.clear();
        return scratch;
    }

    private void end(Bytes out) {
        if (elementBytes < 0) {
            out.putUnsignedVint(scratch.length());
            out.put(scratch.array(), 0, scratch.length());
        }
    }

    private void checkCount(int count) {
        if (count != dimensions) {
            throw new BadValueException("is " + type + ", got " + count + " elements");
        }
    }

    private BadValueException nullElement(int count) {
        return new BadValueException("element " + count + " is null, which a " + type + " cannot hold");
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        put(Spelling.LITERAL, from, offset, length, out);
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        put(Spelling.JSON, from, offset, length, out);
    }

    private void put(Spelling spelling, byte[] from, int offset, int length, Bytes out) {
        int end = offset + length;
        int at = offset;
        out.putByte('[');
        for (int i = 0; i < dimensions; i++) {
            if (i > 0) {
                out.put(spelling.comma);
            }
            long partLength = elementBytes;
            if (elementBytes < 0) {
                if (at >= end || Bytes.vintBytes(from[at]) > end - at) {
                    throw badLength(length);
                }
                partLength = Bytes.getUnsignedVint(from, at);
                at += Bytes.vintBytes(from[at]);
            }
            if (partLength < 0 || partLength > end - at) {
                throw badLength(length);
            }
            element.writePart(spelling, from, at, (int) partLength, out);
            at += (int) partLength;
        }
        if (at != end) {
            throw badLength(length);
        }
        out.putByte(']');
    }
}
