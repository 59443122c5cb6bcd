package io.overdrive.spark.read;

import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Identifies to Spark how a scan is partitioned by {@link TokenBuckets}. Spark only compares it by name and never
 * computes it. Plans (on the driver). Immutable.
 */
public record TokenBucketFunction(String name) implements UnboundFunction, BoundFunction {
    private static final long serialVersionUID = 1;

    /** Whether scans use a function of this name. */
    public static boolean exists(String name) {
        return name.startsWith(TokenBuckets.FUNCTION);
    }

    @Override
    public BoundFunction bind(StructType inputType) {
        return this;
    }

    @Override
    public String description() {
        return name + ": the part of the token ring that a partition is in; only for planning joins";
    }

    @Override
    public DataType[] inputTypes() {
        return new DataType[0];
    }

    @Override
    public DataType resultType() {
        return DataTypes.IntegerType;
    }

    /** Includes the number of buckets and the types of the key: tables with equal ones have equal buckets. */
    @Override
    public String canonicalName() {
        return "io.overdrive." + name;
    }
}
