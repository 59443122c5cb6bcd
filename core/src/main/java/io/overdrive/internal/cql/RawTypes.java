package io.overdrive.internal.cql;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.protocol.internal.response.result.ColumnSpec;
import com.datastax.oss.protocol.internal.response.result.RawType;
import com.datastax.oss.protocol.internal.response.result.RawType.RawCustom;
import com.datastax.oss.protocol.internal.response.result.RawType.RawList;
import com.datastax.oss.protocol.internal.response.result.RawType.RawMap;
import com.datastax.oss.protocol.internal.response.result.RawType.RawSet;
import com.datastax.oss.protocol.internal.response.result.RawType.RawTuple;
import com.datastax.oss.protocol.internal.response.result.RawType.RawUdt;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Compares types in answers of the server with those of the driver. Stateless. */
public final class RawTypes {
    private RawTypes() {}

    /** Whether the markers or columns of an answer have these types; fields may have been added to user-defined types. */
    public static boolean match(List<DataType> types, List<ColumnSpec> answer) {
        return matchAll(types, answer.stream().map(spec -> spec.type).toList());
    }

    private static boolean matchAll(List<DataType> types, List<RawType> answer) {
        if (types.size() != answer.size()) {
            return false;
        }
        for (int i = 0; i < types.size(); i++) {
            if (!matches(types.get(i), answer.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean matches(DataType type, RawType answer) {
        if (answer instanceof RawCustom custom) {
            return DataTypes.custom(custom.className).equals(type);
        }
        if (answer instanceof RawList list) {
            return type instanceof ListType known && matches(known.getElementType(), list.elementType);
        }
        if (answer instanceof RawSet set) {
            return type instanceof SetType known && matches(known.getElementType(), set.elementType);
        }
        if (answer instanceof RawMap map) {
            return type instanceof MapType known
                    && matches(known.getKeyType(), map.keyType)
                    && matches(known.getValueType(), map.valueType);
        }
        if (answer instanceof RawTuple tuple) {
            return type instanceof TupleType known && matchAll(known.getComponentTypes(), tuple.fieldTypes);
        }
        if (answer instanceof RawUdt udt) {
            return type instanceof UserDefinedType known && beginsWith(udt.fields, known);
        }
        return type.getProtocolCode() == answer.id;
    }

    private static boolean beginsWith(Map<String, RawType> fields, UserDefinedType type) {
        int size = type.getFieldNames().size();
        if (fields.size() < size) {
            return false;
        }
        List<String> names = new ArrayList<>(fields.keySet()).subList(0, size);
        return type.getFieldNames().stream()
                        .map(name -> name.asInternal())
                        .toList()
                        .equals(names)
                && matchAll(type.getFieldTypes(), new ArrayList<>(fields.values()).subList(0, size));
    }
}
