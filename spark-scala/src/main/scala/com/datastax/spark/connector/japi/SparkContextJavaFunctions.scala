package com.datastax.spark.connector.japi

import com.datastax.spark.connector.cql.CassandraConnector
import com.datastax.spark.connector.japi.rdd.{CassandraJavaPairRDD, CassandraTableScanJavaRDD}
import com.datastax.spark.connector.rdd.reader.{JavaReaders, RowReaderFactory}
import com.datastax.spark.connector.rdd.{CassandraTableScanRDD, ReadConf, TableRead}
import org.apache.spark.SparkContext

import scala.reflect.ClassTag

/** Reads for Java in an application. */
class SparkContextJavaFunctions private[japi] (val sparkContext: SparkContext) {

  /** The rows of a table or materialized view. Sends no request before Spark needs partitions. */
  def cassandraTable(keyspace: String, table: String): CassandraTableScanJavaRDD[CassandraRow] =
    cassandraTable(keyspace, table, JavaReaders.rows)

  /** The rows of a table or materialized view as other objects. */
  def cassandraTable[T](keyspace: String, table: String, rrf: RowReaderFactory[T]): CassandraTableScanJavaRDD[T] =
    new CassandraTableScanJavaRDD[T](scan(keyspace, table, rrf)(JavaTags.any[T]))

  /** Pairs made of the rows: each with all columns, but of two single columns the value is the second one. */
  def cassandraTable[K, V](
    keyspace: String,
    table: String,
    keyRRF: RowReaderFactory[K],
    valueRRF: RowReaderFactory[V]): CassandraJavaPairRDD[K, V] =
    new CassandraJavaPairRDD[K, V](scan(keyspace, table, JavaReaders.pair(keyRRF, valueRRF)))

  private def scan[T: ClassTag](keyspace: String, table: String, rrf: RowReaderFactory[T]): CassandraTableScanRDD[T] =
    new CassandraTableScanRDD[T](
      sparkContext,
      CassandraConnector(sparkContext),
      TableRead(keyspace, table),
      ReadConf.fromSparkConf(sparkContext.getConf))(implicitly, rrf)
}
