package io.overdrive.files.text.write;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.internal.codec.Bytes;
import java.util.List;

/** UDTs: <code>{name: 'x', "Latin Name": null}</code>, in JSON an object. Confined to one thread. */
final class UdtWriter extends ValueWriter {
    private final ValueWriter[] fields;
    /** The text before each value. */
    private final byte[][] literalNames;

    private final byte[][] jsonNames;

    UdtWriter(String type, List<CqlIdentifier> names, ValueWriter[] fields) {
        super(type);
        this.fields = fields;
        literalNames = new byte[fields.length][];
        jsonNames = new byte[fields.length][];
        for (int i = 0; i < fields.length; i++) {
            literalNames[i] = TextForms.utf8(literal(names.get(i)) + ": ");
            Bytes json = new Bytes(64);
            json.put(TextForms.json(names.get(i).asInternal()));
            json.putByte(':');
            jsonNames[i] = json.toByteArray();
        }
    }

    /**
     * In single quotes if the name contains a backslash: in double quotes {@code CqlLiteral} takes it for a JSON
     * escape.
     */
    private static String literal(CqlIdentifier name) {
        String internal = name.asInternal();
        return internal.indexOf('\\') >= 0 ? "'" + internal.replace("'", "''") + "'" : name.asCql(/* pretty */ true);
    }

    @Override
    boolean isNested() {
        return true;
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        put(Spelling.LITERAL, literalNames, from, offset, length, out);
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        put(Spelling.JSON, jsonNames, from, offset, length, out);
    }

    /** Fields missing at the end were added to the type later. */
    private void put(Spelling spelling, byte[][] names, byte[] from, int offset, int length, Bytes out) {
        int end = offset + length;
        int at = offset;
        out.putByte('{');
        for (int i = 0; i < fields.length; i++) {
            if (i > 0) {
                out.put(spelling.comma);
            }
            out.put(names[i]);
            int partLength = -1;
            if (at < end) {
                partLength = partLength(from, at, end);
                at += 4;
            }
            fields[i].writePart(spelling, from, at, partLength, out);
            at += Math.max(partLength, 0);
        }
        out.putByte('}');
    }
}
