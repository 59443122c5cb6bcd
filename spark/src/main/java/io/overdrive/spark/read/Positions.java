package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import io.overdrive.internal.codec.CqlType;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The values of a clustering column between two of them as whole numbers in about the same order, so that values in between
 * can be made. Text and blobs count by eight bytes after those that both values begin with, and random UUIDs by six bytes.
 * Plans (on the driver). Immutable.
 */
final class Positions {
    /** Bytes of text and blobs that count. */
    private static final int BYTES = 8;

    private static final int UUID_BYTES = 6;
    /** Sorts before the same time with any other lower half, which is compared by signed bytes. */
    private static final long MIN_LOWER_HALF = 0x8080808080808080L;

    private static final int FIRST_PRINTABLE = 0x20;

    private enum Kind {
        NUMBER,
        UNSIGNED,
        BYTES,
        TIME_UUID,
        RANDOM_UUID
    }

    private final DataType type;
    private final Kind kind;
    /** The common beginning of text and blobs. */
    private final byte[] prefix;
    /** Bytes of a number; 0 for a varint, which has as many as it needs. */
    private final int width;

    private Positions(DataType type, Kind kind, byte[] prefix, int width) {
        this.type = type;
        this.kind = kind;
        this.prefix = prefix;
        this.width = width;
    }

    /** Null if values between these two cannot be made. Neither may be empty, except for text and blobs. */
    static @Nullable Positions between(DataType type, byte[] min, byte[] max) {
        Kind kind =
                switch (CqlType.of(type)) {
                    case TINYINT, SMALLINT, INT, BIGINT, TIMESTAMP, TIME, VARINT -> Kind.NUMBER;
                    case DATE -> Kind.UNSIGNED;
                    case ASCII, TEXT, BLOB -> Kind.BYTES;
                    case UUID, TIMEUUID -> ofUuids(version(min), version(max));
                    case BOOLEAN,
                            COUNTER,
                            DECIMAL,
                            DOUBLE,
                            DURATION,
                            FLOAT,
                            INET,
                            LIST,
                            MAP,
                            SET,
                            TUPLE,
                            UDT,
                            VECTOR,
                            CUSTOM -> null;
                };
        if (kind == null) {
            return null;
        }
        int same = Arrays.mismatch(min, max);
        byte[] prefix = kind == Kind.BYTES ? Arrays.copyOf(min, same < 0 ? min.length : same) : new byte[0];
        return new Positions(type, kind, prefix, CqlType.of(type) == CqlType.VARINT ? 0 : min.length);
    }

    private static @Nullable Kind ofUuids(int minVersion, int maxVersion) {
        if (minVersion != maxVersion) {
            return null;
        }
        return minVersion == 1 ? Kind.TIME_UUID : minVersion == 4 ? Kind.RANDOM_UUID : null;
    }

    private static int version(byte[] uuid) {
        return uuid.length == 16 ? (uuid[6] >> 4) & 0xF : -1;
    }

    BigInteger of(byte[] value) {
        return switch (kind) {
            case NUMBER -> new BigInteger(value);
            case UNSIGNED -> new BigInteger(1, value);
            case BYTES -> {
                int from = Math.min(prefix.length, value.length);
                yield new BigInteger(1, Arrays.copyOfRange(value, from, from + BYTES));
            }
            case TIME_UUID -> {
                if (version(value) != 1) {
                    yield BigInteger.ONE.shiftLeft(60); // written meanwhile, and after all others
                }
                ByteBuffer halves = ByteBuffer.wrap(value);
                yield BigInteger.valueOf(new UUID(halves.getLong(), halves.getLong()).timestamp());
            }
            case RANDOM_UUID -> new BigInteger(1, Arrays.copyOf(value, UUID_BYTES));
        };
    }

    /** A value at the position, or before it if text must be cut there. */
    byte[] value(BigInteger position) {
        return switch (kind) {
            case NUMBER -> width == 0 ? position.toByteArray() : padded(position, width);
            case UNSIGNED -> padded(position, width);
            case BYTES -> {
                byte[] more = padded(position, BYTES);
                byte[] all = Arrays.copyOf(prefix, prefix.length + BYTES);
                System.arraycopy(more, 0, all, prefix.length, BYTES);
                yield Arrays.copyOf(all, length(all));
            }
            case TIME_UUID -> {
                long time = position.longValueExact();
                long upper = (time << 32) | ((time >>> 16) & 0xFFFF0000L) | 0x1000L | ((time >>> 48) & 0xFFFL);
                yield bytes(upper, MIN_LOWER_HALF);
            }
            case RANDOM_UUID -> bytes((position.longValueExact() << 16) | 0x4000L, 0);
        };
    }

    private static byte[] bytes(long upper, long lower) {
        return ByteBuffer.allocate(16).putLong(upper).putLong(lower).array();
    }

    /** Two's complement of this width. */
    private static byte[] padded(BigInteger number, int width) {
        byte[] from = number.toByteArray();
        byte[] to = new byte[width];
        Arrays.fill(to, number.signum() < 0 ? (byte) -1 : 0);
        int length = Math.min(width, from.length);
        System.arraycopy(from, from.length - length, to, width - length, length);
        return to;
    }

    /** The length without zeros at the end; of text, as much as can be written in a statement. */
    private int length(byte[] bytes) {
        int length = bytes.length;
        while (length > 0 && bytes[length - 1] == 0) {
            length--;
        }
        if (CqlType.of(type) == CqlType.BLOB) {
            return length;
        }
        for (int i = prefix.length; i < length; i++) {
            if (bytes[i] >= 0 && bytes[i] < FIRST_PRINTABLE) {
                length = i;
            }
        }
        Charset charset = CqlType.of(type) == CqlType.ASCII ? StandardCharsets.US_ASCII : StandardCharsets.UTF_8;
        ByteBuffer text = ByteBuffer.wrap(bytes, 0, length);
        charset.newDecoder().decode(text, CharBuffer.allocate(length), /* endOfInput */ true);
        return text.position(); // up to bytes that are no character
    }

    /** A value in CQL. */
    String literal(byte[] value) {
        return switch (CqlType.of(type)) {
            // as numbers they have no last year
            case TIMESTAMP, DATE -> of(value).toString();
            default ->
                Literals.cql(
                        type,
                        Objects.requireNonNull(CodecRegistry.DEFAULT
                                .codecFor(type)
                                .decode(ByteBuffer.wrap(value), ProtocolVersion.DEFAULT)));
        };
    }
}
