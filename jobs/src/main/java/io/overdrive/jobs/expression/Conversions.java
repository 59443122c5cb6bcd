package io.overdrive.jobs.expression;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.jobs.expression.Functions.Body;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The functions that have the name of a type, and give a value of it: exactly that value, or the row is rejected. Stateless. */
final class Conversions {
    /** The types by their names. */
    static final Map<String, DataType> TYPES = Map.of(
            "text", DataTypes.TEXT,
            "int", DataTypes.INT,
            "bigint", DataTypes.BIGINT,
            "varint", DataTypes.VARINT,
            "decimal", DataTypes.DECIMAL,
            "double", DataTypes.DOUBLE,
            "boolean", DataTypes.BOOLEAN,
            "timestamp", DataTypes.TIMESTAMP,
            "date", DataTypes.DATE,
            "time", DataTypes.TIME);

    private Conversions() {}

    /** Null if a value of the one cannot become one of the other. */
    static @Nullable Body of(Node from, DataType to) {
        Kind kind = Kind.of(to);
        if (kind == Kind.TEXT) {
            Cells source = new Cells(from.cql());
            return v -> source.textOf(v[0]);
        }
        if (from.kind() == Kind.TEXT) {
            Cells target = new Cells(to);
            return v -> target.parse((String) v[0]);
        }
        if (from.kind().isNumber() && kind.isNumber()) {
            return v -> number(v[0], kind, to);
        }
        return from.kind() == kind && kind != Kind.OTHER ? v -> v[0] : null;
    }

    static Object number(Object value, Kind kind, DataType to) {
        switch (kind) {
            case DOUBLE:
                double number = ((Number) value).doubleValue();
                if (Double.isInfinite(number) && !(value instanceof Double)) {
                    throw outOfRange(value, to);
                }
                return number;
            case DECIMAL:
                return decimal(value, to);
            case VARINT:
                return whole(value, to);
            default:
                BigInteger whole = value instanceof Long same ? BigInteger.valueOf(same) : whole(value, to);
                if (whole.bitLength() >= (to.equals(DataTypes.INT) ? Integer.SIZE : Long.SIZE)) {
                    throw outOfRange(value, to);
                }
                return whole.longValueExact();
        }
    }

    private static BigDecimal decimal(Object value, DataType to) {
        if (value instanceof Double number && !Double.isFinite(number)) {
            throw outOfRange(value, to);
        }
        return value instanceof BigDecimal same
                ? same
                : value instanceof BigInteger integer
                        ? new BigDecimal(integer)
                        : value instanceof Long integer
                                ? BigDecimal.valueOf(integer)
                                : BigDecimal.valueOf((Double) value);
    }

    private static BigInteger whole(Object value, DataType to) {
        if (value instanceof BigInteger same) {
            return same;
        }
        BigDecimal number = Functions.bounded(decimal(value, to));
        try {
            return number.toBigIntegerExact();
        } catch (ArithmeticException e) {
            throw new BadValueException(
                    "is " + word(to) + ", but " + value + " is not whole (round(), floor() and ceil() make it so)");
        }
    }

    private static BadValueException outOfRange(Object value, DataType to) {
        return new BadValueException("is " + word(to) + ", but " + value + " is out of range");
    }

    private static String word(DataType type) {
        return type.asCql(/* includeFrozen */ false, /* pretty */ true);
    }
}
