package io.overdrive.jobs.expression;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.internal.codec.CqlType;

/** The types of values in expressions. Several types of CQL share one, and the target checks the range. Immutable. */
enum Kind {
    /** {@link String}; also of uuid, timeuuid and inet. */
    TEXT(DataTypes.TEXT),
    /** {@link Long}: all integers up to bigint. */
    INTEGER(DataTypes.BIGINT),
    /** {@link java.math.BigInteger}. */
    VARINT(DataTypes.VARINT),
    /** {@link java.math.BigDecimal}. */
    DECIMAL(DataTypes.DECIMAL),
    /** {@link Double}; also of float. */
    DOUBLE(DataTypes.DOUBLE),
    /** {@link Boolean}. */
    BOOLEAN(DataTypes.BOOLEAN),
    /** {@link java.time.Instant}. */
    TIMESTAMP(DataTypes.TIMESTAMP),
    /** {@link java.time.LocalDate}. */
    DATE(DataTypes.DATE),
    /** {@link java.time.LocalTime}. */
    TIME(DataTypes.TIME),
    /** {@link com.datastax.oss.driver.api.core.data.CqlDuration}. */
    DURATION(DataTypes.DURATION),
    /** A {@code byte[]} in the form of CQL: types whose values are passed on only, such as collections. */
    OTHER(DataTypes.BLOB),
    /** Only of the word null, which takes any type. */
    NULL(DataTypes.TEXT);

    /** The type of a value that no column has. */
    final DataType cql;

    Kind(DataType cql) {
        this.cql = cql;
    }

    static Kind of(DataType type) {
        return switch (CqlType.of(type)) {
            case ASCII, TEXT, UUID, TIMEUUID, INET -> TEXT;
            case TINYINT, SMALLINT, INT, BIGINT, COUNTER -> INTEGER;
            case VARINT -> VARINT;
            case DECIMAL -> DECIMAL;
            case FLOAT, DOUBLE -> DOUBLE;
            case BOOLEAN -> BOOLEAN;
            case TIMESTAMP -> TIMESTAMP;
            case DATE -> DATE;
            case TIME -> TIME;
            case DURATION -> DURATION;
            case BLOB, LIST, MAP, SET, TUPLE, UDT, VECTOR, CUSTOM -> OTHER;
        };
    }

    boolean isNumber() {
        return this == INTEGER || this == VARINT || this == DECIMAL || this == DOUBLE;
    }

    /** The name in messages. */
    String word() {
        return this == NULL ? "null" : cql.asCql(/* includeFrozen */ false, /* pretty */ true);
    }
}
