package com.datastax.spark.connector.writer

import java.util.Locale

/** Which rows may share a batch. */
sealed abstract class BatchGroupingKey(name: String) extends Serializable {

  /** The name in `spark.cassandra.output.batch.grouping.key`. */
  override def toString: String = name
}

object BatchGroupingKey {

  /** Any rows; here, rows of partitions with the same replicas. */
  case object None extends BatchGroupingKey("none")

  /** Rows of partitions with the same replicas. */
  case object ReplicaSet extends BatchGroupingKey("replica_set")

  /** Rows of a partition. */
  case object Partition extends BatchGroupingKey("partition")

  /** @param name as in `spark.cassandra.output.batch.grouping.key` */
  def apply(name: String): BatchGroupingKey = name.toLowerCase(Locale.ROOT) match {
    case "none" => None
    case "replica_set" => ReplicaSet
    case "partition" => Partition
    case _ => throw new IllegalArgumentException(s"grouping key is \"$name\", must be none, replica_set or partition")
  }
}
