package io.overdrive.spark.cell;

import com.datastax.oss.driver.api.core.DefaultProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeArrayWriter;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeWriter;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;

/**
 * Decodes CQL values of one type into a field of a Spark row or an element of an array. An empty value is null, as in
 * the driver, unless the type has empty values. Executes (on the executors). Confined to one thread; on the hot path.
 */
abstract class CellDecoder {
    private static final long NUMBER_OF_DAY_0 = 1L << 31;
    private static final char[] HEX = "0123456789abcdef".toCharArray();
    private static final int POINTER_BYTES = 8;

    /** Bytes of an element in the fixed part of an array, without the data that it points to. */
    final int slotBytes;

    /** Bytes of the shortest value: 0 if the type has empty values, otherwise 1. */
    private final int minBytes;

    private CellDecoder(int slotBytes) {
        this(slotBytes, /* minBytes */ 1);
    }

    private CellDecoder(int slotBytes, int minBytes) {
        this.slotBytes = slotBytes;
        this.minBytes = minBytes;
    }

    /** Whether a value of this length is null in Spark. */
    final boolean isNull(int length) {
        return length < minBytes;
    }

    /** @param length of the value, negative if it is null */
    final void putOrNull(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
        if (isNull(length)) {
            putNull(to, ordinal);
        } else {
            put(from, offset, length, to, ordinal);
        }
    }

    /** Decodes a value of at least {@link #minBytes}. */
    abstract void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal);

    void putNull(UnsafeWriter to, int ordinal) {
        switch (slotBytes) {
            case 1 -> to.setNull1Bytes(ordinal);
            case 2 -> to.setNull2Bytes(ordinal);
            case 4 -> to.setNull4Bytes(ordinal);
            default -> to.setNull8Bytes(ordinal);
        }
    }

    /** @param wanted the type of {@link SparkTypes#type}, maybe with fewer fields in its structs */
    static CellDecoder of(com.datastax.oss.driver.api.core.type.DataType cql, DataType wanted) {
        return switch (CqlType.of(cql)) {
            case BOOLEAN -> new BooleanCell();
            case TINYINT -> new ByteCell();
            case SMALLINT -> new ShortCell();
            case INT -> new IntCell();
            case FLOAT -> new FloatCell();
            case DOUBLE -> new DoubleCell();
            case BIGINT, COUNTER, TIME -> new LongCell();
            case TIMESTAMP -> new TimestampCell();
            case DATE -> new DateCell();
            case UUID, TIMEUUID -> new UuidCell();
            case INET -> new InetCell();
            case DURATION -> new DurationCell();
            case VARINT, DECIMAL -> {
                boolean isVarint = cql.equals(DataTypes.VARINT);
                yield wanted instanceof DecimalType decimal
                        ? new DecimalCell(isVarint, decimal)
                        : new DigitsCell(isVarint);
            }
            case LIST -> new ArrayCell(of(((ListType) cql).getElementType(), ((ArrayType) wanted).elementType()));
            case SET -> new ArrayCell(of(((SetType) cql).getElementType(), ((ArrayType) wanted).elementType()));
            case MAP -> {
                MapType map = (MapType) cql;
                org.apache.spark.sql.types.MapType to = (org.apache.spark.sql.types.MapType) wanted;
                yield new MapCell(of(map.getKeyType(), to.keyType()), of(map.getValueType(), to.valueType()));
            }
            case UDT -> {
                UserDefinedType udt = (UserDefinedType) cql;
                List<String> names = new ArrayList<>();
                udt.getFieldNames().forEach(name -> names.add(name.asInternal()));
                yield new StructCell(names, udt.getFieldTypes(), (StructType) wanted);
            }
            case TUPLE -> {
                List<com.datastax.oss.driver.api.core.type.DataType> types = ((TupleType) cql).getComponentTypes();
                List<String> names = new ArrayList<>();
                types.forEach(type -> names.add(String.valueOf(names.size())));
                yield new StructCell(names, types, (StructType) wanted);
            }
            case VECTOR -> {
                VectorType vector = (VectorType) cql;
                yield new VectorCell(vector, of(vector.getElementType(), ((ArrayType) wanted).elementType()));
            }
            case ASCII, TEXT, BLOB, CUSTOM -> new BytesCell();
        };
    }

    private static final class BooleanCell extends CellDecoder {
        BooleanCell() {
            super(1);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            to.write(ordinal, from[offset] != 0);
        }
    }

    private static final class ByteCell extends CellDecoder {
        ByteCell() {
            super(1);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            to.write(ordinal, from[offset]);
        }
    }

    private static final class ShortCell extends CellDecoder {
        ShortCell() {
            super(2);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            to.write(ordinal, Bytes.getShort(from, offset));
        }
    }

    private static final class IntCell extends CellDecoder {
        IntCell() {
            super(4);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            to.write(ordinal, Bytes.getInt(from, offset));
        }
    }

    private static final class FloatCell extends CellDecoder {
        FloatCell() {
            super(4);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            to.write(ordinal, Float.intBitsToFloat(Bytes.getInt(from, offset)));
        }
    }

    private static final class DoubleCell extends CellDecoder {
        DoubleCell() {
            super(8);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            to.write(ordinal, Double.longBitsToDouble(Bytes.getLong(from, offset)));
        }
    }

    private static final class LongCell extends CellDecoder {
        LongCell() {
            super(8);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            to.write(ordinal, Bytes.getLong(from, offset));
        }
    }

    /** Milliseconds become microseconds. */
    private static final class TimestampCell extends CellDecoder {
        TimestampCell() {
            super(8);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            long millis = Bytes.getLong(from, offset);
            long micros = TimeUnit.MILLISECONDS.toMicros(millis);
            if (micros == Long.MIN_VALUE || micros == Long.MAX_VALUE) {
                throw new ArithmeticException(
                        "is timestamp, and " + millis + " ms since 1970 is out of the range of Spark's timestamps");
            }
            to.write(ordinal, micros);
        }
    }

    private static final class DateCell extends CellDecoder {
        DateCell() {
            super(4);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            long day = Bytes.getInt(from, offset) & 0xFFFFFFFFL;
            to.write(ordinal, (int) (day - NUMBER_OF_DAY_0));
        }
    }

    /** Text, blobs, and types that are binary in Spark. */
    private static final class BytesCell extends CellDecoder {
        BytesCell() {
            super(POINTER_BYTES, /* minBytes */ 0);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            to.write(ordinal, from, offset, length);
        }
    }

    private static final class UuidCell extends CellDecoder {
        private static final int CHARS = 36;
        private final byte[] text = new byte[CHARS];

        UuidCell() {
            super(POINTER_BYTES);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            int at = 0;
            for (int i = 0; i < 16; i++) {
                if (i == 4 || i == 6 || i == 8 || i == 10) {
                    text[at++] = '-';
                }
                int b = from[offset + i];
                text[at++] = (byte) HEX[b >> 4 & 0xF];
                text[at++] = (byte) HEX[b & 0xF];
            }
            to.write(ordinal, text, 0, CHARS);
        }
    }

    private static final class InetCell extends CellDecoder {
        InetCell() {
            super(POINTER_BYTES);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            byte[] address = new byte[length];
            System.arraycopy(from, offset, address, 0, length);
            try {
                to.write(
                        ordinal,
                        InetAddress.getByAddress(address).getHostAddress().getBytes(StandardCharsets.US_ASCII));
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException("is inet, and its value has " + length + " bytes", e);
            }
        }
    }

    private static final class DurationCell extends CellDecoder {
        DurationCell() {
            super(POINTER_BYTES);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            Object duration =
                    TypeCodecs.DURATION.decode(ByteBuffer.wrap(from, offset, length), DefaultProtocolVersion.V5);
            String text = String.valueOf(duration); // empty for a duration of zero
            to.write(ordinal, (text.isEmpty() ? "0s" : text).getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Exact; a value that does not fit is refused. */
    private static final class DecimalCell extends CellDecoder {
        private final boolean isVarint;
        private final int precision;
        private final int scale;

        DecimalCell(boolean isVarint, DecimalType wanted) {
            super(POINTER_BYTES);
            this.isVarint = isVarint;
            precision = wanted.precision();
            scale = wanted.scale();
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            BigDecimal value = isVarint
                    ? new BigDecimal(new BigInteger(from, offset, length))
                    : new BigDecimal(new BigInteger(from, offset + 4, length - 4), Bytes.getInt(from, offset));
            BigDecimal exact;
            try {
                // A large difference of scales would take as many digits.
                exact = Math.abs((long) value.scale()) > 10_000 ? value.stripTrailingZeros() : value;
                exact = Math.abs((long) exact.scale()) > 10_000 ? exact : exact.setScale(scale);
            } catch (ArithmeticException e) {
                throw tooLong(value);
            }
            if (exact.scale() != scale || exact.precision() > precision) {
                throw tooLong(value);
            }
            to.write(ordinal, Decimal.apply(exact, precision, scale), precision, scale);
        }

        private ArithmeticException tooLong(BigDecimal value) {
            return new ArithmeticException("is " + (isVarint ? "varint" : "decimal") + ", and "
                    + abbreviated(value.toString()) + " does not fit into Spark's decimal(" + precision + ", " + scale
                    + "); read the column as text with option textColumns");
        }

        private static String abbreviated(String text) {
            return text.length() <= 60 ? text : text.substring(0, 50) + "… (" + text.length() + " characters)";
        }

        @Override
        void putNull(UnsafeWriter to, int ordinal) {
            to.write(ordinal, (Decimal) null, precision, scale);
        }
    }

    /** Varints and decimals as text. */
    private static final class DigitsCell extends CellDecoder {
        private final boolean isVarint;

        DigitsCell(boolean isVarint) {
            super(POINTER_BYTES);
            this.isVarint = isVarint;
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            String text = isVarint
                    ? new BigInteger(from, offset, length).toString()
                    : new BigDecimal(new BigInteger(from, offset + 4, length - 4), Bytes.getInt(from, offset))
                            .toString();
            to.write(ordinal, text.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Lists and sets: the number of elements, then each element after its length. */
    private static final class ArrayCell extends CellDecoder {
        private final CellDecoder element;

        ArrayCell(CellDecoder element) {
            super(POINTER_BYTES, /* minBytes */ 0);
            this.element = element;
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            int start = to.cursor();
            UnsafeArrayWriter array = new UnsafeArrayWriter(to, element.slotBytes);
            int count = length == 0 ? 0 : Bytes.getInt(from, offset);
            array.initialize(count);
            int at = offset + 4;
            for (int i = 0; i < count; i++) {
                int size = Bytes.getInt(from, at);
                at += 4;
                element.putOrNull(from, at, size, array, i);
                at += Math.max(0, size);
            }
            to.setOffsetAndSizeFromPreviousCursor(ordinal, start);
        }
    }

    private static final class VectorCell extends CellDecoder {
        private final CellDecoder element;
        private final int dimensions;
        private final int fixedBytes;

        VectorCell(VectorType vector, CellDecoder element) {
            super(POINTER_BYTES);
            this.element = element;
            dimensions = vector.getDimensions();
            fixedBytes = CqlType.elementBytes(vector.getElementType());
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            int start = to.cursor();
            UnsafeArrayWriter array = new UnsafeArrayWriter(to, element.slotBytes);
            array.initialize(dimensions);
            int at = offset;
            for (int i = 0; i < dimensions; i++) {
                int size = fixedBytes;
                if (size < 0) {
                    size = Math.toIntExact(Bytes.getUnsignedVint(from, at));
                    at += Bytes.vintBytes(from[at]);
                }
                element.putOrNull(from, at, size, array, i);
                at += size;
            }
            to.setOffsetAndSizeFromPreviousCursor(ordinal, start);
        }
    }

    /** Maps. In Spark's form: the size of the array of keys, that array, and the array of values. */
    private static final class MapCell extends CellDecoder {
        private final CellDecoder key;
        private final CellDecoder value;

        MapCell(CellDecoder key, CellDecoder value) {
            super(POINTER_BYTES, /* minBytes */ 0);
            this.key = key;
            this.value = value;
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            int start = to.cursor();
            to.grow(8);
            to.increaseCursor(8);
            int count = length == 0 ? 0 : Bytes.getInt(from, offset);
            putHalf(key, 0, count, from, offset + 4, to);
            // The buffer may have been replaced meanwhile; offsets stay valid.
            Platform.putLong(to.getBuffer(), start, to.cursor() - start - 8L);
            putHalf(value, 1, count, from, offset + 4, to);
            to.setOffsetAndSizeFromPreviousCursor(ordinal, start);
        }

        private static void putHalf(CellDecoder part, int half, int count, byte[] from, int start, UnsafeWriter to) {
            UnsafeArrayWriter array = new UnsafeArrayWriter(to, part.slotBytes);
            array.initialize(count);
            int at = start;
            for (int i = 0; i < 2 * count; i++) {
                int size = Bytes.getInt(from, at);
                at += 4;
                if ((i & 1) == half) {
                    part.putOrNull(from, at, size, array, i >> 1);
                }
                at += Math.max(0, size);
            }
        }
    }

    /** UDTs and tuples. Values written before fields were added to the type lack these fields, which are null. */
    private static final class StructCell extends CellDecoder {
        /** For each field of the value, its index in Spark's struct; -1 if it is not read. */
        private final int[] targets;

        private final CellDecoder[] fields;

        StructCell(List<String> names, List<com.datastax.oss.driver.api.core.type.DataType> types, StructType wanted) {
            super(POINTER_BYTES, /* minBytes */ 0);
            fields = new CellDecoder[wanted.length()];
            targets = new int[types.size()];
            for (int i = 0; i < types.size(); i++) {
                targets[i] = List.of(wanted.fieldNames()).indexOf(names.get(i));
                if (targets[i] >= 0) {
                    fields[targets[i]] = of(types.get(i), wanted.fields()[targets[i]].dataType());
                }
            }
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            int start = to.cursor();
            UnsafeRowWriter row = new UnsafeRowWriter(to, fields.length);
            row.resetRowWriter();
            int end = offset + length;
            int at = offset;
            for (int i = 0; i < targets.length; i++) {
                int size = -1;
                if (at < end) {
                    size = Bytes.getInt(from, at);
                    at += 4;
                }
                int target = targets[i];
                if (target >= 0) {
                    fields[target].putOrNull(from, at, size, row, target);
                }
                at += Math.max(0, size);
            }
            to.setOffsetAndSizeFromPreviousCursor(ordinal, start);
        }
    }
}
