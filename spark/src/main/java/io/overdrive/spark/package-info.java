/**
 * The Spark 4 connector: DataSource V2 on Overdrive's engine. {@link io.overdrive.spark.CassandraSource} and
 * {@link io.overdrive.spark.CassandraCatalog} are the entry points; both return a {@code CassandraTable}, which is read
 * through {@code CassandraScanBuilder} and written through {@code CassandraWriteBuilder}. All settings are in
 * {@code Setting}. A class head says whether the class plans (on Spark's driver) or executes (on the executors).
 */
@org.jspecify.annotations.NullMarked
package io.overdrive.spark;
