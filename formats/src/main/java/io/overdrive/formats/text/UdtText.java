package io.overdrive.formats.text;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.JobOption;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * UDTs: <code>{name: 'x', "Latin Name": null}</code>, in JSON an object. The bytes are each field in the order of the type,
 * prefixed with its length, -1 for null. Confined to one thread.
 *
 * <p>Fields come by name in any order, so they are first written to a scratch sink and then sorted. A missing field is
 * null; one that is there twice is an error, and so is an unknown one unless the format ignores it. A name matches exactly, or else
 * ignoring case if only one field matches.
 */
final class UdtText extends ValueText {
    private final String[] names;
    private final ValueText[] fields;
    private final String[] labels;
    /** The text before each value. */
    private final byte[][] literalNames;

    private final byte[][] jsonNames;
    private final CqlLiteral literal = new CqlLiteral(this);
    private final Bytes scratch = new Bytes(64);
    /** Where each field, with its length, starts and ends in the scratch sink; -1 for a missing one. */
    private final int[] starts;

    private final int[] ends;
    private final boolean ignoresExtraFields;
    private final boolean writesNullFields;

    UdtText(String type, List<CqlIdentifier> identifiers, ValueText[] fields, ValueFormat format) {
        super(type, /* hasFields */ true, fields);
        ignoresExtraFields = format.ignoresExtraFields();
        writesNullFields = format.writesNullFields();
        this.fields = fields;
        names = identifiers.stream().map(CqlIdentifier::asInternal).toArray(String[]::new);
        labels = Arrays.stream(names).map(name -> "field \"" + name + '"').toArray(String[]::new);
        starts = new int[fields.length];
        ends = new int[fields.length];
        literalNames = new byte[fields.length][];
        jsonNames = new byte[fields.length][];
        for (int i = 0; i < fields.length; i++) {
            literalNames[i] = TextForms.utf8(literal(identifiers.get(i)) + ": ");
            Bytes json = new Bytes(64);
            json.put(TextForms.json(names[i]));
            json.putByte(':');
            jsonNames[i] = json.toByteArray();
        }
    }

    @Override
    public boolean isNested() {
        return true;
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        if (literal.open(chars, from, to) != '{') {
            TupleText.putFields(this, literal, fields, labels, out);
            return;
        }
        begin();
        int expected = 0;
        while (literal.nextKey()) {
            int field = find(literal.name(), expected);
            literal.nextField();
            if (field < 0) {
                continue;
            }
            begin(field);
            TupleText.putField(literal, fields[field], labels[field], scratch);
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
            TupleText.putFields(this, json, fields, labels, out);
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
            if (field < 0) {
                json.skipChildren();
                continue;
            }
            begin(field);
            TupleText.putField(json, fields[field], labels[field], scratch);
            ends[field] = scratch.length();
            expected = field + 1;
        }
        putInOrder(out);
    }

    private void begin() {
        scratch.clear();
        Arrays.fill(starts, -1);
    }

    /** Refuses a field that was there before: either of its values might be meant. */
    private void begin(int field) {
        if (starts[field] >= 0) {
            throw new BadValueException("is " + type + ", but has " + labels[field] + " twice");
        }
        starts[field] = scratch.length();
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

    /** The index of the field, or -1 for one to be ignored; {@code expected} is a guess. */
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
        if (similar >= 0 && !ambiguous) {
            return similar;
        }
        if (ignoresExtraFields && similar < 0) {
            return -1;
        }
        BadValueException unknown = new BadValueException("is " + type + ", which has no field \"" + shown(name) + '"');
        throw similar < 0
                ? unknown.withHint(words -> "; " + words.of(JobOption.ALLOW_EXTRA_FIELDS) + " ignores it")
                : unknown;
    }

    private static String shown(String name) {
        return BadValueException.shown(name.toCharArray(), 0, name.length());
    }

    /**
     * Quotes a field's name: in single quotes if it contains a backslash, because in double quotes {@code CqlLiteral}
     * takes the backslash for a JSON escape.
     */
    private static String literal(CqlIdentifier name) {
        String internal = name.asInternal();
        return internal.indexOf('\\') >= 0 ? "'" + internal.replace("'", "''") + "'" : name.asCql(/* pretty */ true);
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        put(Spelling.LITERAL, literalNames, /* has nulls */ true, from, offset, length, out);
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        put(Spelling.JSON, jsonNames, writesNullFields, from, offset, length, out);
    }

    /** Fields missing at the end were added to the type later. */
    private void put(
            Spelling spelling, byte[][] names, boolean hasNulls, byte[] from, int offset, int length, Bytes out) {
        int end = offset + length;
        int at = offset;
        out.putByte('{');
        int start = out.length();
        for (int i = 0; i < fields.length; i++) {
            int partLength = -1;
            if (at < end) {
                partLength = partLength(from, at, end);
                at += 4;
            }
            if (partLength < 0 && !hasNulls) {
                continue;
            }
            if (out.length() > start) {
                out.put(spelling.comma);
            }
            out.put(names[i]);
            fields[i].writePart(spelling, from, at, partLength, out);
            at += Math.max(partLength, 0);
        }
        out.putByte('}');
    }
}
