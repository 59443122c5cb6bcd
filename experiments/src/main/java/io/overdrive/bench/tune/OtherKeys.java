package io.overdrive.bench.tune;

import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.bench.stress.Values;
import io.overdrive.internal.codec.CqlType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Gives rows other partition keys, so that a sample can be written several times. One column of the partition key gets another value of the
 * same or nearly the same length, which depends only on its value and the number of the copy; partitions thus keep their rows and their
 * sizes. Immutable.
 *
 * @param column the name of that column
 */
record OtherKeys(String column, CqlType type) {
    /** Bits of a version 1 UUID from here on are free: the node. */
    private static final int UUID_NODE = 10;

    /** Empty if no column of the partition key has a type with enough values. */
    static Optional<OtherKeys> of(TableSchema table) {
        List<Column> key = table.partitionKey();
        return key.stream()
                .map(column -> new OtherKeys(column.name(), CqlType.of(column.type())))
                .filter(keys -> isPossible(keys.type))
                .findFirst();
    }

    private static boolean isPossible(CqlType type) {
        return switch (type) {
            case ASCII, BIGINT, BLOB, DATE, INT, TEXT, TIMESTAMP, TIMEUUID, UUID -> true;
            case BOOLEAN,
                    COUNTER,
                    CUSTOM,
                    DECIMAL,
                    DOUBLE,
                    DURATION,
                    FLOAT,
                    INET,
                    LIST,
                    MAP,
                    SET,
                    SMALLINT,
                    TIME,
                    TINYINT,
                    TUPLE,
                    UDT,
                    VARINT,
                    VECTOR -> false;
        };
    }

    /**
     * The value in a copy, as CQL bytes.
     *
     * @param copy 0 for the value itself
     */
    byte[] value(byte[] value, long copy) {
        if (copy == 0) {
            return value;
        }
        if (type == CqlType.TEXT || type == CqlType.ASCII || type == CqlType.BLOB) {
            byte[] suffix = ("~" + Long.toString(copy, Character.MAX_RADIX)).getBytes(StandardCharsets.US_ASCII);
            byte[] longer = Arrays.copyOf(value, value.length + suffix.length);
            System.arraycopy(suffix, 0, longer, value.length, suffix.length);
            return longer;
        }
        byte[] other = value.clone();
        long mask = Values.mix(1, copy) | 1;
        int first = other.length == Long.BYTES * 2 ? UUID_NODE : 0;
        for (int i = other.length - 1; i >= first; i--) {
            other[i] ^= (byte) mask;
            mask >>>= Byte.SIZE;
        }
        return other;
    }
}
