package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.TableSchema;
import io.overdrive.internal.codec.CqlType;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Which keys a row can have: the server refuses a request for any other key, while Spark just finds no row. This rule
 * applies to everything that requests keys: filters, lists of keys, joins and deletions. Plans (on the driver) and
 * executes (on the executors).
 *
 * <p>An instance iterates over all combinations of the columns' values and skips impossible keys. Confined to one
 * thread.
 */
public final class PossibleKeys {
    /** The server stores the length of a key, and of each of its columns, in two bytes. */
    private static final int MAX_BYTES = 0xFFFF;
    /** Overhead of each column of a composite partition key: its length, and a byte after it. */
    private static final int COLUMN_OVERHEAD_BYTES = 3;

    private static final int UUID_BYTES = 16;

    private final byte[][][] values;
    private final int[] at;
    private boolean ended;

    /** @param values for each column of the partition key */
    public PossibleKeys(TableSchema table, List<List<Object>> values) {
        this.values = new byte[values.size()][][];
        this.at = new int[values.size()];
        for (int i = 0; i < this.values.length; i++) {
            DataType type = table.partitionKey().get(i).type();
            this.values[i] = values.get(i).stream()
                    .map(value -> array(Literals.bytes(type, value)))
                    .toArray(byte[][]::new);
            ended |= this.values[i].length == 0;
        }
    }

    private static byte[] array(ByteBuffer value) {
        byte[] bytes = new byte[value.remaining()];
        value.duplicate().get(bytes);
        return bytes;
    }

    /** Stores the columns of the next key in the array; false after the last key. */
    public boolean next(byte[][] key) {
        while (!ended) {
            int bytes = 0;
            for (int i = 0; i < at.length; i++) {
                key[i] = values[i][at[i]];
                bytes += key[i].length;
            }
            advance();
            if (isPossible(key.length, bytes)) {
                return true;
            }
        }
        return false;
    }

    private void advance() {
        for (int i = at.length - 1; i >= 0; i--) {
            if (++at[i] < values[i].length) {
                return;
            }
            at[i] = 0;
        }
        ended = true;
    }

    /**
     * Whether a partition key can have this size.
     *
     * @param bytes of all columns together
     */
    public static boolean isPossible(int columns, int bytes) {
        return columns == 1 ? bytes > 0 && bytes <= MAX_BYTES : bytes + columns * COLUMN_OVERHEAD_BYTES <= MAX_BYTES;
    }

    /** Whether a key column, or a column with an index, can have the value with these bytes. */
    public static boolean isPossible(DataType type, byte[] bytes, int from, int to) {
        if (to - from > MAX_BYTES) {
            return false;
        }
        return switch (CqlType.of(type)) {
            case ASCII -> isAscii(bytes, from, to);
            case TEXT -> isUtf8(bytes, from, to);
            case TIMEUUID -> to - from == UUID_BYTES && (bytes[from + 6] & 0xF0) == 0x10;
            case BIGINT,
                    BLOB,
                    BOOLEAN,
                    COUNTER,
                    DATE,
                    DECIMAL,
                    DOUBLE,
                    DURATION,
                    FLOAT,
                    INET,
                    INT,
                    LIST,
                    MAP,
                    SET,
                    SMALLINT,
                    TIME,
                    TIMESTAMP,
                    TINYINT,
                    TUPLE,
                    UDT,
                    UUID,
                    VARINT,
                    VECTOR,
                    CUSTOM -> true;
        };
    }

    private static boolean isAscii(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] < 0) {
                return false;
            }
        }
        return true;
    }

    /** The server's rule, which also allows surrogates, and zero as two bytes. */
    private static boolean isUtf8(byte[] bytes, int from, int to) {
        int i = from;
        while (i < to) {
            int first = bytes[i++] & 0xFF;
            if (first < 0x80) {
                continue;
            }
            int more;
            int min = 0x80;
            int max = 0xBF;
            if (first >= 0xC0 && first <= 0xDF) {
                more = 1;
                max = first == 0xC0 ? 0x80 : max;
            } else if (first >= 0xE0 && first <= 0xEF) {
                more = 2;
                min = first == 0xE0 ? 0xA0 : min;
            } else if (first >= 0xF0 && first <= 0xF4) {
                more = 3;
                min = first == 0xF0 ? 0x90 : min;
                max = first == 0xF4 ? 0x8F : max;
            } else {
                return false;
            }
            if (first == 0xC1 || to - i < more) {
                return false;
            }
            for (; more > 0; more--) {
                int next = bytes[i++] & 0xFF;
                if (next < min || next > max) {
                    return false;
                }
                min = 0x80;
                max = 0xBF;
            }
        }
        return true;
    }
}
