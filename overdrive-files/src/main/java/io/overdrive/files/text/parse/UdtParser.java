package io.overdrive.files.text.parse;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.files.text.BadValueException;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.util.Arrays;

/**
 * UDTs: each field in the order of the type, prefixed with its length, -1 for null. Confined to one thread.
 *
 * <p>Fields come by name in any order, so they are first written to a scratch sink and then sorted. A missing field
 * is null, an unknown one is an error. A name matches exactly, or else ignoring case if only one field matches.
 */
final class UdtParser extends ValueParser {
    private final String[] names;
    private final ValueParser[] fields;
    private final String[] labels;
    private final CqlLiteral literal = new CqlLiteral(this);
    private final Bytes scratch = new Bytes(64);
    /** Where each field, with its length, starts and ends in the scratch sink; -1 for a missing one. */
    private final int[] starts;

    private final int[] ends;

    UdtParser(String type, String[] names, ValueParser[] fields) {
        super(type);
        this.names = names;
        this.fields = fields;
        labels = Arrays.stream(names).map(name -> "field \"" + name + '"').toArray(String[]::new);
        starts = new int[fields.length];
        ends = new int[fields.length];
    }

    @Override
    boolean isNested() {
        return true;
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        if (literal.open(chars, from, to) != '{') {
            TupleParser.putFields(this, literal, fields, labels, out);
            return;
        }
        begin();
        int expected = 0;
        while (literal.nextKey()) {
            int field = find(literal.name(), expected);
            starts[field] = scratch.length();
            literal.next();
            TupleParser.putField(literal, fields[field], labels[field], scratch);
            ends[field] = scratch.length();
            expected = field + 1;
        }
        putInOrder(out);
    }

    @Override
    public void parse(JsonParser json, Bytes out) throws IOException {
        JsonToken token = json.currentToken();
        if (token == JsonToken.VALUE_STRING) {
            parseToken(json, out);
            return;
        }
        if (token == JsonToken.START_ARRAY) {
            TupleParser.putFields(this, json, fields, labels, out);
            return;
        }
        if (token != JsonToken.START_OBJECT) {
            throw gotToken(token);
        }
        begin();
        int expected = 0;
        while (json.nextToken() != JsonToken.END_OBJECT) {
            int field = find(json.currentName(), expected);
            json.nextToken();
            starts[field] = scratch.length();
            TupleParser.putField(json, fields[field], labels[field], scratch);
            ends[field] = scratch.length();
            expected = field + 1;
        }
        putInOrder(out);
    }

    private void begin() {
        scratch.clear();
        Arrays.fill(starts, -1);
    }

    private void putInOrder(Bytes out) {
        for (int i = 0; i < fields.length; i++) {
            if (starts[i] < 0) {
                out.putNull();
            } else {
                out.put(scratch.array(), starts[i], ends[i] - starts[i]);
            }
        }
    }

    /** The index of the field; {@code expected} is a guess. */
    private int find(String name, int expected) {
        if (expected < names.length && names[expected].equals(name)) {
            return expected;
        }
        int similar = -1;
        boolean ambiguous = false;
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals(name)) {
                return i;
            }
            if (names[i].equalsIgnoreCase(name)) {
                ambiguous = similar >= 0;
                similar = i;
            }
        }
        if (similar < 0 || ambiguous) {
            throw new BadValueException("is " + type + ", which has no field \"" + shown(name) + '"');
        }
        return similar;
    }

    private static String shown(String name) {
        return BadValueException.shown(name.toCharArray(), 0, name.length());
    }
}
