package io.overdrive.spark.cell;

import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/**
 * Encoders of values that contain others: lists, sets, vectors, maps, UDTs, tuples. Execute (on the executors).
 * Immutable; on the hot path.
 */
final class CollectionEncoders {
    private CollectionEncoders() {}

    /** Lists and sets: the number of elements, then each element after its length. */
    static CellEncoder array(
            com.datastax.oss.driver.api.core.type.DataType cql,
            com.datastax.oss.driver.api.core.type.DataType elementType,
            DataType spark,
            ZoneId zone) {
        CellEncoder element = CellEncoder.of(elementType, elementOf(cql, spark), zone);
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

    static CellEncoder map(MapType map, DataType spark, ZoneId zone) {
        if (!(spark instanceof org.apache.spark.sql.types.MapType type)) {
            throw ScalarEncoders.unfit(map, spark);
        }
        CellEncoder key = CellEncoder.of(map.getKeyType(), type.keyType(), zone);
        CellEncoder value = CellEncoder.of(map.getValueType(), type.valueType(), zone);
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

    static CellEncoder vector(VectorType vector, DataType spark, ZoneId zone) {
        CellEncoder element = CellEncoder.of(vector.getElementType(), elementOf(vector, spark), zone);
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
    static CellEncoder udt(UserDefinedType udt, DataType spark, ZoneId zone) {
        if (!(spark instanceof StructType struct)) {
            throw ScalarEncoders.unfit(udt, spark);
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
                throw new IllegalArgumentException(udt.getName().asInternal()
                        + (target < 0
                                ? ", which has no field \"" + name + "\""
                                : ", whose field \"" + names.get(target) + "\" is given twice")
                        + "; its fields are " + String.join(", ", names));
            }
            sources[target] = i;
            fields[target] = CellEncoder.of(udt.getFieldTypes().get(target), struct.fields()[i].dataType(), zone);
        }
        return struct(struct.length(), sources, fields);
    }

    /** Fields are matched by position. */
    static CellEncoder tuple(TupleType tuple, DataType spark, ZoneId zone) {
        int count = tuple.getComponentTypes().size();
        if (!(spark instanceof StructType struct) || struct.length() != count) {
            throw ScalarEncoders.unfit(tuple, spark);
        }
        int[] sources = new int[count];
        List<CellEncoder> fields = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sources[i] = i;
            fields.add(CellEncoder.of(tuple.getComponentTypes().get(i), struct.fields()[i].dataType(), zone));
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

    private static DataType elementOf(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark) {
        if (spark instanceof ArrayType array) {
            return array.elementType();
        }
        throw ScalarEncoders.unfit(cql, spark);
    }
}
