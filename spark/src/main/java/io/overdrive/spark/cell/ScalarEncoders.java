package io.overdrive.spark.cell;

import com.datastax.oss.driver.api.core.data.CqlDuration;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.spark.cell.CellEncoder.WholeNumber;
import java.math.BigDecimal;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Locale;
import java.util.UUID;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Encoders of single values: numbers, text, times, addresses. Execute (on the executors). Immutable; on the hot path.
 */
final class ScalarEncoders {
    private static final long MAX_NANOS_OF_DAY = 86_399_999_999_999L;
    private static final int YEAR_DIGITS = 4;

    private ScalarEncoders() {}

    /** Reads doubles. */
    private interface Fraction {
        double get(SpecializedGetters from, int ordinal);
    }

    /** Reads numbers of any size. */
    private interface AnyNumber {
        BigDecimal get(SpecializedGetters from, int ordinal);
    }

    static IllegalArgumentException unfit(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        return new IllegalArgumentException(SparkTypes.cql(cql) + ", which " + spark.simpleString() + " does not fit");
    }

    private static String text(SpecializedGetters from, int ordinal) {
        return from.getUTF8String(ordinal).toString().strip();
    }

    private static long within(long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException("must be " + min + " to " + max);
        }
        return value;
    }

    private static WholeNumber whole(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (spark instanceof LongType) {
            return SpecializedGetters::getLong;
        } else if (spark instanceof IntegerType) {
            return SpecializedGetters::getInt;
        } else if (spark instanceof ShortType) {
            return SpecializedGetters::getShort;
        } else if (spark instanceof ByteType) {
            return SpecializedGetters::getByte;
        } else if (spark instanceof StringType) {
            return (from, i) -> StrictText.wholeNumber(text(from, i));
        } else if (spark instanceof DecimalType type) {
            return (from, i) -> from.getDecimal(i, type.precision(), type.scale())
                    .toJavaBigDecimal()
                    .longValueExact();
        }
        throw unfit(cql, spark);
    }

    private static Fraction fraction(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (spark instanceof DoubleType) {
            return SpecializedGetters::getDouble;
        } else if (spark instanceof FloatType) {
            return SpecializedGetters::getFloat;
        } else if (spark instanceof StringType) {
            return (from, i) -> StrictText.doubleNumber(text(from, i));
        } else if (spark instanceof DecimalType type) {
            return (from, i) ->
                    from.getDecimal(i, type.precision(), type.scale()).toDouble();
        }
        WholeNumber number = whole(cql, spark);
        return number::get;
    }

    private static AnyNumber number(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (spark instanceof DecimalType type) {
            return (from, i) ->
                    from.getDecimal(i, type.precision(), type.scale()).toJavaBigDecimal();
        } else if (spark instanceof StringType) {
            return (from, i) -> StrictText.decimal(text(from, i));
        } else if (spark instanceof DoubleType) {
            return (from, i) -> BigDecimal.valueOf(from.getDouble(i));
        } else if (spark instanceof FloatType) {
            return (from, i) -> new BigDecimal(Float.toString(from.getFloat(i)));
        }
        WholeNumber number = whole(cql, spark);
        return (from, i) -> BigDecimal.valueOf(number.get(from, i));
    }

    static CellEncoder tinyint(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        WholeNumber number = whole(cql, spark);
        return (from, i, to) -> to.putByte((int) within(number.get(from, i), Byte.MIN_VALUE, Byte.MAX_VALUE));
    }

    static CellEncoder smallint(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        WholeNumber number = whole(cql, spark);
        return (from, i, to) -> to.putShort((int) within(number.get(from, i), Short.MIN_VALUE, Short.MAX_VALUE));
    }

    static CellEncoder integer(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        WholeNumber number = whole(cql, spark);
        return (from, i, to) -> to.putInt((int) within(number.get(from, i), Integer.MIN_VALUE, Integer.MAX_VALUE));
    }

    static CellEncoder bigint(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        WholeNumber number = whole(cql, spark);
        return (from, i, to) -> to.putLong(number.get(from, i));
    }

    static CellEncoder floatNumber(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (spark instanceof StringType) {
            return (from, i, to) -> to.putFloat(StrictText.floatNumber(text(from, i)));
        } else if (spark instanceof FloatType) {
            return (from, i, to) -> to.putFloat(from.getFloat(i));
        } else if (spark instanceof DoubleType) {
            return (from, i, to) -> to.putFloat(nearest(from.getDouble(i)));
        } else if (spark instanceof DecimalType type) {
            return (from, i, to) -> to.putFloat(from.getDecimal(i, type.precision(), type.scale())
                    .toJavaBigDecimal()
                    .floatValue());
        }
        WholeNumber number = whole(cql, spark);
        return (from, i, to) -> to.putFloat((float) number.get(from, i));
    }

    private static float nearest(double value) {
        float nearest = (float) value;
        if (Float.isInfinite(nearest) && !Double.isInfinite(value)) {
            throw StrictText.outOfRange("float");
        }
        return nearest;
    }

    static CellEncoder doubleNumber(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        Fraction number = fraction(cql, spark);
        return (from, i, to) -> to.putDouble(number.get(from, i));
    }

    static CellEncoder varint(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (spark instanceof StringType) {
            return (from, i, to) -> to.put(StrictText.varint(text(from, i)).toByteArray());
        } else if (spark instanceof DecimalType type) {
            return (from, i, to) -> to.put(from.getDecimal(i, type.precision(), type.scale())
                    .toJavaBigDecimal()
                    .toBigIntegerExact()
                    .toByteArray());
        }
        WholeNumber number = whole(cql, spark);
        return (from, i, to) -> to.putVarint(number.get(from, i));
    }

    static CellEncoder decimal(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (spark instanceof DecimalType type && type.precision() <= Decimal.MAX_LONG_DIGITS()) {
            return (from, i, to) -> {
                to.putInt(type.scale());
                to.putVarint(from.getDecimal(i, type.precision(), type.scale()).toUnscaledLong());
            };
        }
        AnyNumber number = number(cql, spark);
        return (from, i, to) -> {
            BigDecimal value = number.get(from, i);
            to.putInt(value.scale());
            to.put(value.unscaledValue().toByteArray());
        };
    }

    static CellEncoder timestamp(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark, ZoneId zone) {
        WholeNumber micros = micros(cql, spark, zone);
        return (from, i, to) -> to.putLong(Math.floorDiv(micros.get(from, i), 1000L));
    }

    private static WholeNumber micros(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark, ZoneId zone) {
        if (spark instanceof TimestampType) {
            return SpecializedGetters::getLong;
        } else if (spark instanceof DateType) {
            return (from, i) -> DateTimeUtils.daysToMicros(from.getInt(i), zone);
        } else if (spark instanceof StringType) {
            return (from, i) -> {
                var micros = DateTimeUtils.stringToTimestamp(from.getUTF8String(i), zone);
                if (micros.isEmpty() || !hasDay(text(from, i))) {
                    throw new IllegalArgumentException("must be like 2013-01-31 12:59:59.123+01:00");
                }
                return (long) micros.get();
            };
        }
        throw unfit(cql, spark);
    }

    /** Spark takes a time alone as one of the current day, and a number of five or six digits as a year. */
    private static boolean hasDay(String text) {
        int hyphen = text.indexOf('-', /* after a sign */ 1);
        int colon = text.indexOf(':');
        return hyphen < 0
                ? colon < 0 && text.length() == YEAR_DIGITS
                : !text.startsWith("T") && (colon < 0 || hyphen < colon);
    }

    static CellEncoder date(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (spark instanceof DateType) {
            return (from, i, to) -> to.putInt(from.getInt(i) - Integer.MIN_VALUE);
        } else if (spark instanceof StringType) {
            return (from, i, to) -> {
                var days = DateTimeUtils.stringToDate(from.getUTF8String(i));
                String text = text(from, i);
                // Spark ignores what follows a blank or T
                if (days.isEmpty() || text.indexOf(' ') >= 0 || text.indexOf('T') >= 0 || !hasDay(text)) {
                    throw new IllegalArgumentException("must be like 2013-01-31");
                }
                to.putInt((int) days.get() - Integer.MIN_VALUE);
            };
        }
        throw unfit(cql, spark);
    }

    static CellEncoder time(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        WholeNumber nanos = spark instanceof StringType ? (from, i) -> nanosOfDay(text(from, i)) : whole(cql, spark);
        return (from, i, to) -> to.putLong(within(nanos.get(from, i), 0, MAX_NANOS_OF_DAY));
    }

    private static long nanosOfDay(String text) {
        try {
            return LocalTime.parse(text).toNanoOfDay();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("must be like 12:59:59.123456789", e);
        }
    }

    static CellEncoder bool(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (spark instanceof BooleanType) {
            return (from, i, to) -> to.putByte(from.getBoolean(i) ? 1 : 0);
        } else if (spark instanceof StringType) {
            return (from, i, to) -> to.putByte(
                    switch (text(from, i).toLowerCase(Locale.ROOT)) {
                        case "true" -> 1;
                        case "false" -> 0;
                        default -> throw new IllegalArgumentException("must be true or false");
                    });
        }
        throw unfit(cql, spark);
    }

    static CellEncoder text(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (spark instanceof StringType) {
            return (from, i, to) -> {
                UTF8String text = from.getUTF8String(i);
                int bytes = text.numBytes();
                to.reserve(bytes);
                text.writeToMemory(to.array(), Platform.BYTE_ARRAY_OFFSET + to.length());
                to.advance(bytes);
            };
        } else if (spark instanceof BooleanType) {
            return (from, i, to) -> putAscii(String.valueOf(from.getBoolean(i)), to);
        } else if (spark instanceof DoubleType) {
            return (from, i, to) -> putAscii(String.valueOf(from.getDouble(i)), to);
        } else if (spark instanceof FloatType) {
            return (from, i, to) -> putAscii(String.valueOf(from.getFloat(i)), to);
        } else if (spark instanceof DecimalType type) {
            return (from, i, to) -> putAscii(
                    from.getDecimal(i, type.precision(), type.scale())
                            .toJavaBigDecimal()
                            .toPlainString(),
                    to);
        }
        WholeNumber number = whole(cql, spark);
        return (from, i, to) -> putAscii(String.valueOf(number.get(from, i)), to);
    }

    private static void putAscii(String text, Bytes to) {
        to.put(text.getBytes(StandardCharsets.US_ASCII));
    }

    static CellEncoder uuid(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (!(spark instanceof StringType)) {
            throw unfit(cql, spark);
        }
        return (from, i, to) -> {
            UUID uuid = StrictText.uuid(text(from, i));
            to.putLong(uuid.getMostSignificantBits());
            to.putLong(uuid.getLeastSignificantBits());
        };
    }

    static CellEncoder inet(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (!(spark instanceof StringType)) {
            throw unfit(cql, spark);
        }
        return (from, i, to) -> {
            try {
                to.put(Addresses.bytes(text(from, i)));
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException("must be an IPv4 or IPv6 address", e);
            }
        };
    }

    static CellEncoder duration(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (!(spark instanceof StringType)) {
            throw unfit(cql, spark);
        }
        return (from, i, to) -> {
            CqlDuration duration = CqlDuration.from(text(from, i));
            to.putVint(duration.getMonths());
            to.putVint(duration.getDays());
            to.putVint(duration.getNanoseconds());
        };
    }

    static CellEncoder blob(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (!(spark instanceof BinaryType)) {
            throw unfit(cql, spark);
        }
        return (from, i, to) -> to.put(from.getBinary(i));
    }
}
