package io.overdrive.jobs.verify;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.CellConverter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Joins two values of a column that have the same write time, as the server does if the column is not frozen: the elements of a set, the
 * entries of a map and the fields of a user-defined type are cells, of which it keeps those of both values, and of two for one key
 * the greater one. Lists are not joined: each write gives its elements separate cells, in an order that only the server knows. Stateless.
 */
final class CellJoin {
    private CellJoin() {}

    static boolean joins(DataType type) {
        return CellConverter.isMultiCell(type) && !(type instanceof ListType);
    }

    /** Neither value is null. */
    static void join(DataType type, byte[] a, int aFrom, int aLength, byte[] b, int bFrom, int bLength, Bytes out) {
        Map<ByteBuffer, byte[]> cells = cells(type, a, aFrom, aLength);
        cells(type, b, bFrom, bLength).forEach((key, value) -> cells.merge(key, value, CellJoin::greater));
        if (type instanceof UserDefinedType udt) {
            for (int field = 0; field < udt.getFieldTypes().size(); field++) {
                byte[] value = cells.get(number(field));
                if (value == null) {
                    out.putNull();
                } else {
                    put(value, out);
                }
            }
            return;
        }
        out.putInt(cells.size());
        cells.forEach((key, value) -> {
            put(key.array(), out);
            if (type instanceof MapType) {
                put(value, out);
            }
        });
    }

    /** The values of cells by their keys; a field has its number as key, and an element of a set has no value. */
    private static Map<ByteBuffer, byte[]> cells(DataType type, byte[] in, int from, int length) {
        Map<ByteBuffer, byte[]> cells = new LinkedHashMap<>();
        int at = from;
        if (type instanceof UserDefinedType) {
            for (int field = 0; at < from + length; field++) {
                int size = Bytes.getInt(in, at);
                at += Integer.BYTES;
                if (size >= 0) {
                    cells.put(number(field), Arrays.copyOfRange(in, at, at + size));
                    at += size;
                }
            }
            return cells;
        }
        int count = length < Integer.BYTES ? 0 : Bytes.getInt(in, at);
        at += Integer.BYTES;
        for (int i = 0; i < count; i++) {
            byte[] key = part(in, at);
            at += Integer.BYTES + key.length;
            byte[] value = {};
            if (type instanceof MapType) {
                value = part(in, at);
                at += Integer.BYTES + value.length;
            }
            cells.put(ByteBuffer.wrap(key), value);
        }
        return cells;
    }

    private static ByteBuffer number(int field) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(0, field);
    }

    private static byte[] part(byte[] in, int at) {
        int start = at + Integer.BYTES;
        return Arrays.copyOfRange(in, start, start + Bytes.getInt(in, at));
    }

    private static void put(byte[] part, Bytes out) {
        out.putInt(part.length);
        out.put(part);
    }

    private static byte[] greater(byte[] a, byte[] b) {
        return Arrays.compareUnsigned(a, b) < 0 ? b : a;
    }
}
