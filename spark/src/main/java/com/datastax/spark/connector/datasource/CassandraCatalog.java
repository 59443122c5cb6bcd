package com.datastax.spark.connector.datasource;

/** The catalog under the name that configurations of the connector for Spark 3 have in them. */
public final class CassandraCatalog extends io.overdrive.spark.CassandraCatalog {}
