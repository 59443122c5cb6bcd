package com.datastax.spark.connector.rdd

import com.datastax.oss.driver.api.core.`type`.DataType
import com.datastax.spark.connector._
import com.datastax.spark.connector.cql.CassandraConnector
import com.datastax.spark.connector.rdd.reader.{CellReader, RowReader, RowReaderFactory}
import com.datastax.spark.connector.types.ToCassandra
import com.datastax.spark.connector.writer.{RowWriter, RowWriterFactory}
import io.overdrive.spark.read.RddLookup
import io.overdrive.spark.write.ObjectFields
import org.apache.spark.rdd.RDD
import org.apache.spark.{OneToOneDependency, Partition, TaskContext}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag

/**
 * Rows of an RDD with the rows of a table that they name by key, which are looked up. Keeps the partitions of the RDD.
 *
 * @tparam O the result for a row and one row of the table
 */
abstract class AbstractCassandraJoin[L: ClassTag, R, O: ClassTag] private[connector] (left: RDD[L], joinColumns: ColumnSelector)(
  implicit
  @transient private val writers: RowWriterFactory[L],
  @transient private val readers: RowReaderFactory[R])
  extends CassandraRDD[O](left.sparkContext, Seq(new OneToOneDependency(left))) {

  /** The result for a row that has no rows in the table; None for nothing. */
  private[connector] def unmatched(row: L): Option[O]

  private[connector] def matched(row: L, found: R): O

  private lazy val reader: RowReader[R] = readers.rowReader(tableDef, selectedColumnRefs)

  private lazy val keys: RowWriter[L] = RowWriter.ofKeys(writers, tableDef, joinColumns)

  private lazy val emptyForNull: IndexedSeq[Boolean] = read.emptyForNull(read.settings(connector, readConf), schema, reader.neededColumns)

  private lazy val lookup: RddLookup = {
    if (read.order.isDefined) {
      throw new IllegalArgumentException(
        s"[${read.keyspace}.${read.table}] a join has no clustering order: rows come in the table's order; sort them after the join")
    }
    val selection = TableRead.selection(reader.neededColumns).fold(
      function =>
        throw new IllegalArgumentException(
          s"[${read.keyspace}.${read.table}] a join cannot select $function: select its columns, and compute it with map"),
      identity)
    val settings = read.settings(connector, readConf)
    RddLookup.plan(
      sparkContext,
      settings,
      schema,
      selection.asJava,
      read.conditions(settings, schema),
      keys.columnNames.asJava)
  }

  override protected def getPartitions: Array[Partition] = {
    lookup // fails on the driver if the columns do not fit
    emptyForNull
    left.partitions
  }

  override protected def getPreferredLocations(split: Partition): Seq[String] = left.preferredLocations(split)

  override def compute(split: Partition, context: TaskContext): Iterator[O] = {
    val rows = lookup.open(context.taskMetrics().inputMetrics)
    context.addTaskCompletionListener[Unit](_ => rows.close())
    new Joined(left.iterator(split, context), rows)
  }

  /** Confined to one thread. */
  private final class Joined(rowsOfLeft: Iterator[L], rows: RddLookup#Rows) extends Iterator[O] {
    private val name = s"${read.keyspace}.${read.table}"
    private val keyNames = keys.columnNames.toArray
    private val requested = mutable.Queue.empty[L]
    private val keyTypes: IndexedSeq[DataType] = rows.keyTypes.asScala.toIndexedSeq
    private val key = new Array[Any](keyTypes.size)
    private val values = new Array[AnyRef](reader.neededColumns.size)
    private val cells = new CellReader(rows.types.asScala.toIndexedSeq, emptyForNull)
    private val limit = (read.limit.toSeq ++ read.perPartitionLimit).minOption.getOrElse(Long.MaxValue)
    private var current: Iterator[O] = Iterator.empty
    private var ended = false

    override def hasNext: Boolean = {
      while (!current.hasNext && advance()) {}
      current.hasNext
    }

    override def next(): O = {
      if (!hasNext) throw new NoSuchElementException("there are no more rows")
      current.next()
    }

    /** Moves to the rows of the next key; false if there is none. */
    private def advance(): Boolean = {
      while (!rows.isFull && rowsOfLeft.hasNext) {
        val row = rowsOfLeft.next()
        submit(row)
        requested.enqueue(row)
      }
      val found = rows.take()
      if (found != null) {
        val row = requested.dequeue()
        var taken = 0L
        val all = Iterator.continually(taken < limit && found.next()).takeWhile(identity).map { _ =>
          taken += 1
          rows.count(found)
          cells.read(found, values)
          matched(row, reader.read(values))
        }
        current = if (all.hasNext) all else unmatched(row).iterator
      } else if (!ended) {
        ended = true
        rows.end()
      }
      found != null
    }

    private def submit(row: L): Unit = {
      keys.readColumnValues(row, key)
      val to = rows.key()
      var i = 0
      while (i < key.length) {
        val converted = ToCassandra.keyColumn(key(i), keyTypes(i), name, keyNames(i))
        ObjectFields.set(to, i, converted)
        i += 1
      }
      rows.submit()
    }
  }
}

/** Each row with each of its rows in the table. */
class CassandraJoinRDD[L, R] private[connector] (
  left: RDD[L],
  private[connector] val connector: CassandraConnector,
  private[connector] val read: TableRead,
  val joinColumns: ColumnSelector,
  val readConf: ReadConf)(
  implicit
  tagOfLeft: ClassTag[L],
  tagOfRight: ClassTag[R],
  writers: RowWriterFactory[L],
  readers: RowReaderFactory[R])
  extends AbstractCassandraJoin[L, R, (L, R)](left, joinColumns) {
  override type Self = CassandraJoinRDD[L, R]

  override private[connector] def copy(read: TableRead, readConf: ReadConf, connector: CassandraConnector): CassandraJoinRDD[L, R] =
    new CassandraJoinRDD[L, R](left, connector, read, joinColumns, readConf)

  /** The columns of the table by which rows are looked up: the partition key, and clustering columns from the first on. */
  def on(joinColumns: ColumnSelector): CassandraJoinRDD[L, R] =
    new CassandraJoinRDD[L, R](left, connector, read, joinColumns, readConf)

  /** The number of pairs. */
  override def cassandraCount(): Long = count()

  override private[connector] def unmatched(row: L): Option[(L, R)] = None

  override private[connector] def matched(row: L, found: R): (L, R) = (row, found)
}

/** Each row with each of its rows in the table, or with None. */
class CassandraLeftJoinRDD[L, R] private[connector] (
  left: RDD[L],
  private[connector] val connector: CassandraConnector,
  private[connector] val read: TableRead,
  val joinColumns: ColumnSelector,
  val readConf: ReadConf)(
  implicit
  tagOfLeft: ClassTag[L],
  tagOfRight: ClassTag[R],
  writers: RowWriterFactory[L],
  readers: RowReaderFactory[R])
  extends AbstractCassandraJoin[L, R, (L, Option[R])](left, joinColumns) {
  override type Self = CassandraLeftJoinRDD[L, R]

  override private[connector] def copy(read: TableRead, readConf: ReadConf, connector: CassandraConnector): CassandraLeftJoinRDD[L, R] =
    new CassandraLeftJoinRDD[L, R](left, connector, read, joinColumns, readConf)

  /** The columns of the table by which rows are looked up: the partition key, and clustering columns from the first on. */
  def on(joinColumns: ColumnSelector): CassandraLeftJoinRDD[L, R] =
    new CassandraLeftJoinRDD[L, R](left, connector, read, joinColumns, readConf)

  /** The number of rows that were found. */
  override def cassandraCount(): Long = filter(_._2.isDefined).count()

  override private[connector] def unmatched(row: L): Option[(L, Option[R])] = Some((row, None))

  override private[connector] def matched(row: L, found: R): (L, Option[R]) = (row, Some(found))
}
