package io.overdrive.sstable.format;

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
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Types by the names of the server's classes, as Statistics.db has them. Stateless. */
public final class TypeNames {
    private static final String PACKAGE = "org.apache.cassandra.db.marshal.";
    /** Maximum nesting of types, far more than any table has. */
    private static final int MAX_DEPTH = 100;

    private TypeNames() {}

    static String partitionKey(List<DataType> types) {
        return types.size() == 1
                ? frozen(types.get(0))
                : name("CompositeType", types.stream().map(TypeNames::frozen));
    }

    static String clustering(DataType type, boolean descending) {
        return descending ? PACKAGE + "ReversedType(" + frozen(type) + ")" : frozen(type);
    }

    /** The name of a static or regular column's type. */
    public static String column(DataType type) {
        return of(type, /* inFrozen */ false);
    }

    /** The name of a key column's type, which is frozen even if the schema does not say so. */
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

    /** Whether the values of a type that a file names have the form of a type of the table. */
    static boolean fits(String inFile, String ofTable) {
        return hasCells(inFile) == hasCells(ofTable) && Parsed.of(inFile).fits(Parsed.of(ofTable));
    }

    /**
     * Whether values of a type that a file names are also values of a type of the table, as they are: only then does the server add a column
     * again, with another type than it had when it was dropped.
     */
    static boolean isTaken(String inFile, String byTable) {
        return hasCells(inFile) == hasCells(byTable)
                && fixedBytes(inFile) == fixedBytes(byTable)
                && Parsed.of(inFile).isTakenBy(Parsed.of(byTable));
    }

    /** Whether a column of the type has any number of cells. */
    public static boolean hasCells(String type) {
        return switch (Parsed.of(type).name()) {
            case "ListType", "SetType", "MapType", "UserType" -> true;
            default -> false;
        };
    }

    /** The length of each value of the type, or -1 if each is preceded by its length, in a column that has one cell. */
    static int fixedBytes(String type) {
        return Parsed.of(type).fixedBytes();
    }

    /** The name of a class without its package, and its parameters, among which fields of UDTs are without their names. */
    private record Parsed(String name, List<Parsed> parameters) {
        static Parsed of(String type) {
            String text = type.replace(" ", "");
            int open = text.indexOf('(');
            String path = open < 0 ? text : text.substring(0, open);
            String name = path.substring(path.lastIndexOf('.') + 1);
            List<Parsed> parameters = new ArrayList<>();
            int depth = 0;
            int from = open + 1;
            for (int i = open + 1; open >= 0 && i < text.length(); i++) {
                char c = text.charAt(i);
                if (depth == 0 && (c == ',' || c == ')')) {
                    String parameter = text.substring(from, i);
                    parameters.add(of(parameter.substring(
                            parameter.substring(0, end(parameter)).indexOf(':') + 1)));
                    from = i + 1;
                }
                depth += c == '(' ? 1 : c == ')' ? -1 : 0;
                if (depth > MAX_DEPTH) {
                    throw new IllegalArgumentException("a type of more than " + MAX_DEPTH + " levels");
                }
            }
            boolean isUdt = name.equals("UserType"); // after its keyspace and name
            return new Parsed(
                    name, isUdt ? parameters.subList(Math.min(2, parameters.size()), parameters.size()) : parameters);
        }

        /** Where the parameters of a type begin, or its end. */
        private static int end(String type) {
            int open = type.indexOf('(');
            return open < 0 ? type.length() : open;
        }

        private Parsed thawed() {
            return name.equals("FrozenType") && parameters.size() == 1
                    ? parameters.get(0).thawed()
                    : this;
        }

        boolean fits(Parsed other) {
            Parsed own = thawed();
            Parsed wanted = other.thawed();
            if (!own.name.equals(wanted.name)) {
                return false;
            }
            int count = own.parameters.size();
            boolean mayGrow = own.name.equals("UserType"); // by ALTER TYPE ADD
            if (count > wanted.parameters.size() || (count < wanted.parameters.size() && !mayGrow)) {
                return false;
            }
            for (int i = 0; i < count; i++) {
                if (!own.parameters.get(i).fits(wanted.parameters.get(i))) {
                    return false;
                }
            }
            return true;
        }

        boolean isTakenBy(Parsed other) {
            Parsed own = thawed();
            Parsed wanted = other.thawed();
            if (own.fits(wanted)) {
                return true;
            }
            boolean areValues =
                    switch (wanted.name) {
                        case "BytesType" -> true;
                        case "UTF8Type" -> own.name.equals("AsciiType");
                        case "UUIDType" -> own.name.equals("TimeUUIDType");
                        case "LongType" -> own.name.equals("TimestampType");
                        case "TimestampType" -> own.name.equals("LongType");
                        default -> false;
                    };
            boolean hasParts = own.name.equals(wanted.name) && own.parameters.size() == wanted.parameters.size();
            for (int i = 0; hasParts && i < own.parameters.size(); i++) {
                hasParts = own.parameters.get(i).isTakenBy(wanted.parameters.get(i));
            }
            return areValues || (hasParts && !own.parameters.isEmpty());
        }

        int fixedBytes() {
            return switch (name) {
                case "EmptyType" -> 0;
                case "BooleanType" -> 1;
                case "FloatType", "Int32Type" -> 4;
                case "DoubleType", "LongType", "TimestampType", "DateType" -> 8;
                case "UUIDType", "TimeUUIDType", "LexicalUUIDType" -> 16;
                case "ReversedType", "FrozenType" -> parameters.get(0).fixedBytes();
                case "VectorType" -> {
                    int element = parameters.get(0).fixedBytes();
                    yield element < 0 ? -1 : Math.multiplyExact(element, Integer.parseInt(parameters.get(1).name));
                }
                default -> -1;
            };
        }
    }
}
