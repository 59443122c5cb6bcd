package com.datastax.spark.connector.rdd

import com.datastax.oss.driver.api.core.ProtocolVersion
import com.datastax.oss.driver.api.core.`type`.DataType
import com.datastax.oss.driver.api.core.`type`.codec.TypeCodec
import com.datastax.oss.driver.api.core.`type`.codec.registry.CodecRegistry
import com.datastax.spark.connector.types.ToCassandra
import com.datastax.spark.connector.writer.RowWriter
import io.overdrive.TableSchema
import io.overdrive.internal.codec.Bytes
import io.overdrive.internal.ring.RoutingKey
import io.overdrive.spark.read.RddScan
import org.apache.spark.Partitioner

import scala.jdk.CollectionConverters._

/**
 * How objects name partitions of a table. Immutable; travels to executors.
 *
 * @param table for messages
 * @param writer reads the columns of the partition key, and maybe others
 * @param types of the partition key, in the order of the table
 * @param positions of its columns among the writer's
 */
private[connector] final case class PartitionKeys[T](table: String, writer: RowWriter[T], types: Seq[DataType], positions: Seq[Int])

private[connector] object PartitionKeys {

  /** None if the writer does not have the whole partition key. */
  def of[T](schema: TableSchema, writer: RowWriter[T]): Option[PartitionKeys[T]] = {
    val columns = schema.partitionKey.asScala.toSeq
    val positions = columns.map(column => writer.columnNames.indexOf(column.name))
    Option.when(!positions.contains(-1))(PartitionKeys(s"${schema.keyspace}.${schema.table}", writer, columns.map(_.`type`), positions))
  }
}

/** Computes the tokens of the partitions that objects name. Confined to one thread; on the hot path. */
private[connector] final class KeyTokens[T](keys: PartitionKeys[T]) {
  private val types = keys.types.toArray
  private val positions = keys.positions.toArray
  private val codecs: Array[TypeCodec[AnyRef]] = types.map(CodecRegistry.DEFAULT.codecFor[AnyRef](_)) // values have the driver's type
  private val names = keys.writer.columnNames.toArray
  private val values = new Array[Any](names.length)
  private val key = new RoutingKey

  def token(row: T): Long = {
    keys.writer.readColumnValues(row, values)
    key.start(types.length)
    var i = 0
    while (i < types.length) {
      val converted = ToCassandra.keyColumn(values(positions(i)), types(i), keys.table, names(positions(i)))
      val bytes = codecs(i).encode(converted, ProtocolVersion.DEFAULT)
      if (bytes.hasArray) {
        key.add(bytes.array, bytes.arrayOffset + bytes.position(), bytes.remaining)
      } else {
        val copy = Bytes.copyOf(bytes)
        key.add(copy, 0, copy.length)
      }
      i += 1
    }
    key.token()
  }
}

/**
 * Equal ranges of tokens: objects that name the same partition of a table are in the same Spark partition. So are those that name a
 * partition of another table by the same properties of the same types, if there are as many Spark partitions. Immutable and thread-safe.
 *
 * @param keys how the objects name partitions
 */
final class CassandraPartitioner private[connector] (override val numPartitions: Int, keys: PartitionKeys[Any]) extends Partitioner {
  @transient private lazy val tokens: ThreadLocal[KeyTokens[Any]] = ThreadLocal.withInitial(() => new KeyTokens[Any](keys))

  private val properties: Seq[String] = keys.positions.map(keys.writer.properties)

  private val types: Seq[DataType] = keys.types

  /** @throws IllegalArgumentException if the object names no partition that a table can have */
  override def getPartition(key: Any): Int = RddScan.bucket(tokens.get.token(key), numPartitions)

  /** The same for another number of Spark partitions. */
  private[connector] def withPartitions(count: Int): CassandraPartitioner = new CassandraPartitioner(count, keys)

  override def equals(other: Any): Boolean = other match {
    case that: CassandraPartitioner => numPartitions == that.numPartitions && properties == that.properties && types == that.types
    case _ => false
  }

  override def hashCode: Int = 31 * numPartitions + properties.hashCode
}
