package org.apache.spark.sql.cassandra;

import io.overdrive.spark.CassandraSource;

/**
 * The format under the name that jobs of the connector for Spark 3 have in them: Spark looks for this class where the
 * format is {@code org.apache.spark.sql.cassandra}.
 */
public final class DefaultSource extends CassandraSource {}
