package io.overdrive.internal.codec;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import java.util.List;

/**
 * The kinds of CQL types: those with a code in the native protocol (native_protocol_v5.spec, section 4.2.5.2), and vectors,
 * which the protocol sends as custom types. Switches over it have no {@code default}, so that the compiler reports every place
 * that must handle a new constant. Immutable.
 */
public enum CqlType {
    ASCII(ProtocolConstants.DataType.ASCII),
    BIGINT(ProtocolConstants.DataType.BIGINT, 8),
    BLOB(ProtocolConstants.DataType.BLOB),
    BOOLEAN(ProtocolConstants.DataType.BOOLEAN, 1),
    COUNTER(ProtocolConstants.DataType.COUNTER),
    DATE(ProtocolConstants.DataType.DATE),
    DECIMAL(ProtocolConstants.DataType.DECIMAL),
    DOUBLE(ProtocolConstants.DataType.DOUBLE, 8),
    DURATION(ProtocolConstants.DataType.DURATION),
    FLOAT(ProtocolConstants.DataType.FLOAT, 4),
    INET(ProtocolConstants.DataType.INET),
    INT(ProtocolConstants.DataType.INT, 4),
    LIST(ProtocolConstants.DataType.LIST),
    MAP(ProtocolConstants.DataType.MAP),
    SET(ProtocolConstants.DataType.SET),
    SMALLINT(ProtocolConstants.DataType.SMALLINT),
    TEXT(ProtocolConstants.DataType.VARCHAR),
    TIME(ProtocolConstants.DataType.TIME),
    TIMESTAMP(ProtocolConstants.DataType.TIMESTAMP, 8),
    TIMEUUID(ProtocolConstants.DataType.TIMEUUID, 16),
    TINYINT(ProtocolConstants.DataType.TINYINT),
    TUPLE(ProtocolConstants.DataType.TUPLE),
    UDT(ProtocolConstants.DataType.UDT),
    UUID(ProtocolConstants.DataType.UUID, 16),
    VARINT(ProtocolConstants.DataType.VARINT),
    VECTOR(ProtocolConstants.DataType.CUSTOM),
    /** A type defined by a class on the server, other than a vector. */
    CUSTOM(ProtocolConstants.DataType.CUSTOM);

    private static final int VARIABLE = -1;
    private static final CqlType[] BY_CODE = new CqlType[ProtocolConstants.DataType.TUPLE + 1];

    static {
        for (CqlType type : values()) {
            BY_CODE[type.code] = type;
        }
    }

    private final int code;
    private final int fixedBytes;

    CqlType(int code) {
        this(code, VARIABLE);
    }

    CqlType(int code, int fixedBytes) {
        this.code = code;
        this.fixedBytes = fixedBytes;
    }

    public static CqlType of(DataType type) {
        return type instanceof VectorType ? VECTOR : BY_CODE[type.getProtocolCode()];
    }

    /**
     * The number of bytes of each element in a vector of this type, or -1 if each element is preceded by its length. This is
     * Cassandra's own list, {@code AbstractType.valueLengthIfFixed}: tinyint, smallint, date and time are not in it, although
     * their length is fixed.
     */
    public static int elementBytes(DataType type) {
        if (type instanceof VectorType vector) {
            int element = elementBytes(vector.getElementType());
            return element == VARIABLE ? VARIABLE : Math.multiplyExact(element, vector.getDimensions());
        }
        return of(type).fixedBytes;
    }

    /** Whether the types are the same, ignoring frozen and the keyspaces of UDTs. */
    public static boolean isSame(DataType a, DataType b) {
        if (a instanceof ListType x && b instanceof ListType y) {
            return isSame(x.getElementType(), y.getElementType());
        }
        if (a instanceof SetType x && b instanceof SetType y) {
            return isSame(x.getElementType(), y.getElementType());
        }
        if (a instanceof MapType x && b instanceof MapType y) {
            return isSame(x.getKeyType(), y.getKeyType()) && isSame(x.getValueType(), y.getValueType());
        }
        if (a instanceof TupleType x && b instanceof TupleType y) {
            return areSame(x.getComponentTypes(), y.getComponentTypes());
        }
        if (a instanceof UserDefinedType x && b instanceof UserDefinedType y) {
            return x.getFieldNames().equals(y.getFieldNames()) && areSame(x.getFieldTypes(), y.getFieldTypes());
        }
        if (a instanceof VectorType x && b instanceof VectorType y) {
            return x.getDimensions() == y.getDimensions() && isSame(x.getElementType(), y.getElementType());
        }
        return a.equals(b);
    }

    private static boolean areSame(List<DataType> a, List<DataType> b) {
        if (a.size() != b.size()) {
            return false;
        }
        for (int i = 0; i < a.size(); i++) {
            if (!isSame(a.get(i), b.get(i))) {
                return false;
            }
        }
        return true;
    }
}
