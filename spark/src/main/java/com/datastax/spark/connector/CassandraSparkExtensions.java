package com.datastax.spark.connector;

import io.overdrive.spark.OverdriveExtensions;

/**
 * The extensions under the name that jobs of the connector for Spark 3 have in {@code spark.sql.extensions}, so that they
 * need no other.
 *
 * @param <U> Scala's {@code Unit}
 */
public final class CassandraSparkExtensions<U> extends OverdriveExtensions<U> {}
