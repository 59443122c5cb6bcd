package io.overdrive.spark.cell;

import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import java.time.ZoneId;
import java.util.UUID;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.NullType;

/**
 * Encodes Spark's values of one type, in a field of a row or an element of an array, as the bytes of a CQL type.
 * Accepts what {@link CellDecoder} returns, and in addition: whole numbers of any width if the value fits, numbers for
 * fractions and for text, and text for every type that has a plain text form. Columns of type void, like
 * {@code lit(None)}, contain only nulls, which every type accepts. Executes (on the executors). Immutable; on the hot
 * path.
 *
 * <p>Timestamps are rounded down to milliseconds, Cassandra's precision.
 */
public interface CellEncoder {
    /**
     * Appends the value, without its length.
     *
     * @param from must not be null at {@code ordinal}
     * @throws IllegalArgumentException if the type cannot hold the value; also ArithmeticException
     */
    void put(SpecializedGetters from, int ordinal, Bytes to);

    /** Reads whole numbers of any width. */
    interface WholeNumber {
        long get(SpecializedGetters from, int ordinal);
    }

    /**
     * @param zone for text and dates that become points in time
     * @throws IllegalArgumentException if no value of Spark's type fits; its message continues "column x is", like
     *     "blob, which string does not fit"
     */
    static CellEncoder of(com.datastax.oss.driver.api.core.type.DataType cql, DataType spark, ZoneId zone) {
        if (spark instanceof NullType) {
            return (from, i, to) -> {
                throw new IllegalArgumentException("is of type void, which has no values");
            };
        }
        return switch (CqlType.of(cql)) {
            case ASCII, TEXT -> ScalarEncoders.text(cql, spark);
            case BOOLEAN -> ScalarEncoders.bool(cql, spark);
            case TINYINT -> ScalarEncoders.tinyint(cql, spark);
            case SMALLINT -> ScalarEncoders.smallint(cql, spark);
            case INT -> ScalarEncoders.integer(cql, spark);
            case BIGINT, COUNTER -> ScalarEncoders.bigint(cql, spark);
            case FLOAT -> ScalarEncoders.floatNumber(cql, spark);
            case DOUBLE -> ScalarEncoders.doubleNumber(cql, spark);
            case VARINT -> ScalarEncoders.varint(cql, spark);
            case DECIMAL -> ScalarEncoders.decimal(cql, spark);
            case TIMESTAMP -> ScalarEncoders.timestamp(cql, spark, zone);
            case DATE -> ScalarEncoders.date(cql, spark);
            case TIME -> ScalarEncoders.time(cql, spark);
            case UUID, TIMEUUID -> ScalarEncoders.uuid(cql, spark);
            case INET -> ScalarEncoders.inet(cql, spark);
            case DURATION -> ScalarEncoders.duration(cql, spark);
            case LIST -> CollectionEncoders.array(cql, ((ListType) cql).getElementType(), spark, zone);
            case SET -> CollectionEncoders.array(cql, ((SetType) cql).getElementType(), spark, zone);
            case MAP -> CollectionEncoders.map((MapType) cql, spark, zone);
            case UDT -> CollectionEncoders.udt((UserDefinedType) cql, spark, zone);
            case TUPLE -> CollectionEncoders.tuple((TupleType) cql, spark, zone);
            case VECTOR -> CollectionEncoders.vector((VectorType) cql, spark, zone);
            case BLOB, CUSTOM -> ScalarEncoders.blob(cql, spark);
        };
    }
}
