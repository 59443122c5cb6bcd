package com.datastax.spark.connector.rdd

import com.datastax.oss.driver.api.core.metadata.Node
import io.overdrive.spark.config.{Settings, SharedEngines}
import io.overdrive.spark.read.RddScan
import org.apache.spark.rdd.{RDD, ShuffledRDD}
import org.apache.spark.{Partition, Partitioner, TaskContext}

import java.net.{InetAddress, InetSocketAddress}
import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag

/**
 * Finds the nodes that have the partition of a row. Confined to one thread.
 *
 * @param tokens of the rows' keys
 */
private[connector] final class Replicas[T](settings: Settings, keyspace: String, tokens: KeyTokens[T]) {
  private val ring = SharedEngines.of(settings).ring(keyspace)

  def token(row: T): Long = tokens.token(row)

  def nodes(token: Long): Seq[Node] = ring.replicas(token).nodes.asScala.toSeq
}

private[connector] object Replicas {
  def address(node: Node): InetAddress = node.getEndPoint.resolve match {
    case address: InetSocketAddress => address.getAddress
    case other => throw new IllegalStateException(s"$other is not the address of a node")
  }

  /** The nodes of the local data centre, in an order that does not change. */
  def allNodes(settings: Settings, keyspace: String): IndexedSeq[InetAddress] = {
    SharedEngines.of(settings).ring(keyspace).allLocalNodes.nodes.asScala.map(address).toIndexedSeq.distinct.sortBy(_.getHostAddress)
  }
}

/** The number of a row's partition is its key already. Immutable. */
final class NumberPartitioner private[connector] (override val numPartitions: Int) extends Partitioner {
  override def getPartition(key: Any): Int = key.asInstanceOf[Int]

  override def equals(other: Any): Boolean = other.isInstanceOf[AnyRef] && (other.asInstanceOf[AnyRef] eq this)

  override def hashCode: Int = System.identityHashCode(this)
}

/**
 * One partition of rows whose replicas include this node.
 *
 * @param endpoint address of the node
 */
final class ReplicaPartition private[connector] (override val index: Int, val endpoint: String, private[connector] val shuffled: Partition)
  extends Partition

/** Rows in partitions each of which belongs to a node that has all the partitions of the table that its rows name. */
final class CassandraPartitionedRDD[T: ClassTag] private[connector] (shuffled: RDD[(Int, T)], hosts: IndexedSeq[(String, Seq[String])])
  extends RDD[T](shuffled) {
  override protected def getPartitions: Array[Partition] =
    shuffled.partitions.map(part => new ReplicaPartition(part.index, hosts(part.index)._1, part): Partition)

  override protected def getPreferredLocations(split: Partition): Seq[String] = hosts(split.index)._2

  override def compute(split: Partition, context: TaskContext): Iterator[T] =
    shuffled.iterator(split.asInstanceOf[ReplicaPartition].shuffled, context).map(_._2)
}

private[connector] object CassandraPartitionedRDD {

  /** @param replicas opens the search for nodes in a task */
  def apply[T: ClassTag](rdd: RDD[T], nodes: IndexedSeq[InetAddress], perHost: Int, replicas: () => Replicas[T]): CassandraPartitionedRDD[T] = {
    val indexOf = nodes.zipWithIndex.toMap
    val numbered = rdd.mapPartitions { rows =>
      val located = replicas()
      rows.map { row =>
        val token = located.token(row)
        val candidates = located.nodes(token).flatMap(node => indexOf.get(Replicas.address(node))).sorted
        val hash = (token ^ (token >>> 32)).toInt & Int.MaxValue
        val node = if (candidates.isEmpty) hash % nodes.size else candidates(hash % candidates.size)
        (node * perHost + (hash / nodes.size) % perHost, row)
      }
    }
    val hosts = nodes.flatMap { node =>
      val preferred = RddScan.hosts(rdd.sparkContext, node.getHostAddress).asScala.toSeq
      Seq.fill(perHost)((node.getHostAddress, preferred))
    }
    val shuffled = new ShuffledRDD[Int, T, T](numbered, new NumberPartitioner(nodes.size * perHost))
    new CassandraPartitionedRDD[T](shuffled, hosts)
  }
}
