package io.overdrive.jobs.expression;

import com.datastax.oss.driver.api.core.data.CqlDuration;
import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Bytes of one type's cells to values of expressions, and back, also through text. Confined to one thread. */
final class Cells {
    private static final long EPOCH_DAY = 1L << 31;

    private final DataType cql;
    private final CqlType type;
    private final Kind kind;
    private final ValueText text;
    private final Bytes buffer = new Bytes(64);
    private final Bytes cell = new Bytes(64);

    Cells(DataType cql) {
        this(cql, ValueFormat.DEFAULT);
    }

    /** @param format of its texts */
    Cells(DataType cql, ValueFormat format) {
        this.cql = cql;
        type = CqlType.of(cql);
        kind = Kind.of(cql);
        text = ValueText.of(cql, format);
    }

    /** The value of a cell; null for a null, and for an empty value of a type that is not text. */
    @Nullable Object decode(byte[] from, int offset, int length) {
        if (text.isNull(length) || (length == 0 && kind != Kind.TEXT && kind != Kind.OTHER)) {
            return null;
        }
        return switch (kind) {
            case TEXT ->
                type == CqlType.TEXT || type == CqlType.ASCII
                        ? new String(from, offset, length, StandardCharsets.UTF_8)
                        : write(from, offset, length);
            case INTEGER -> integer(from, offset, length);
            case VARINT -> new BigInteger(from, offset, length);
            case DECIMAL -> new BigDecimal(new BigInteger(from, offset + 4, length - 4), Bytes.getInt(from, offset));
            case DOUBLE ->
                type == CqlType.FLOAT
                        ? (Object) (double) Float.intBitsToFloat(Bytes.getInt(from, offset))
                        : (Object) Double.longBitsToDouble(Bytes.getLong(from, offset));
            case BOOLEAN -> from[offset] != 0;
            case TIMESTAMP -> Instant.ofEpochMilli(Bytes.getLong(from, offset));
            case DATE -> LocalDate.ofEpochDay((Bytes.getInt(from, offset) & 0xFFFF_FFFFL) - EPOCH_DAY);
            case TIME -> LocalTime.ofNanoOfDay(Bytes.getLong(from, offset));
            case DURATION -> duration(from, offset);
            case OTHER, NULL -> Arrays.copyOfRange(from, offset, offset + length);
        };
    }

    private Object integer(byte[] from, int offset, int length) {
        long value = from[offset];
        for (int i = 1; i < length; i++) {
            value = value << 8 | (from[offset + i] & 0xFF);
        }
        return value;
    }

    private static CqlDuration duration(byte[] from, int offset) {
        int days = offset + Bytes.vintBytes(from[offset]);
        int nanos = days + Bytes.vintBytes(from[days]);
        return CqlDuration.newInstance(
                (int) Bytes.getVint(from, offset), (int) Bytes.getVint(from, days), Bytes.getVint(from, nanos));
    }

    /**
     * Appends the cell of a value.
     *
     * @throws BadValueException if the type cannot hold it; the sink then has an unfinished value
     */
    void encode(Object value, Bytes out) {
        switch (kind) {
            case TEXT -> {
                char[] chars = ((String) value).toCharArray();
                if (type == CqlType.TEXT) {
                    out.putUtf8(chars, 0, chars.length);
                } else {
                    text.parse(chars, 0, chars.length, out);
                }
            }
            case INTEGER -> integer(value, out);
            case VARINT -> out.put(((BigInteger) value).toByteArray());
            case DECIMAL -> {
                out.putInt(((BigDecimal) value).scale());
                out.put(((BigDecimal) value).unscaledValue().toByteArray());
            }
            case DOUBLE -> floating((Double) value, out);
            case BOOLEAN -> out.putByte((Boolean) value ? 1 : 0);
            case TIMESTAMP -> out.putLong(millis((Instant) value));
            case DATE -> {
                long day = ((LocalDate) value).toEpochDay() + EPOCH_DAY;
                require(day >= 0 && day < 2 * EPOCH_DAY, value);
                out.putInt((int) day);
            }
            case TIME -> out.putLong(((LocalTime) value).toNanoOfDay());
            case DURATION -> {
                CqlDuration duration = (CqlDuration) value;
                out.putVint(duration.getMonths());
                out.putVint(duration.getDays());
                out.putVint(duration.getNanoseconds());
            }
            case OTHER, NULL -> out.put((byte[]) value);
        }
    }

    private void integer(Object value, Bytes out) {
        long number = 0;
        try {
            number = value instanceof BigInteger big ? big.longValueExact() : (Long) value;
        } catch (ArithmeticException e) {
            require(/* fits */ false, value);
        }
        switch (type) {
            case TINYINT -> {
                require(number == (byte) number, value);
                out.putByte((int) number);
            }
            case SMALLINT -> {
                require(number == (short) number, value);
                out.putShort((int) number);
            }
            case INT -> {
                require(number == (int) number, value);
                out.putInt((int) number);
            }
            default -> out.putLong(number);
        }
    }

    private void floating(double value, Bytes out) {
        if (type == CqlType.FLOAT) {
            require(Double.isInfinite(value) || !Float.isInfinite((float) value), value);
            out.putFloat((float) value);
        } else {
            out.putDouble(value);
        }
    }

    static long millis(Instant value) {
        try {
            return value.toEpochMilli();
        } catch (ArithmeticException e) {
            throw new BadValueException("is timestamp, but " + value + " is out of range");
        }
    }

    private void require(boolean fits, Object value) {
        if (!fits) {
            throw new BadValueException("is " + cql.asCql(/* includeFrozen */ false, /* pretty */ true) + ", but "
                    + value + " is out of range");
        }
    }

    /** A value as text, as an unload writes it. */
    String textOf(Object value) {
        if (value instanceof String same) {
            return same;
        }
        cell.clear();
        encode(value, cell);
        return write(cell.array(), 0, cell.length());
    }

    private String write(byte[] from, int offset, int length) {
        buffer.clear();
        text.write(from, offset, length, buffer);
        return new String(buffer.array(), 0, buffer.length(), StandardCharsets.UTF_8);
    }

    /** The value of a text, as a load reads it. */
    @Nullable Object parse(String value) {
        cell.clear();
        char[] chars = value.toCharArray();
        text.parse(chars, 0, chars.length, cell);
        return decode(cell.array(), 0, cell.length());
    }
}
