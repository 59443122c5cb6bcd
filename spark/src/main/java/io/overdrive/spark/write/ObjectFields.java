package io.overdrive.spark.write;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.RowBuffer;
import io.overdrive.spark.cell.SparkTypes;
import java.io.Serializable;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of objects, and turns their values into those of the driver. Travels to the executors, where each task has its
 * own copy. Confined to one thread; on the hot path.
 *
 * @param <T> the objects
 */
public interface ObjectFields<T> extends Serializable {
    /** Stands for no value: the column keeps the one that it has. */
    Object UNSET = new Object();

    int MAX_VALUE_IN_AN_ERROR = 60;

    /** @param fields receives the values, in the order that was given where the write was planned */
    void read(T row, @Nullable Object[] fields);

    /**
     * The value in the type that the driver has for a CQL type; null for null, {@link #UNSET} for no value.
     *
     * @throws IllegalArgumentException if the type cannot hold the value; also ArithmeticException
     */
    @Nullable Object convert(@Nullable Object value, DataType type);

    /**
     * The write time that a value stands for, in microseconds since 1970; null for null and for no value.
     *
     * @throws IllegalArgumentException if it is none; also ArithmeticException
     */
    @Nullable Long writeTime(@Nullable Object value);

    /**
     * The time to live that a value stands for, in seconds; null for null and for no value.
     *
     * @throws IllegalArgumentException if it is none; also ArithmeticException
     */
    @Nullable Integer timeToLive(@Nullable Object value);

    /** @param value that {@link #convert} has returned for the type of this column */
    static void set(RowBuffer to, int column, Object value) {
        if (value instanceof String text) {
            to.setText(column, text);
        } else if (value instanceof Integer number) {
            to.setInt(column, number);
        } else if (value instanceof Long number) {
            to.setLong(column, number);
        } else if (value instanceof Double number) {
            to.setDouble(column, number);
        } else if (value instanceof Boolean flag) {
            to.setBoolean(column, flag);
        } else if (value instanceof UUID uuid) {
            to.setUuid(column, uuid);
        } else if (value instanceof Instant instant) {
            to.setLong(column, instant.toEpochMilli());
        } else {
            to.set(column, value);
        }
    }

    /** An error that says which value does not fit which column. */
    static IllegalArgumentException bad(
            String table, String column, DataType type, @Nullable Object value, RuntimeException cause) {
        String text = String.valueOf(value);
        String shown = text.length() <= MAX_VALUE_IN_AN_ERROR ? text : text.substring(0, MAX_VALUE_IN_AN_ERROR) + "…";
        // the JDK's message, "For input string", does not say which it is
        String why =
                cause instanceof NumberFormatException ? "it is not a number, or out of range" : cause.getMessage();
        return new IllegalArgumentException(
                "[" + table + "] column \"" + column + "\" is " + SparkTypes.cql(type)
                        + ", which cannot take "
                        + (value == null ? "null" : "the " + value.getClass().getSimpleName() + " " + shown) + ": "
                        + why,
                cause);
    }
}
