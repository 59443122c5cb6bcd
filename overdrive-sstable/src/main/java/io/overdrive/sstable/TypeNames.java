package io.overdrive.sstable;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import io.overdrive.internal.codec.CqlType;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Types by the names of the server's classes, as Statistics.db has them. Stateless. */
final class TypeNames {
    private static final String PACKAGE = "org.apache.cassandra.db.marshal.";

    private TypeNames() {}

    static String partitionKey(List<DataType> types) {
        return types.size() == 1
                ? frozen(types.get(0))
                : name("CompositeType", types.stream().map(TypeNames::frozen));
    }

    static String clustering(DataType type, boolean descending) {
        return descending ? PACKAGE + "ReversedType(" + frozen(type) + ")" : frozen(type);
    }

    /** Of a static or regular column. */
    static String column(DataType type) {
        return of(type, /* inFrozen */ false);
    }

    /** Of a key column, whose type is frozen even if the schema does not say so. */
    private static String frozen(DataType type) {
        return switch (CqlType.of(type)) {
            case LIST, SET, MAP, UDT -> PACKAGE + "FrozenType(" + of(type, /* inFrozen */ true) + ")";
            default -> of(type, /* inFrozen */ false);
        };
    }

    /** @param inFrozen whether a type around it is frozen, so that it is not said again */
    private static String of(DataType type, boolean inFrozen) {
        return switch (CqlType.of(type)) {
            case ASCII -> PACKAGE + "AsciiType";
            case BIGINT -> PACKAGE + "LongType";
            case BLOB -> PACKAGE + "BytesType";
            case BOOLEAN -> PACKAGE + "BooleanType";
            case DATE -> PACKAGE + "SimpleDateType";
            case DECIMAL -> PACKAGE + "DecimalType";
            case DOUBLE -> PACKAGE + "DoubleType";
            case DURATION -> PACKAGE + "DurationType";
            case FLOAT -> PACKAGE + "FloatType";
            case INET -> PACKAGE + "InetAddressType";
            case INT -> PACKAGE + "Int32Type";
            case SMALLINT -> PACKAGE + "ShortType";
            case TEXT -> PACKAGE + "UTF8Type";
            case TIME -> PACKAGE + "TimeType";
            case TIMESTAMP -> PACKAGE + "TimestampType";
            case TIMEUUID -> PACKAGE + "TimeUUIDType";
            case TINYINT -> PACKAGE + "ByteType";
            case UUID -> PACKAGE + "UUIDType";
            case VARINT -> PACKAGE + "IntegerType";
            case LIST -> {
                ListType list = (ListType) type;
                yield collection("ListType", list.isFrozen(), inFrozen, list.getElementType());
            }
            case SET -> {
                SetType set = (SetType) type;
                yield collection("SetType", set.isFrozen(), inFrozen, set.getElementType());
            }
            case MAP -> {
                MapType map = (MapType) type;
                yield collection("MapType", map.isFrozen(), inFrozen, map.getKeyType(), map.getValueType());
            }
            case TUPLE ->
                name(
                        "TupleType",
                        ((TupleType) type).getComponentTypes().stream().map(t -> of(t, /* inFrozen */ true)));
            case UDT -> udt((UserDefinedType) type, inFrozen);
            case VECTOR -> {
                VectorType vector = (VectorType) type;
                yield PACKAGE + "VectorType(" + of(vector.getElementType(), inFrozen) + " , " + vector.getDimensions()
                        + ")";
            }
            case COUNTER, CUSTOM -> throw new IllegalArgumentException(type + " cannot be written");
        };
    }

    private static String collection(String name, boolean isFrozen, boolean inFrozen, DataType... elements) {
        String type = name(name, List.of(elements).stream().map(t -> of(t, inFrozen || isFrozen)));
        return isFrozen && !inFrozen ? PACKAGE + "FrozenType(" + type + ")" : type;
    }

    private static String udt(UserDefinedType udt, boolean inFrozen) {
        boolean isFrozen = udt.isFrozen();
        StringBuilder fields = new StringBuilder();
        for (int i = 0; i < udt.getFieldNames().size(); i++) {
            fields.append(',')
                    .append(hex(udt.getFieldNames().get(i)))
                    .append(':')
                    .append(of(udt.getFieldTypes().get(i), inFrozen || isFrozen));
        }
        CqlIdentifier keyspace = Objects.requireNonNull(udt.getKeyspace(), "a UDT of a table has a keyspace");
        String type = PACKAGE + "UserType(" + keyspace.asInternal() + "," + hex(udt.getName()) + fields + ")";
        return isFrozen && !inFrozen ? PACKAGE + "FrozenType(" + type + ")" : type;
    }

    private static String hex(CqlIdentifier name) {
        return HexFormat.of().formatHex(name.asInternal().getBytes(StandardCharsets.UTF_8));
    }

    private static String name(String name, Stream<String> parameters) {
        return parameters.collect(Collectors.joining(",", PACKAGE + name + "(", ")"));
    }
}
