/**
 * The Spark 4 connector: DataSource V2 on Overdrive's engine. {@link io.overdrive.spark.CassandraSource} and
 * {@link io.overdrive.spark.CassandraCatalog} are the ways in; both give a {@code CassandraTable}, which reads by
 * {@code CassandraScanBuilder} and writes by {@code CassandraWriteBuilder}. All settings are in {@code Setting}.
 */
@org.jspecify.annotations.NullMarked
package io.overdrive.spark;
