package io.overdrive.formats.columns;

import io.overdrive.formats.columns.ColumnType.Kind;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.internal.codec.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Readers of texts, bytes and identifiers. Stateless; on the hot path. */
final class Contents {
    private static final int UUID_BYTES = 16;
    private static final int VERSION_BYTE = 6;

    private Contents() {}

    private static boolean isBytes(ColumnType from) {
        return from.kind() == Kind.BINARY || from.kind() == Kind.FIXED_BINARY;
    }

    static @Nullable CellReader text(ColumnType from, String name) {
        if (from.isUuid() || (from.kind() != Kind.TEXT && !isBytes(from))) {
            return null;
        }
        return (column, row, out) -> {
            int start = out.length();
            column.put(row, out);
            if (!isAscii(out, start) && !isUtf8(out, start)) {
                throw new BadValueException("is " + name + ", got bytes that are not valid UTF-8");
            }
        };
    }

    static @Nullable CellReader ascii(ColumnType from, String name) {
        if (from.isUuid() || (from.kind() != Kind.TEXT && !isBytes(from))) {
            return null;
        }
        return (column, row, out) -> {
            int start = out.length();
            column.put(row, out);
            if (!isAscii(out, start)) {
                String text = new String(out.array(), start, out.length() - start, StandardCharsets.UTF_8);
                throw new BadValueException("is " + name + ", but \""
                        + BadValueException.shown(text.toCharArray(), 0, text.length()) + "\" holds other characters");
            }
        };
    }

    private static boolean isAscii(Bytes out, int from) {
        byte[] bytes = out.array();
        int all = 0;
        for (int i = from; i < out.length(); i++) {
            all |= bytes[i];
        }
        return all >= 0;
    }

    private static boolean isUtf8(Bytes out, int from) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(out.array(), from, out.length() - from));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    static @Nullable CellReader bytes(ColumnType from) {
        return isBytes(from) ? (column, row, out) -> column.put(row, out) : null;
    }

    /** @param version that a UUID must have; 0 for any */
    static @Nullable CellReader uuid(ColumnType from, String name, int version) {
        if (!isBytes(from)) {
            return null;
        }
        return (column, row, out) -> {
            requireLength(column, row, name, UUID_BYTES, UUID_BYTES);
            int start = out.length();
            column.put(row, out);
            int found = (out.array()[start + VERSION_BYTE] & 0xFF) >> 4;
            if (version != 0 && found != version) {
                throw new BadValueException(
                        "is " + name + ", but it is a UUID of version " + found + ", not " + version);
            }
        };
    }

    static @Nullable CellReader inet(ColumnType from, String name) {
        if (!isBytes(from) || from.isUuid()) {
            return null;
        }
        return (column, row, out) -> {
            requireLength(column, row, name, 4, 16);
            column.put(row, out);
        };
    }

    private static void requireLength(Column column, int row, String name, int one, int other) {
        int length = column.length(row);
        if (length != one && length != other) {
            throw new BadValueException("is " + name + ", got " + length + (length == 1 ? " byte" : " bytes"));
        }
    }
}
