package io.overdrive.spark.cell;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.codec.CqlType;
import java.util.EnumSet;
import java.util.Set;

/**
 * Types of key columns by what a value in Spark says about the bytes of the key. Plans (on the driver). Stateless.
 */
public final class KeyTypes {
    /** Types whose values are equal in Spark if and only if their bytes are equal, and so their tokens. */
    private static final Set<CqlType> EXACT = EnumSet.of(
            CqlType.ASCII,
            CqlType.TEXT,
            CqlType.TINYINT,
            CqlType.SMALLINT,
            CqlType.INT,
            CqlType.BIGINT,
            CqlType.UUID,
            CqlType.TIMEUUID,
            CqlType.DATE,
            CqlType.TIME,
            CqlType.TIMESTAMP,
            CqlType.BLOB);

    /**
     * Types for whose values drivers write the same bytes, so that lookups find them. The server accepts others for the same value: a
     * varint that begins with zero bytes, a boolean of any byte.
     */
    private static final Set<CqlType> USUAL = EnumSet.of(CqlType.BOOLEAN, CqlType.VARINT, CqlType.INET);

    /** Types of which Cassandra compares clustering columns by value, as Spark does. */
    private static final Set<CqlType> COMPARED = EnumSet.of(CqlType.BOOLEAN, CqlType.VARINT);

    /** Types of which Spark has the very value of a row, although others may be equal to it. */
    private static final Set<CqlType> FRACTIONS = EnumSet.of(CqlType.FLOAT, CqlType.DOUBLE);

    private KeyTypes() {}

    /** Whether values are equal in Spark if and only if they are the same key. */
    public static boolean isExact(DataType type) {
        return EXACT.contains(CqlType.of(type));
    }

    /** Whether a key with the value is looked up: as drivers write it, if there are several forms. */
    public static boolean isLookedUp(DataType type) {
        return isExact(type) || USUAL.contains(CqlType.of(type));
    }

    /** Whether the value that Spark has read of a row identifies the row. */
    public static boolean identifiesRows(Column column) {
        CqlType type = CqlType.of(column.type());
        return EXACT.contains(type)
                || FRACTIONS.contains(type)
                || (column.role() == Role.CLUSTERING && COMPARED.contains(type));
    }
}
