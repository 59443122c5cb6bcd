package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.ExtraTypeCodecs;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import io.overdrive.internal.codec.CqlType;
import io.overdrive.spark.cell.Addresses;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.UUID;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * Converts Spark's literals to CQL, if both compare them with a column in the same way. Plans (on the driver).
 * Stateless.
 */
final class Literals {
    /** Stands for a value that no row can have. */
    static final Object NOTHING = new Object();

    private static final long NANOS_OF_DAY = 86_400_000_000_000L;
    private static final long MICROS_PER_MILLI = 1000;
    /** An SAI index may not have longer values: from 8 KiB on by default, which can be set. */
    private static final int MAX_INDEXED_BYTES = 1024;
    /** Earlier days belong to another calendar in some servers; after {@link #LAST_DAY} years have five digits. */
    private static final long FIRST_DAY = LocalDate.of(1583, 1, 1).toEpochDay();

    private static final long LAST_DAY = LocalDate.of(9999, 12, 30).toEpochDay();

    /** The UUID of the earliest time, with the smallest other bytes, which have signs there. */
    private static final UUID FIRST_TIMEUUID = new UUID(0x1000L, 0x8080808080808080L);

    private Literals() {}

    /**
     * The value, for the driver's codec, that a column of this type has exactly in those rows in which Spark finds it
     * equal to the literal; {@link #NOTHING} if no column can have such a value, and null if Spark and Cassandra
     * disagree on what is equal.
     *
     * @param literal in the representation of Spark's rows
     */
    static @Nullable Object equal(DataType cql, Object literal) {
        Object value = value(cql, literal);
        if (value == null || value == NOTHING) {
            return value;
        }
        ByteBuffer bytes = bytes(cql, value);
        return PossibleKeys.isPossible(cql, bytes.array(), bytes.position(), bytes.limit()) ? value : NOTHING;
    }

    private static @Nullable Object value(DataType cql, Object literal) {
        return switch (CqlType.of(cql)) {
            case BOOLEAN -> as(Boolean.class, literal);
            case TINYINT -> as(Byte.class, literal);
            case SMALLINT -> as(Short.class, literal);
            case INT -> as(Integer.class, literal);
            case BIGINT -> as(Long.class, literal);
            // 0 and -0 are equal in Spark only
            case FLOAT -> literal instanceof Float number && Float.isFinite(number) && number != 0 ? number : null;
            case DOUBLE -> literal instanceof Double number && Double.isFinite(number) && number != 0 ? number : null;
            case ASCII, TEXT -> text(literal);
            case BLOB -> literal instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : null;
            case VARINT -> varint(literal);
            case DECIMAL -> literal instanceof Decimal number ? number.toJavaBigDecimal() : null;
            case TIMESTAMP -> timestamp(literal);
            case DATE -> literal instanceof Integer day && isWritable(day) ? LocalDate.ofEpochDay(day) : null;
            case TIME -> {
                Long nanos = as(Long.class, literal);
                yield nanos == null || (nanos >= 0 && nanos < NANOS_OF_DAY)
                        ? nanos == null ? null : LocalTime.ofNanoOfDay(nanos)
                        : NOTHING;
            }
            case UUID, TIMEUUID -> uuid(literal);
            case INET -> inet(literal);
            case COUNTER, DURATION, LIST, MAP, SET, TUPLE, UDT, VECTOR, CUSTOM -> null;
        };
    }

    /** The literal itself; a timestamp is rounded down or up to whole milliseconds. */
    static Object rounded(DataType cql, Object literal, boolean up) {
        if (CqlType.of(cql) == CqlType.TIMESTAMP && literal instanceof Long micros) {
            long rest = Math.floorMod(micros, MICROS_PER_MILLI);
            return micros - rest + (up && rest > 0 ? MICROS_PER_MILLI : 0);
        }
        return literal;
    }

    /** Whether an index may leave out the value. */
    static boolean isLong(DataType cql, Object value) {
        return bytes(cql, value).remaining() > MAX_INDEXED_BYTES;
    }

    /** Whether a value may be empty, like {@code blobAsInt(0x)}: not null in Cassandra, but null in Spark. */
    static boolean canBeEmpty(DataType cql) {
        return switch (CqlType.of(cql)) {
            case BOOLEAN, INT, BIGINT, VARINT, DECIMAL, FLOAT, DOUBLE, TIMESTAMP, UUID, TIMEUUID, INET -> true;
            case ASCII,
                    BLOB,
                    COUNTER,
                    DATE,
                    DURATION,
                    LIST,
                    MAP,
                    SET,
                    SMALLINT,
                    TEXT,
                    TIME,
                    TINYINT,
                    TUPLE,
                    UDT,
                    VECTOR,
                    CUSTOM -> false;
        };
    }

    /** The minimum of the values that are not empty, for the driver's codec; null if there is none. */
    static @Nullable Object min(DataType cql) {
        return switch (CqlType.of(cql)) {
            case BOOLEAN -> false;
            case INT -> Integer.MIN_VALUE;
            case BIGINT -> Long.MIN_VALUE;
            case FLOAT -> Float.NEGATIVE_INFINITY;
            case DOUBLE -> Double.NEGATIVE_INFINITY;
            case TIMESTAMP -> Instant.ofEpochMilli(Long.MIN_VALUE);
            case TIMEUUID -> FIRST_TIMEUUID;
            case ASCII,
                    BLOB,
                    COUNTER,
                    DATE,
                    DECIMAL,
                    DURATION,
                    INET,
                    LIST,
                    MAP,
                    SET,
                    SMALLINT,
                    TEXT,
                    TIME,
                    TINYINT,
                    TUPLE,
                    UDT,
                    UUID,
                    VARINT,
                    VECTOR,
                    CUSTOM -> null;
        };
    }

    /**
     * The text that sorts directly after all texts with this beginning, as bytes of UTF-8; null if there is none, or if
     * bytes that only the server accepts as text could come between.
     */
    static @Nullable String afterAllThatStartWith(String text) {
        if (text.isEmpty()) {
            return null;
        }
        int last = text.codePointBefore(text.length());
        // after these come surrogates, and zero as two bytes
        if (last == 0x7F || last == Character.MIN_SURROGATE - 1 || last == Character.MAX_CODE_POINT) {
            return null;
        }
        return new StringBuilder()
                .append(text, 0, text.length() - Character.charCount(last))
                .appendCodePoint(last + 1)
                .toString();
    }

    private static <T> @Nullable T as(Class<T> type, Object literal) {
        return type.isInstance(literal) ? type.cast(literal) : null;
    }

    private static @Nullable String text(Object literal) {
        if (!(literal instanceof UTF8String utf8)) {
            return null;
        }
        String text = utf8.toString();
        return UTF8String.fromString(text).equals(utf8) ? text : null;
    }

    private static @Nullable Object varint(Object literal) {
        if (literal instanceof Decimal number) {
            BigDecimal value = number.toJavaBigDecimal().stripTrailingZeros();
            return value.scale() > 0 ? NOTHING : value.toBigIntegerExact();
        }
        String digits = text(literal);
        if (digits == null) {
            return null;
        }
        if (!digits.matches("-?\\d{1,10000}")) {
            return NOTHING;
        }
        BigInteger value = new BigInteger(digits);
        return value.toString().equals(digits) ? value : NOTHING;
    }

    private static @Nullable Object timestamp(Object literal) {
        if (!(literal instanceof Long micros)) {
            return null;
        }
        if (Math.floorMod(micros, MICROS_PER_MILLI) != 0) {
            return NOTHING;
        }
        Instant instant = Instant.ofEpochMilli(Math.floorDiv(micros, MICROS_PER_MILLI));
        return isWritable(instant.atOffset(ZoneOffset.UTC).toLocalDate().toEpochDay()) ? instant : null;
    }

    private static boolean isWritable(long day) {
        return day >= FIRST_DAY && day <= LAST_DAY;
    }

    private static @Nullable Object uuid(Object literal) {
        String text = text(literal);
        if (text == null || text.length() != 36) {
            return text == null ? null : NOTHING;
        }
        try {
            UUID uuid = UUID.fromString(text);
            return uuid.toString().equals(text) ? uuid : NOTHING;
        } catch (IllegalArgumentException e) {
            return NOTHING; // not a UUID
        }
    }

    private static @Nullable Object inet(Object literal) {
        String text = text(literal);
        if (text == null) {
            return null;
        }
        try {
            InetAddress address = Addresses.of(text);
            if (address instanceof Inet4Address && text.indexOf(':') >= 0) {
                return null; // 16 bytes, of which the driver makes 4
            }
            return address.getHostAddress().equals(text) ? address : NOTHING;
        } catch (IllegalArgumentException e) {
            return NOTHING; // not an address
        }
    }

    /** A value as a CQL literal. */
    static String cql(DataType type, Object value) {
        if (value instanceof Instant instant && instant.toEpochMilli() == Long.MIN_VALUE) {
            return String.valueOf(Long.MIN_VALUE); // earlier than every date that can be written
        }
        return value instanceof Instant instant
                ? ExtraTypeCodecs.TIMESTAMP_UTC.format(instant)
                : CodecRegistry.DEFAULT.codecFor(type, value).format(value);
    }

    /** A value in wire form, even if the type does not allow it, which {@link PossibleKeys} checks. */
    static ByteBuffer bytes(DataType type, Object value) {
        ByteBuffer bytes = CodecRegistry.DEFAULT.codecFor(widest(type), value).encode(value, ProtocolVersion.DEFAULT);
        if (bytes == null) {
            throw new IllegalArgumentException("a condition cannot contain null");
        }
        return bytes;
    }

    /** The type with the same bytes that allows more values, whose codec does not throw for them. */
    private static DataType widest(DataType type) {
        if (type.equals(DataTypes.ASCII)) {
            return DataTypes.TEXT;
        }
        return type.equals(DataTypes.TIMEUUID) ? DataTypes.UUID : type;
    }
}
