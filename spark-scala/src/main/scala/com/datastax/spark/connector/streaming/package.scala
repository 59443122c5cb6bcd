package com.datastax.spark.connector

import org.apache.spark.streaming.StreamingContext
import org.apache.spark.streaming.dstream.DStream

import scala.language.implicitConversions
import scala.reflect.ClassTag

/**
 * Cassandra in Spark's DStreams, whose library only programs that use this package need:
 * {{{
 * import com.datastax.spark.connector.streaming._
 * stream.saveToCassandra("shop", "orders")
 * ssc.cassandraTable("shop", "orders")
 * }}}
 */
package object streaming {
  implicit def toStreamingContextFunctions(ssc: StreamingContext): SparkContextFunctions = new StreamingContextFunctions(ssc)

  implicit def toDStreamFunctions[T: ClassTag](ds: DStream[T]): DStreamFunctions[T] = new DStreamFunctions[T](ds)
}
