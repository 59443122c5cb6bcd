package io.overdrive.spark.cell;

import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import io.overdrive.internal.codec.CqlType;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeWriter;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructType;

/**
 * Decodes CQL values of one type into a field of a Spark row or an element of an array. An empty value is null, as in
 * the driver, unless the type has empty values. Executes (on the executors). Confined to one thread; on the hot path.
 */
abstract class CellDecoder {
    /** Bytes of a pointer to data of variable size. */
    static final int POINTER_BYTES = 8;

    /** Bytes of an element in the fixed part of an array, without the data that it points to. */
    final int slotBytes;

    /** A length that is less than the length of null. */
    static final int NEVER_NULL = Integer.MIN_VALUE;

    /** Bytes of the shortest value: 0 if the type has empty values, otherwise 1; {@link #NEVER_NULL} if null is a value, too. */
    private final int minBytes;

    CellDecoder(int slotBytes) {
        this(slotBytes, /* minBytes */ 1);
    }

    CellDecoder(int slotBytes, int minBytes) {
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

    /** The same for a collection of which Cassandra stores nothing if it is empty: null is an empty one. */
    CellDecoder withEmptyForNull() {
        throw new IllegalStateException("only collections can be empty");
    }

    /**
     * @param wanted a type of Spark's schema; the type of {@link SparkTypes#type}, maybe with fewer fields in its structs, or text for varint
     *     and decimal
     * @throws IllegalArgumentException if it is another one; its message continues "column x"
     */
    static CellDecoder of(com.datastax.oss.driver.api.core.type.DataType cql, DataType wanted) {
        if (!SparkTypes.fits(cql, wanted)) {
            throw new IllegalArgumentException("is " + wanted.simpleString() + " in Spark's schema, and "
                    + SparkTypes.cql(cql) + " in the table, which is "
                    + SparkTypes.type(cql).simpleString()
                    + " in Spark: the table has changed since Spark read its schema; read the table again");
        }
        return switch (CqlType.of(cql)) {
            case BOOLEAN -> new ScalarDecoders.BooleanCell();
            case TINYINT -> new ScalarDecoders.ByteCell();
            case SMALLINT -> new ScalarDecoders.ShortCell();
            case INT -> new ScalarDecoders.IntCell();
            case FLOAT -> new ScalarDecoders.FloatCell();
            case DOUBLE -> new ScalarDecoders.DoubleCell();
            case BIGINT, COUNTER, TIME -> new ScalarDecoders.LongCell();
            case TIMESTAMP -> new ScalarDecoders.TimestampCell();
            case DATE -> new ScalarDecoders.DateCell();
            case UUID, TIMEUUID -> new ScalarDecoders.UuidCell();
            case INET -> new ScalarDecoders.InetCell();
            case DURATION -> new ScalarDecoders.DurationCell();
            case VARINT, DECIMAL -> {
                boolean isVarint = cql.equals(DataTypes.VARINT);
                yield wanted instanceof DecimalType decimal
                        ? new ScalarDecoders.DecimalCell(isVarint, decimal)
                        : new ScalarDecoders.DigitsCell(isVarint);
            }
            case LIST ->
                new CollectionDecoders.ArrayCell(
                        of(((ListType) cql).getElementType(), ((ArrayType) wanted).elementType()));
            case SET ->
                new CollectionDecoders.ArrayCell(
                        of(((SetType) cql).getElementType(), ((ArrayType) wanted).elementType()));
            case MAP -> {
                MapType map = (MapType) cql;
                org.apache.spark.sql.types.MapType to = (org.apache.spark.sql.types.MapType) wanted;
                yield new CollectionDecoders.MapCell(
                        of(map.getKeyType(), to.keyType()), of(map.getValueType(), to.valueType()));
            }
            case UDT -> {
                UserDefinedType udt = (UserDefinedType) cql;
                List<String> names = new ArrayList<>();
                udt.getFieldNames().forEach(name -> names.add(name.asInternal()));
                yield new CollectionDecoders.StructCell(names, udt.getFieldTypes(), (StructType) wanted);
            }
            case TUPLE -> {
                List<com.datastax.oss.driver.api.core.type.DataType> types = ((TupleType) cql).getComponentTypes();
                List<String> names = new ArrayList<>();
                types.forEach(type -> names.add(String.valueOf(names.size())));
                yield new CollectionDecoders.StructCell(names, types, (StructType) wanted);
            }
            case VECTOR -> {
                VectorType vector = (VectorType) cql;
                yield new CollectionDecoders.VectorCell(
                        vector, of(vector.getElementType(), ((ArrayType) wanted).elementType()));
            }
            case ASCII, TEXT, BLOB, CUSTOM -> new ScalarDecoders.BytesCell();
        };
    }
}
