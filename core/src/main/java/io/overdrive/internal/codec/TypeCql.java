package io.overdrive.internal.codec;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.CustomType;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Types as CQL for any keyspace: user-defined ones belong to the table's. Stateless. */
public final class TypeCql {
    /**
     * Names that a user-defined type can only have in quotes. Names of native types are not here: the server itself
     * confuses them.
     */
    private static final Set<String> RESERVED_TYPE_NAMES = Set.of(
            "bitstring",
            "byte",
            "complex",
            "enum",
            "frozen",
            "interval",
            "list",
            "macaddr",
            "map",
            "set",
            "tuple",
            "vector");

    private TypeCql() {}

    /** The type as written in a statement. */
    public static String of(DataType type) {
        String inner = parts(type).stream().map(TypeCql::of).collect(Collectors.joining(", "));
        if (type instanceof ListType list) {
            return frozen(list.isFrozen(), "list<" + inner + ">");
        }
        if (type instanceof SetType set) {
            return frozen(set.isFrozen(), "set<" + inner + ">");
        }
        if (type instanceof MapType map) {
            return frozen(map.isFrozen(), "map<" + inner + ">");
        }
        if (type instanceof VectorType vector) {
            return "vector<" + inner + ", " + vector.getDimensions() + ">";
        }
        if (type instanceof TupleType) {
            return "tuple<" + inner + ">"; // always frozen
        }
        if (type instanceof UserDefinedType udt) {
            return frozen(udt.isFrozen(), name(udt.getName()));
        }
        if (type instanceof CustomType custom) {
            return "'" + custom.getClassName() + "'";
        }
        return type.asCql(/* includeFrozen */ true, /* pretty */ true);
    }

    private static String frozen(boolean isFrozen, String type) {
        return isFrozen ? "frozen<" + type + ">" : type;
    }

    /** The name of a user-defined type in CQL. */
    public static String name(CqlIdentifier type) {
        return type.asCql(/* pretty */ !RESERVED_TYPE_NAMES.contains(type.asInternal()));
    }

    /** The fields of a type, in order. */
    public static Map<String, String> fields(UserDefinedType type) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 0; i < type.getFieldNames().size(); i++) {
            fields.put(
                    type.getFieldNames().get(i).asInternal(),
                    of(type.getFieldTypes().get(i)));
        }
        return fields;
    }

    /** The user-defined types within a type and it itself, each after the types that it depends on. */
    public static List<UserDefinedType> userTypes(DataType type) {
        Map<CqlIdentifier, UserDefinedType> found = new LinkedHashMap<>();
        collect(type, found);
        return List.copyOf(found.values());
    }

    private static void collect(DataType type, Map<CqlIdentifier, UserDefinedType> found) {
        parts(type).forEach(part -> collect(part, found));
        if (type instanceof UserDefinedType udt) {
            found.putIfAbsent(udt.getName(), udt);
        }
    }

    /** The component types of a type. */
    private static List<DataType> parts(DataType type) {
        if (type instanceof ListType list) {
            return List.of(list.getElementType());
        }
        if (type instanceof SetType set) {
            return List.of(set.getElementType());
        }
        if (type instanceof MapType map) {
            return List.of(map.getKeyType(), map.getValueType());
        }
        if (type instanceof VectorType vector) {
            return List.of(vector.getElementType());
        }
        if (type instanceof TupleType tuple) {
            return tuple.getComponentTypes();
        }
        return type instanceof UserDefinedType udt ? udt.getFieldTypes() : List.of();
    }
}
