package com.datastax.spark.connector

import com.datastax.spark.connector.cql.CassandraConnector
import com.datastax.spark.connector.rdd.reader.RowReaderFactory
import com.datastax.spark.connector.rdd.{CassandraTableScanRDD, ReadConf, TableRead}
import org.apache.spark.SparkContext

import scala.reflect.ClassTag

/** Reads for an application. */
class SparkContextFunctions(@transient val sc: SparkContext) extends Serializable {

  /**
   * The rows of a table or materialized view. Sends no request before Spark needs partitions.
   *
   * @tparam T CassandraRow if it is not given, a tuple (columns in their order), a case class or bean (columns by their names), or a
   *     single column
   */
  def cassandraTable[T](keyspace: String, table: String)(
    implicit
    connector: CassandraConnector = CassandraConnector(sc),
    readConf: ReadConf = ReadConf.fromSparkConf(sc.getConf),
    ct: ClassTag[T],
    rrf: RowReaderFactory[T]): CassandraTableScanRDD[T] =
    new CassandraTableScanRDD[T](sc, connector, TableRead(keyspace, table), readConf)
}
