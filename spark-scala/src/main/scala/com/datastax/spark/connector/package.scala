package com.datastax.spark

import com.datastax.spark.connector.rdd.{CassandraTableScanPairRDDFunctions, CassandraTableScanRDD}
import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.Dataset

import scala.language.implicitConversions

/**
 * Cassandra in Spark's RDDs:
 * {{{
 * import com.datastax.spark.connector._
 * sc.cassandraTable("shop", "orders").where("id = ?", 1).collect()
 * rdd.saveToCassandra("shop", "orders")
 * }}}
 */
package object connector {
  implicit def toSparkContextFunctions(sc: SparkContext): SparkContextFunctions = new SparkContextFunctions(sc)

  implicit def toRDDFunctions[T](rdd: RDD[T]): RDDFunctions[T] = new RDDFunctions(rdd)

  implicit def toPairRDDFunctions[K, V](rdd: RDD[(K, V)]): PairRDDFunctions[K, V] = new PairRDDFunctions(rdd)

  implicit def toCassandraTableScanRDDPairFunctions[K, V](rdd: CassandraTableScanRDD[(K, V)]): CassandraTableScanPairRDDFunctions[K, V] =
    new CassandraTableScanPairRDDFunctions(rdd)

  implicit def toDatasetFunctions[K](dataset: Dataset[K]): DatasetFunctions[K] = new DatasetFunctions(dataset)

  implicit class ColumnNameFunctions(val columnName: String) extends AnyVal {

    /** The write time of the column's value. */
    def writeTime: WriteTime = WriteTime(columnName)

    /** The remaining time to live of the column's value. */
    def ttl: TTL = TTL(columnName)
  }

  implicit def toNamedColumnRef(columnName: String): ColumnName = ColumnName(columnName)
}
