package io.overdrive.internal.codec;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;

/**
 * Compares the bytes of two values of one type in the server's order of clustering columns. Stateless.
 *
 * <p>The rules are those of the server's types ({@code org.apache.cassandra.db.marshal}), oddities included: a
 * version 1 uuid sorts by its time, a timeuuid after that by signed bytes, and an inet of IPv4 among those of IPv6 by its
 * bytes. An empty value comes first.
 */
public interface ClusteringOrder {
    /** Negative, zero or positive if the first value is less than, equal to or greater than the second. */
    int compare(byte[] a, int aFrom, int aLength, byte[] b, int bFrom, int bLength);

    /** The order of a type, ascending.
     *
     * @throws IllegalArgumentException for a type that clustering columns cannot have
     */
    static ClusteringOrder of(DataType type) {
        return switch (CqlType.of(type)) {
            // a date counts days as an unsigned number, and a time is never negative
            case ASCII, TEXT, BLOB, INET, DATE, TIME -> ClusteringOrder::unsignedBytes;
            case BOOLEAN -> values((a, i, aLength, b, j, bLength) -> Boolean.compare(a[i] != 0, b[j] != 0));
            case TINYINT -> values((a, i, aLength, b, j, bLength) -> a[i] - b[j]);
            case SMALLINT -> values((a, i, aLength, b, j, bLength) -> Bytes.getShort(a, i) - Bytes.getShort(b, j));
            case INT ->
                values((a, i, aLength, b, j, bLength) -> Integer.compare(Bytes.getInt(a, i), Bytes.getInt(b, j)));
            case BIGINT, TIMESTAMP ->
                values((a, i, aLength, b, j, bLength) -> Long.compare(Bytes.getLong(a, i), Bytes.getLong(b, j)));
            case FLOAT ->
                values((a, i, aLength, b, j, bLength) -> Float.compare(
                        Float.intBitsToFloat(Bytes.getInt(a, i)), Float.intBitsToFloat(Bytes.getInt(b, j))));
            case DOUBLE ->
                values((a, i, aLength, b, j, bLength) -> Double.compare(
                        Double.longBitsToDouble(Bytes.getLong(a, i)), Double.longBitsToDouble(Bytes.getLong(b, j))));
            case VARINT ->
                values((a, i, aLength, b, j, bLength) ->
                        new BigInteger(a, i, aLength).compareTo(new BigInteger(b, j, bLength)));
            case DECIMAL ->
                values((a, i, aLength, b, j, bLength) -> decimal(a, i, aLength).compareTo(decimal(b, j, bLength)));
            case UUID -> values((a, i, aLength, b, j, bLength) -> uuids(a, i, b, j));
            case TIMEUUID -> values((a, i, aLength, b, j, bLength) -> timeuuids(a, i, b, j));
            case LIST -> sequence(of(((ListType) type).getElementType()));
            case SET -> sequence(of(((SetType) type).getElementType()));
            case MAP -> sequence(of(((MapType) type).getKeyType()), of(((MapType) type).getValueType()));
            case TUPLE -> tuple(all(((TupleType) type).getComponentTypes()));
            case UDT -> tuple(all(((UserDefinedType) type).getFieldTypes()));
            case VECTOR -> {
                VectorType vector = (VectorType) type;
                DataType element = vector.getElementType();
                yield vector(of(element), vector.getDimensions(), CqlType.elementBytes(element));
            }
            case COUNTER, DURATION, CUSTOM ->
                throw new IllegalArgumentException("values of the type "
                        + type.asCql(/* includeFrozen */ false, /* pretty */ true) + " have no known order");
        };
    }

    private static ClusteringOrder[] all(List<DataType> types) {
        return types.stream().map(ClusteringOrder::of).toArray(ClusteringOrder[]::new);
    }

    /** The order of a DESC column. */
    default ClusteringOrder reversed() {
        return (a, aFrom, aLength, b, bFrom, bLength) -> compare(b, bFrom, bLength, a, aFrom, aLength);
    }

    private static int unsignedBytes(byte[] a, int aFrom, int aLength, byte[] b, int bFrom, int bLength) {
        return Arrays.compareUnsigned(a, aFrom, aFrom + aLength, b, bFrom, bFrom + bLength);
    }

    /** Order of a type whose values are not empty, except one that comes first. */
    private static ClusteringOrder values(ClusteringOrder order) {
        return (a, i, aLength, b, j, bLength) -> aLength == 0 || bLength == 0
                ? Integer.compare(aLength, bLength)
                : order.compare(a, i, aLength, b, j, bLength);
    }

    private static BigDecimal decimal(byte[] bytes, int from, int length) {
        return new BigDecimal(new BigInteger(bytes, from + 4, length - 4), Bytes.getInt(bytes, from));
    }

    private static int uuids(byte[] a, int i, byte[] b, int j) {
        long first = Bytes.getLong(a, i);
        long second = Bytes.getLong(b, j);
        int version = version(first);
        if (version != version(second)) {
            return version - version(second);
        }
        int order =
                version == 1 ? Long.compare(timeFirst(first), timeFirst(second)) : Long.compareUnsigned(first, second);
        return order != 0 ? order : Long.compareUnsigned(Bytes.getLong(a, i + 8), Bytes.getLong(b, j + 8));
    }

    private static int version(long high) {
        return (int) (high >>> 12) & 0xF;
    }

    private static int timeuuids(byte[] a, int i, byte[] b, int j) {
        int order = Long.compare(timeFirst(Bytes.getLong(a, i)), timeFirst(Bytes.getLong(b, j)));
        return order != 0
                ? order
                : Long.compare(bytesSigned(Bytes.getLong(a, i + 8)), bytesSigned(Bytes.getLong(b, j + 8)));
    }

    /** The high half with its parts in order of significance: version and high, middle, low. */
    private static long timeFirst(long high) {
        return (high << 48) | ((high << 16) & 0xFFFF00000000L) | (high >>> 32);
    }

    /** A number that compares like the eight bytes as signed numbers. */
    private static long bytesSigned(long low) {
        return low ^ 0x0080808080808080L;
    }

    /** Frozen collections: element by element, each prefixed with its length; a map's entry has two. */
    private static ClusteringOrder sequence(ClusteringOrder... parts) {
        return values((a, aFrom, aLength, b, bFrom, bLength) -> {
            int aCount = Bytes.getInt(a, aFrom);
            int bCount = Bytes.getInt(b, bFrom);
            int i = aFrom + 4;
            int j = bFrom + 4;
            for (int n = Math.min(aCount, bCount); n > 0; n--) {
                for (ClusteringOrder part : parts) {
                    int aPart = Math.max(0, Bytes.getInt(a, i));
                    int bPart = Math.max(0, Bytes.getInt(b, j));
                    int order = part.compare(a, i + 4, aPart, b, j + 4, bPart);
                    if (order != 0) {
                        return order;
                    }
                    i += 4 + aPart;
                    j += 4 + bPart;
                }
            }
            return Integer.compare(aCount, bCount);
        });
    }

    /** Tuples and UDTs: field by field, null first; missing fields at the end are null. */
    private static ClusteringOrder tuple(ClusteringOrder... fields) {
        return values((a, aFrom, aLength, b, bFrom, bLength) -> {
            int aEnd = aFrom + aLength;
            int bEnd = bFrom + bLength;
            int i = aFrom;
            int j = bFrom;
            for (ClusteringOrder field : fields) {
                int aPart = i < aEnd ? Bytes.getInt(a, i) : -1;
                int bPart = j < bEnd ? Bytes.getInt(b, j) : -1;
                if (aPart < 0 || bPart < 0) {
                    if (aPart >= 0 || bPart >= 0) {
                        return aPart < 0 ? -1 : 1;
                    }
                } else {
                    int order = field.compare(a, i + 4, aPart, b, j + 4, bPart);
                    if (order != 0) {
                        return order;
                    }
                }
                i += 4 + Math.max(0, aPart);
                j += 4 + Math.max(0, bPart);
            }
            return 0;
        });
    }

    /** Compares element by element; elements of a type without a fixed length are prefixed with their length, as a vint. */
    private static ClusteringOrder vector(ClusteringOrder element, int dimensions, int fixedLength) {
        return values((a, aFrom, aLength, b, bFrom, bLength) -> {
            int i = aFrom;
            int j = bFrom;
            for (int n = 0; n < dimensions; n++) {
                int aPart = fixedLength;
                int bPart = fixedLength;
                if (fixedLength < 0) {
                    aPart = Math.toIntExact(Bytes.getUnsignedVint(a, i));
                    bPart = Math.toIntExact(Bytes.getUnsignedVint(b, j));
                    i += Bytes.vintBytes(a[i]);
                    j += Bytes.vintBytes(b[j]);
                }
                int order = element.compare(a, i, aPart, b, j, bPart);
                if (order != 0) {
                    return order;
                }
                i += aPart;
                j += bPart;
            }
            return 0;
        });
    }
}
