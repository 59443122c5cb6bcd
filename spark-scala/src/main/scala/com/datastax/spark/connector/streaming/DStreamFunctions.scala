package com.datastax.spark.connector.streaming

import com.datastax.spark.connector._
import com.datastax.spark.connector.cql.CassandraConnector
import com.datastax.spark.connector.rdd.ReadConf
import com.datastax.spark.connector.rdd.reader.RowReaderFactory
import com.datastax.spark.connector.writer.{RowWriterFactory, WriteConf}
import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD
import org.apache.spark.streaming.dstream.DStream

import scala.reflect.ClassTag

/**
 * Functions for the RDDs of a stream. A problem of a table or its columns is an error before the stream starts, and
 * again for each RDD, as the table may change.
 */
class DStreamFunctions[T: ClassTag](dstream: DStream[T]) extends Serializable {
  private def sparkContext: SparkContext = dstream.context.sparkContext

  /** Checks everything that does not depend on rows. */
  private def noRows: RDD[T] = sparkContext.emptyRDD[T]

  /**
   * Writes each RDD. After a failure Spark may write some of them again, so counters, and additions to lists, are refused unless the setting
   * `allowNonIdempotent` accepts wrong sums.
   *
   * @see [[RDDFunctions.saveToCassandra]]
   */
  def saveToCassandra(
    keyspaceName: String,
    tableName: String,
    columnNames: ColumnSelector = AllColumns,
    writeConf: WriteConf = WriteConf.fromSparkConf(dstream.context.sparkContext.getConf))(
    implicit
    connector: CassandraConnector = CassandraConnector(dstream.context.sparkContext),
    rwf: RowWriterFactory[T]): Unit = {
    def save(rdd: RDD[T]): Unit = rdd.saveToCassandra(keyspaceName, tableName, columnNames, writeConf)
    noRows.requireRepeatable(keyspaceName, tableName, columnNames, writeConf)
    save(noRows)
    dstream.foreachRDD(save _)
  }

  /** @see [[RDDFunctions.deleteFromCassandra]] */
  def deleteFromCassandra(
    keyspaceName: String,
    tableName: String,
    deleteColumns: ColumnSelector = SomeColumns(),
    keyColumns: ColumnSelector = PrimaryKeyColumns,
    writeConf: WriteConf = WriteConf.fromSparkConf(dstream.context.sparkContext.getConf))(
    implicit
    connector: CassandraConnector = CassandraConnector(dstream.context.sparkContext),
    rwf: RowWriterFactory[T]): Unit = {
    def delete(rdd: RDD[T]): Unit = rdd.deleteFromCassandra(keyspaceName, tableName, deleteColumns, keyColumns, writeConf)
    delete(noRows)
    dstream.foreachRDD(delete _)
  }

  /** @see [[RDDFunctions.repartitionByCassandraReplica]] */
  def repartitionByCassandraReplica(
    keyspaceName: String,
    tableName: String,
    partitionsPerHost: Int = 10,
    partitionKeyMapper: ColumnSelector = PartitionKeyColumns)(
    implicit
    connector: CassandraConnector = CassandraConnector(dstream.context.sparkContext),
    rwf: RowWriterFactory[T]): DStream[T] = {
    def moved(rdd: RDD[T]): RDD[T] = rdd.repartitionByCassandraReplica(keyspaceName, tableName, partitionsPerHost, partitionKeyMapper)
    moved(noRows)
    dstream.transform(moved _)
  }

  /** @see [[RDDFunctions.joinWithCassandraTable]] */
  def joinWithCassandraTable[R](
    keyspaceName: String,
    tableName: String,
    selectedColumns: ColumnSelector = AllColumns,
    joinColumns: ColumnSelector = PartitionKeyColumns,
    readConf: ReadConf = ReadConf.fromSparkConf(dstream.context.sparkContext.getConf))(
    implicit
    connector: CassandraConnector = CassandraConnector(dstream.context.sparkContext),
    newType: ClassTag[R],
    rrf: RowReaderFactory[R],
    rwf: RowWriterFactory[T]): DStream[(T, R)] = {
    def joined(rdd: RDD[T]): RDD[(T, R)] = rdd.joinWithCassandraTable[R](keyspaceName, tableName, selectedColumns, joinColumns, readConf)
    joined(noRows).partitions
    dstream.transform(joined _)
  }
}
