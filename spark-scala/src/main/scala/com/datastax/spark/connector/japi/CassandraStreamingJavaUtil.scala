package com.datastax.spark.connector.japi

import com.datastax.spark.connector.ColumnSelector
import com.datastax.spark.connector.cql.CassandraConnector
import com.datastax.spark.connector.streaming.DStreamFunctions
import com.datastax.spark.connector.writer.{RowWriterFactory, WriteConf}
import org.apache.spark.SparkConf
import org.apache.spark.streaming.StreamingContext
import org.apache.spark.streaming.api.java.{JavaDStream, JavaStreamingContext}
import org.apache.spark.streaming.dstream.DStream

/** Cassandra in Spark's DStreams, for Java: `CassandraStreamingJavaUtil.javaFunctions(stream).writerBuilder(…).saveToCassandra()`. Stateless. */
object CassandraStreamingJavaUtil {
  def javaFunctions(streamingContext: StreamingContext): StreamingContextJavaFunctions = new StreamingContextJavaFunctions(streamingContext)

  def javaFunctions(streamingContext: JavaStreamingContext): StreamingContextJavaFunctions = javaFunctions(streamingContext.ssc)

  def javaFunctions[T](dStream: DStream[T]): DStreamJavaFunctions[T] = new DStreamJavaFunctions[T](dStream)

  def javaFunctions[T](dStream: JavaDStream[T]): DStreamJavaFunctions[T] = javaFunctions(dStream.dstream)
}

/** Reads for Java in addition to streams. */
class StreamingContextJavaFunctions private[japi] (val ssc: StreamingContext) extends SparkContextJavaFunctions(ssc.sparkContext)

/** Writes for Java of the RDDs of a stream. */
class DStreamJavaFunctions[T] private[japi] (val dstream: DStream[T]) extends RDDAndDStreamCommonJavaFunctions[T] {
  override def defaultConnector(): CassandraConnector = CassandraConnector(getConf())

  override protected def getConf(): SparkConf = dstream.context.sparkContext.getConf

  override protected def saveToCassandra(
    keyspace: String,
    table: String,
    rowWriterFactory: RowWriterFactory[T],
    columnNames: ColumnSelector,
    conf: WriteConf,
    connector: CassandraConnector): Unit =
    new DStreamFunctions[T](dstream)(JavaTags.any).saveToCassandra(keyspace, table, columnNames, conf)(connector, rowWriterFactory)
}
