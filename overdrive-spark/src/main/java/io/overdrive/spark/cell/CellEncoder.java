package io.overdrive.spark.cell;

import com.datastax.oss.driver.api.core.data.CqlDuration;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
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
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Encodes Spark's values of one type, in a field of a row or an element of an array, as the bytes of a CQL type.
 * Accepts what {@link CellDecoder} returns, and in addition: whole numbers of any width if the value fits, numbers for
 * fractions and for text, and text for every type that has a plain text form. Columns of type void, like
 * {@code lit(None)}, contain only nulls, which every type accepts. Executes (on the executors). Immutable; on the hot
 * path.
 *
 * <p>Timestamps are rounded down to milliseconds, Cassandra's precision.
 */
public interface CellEncoder {
    /** Excludes everything that Java would resolve as a host name. */
    Pattern ADDRESS =
            Pattern.compile("((25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.(?!$)|$)){4}|(?=.*:)[\\p{XDigit}:][\\p{XDigit}:.]*");

    /**
     * Appends the value, without its length.
     *
     * @param from must not be null at {@code ordinal}
     * @throws IllegalArgumentException if the type cannot hold the value; also ArithmeticException
     */
    void put(SpecializedGetters from, int ordinal, Bytes to);

    /** Reads whole numbers of any width. */
    interface WholeNumber {
        long get(SpecializedGetters from, int ordinal);
    }

    /** Reads doubles. */
    interface Fraction {
        double get(SpecializedGetters from, int ordinal);
    }

    /** Reads numbers of any size. */
    interface AnyNumber {
        BigDecimal get(SpecializedGetters from, int ordinal);
    }

    /**
     * @param zone for text and dates that become points in time
     * @throws IllegalArgumentException if no value of Spark's type fits; its message continues "column x is", like
     *     "blob, which string does not fit"
     */
    static CellEncoder of(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark, ZoneId zone) {
        if (spark instanceof NullType) {
            return (from, i, to) -> {
                throw new IllegalArgumentException("is of type void, which has no values");
            };
        }
        return switch (CqlType.of(cql)) {
            case ASCII, TEXT -> text(cql, spark);
            case BOOLEAN -> bool(cql, spark);
            case TINYINT -> {
                WholeNumber number = whole(cql, spark);
                yield (from, i, to) -> to.putByte((int) within(number.get(from, i), Byte.MIN_VALUE, Byte.MAX_VALUE));
            }
            case SMALLINT -> {
                WholeNumber number = whole(cql, spark);
                yield (from, i, to) -> to.putShort((int) within(number.get(from, i), Short.MIN_VALUE, Short.MAX_VALUE));
            }
            case INT -> {
                WholeNumber number = whole(cql, spark);
                yield (from, i, to) ->
                        to.putInt((int) within(number.get(from, i), Integer.MIN_VALUE, Integer.MAX_VALUE));
            }
            case BIGINT, COUNTER -> {
                WholeNumber number = whole(cql, spark);
                yield (from, i, to) -> to.putLong(number.get(from, i));
            }
            case TIME -> {
                WholeNumber nanos =
                        spark instanceof StringType ? (from, i) -> nanosOfDay(text(from, i)) : whole(cql, spark);
                yield (from, i, to) -> to.putLong(within(nanos.get(from, i), 0, 86_399_999_999_999L));
            }
            case FLOAT -> {
                Fraction number = fraction(cql, spark);
                yield spark instanceof StringType
                        ? (from, i, to) -> to.putFloat(Float.parseFloat(text(from, i)))
                        : (from, i, to) -> to.putFloat((float) number.get(from, i));
            }
            case DOUBLE -> {
                Fraction number = fraction(cql, spark);
                yield (from, i, to) -> to.putDouble(number.get(from, i));
            }
            case VARINT -> varint(cql, spark);
            case DECIMAL -> decimal(cql, spark);
            case TIMESTAMP -> {
                WholeNumber micros = micros(cql, spark, zone);
                yield (from, i, to) -> to.putLong(Math.floorDiv(micros.get(from, i), 1000L));
            }
            case DATE -> date(cql, spark);
            case UUID, TIMEUUID -> uuid(cql, spark);
            case INET -> inet(cql, spark);
            case DURATION -> duration(cql, spark);
            case LIST -> array(of(((ListType) cql).getElementType(), elementOf(cql, spark), zone));
            case SET -> array(of(((SetType) cql).getElementType(), elementOf(cql, spark), zone));
            case MAP -> {
                if (!(spark instanceof MapType pairs)) {
                    throw unfit(cql, spark);
                }
                var map = (com.datastax.oss.driver.api.core.type.MapType) cql;
                yield map(of(map.getKeyType(), pairs.keyType(), zone), of(map.getValueType(), pairs.valueType(), zone));
            }
            case UDT -> udt((UserDefinedType) cql, spark, zone);
            case TUPLE -> tuple((TupleType) cql, spark, zone);
            case VECTOR -> {
                VectorType vector = (VectorType) cql;
                yield vector(vector, of(vector.getElementType(), elementOf(cql, spark), zone));
            }
            case BLOB, CUSTOM -> blob(cql, spark);
        };
    }

    private static IllegalArgumentException unfit(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        return new IllegalArgumentException(cql.asCql(/* includeFrozen */ false, /* pretty */ true) + ", which "
                + spark.simpleString() + " does not fit");
    }

    private static DataType elementOf(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (spark instanceof ArrayType array) {
            return array.elementType();
        }
        throw unfit(cql, spark);
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
            return (from, i) -> Long.parseLong(text(from, i));
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
            return (from, i) -> Double.parseDouble(text(from, i));
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
            return (from, i) -> new BigDecimal(text(from, i));
        } else if (spark instanceof DoubleType) {
            return (from, i) -> BigDecimal.valueOf(from.getDouble(i));
        } else if (spark instanceof FloatType) {
            return (from, i) -> new BigDecimal(Float.toString(from.getFloat(i)));
        }
        WholeNumber number = whole(cql, spark);
        return (from, i) -> BigDecimal.valueOf(number.get(from, i));
    }

    private static CellEncoder varint(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (spark instanceof StringType) {
            return (from, i, to) -> to.put(new BigInteger(text(from, i)).toByteArray());
        } else if (spark instanceof DecimalType type) {
            return (from, i, to) -> to.put(from.getDecimal(i, type.precision(), type.scale())
                    .toJavaBigDecimal()
                    .toBigIntegerExact()
                    .toByteArray());
        }
        WholeNumber number = whole(cql, spark);
        return (from, i, to) -> to.putVarint(number.get(from, i));
    }

    private static CellEncoder decimal(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
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

    private static WholeNumber micros(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark, ZoneId zone) {
        if (spark instanceof TimestampType) {
            return SpecializedGetters::getLong;
        } else if (spark instanceof DateType) {
            return (from, i) -> DateTimeUtils.daysToMicros(from.getInt(i), zone);
        } else if (spark instanceof StringType) {
            return (from, i) -> {
                var micros = DateTimeUtils.stringToTimestamp(from.getUTF8String(i), zone);
                if (micros.isEmpty()) {
                    throw new IllegalArgumentException("must be like 2013-01-31 12:59:59.123+01:00");
                }
                return (long) micros.get();
            };
        }
        throw unfit(cql, spark);
    }

    private static CellEncoder date(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (spark instanceof DateType) {
            return (from, i, to) -> to.putInt(from.getInt(i) - Integer.MIN_VALUE);
        } else if (spark instanceof StringType) {
            return (from, i, to) -> {
                var days = DateTimeUtils.stringToDate(from.getUTF8String(i));
                if (days.isEmpty()) {
                    throw new IllegalArgumentException("must be like 2013-01-31");
                }
                to.putInt((int) days.get() - Integer.MIN_VALUE);
            };
        }
        throw unfit(cql, spark);
    }

    private static long nanosOfDay(String text) {
        try {
            return LocalTime.parse(text).toNanoOfDay();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("must be like 12:59:59.123456789", e);
        }
    }

    private static CellEncoder bool(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
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

    private static CellEncoder text(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
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

    private static CellEncoder uuid(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (!(spark instanceof StringType)) {
            throw unfit(cql, spark);
        }
        return (from, i, to) -> {
            String text = text(from, i);
            UUID uuid = UUID.fromString(text);
            if (text.length() != 36) {
                throw new IllegalArgumentException("must have 36 characters");
            }
            to.putLong(uuid.getMostSignificantBits());
            to.putLong(uuid.getLeastSignificantBits());
        };
    }

    private static CellEncoder inet(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (!(spark instanceof StringType)) {
            throw unfit(cql, spark);
        }
        return (from, i, to) -> {
            String text = text(from, i);
            if (!ADDRESS.matcher(text).matches()) {
                throw new IllegalArgumentException("must be an IPv4 or IPv6 address");
            }
            try {
                to.put(InetAddress.getByName(text).getAddress());
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException("must be an IPv4 or IPv6 address", e);
            }
        };
    }

    private static CellEncoder duration(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
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

    private static CellEncoder blob(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (!(spark instanceof BinaryType)) {
            throw unfit(cql, spark);
        }
        return (from, i, to) -> to.put(from.getBinary(i));
    }

    /** Lists and sets: the number of elements, then each element after its length. */
    private static CellEncoder array(CellEncoder element) {
        return (from, i, to) -> {
            ArrayData elements = from.getArray(i);
            int count = elements.numElements();
            to.putInt(count);
            for (int n = 0; n < count; n++) {
                putElement(element, elements, n, to);
            }
        };
    }

    private static void putElement(CellEncoder element, ArrayData from, int ordinal, Bytes to) {
        if (from.isNullAt(ordinal)) {
            throw new IllegalArgumentException("contains a null, which Cassandra does not allow");
        }
        int start = to.beginValue();
        element.put(from, ordinal, to);
        to.endValue(start);
    }

    private static CellEncoder map(CellEncoder key, CellEncoder value) {
        return (from, i, to) -> {
            MapData pairs = from.getMap(i);
            ArrayData keys = pairs.keyArray();
            ArrayData values = pairs.valueArray();
            int count = pairs.numElements();
            to.putInt(count);
            for (int n = 0; n < count; n++) {
                putElement(key, keys, n, to);
                putElement(value, values, n, to);
            }
        };
    }

    private static CellEncoder vector(VectorType vector, CellEncoder element) {
        boolean fixed = CqlType.elementBytes(vector.getElementType()) >= 0;
        int dimensions = vector.getDimensions();
        return (from, i, to) -> {
            ArrayData elements = from.getArray(i);
            if (elements.numElements() != dimensions) {
                throw new IllegalArgumentException(
                        "has " + elements.numElements() + " elements, must have " + dimensions);
            }
            Bytes part = fixed ? to : new Bytes(64);
            for (int n = 0; n < dimensions; n++) {
                if (elements.isNullAt(n)) {
                    throw new IllegalArgumentException("contains a null, which Cassandra does not allow");
                }
                element.put(elements, n, part);
                if (!fixed) {
                    to.putUnsignedVint(part.length());
                    to.put(part.array(), 0, part.length());
                    part.clear();
                }
            }
        };
    }

    /** Fields are matched by name; those missing in Spark are null. */
    private static CellEncoder udt(UserDefinedType udt, DataType spark, ZoneId zone) {
        if (!(spark instanceof StructType struct)) {
            throw unfit(udt, spark);
        }
        List<String> names =
                udt.getFieldNames().stream().map(name -> name.asInternal()).toList();
        int[] sources = new int[names.size()];
        Arrays.fill(sources, -1);
        CellEncoder[] fields = new CellEncoder[sources.length];
        for (int i = 0; i < struct.length(); i++) {
            String name = struct.fields()[i].name();
            int target = ColumnNames.indexOf(name, names);
            if (target < 0 || sources[target] >= 0) {
                throw new IllegalArgumentException(udt.getName().asInternal() + ", which has "
                        + (target < 0 ? "no field \"" : "several fields in Spark for its field \"") + name + "\";"
                        + " its fields are "
                        + String.join(", ", names));
            }
            sources[target] = i;
            fields[target] = of(udt.getFieldTypes().get(target), struct.fields()[i].dataType(), zone);
        }
        return struct(struct.length(), sources, fields);
    }

    /** Fields are matched by position. */
    private static CellEncoder tuple(TupleType tuple, DataType spark, ZoneId zone) {
        int count = tuple.getComponentTypes().size();
        if (!(spark instanceof StructType struct) || struct.length() != count) {
            throw unfit(tuple, spark);
        }
        int[] sources = new int[count];
        List<CellEncoder> fields = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sources[i] = i;
            fields.add(of(tuple.getComponentTypes().get(i), struct.fields()[i].dataType(), zone));
        }
        return struct(count, sources, fields.toArray(new CellEncoder[0]));
    }

    private static CellEncoder struct(int width, int[] sources, CellEncoder[] fields) {
        return (from, i, to) -> {
            InternalRow struct = from.getStruct(i, width);
            for (int n = 0; n < sources.length; n++) {
                int source = sources[n];
                if (source < 0 || struct.isNullAt(source)) {
                    to.putNull();
                } else {
                    int start = to.beginValue();
                    fields[n].put(struct, source, to);
                    to.endValue(start);
                }
            }
        };
    }
}
