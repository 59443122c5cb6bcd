package com.datastax.spark.connector.japi

import com.datastax.oss.driver.api.core.ConsistencyLevel
import com.datastax.spark.connector._
import com.datastax.spark.connector.cql.CassandraConnector
import com.datastax.spark.connector.japi.rdd.{CassandraJavaPairRDD, JavaSpans}
import com.datastax.spark.connector.rdd.ReadConf
import com.datastax.spark.connector.rdd.reader.RowReaderFactory
import com.datastax.spark.connector.writer._
import org.apache.spark.SparkConf
import org.apache.spark.api.java.function.{Function => JFunction}
import org.apache.spark.api.java.{JavaPairRDD, JavaRDD}
import org.apache.spark.rdd.RDD

import java.time.Duration
import java.util.Date
import scala.reflect.ClassTag

/** Writes for Java of an RDD. */
abstract class RDDAndDStreamCommonJavaFunctions[T] {

  /** A connector for the cluster that the configuration of the application names. */
  def defaultConnector(): CassandraConnector

  protected def getConf(): SparkConf

  /** The settings of the application. */
  def defaultWriteConf(): WriteConf = WriteConf.fromSparkConf(getConf())

  protected def saveToCassandra(
    keyspace: String,
    table: String,
    rowWriterFactory: RowWriterFactory[T],
    columnNames: ColumnSelector,
    conf: WriteConf,
    connector: CassandraConnector): Unit

  /** A write, which has the application's settings unless others are given. */
  def writerBuilder(keyspaceName: String, tableName: String, rowWriterFactory: RowWriterFactory[T]): WriterBuilder =
    new WriterBuilder(keyspaceName, tableName, rowWriterFactory, AllColumns, defaultConnector(), defaultWriteConf())

  /** How an RDD is written. Immutable: each method gives another one. */
  final class WriterBuilder private[japi] (
    val keyspaceName: String,
    val tableName: String,
    val rowWriterFactory: RowWriterFactory[T],
    val columnSelector: ColumnSelector,
    val connector: CassandraConnector,
    val writeConf: WriteConf) {
    private def copy(
      rowWriterFactory: RowWriterFactory[T] = rowWriterFactory,
      columnSelector: ColumnSelector = columnSelector,
      connector: CassandraConnector = connector,
      writeConf: WriteConf = writeConf): WriterBuilder =
      new WriterBuilder(keyspaceName, tableName, rowWriterFactory, columnSelector, connector, writeConf)

    /** Writes into another cluster. */
    def withConnector(connector: CassandraConnector): WriterBuilder = copy(connector = connector)

    /** All of its settings. */
    def withWriteConf(writeConf: WriteConf): WriterBuilder = copy(writeConf = writeConf)

    def withRowWriterFactory(factory: RowWriterFactory[T]): WriterBuilder = copy(rowWriterFactory = factory)

    /** The columns that are written. */
    def withColumnSelector(columnSelector: ColumnSelector): WriterBuilder = copy(columnSelector = columnSelector)

    /** @see [[WriteConf]], as for all that follow */
    def withBatchSize(batchSize: BatchSize): WriterBuilder = copy(writeConf = writeConf.copy(batchSize = batchSize))

    def withBatchGroupingBufferSize(batchGroupingBufferSize: Int): WriterBuilder =
      copy(writeConf = writeConf.copy(batchGroupingBufferSize = batchGroupingBufferSize))

    def withBatchGroupingKey(batchGroupingKey: BatchGroupingKey): WriterBuilder =
      copy(writeConf = writeConf.copy(batchGroupingKey = batchGroupingKey))

    def withConsistencyLevel(consistencyLevel: ConsistencyLevel): WriterBuilder =
      copy(writeConf = writeConf.copy(consistencyLevel = consistencyLevel))

    def withParallelismLevel(parallelismLevel: Int): WriterBuilder = copy(writeConf = writeConf.copy(parallelismLevel = parallelismLevel))

    def withThroughputMBPS(throughputMBPS: Int): WriterBuilder =
      copy(writeConf = writeConf.copy(throughputMiBPS = Some(throughputMBPS.toDouble)))

    def withTaskMetricsEnabled(taskMetricsEnabled: Boolean): WriterBuilder =
      copy(writeConf = writeConf.copy(taskMetricsEnabled = taskMetricsEnabled))

    def withIfNotExists(ifNotExists: Boolean): WriterBuilder = copy(writeConf = writeConf.copy(ifNotExists = ifNotExists))

    def withIgnoreNulls(ignoreNulls: Boolean): WriterBuilder = copy(writeConf = writeConf.copy(ignoreNulls = ignoreNulls))

    private def withTimestamp(timestamp: TimestampOption): WriterBuilder = copy(writeConf = writeConf.copy(timestamp = timestamp))

    def withConstantTimestamp(timeInMicroseconds: Long): WriterBuilder = withTimestamp(TimestampOption.constant(timeInMicroseconds))

    def withConstantTimestamp(timestamp: Date): WriterBuilder = withTimestamp(TimestampOption.constant(timestamp))

    def withAutoTimestamp(): WriterBuilder = withTimestamp(TimestampOption.defaultValue)

    def withPerRowTimestamp(placeholder: String): WriterBuilder = withTimestamp(TimestampOption.perRow(placeholder))

    private def withTTL(ttl: TTLOption): WriterBuilder = copy(writeConf = writeConf.copy(ttl = ttl))

    def withConstantTTL(ttlInSeconds: Int): WriterBuilder = withTTL(TTLOption.constant(ttlInSeconds))

    /** Sets the time to live, in whole seconds. */
    def withConstantTTL(ttl: Duration): WriterBuilder = withConstantTTL(Math.toIntExact(ttl.toSeconds))

    def withAutoTTL(): WriterBuilder = withTTL(TTLOption.defaultValue)

    def withPerRowTTL(placeholder: String): WriterBuilder = withTTL(TTLOption.perRow(placeholder))

    /** Writes all rows; returns when they are acknowledged. */
    def saveToCassandra(): Unit =
      RDDAndDStreamCommonJavaFunctions.this.saveToCassandra(keyspaceName, tableName, rowWriterFactory, columnSelector, writeConf, connector)
  }
}

/** Functions for Java for any RDD. */
class RDDJavaFunctions[T](val rdd: RDD[T]) extends RDDAndDStreamCommonJavaFunctions[T] {
  private val functions = new RDDFunctions[T](rdd)

  /** Elements are objects for Java, whatever their class. */
  private implicit val tag: ClassTag[T] = JavaTags.any[T]

  override def defaultConnector(): CassandraConnector = CassandraConnector(getConf())

  override def getConf(): SparkConf = rdd.sparkContext.getConf

  /** @see [[RDDFunctions.saveToCassandra]] */
  override def saveToCassandra(
    keyspace: String,
    table: String,
    rowWriterFactory: RowWriterFactory[T],
    columnNames: ColumnSelector,
    conf: WriteConf,
    connector: CassandraConnector): Unit =
    functions.saveToCassandra(keyspace, table, columnNames, conf)(connector, rowWriterFactory)

  /** @see [[RDDFunctions.deleteFromCassandra]] */
  def deleteFromCassandra(
    keyspace: String,
    table: String,
    rowWriterFactory: RowWriterFactory[T],
    deleteColumns: ColumnSelector,
    keyColumns: ColumnSelector,
    conf: WriteConf,
    connector: CassandraConnector): Unit =
    functions.deleteFromCassandra(keyspace, table, deleteColumns, keyColumns, conf)(connector, rowWriterFactory)

  /** Groups adjacent rows by the result of a function, without a shuffle. */
  def spanBy[U](f: JFunction[T, U], keyClassTag: ClassTag[U]): JavaPairRDD[U, java.lang.Iterable[T]] =
    JavaSpans.by(rdd, f, keyClassTag)

  /** Groups adjacent rows by the result of a function, without a shuffle. */
  def spanBy[U](f: JFunction[T, U], keyClass: Class[U]): JavaPairRDD[U, java.lang.Iterable[T]] = spanBy(f, ClassTag[U](keyClass))

  /** @see [[RDDFunctions.joinWithCassandraTable]] */
  def joinWithCassandraTable[R](
    keyspaceName: String,
    tableName: String,
    selectedColumns: ColumnSelector,
    joinColumns: ColumnSelector,
    rowReaderFactory: RowReaderFactory[R],
    rowWriterFactory: RowWriterFactory[T]): CassandraJavaPairRDD[T, R] =
    new CassandraJavaPairRDD[T, R](
      functions.joinWithCassandraTable[R](keyspaceName, tableName, selectedColumns, joinColumns, ReadConf.fromSparkConf(getConf()))(
        defaultConnector(),
        JavaTags.any[R],
        rowReaderFactory,
        tag,
        rowWriterFactory))

  /** @see [[RDDFunctions.repartitionByCassandraReplica]] */
  def repartitionByCassandraReplica(
    keyspaceName: String,
    tableName: String,
    partitionsPerHost: Int,
    partitionKeyMapper: ColumnSelector,
    rowWriterFactory: RowWriterFactory[T]): JavaRDD[T] =
    new JavaRDD[T](
      functions.repartitionByCassandraReplica(keyspaceName, tableName, partitionsPerHost, partitionKeyMapper)(
        defaultConnector(),
        tag,
        rowWriterFactory))
}

/** Functions for Java for an RDD of pairs. */
class PairRDDJavaFunctions[K, V](rdd: RDD[(K, V)]) extends RDDJavaFunctions[(K, V)](rdd) {

  /** Groups adjacent values of the same key, without a shuffle. */
  def spanByKey(keyClassTag: ClassTag[K]): JavaPairRDD[K, java.util.Collection[V]] = JavaSpans.byKey(rdd, keyClassTag)
}

private[japi] object JavaTags {
  def any[T]: ClassTag[T] = ClassTag.AnyRef.asInstanceOf[ClassTag[T]]
}
