package org.apache.spark.sql.cassandra

import io.overdrive.spark.ReadOption
import org.apache.spark.sql.{classic, Dataset}

/** Datasets whose reads are changed. In this package because Spark's factory for Datasets is private to it. Stateless. */
object PlannedReads {

  /**
   * The same rows, read with another option.
   *
   * @throws IllegalArgumentException if no Cassandra table is read
   */
  def withOption[T](dataset: Dataset[T], name: String, value: String): Dataset[T] = dataset match {
    case planned: classic.Dataset[T] =>
      classic.Dataset(planned.sparkSession, ReadOption.set(planned.queryExecution.analyzed, name, value))(planned.encoder)
    case _ =>
      throw new UnsupportedOperationException(s"a session of Spark Connect plans on the server: set option \"$name\" of the read to $value")
  }
}
