package com.datastax.spark.connector

import scala.language.implicitConversions

/** The maximum size of a batch. */
sealed trait BatchSize extends Serializable

/** A batch size in rows. */
final case class RowsInBatch(batchSize: Int) extends BatchSize

/** A batch size in bytes. */
final case class BytesInBatch(batchSize: Int) extends BatchSize

object BatchSize {

  /** Found by measuring. The number stands for the default of the connector for Spark 3 and has no effect. */
  val Automatic: BytesInBatch = BytesInBatch(1024)

  implicit def intToFixedBatchSize(batchSize: Int): RowsInBatch = RowsInBatch(batchSize)
}
