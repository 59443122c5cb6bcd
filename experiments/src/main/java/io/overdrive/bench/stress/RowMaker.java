package io.overdrive.bench.stress;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Generates rows of a table from their number and a seed. The number is in the primary key; as many consecutive rows share a partition as
 * the options say; other values are random and hard to compress. Immutable. On the path of each operation.
 */
final class RowMaker {
    /** Values of these types have the same bytes in a vector as in a cell. */
    private static final Set<CqlType> VECTOR_ELEMENTS =
            EnumSet.of(CqlType.FLOAT, CqlType.DOUBLE, CqlType.INT, CqlType.BIGINT);

    private static final long DAY_NANOS = 86_400_000_000_000L;
    /** 2020-09-13, for timestamp and date columns. */
    private static final long SOME_MILLIS = 1_600_000_000_000L;
    /** Version 1 and the variant of RFC 4122, which the server requires in a timeuuid. */
    private static final long TIMEUUID_VERSION = 0x1000;

    private static final long VARIANT = 0x8000_0000_0000_0000L;
    /** Appends a value without its length. */
    private interface Maker {
        void put(Bytes out, long number);
    }

    private final TableSchema table;
    private final long seed;
    private final int valueBytes;
    private final int rowsPerPartition;
    private final Role[] roles;
    private final Maker[] makers;

    /** @throws OverdriveException of kind SCHEMA if the table has a column for which there are no values, or not enough */
    RowMaker(TableSchema table, StressOptions options) {
        this.table = table;
        this.seed = options.seed();
        this.valueBytes = options.valueBytes();
        this.rowsPerPartition = options.rowsPerPartition();
        roles = table.columns().stream().map(Column::role).toArray(Role[]::new);
        makers = table.columns().stream()
                .map(column -> column.isKey() ? key(column) : value(column, column.type()))
                .toArray(Maker[]::new);
        if (rowsPerPartition > 1 && table.clusteringColumns().isEmpty()) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    "[" + table.cqlName() + "] has no clustering column, so a partition is one row, not "
                            + rowsPerPartition + ": leave out --rows-per-partition");
        }
        long partitions = (options.keys() + rowsPerPartition - 1) / rowsPerPartition;
        requireRoom(table.partitionKey(), partitions, "partitions", "use fewer keys (--keys)");
        requireRoom(
                table.clusteringColumns(),
                Math.min(rowsPerPartition, options.keys()),
                "rows in a partition",
                "use fewer of them (--rows-per-partition)");
    }

    /** The columns together must distinguish all numbers. */
    private void requireRoom(List<Column> columns, long numbers, String what, String wayOut) {
        long most =
                columns.stream().mapToLong(column -> room(column.type())).max().orElse(Long.MAX_VALUE);
        if (most < numbers) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    "[" + table.cqlName() + "] cannot hold " + numbers + " " + what + ", only " + most
                            + ", by the types of "
                            + columns.stream()
                                    .map(c -> "\"" + c.name() + "\" " + c.type().asCql(true, true))
                                    .toList()
                            + ": " + wayOut);
        }
    }

    /** The index of the column in {@link #put}. */
    int column(String name) {
        for (int i = 0; i < makers.length; i++) {
            if (table.columns().get(i).name().equals(name)) {
                return i;
            }
        }
        throw new IllegalArgumentException("[" + table.cqlName() + "] has no column \"" + name + "\"");
    }

    /** Appends the value of a column, without its length. */
    void put(Bytes out, int column, long row) {
        switch (roles[column]) {
            case PARTITION_KEY -> makers[column].put(out, row / rowsPerPartition);
            case CLUSTERING -> makers[column].put(out, row % rowsPerPartition);
            case STATIC -> makers[column].put(out, Values.mix(seed + column, row / rowsPerPartition));
            case REGULAR -> makers[column].put(out, Values.mix(seed + column, row));
        }
    }

    /** How many different numbers a type can represent. */
    private static long room(DataType type) {
        return switch (CqlType.of(type)) {
            case BOOLEAN -> 2;
            case TINYINT -> 1 << 8;
            case SMALLINT -> 1 << 16;
            case FLOAT -> 1 << 24;
            case DATE -> 1L << 31;
            case INT, INET -> 1L << 32;
            case TIME -> DAY_NANOS;
            case DOUBLE -> 1L << 53;
            case TIMESTAMP -> Long.MAX_VALUE - SOME_MILLIS;
            case UUID, TIMEUUID -> 1L << 62;
            case ASCII,
                    BIGINT,
                    BLOB,
                    COUNTER,
                    DECIMAL,
                    DURATION,
                    LIST,
                    MAP,
                    SET,
                    TEXT,
                    TUPLE,
                    UDT,
                    VARINT,
                    VECTOR,
                    CUSTOM -> Long.MAX_VALUE;
        };
    }

    /** Values that contain the number, so that they differ for different numbers, up to {@link #room}. */
    private Maker key(Column column) {
        return switch (CqlType.of(column.type())) {
            case BOOLEAN -> (out, n) -> out.putByte((int) (n & 1));
            case TINYINT -> (out, n) -> out.putByte((int) n);
            case SMALLINT -> (out, n) -> out.putShort((int) n);
            case INT, INET -> (out, n) -> out.putInt((int) n);
            case BIGINT -> Bytes::putLong;
            case BLOB -> Bytes::putLong;
            case TIMESTAMP -> (out, n) -> out.putLong(SOME_MILLIS + n);
            case DATE -> (out, n) -> out.putInt(Integer.MIN_VALUE + (int) n);
            case TIME -> (out, n) -> out.putLong(n % DAY_NANOS);
            case FLOAT -> (out, n) -> out.putFloat((int) n & ((1 << 24) - 1));
            case DOUBLE -> Bytes::putDouble;
            case VARINT -> Bytes::putVarint;
            case DECIMAL ->
                (out, n) -> {
                    out.putInt(0);
                    out.putVarint(n);
                };
            case UUID, TIMEUUID ->
                (out, n) -> {
                    out.putLong(TIMEUUID_VERSION);
                    out.putLong(VARIANT | n);
                };
            case TEXT, ASCII -> RowMaker::putDigits;
            case COUNTER, DURATION, LIST, MAP, SET, TUPLE, UDT, VECTOR, CUSTOM ->
                throw noValues(column, "a primary key");
        };
    }

    private static void putDigits(Bytes out, long number) {
        int digits = 1;
        for (long rest = number; rest >= 10; rest /= 10) {
            digits++;
        }
        out.reserve(digits);
        byte[] array = out.array();
        for (int at = out.length() + digits - 1; at >= out.length(); at--) {
            array[at] = (byte) ('0' + number % 10);
            number /= 10;
        }
        out.advance(digits);
    }

    /** Random values of a type. */
    private Maker value(Column column, DataType type) {
        return switch (CqlType.of(type)) {
            case BOOLEAN -> (out, r) -> out.putByte((int) (r & 1));
            case TINYINT -> (out, r) -> out.putByte((int) r);
            case SMALLINT -> (out, r) -> out.putShort((int) r);
            case INT, INET -> (out, r) -> out.putInt((int) r);
            case BIGINT -> Bytes::putLong;
            case COUNTER -> (out, r) -> out.putLong(1);
            case BLOB -> this::putRandom;
            case TIMESTAMP -> (out, r) -> out.putLong(SOME_MILLIS + (r >>> 24));
            case DATE -> (out, r) -> out.putInt(Integer.MIN_VALUE + (int) (r >>> 49));
            case TIME -> (out, r) -> out.putLong((r >>> 1) % DAY_NANOS);
            case FLOAT -> (out, r) -> out.putFloat((float) Values.fraction(r));
            case DOUBLE -> (out, r) -> out.putDouble(Values.fraction(r));
            case VARINT -> Bytes::putVarint;
            case DECIMAL ->
                (out, r) -> {
                    out.putInt(2);
                    out.putVarint(r);
                };
            case DURATION ->
                (out, r) -> {
                    out.putVint(0); // months
                    out.putVint(r >>> 56); // days
                    out.putVint((r & 0xFF_FFFF) * 1000); // nanoseconds
                };
            case UUID ->
                (out, r) -> {
                    out.putLong((r & ~0xF000L) | 0x4000);
                    out.putLong(VARIANT | (Values.mix(r, 0) >>> 2));
                };
            case TIMEUUID ->
                (out, r) -> {
                    out.putLong((r & ~0xF000L) | TIMEUUID_VERSION);
                    out.putLong(VARIANT | (Values.mix(r, 0) >>> 2));
                };
            case TEXT, ASCII -> this::putLetters;
            case LIST -> collection(value(column, ((ListType) type).getElementType()));
            case SET -> collection(value(column, ((SetType) type).getElementType()));
            case MAP -> {
                MapType map = (MapType) type;
                yield collection(value(column, map.getKeyType()), value(column, map.getValueType()));
            }
            case TUPLE -> fields(column, ((TupleType) type).getComponentTypes());
            case UDT -> fields(column, ((UserDefinedType) type).getFieldTypes());
            case VECTOR -> vector(column, (VectorType) type);
            case CUSTOM -> throw noValues(column, "any column");
        };
    }

    private void putRandom(Bytes out, long random) {
        out.reserve(valueBytes + 8); // written eight bytes at a time
        byte[] array = out.array();
        int from = out.length();
        for (int i = 0; i < valueBytes; i += 8) {
            Bytes.setLong(array, from + i, Values.mix(random, i));
        }
        out.advance(valueBytes);
    }

    private void putLetters(Bytes out, long random) {
        out.reserve(valueBytes);
        Values.text(random, out.array(), out.length(), valueBytes);
        out.advance(valueBytes);
    }

    /** One element, or one entry. */
    private static Maker collection(Maker... parts) {
        Maker fields = fields(parts);
        return (out, r) -> {
            out.putInt(1);
            fields.put(out, r);
        };
    }

    private Maker fields(Column column, List<DataType> types) {
        return fields(types.stream().map(type -> value(column, type)).toArray(Maker[]::new));
    }

    private static Maker fields(Maker... parts) {
        return (out, r) -> {
            for (int i = 0; i < parts.length; i++) {
                int begin = out.beginValue();
                parts[i].put(out, Values.mix(r, i));
                out.endValue(begin);
            }
        };
    }

    private Maker vector(Column column, VectorType type) {
        Maker element = value(column, type.getElementType());
        if (!VECTOR_ELEMENTS.contains(CqlType.of(type.getElementType()))) {
            throw noValues(column, "any column");
        }
        int dimensions = type.getDimensions();
        return (out, r) -> {
            for (int i = 0; i < dimensions; i++) {
                element.put(out, Values.mix(r, i));
            }
        };
    }

    private OverdriveException noValues(Column column, String where) {
        return new OverdriveException(
                Kind.SCHEMA,
                "[" + table.cqlName() + "] column \"" + column.name() + "\" is "
                        + column.type().asCql(true, true) + ", for which a load has no values in " + where
                        + ": use another table, or have one created (--create)");
    }
}
