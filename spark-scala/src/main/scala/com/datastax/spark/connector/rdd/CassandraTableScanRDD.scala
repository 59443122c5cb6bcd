package com.datastax.spark.connector.rdd

import com.datastax.oss.driver.api.core.`type`.DataType
import com.datastax.spark.connector._
import com.datastax.spark.connector.cql.{CassandraConnector, TableDef}
import com.datastax.spark.connector.rdd.reader.{CellReader, PairReader, RowReader, RowReaderFactory}
import com.datastax.spark.connector.types.ToCassandra
import com.datastax.spark.connector.writer.RowWriterFactory
import io.overdrive.TableSchema
import io.overdrive.spark.config.{Setting, Settings, SharedEngines}
import io.overdrive.spark.read.{Conditions, EmptyCollections, NamedKeys, RddLookup, RddScan}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.{Dependency, Partition, Partitioner, SparkContext, TaskContext}

import scala.jdk.CollectionConverters._
import scala.jdk.OptionConverters._
import scala.reflect.ClassTag

/** The order of the rows of a partition. */
sealed trait ClusteringOrder extends Serializable

object ClusteringOrder {

  /** The order of the clustering columns. */
  case object Ascending extends ClusteringOrder

  /** The opposite. */
  case object Descending extends ClusteringOrder
}

/**
 * The columns and rows to read of a table. Immutable.
 *
 * @param where conditions in CQL, and the values of their markers
 * @param limit of rows: for each Spark partition of a scan, and for each key of a join
 */
private[connector] final case class TableRead(
  keyspace: String,
  table: String,
  columns: ColumnSelector = AllColumns,
  where: Seq[(String, Seq[Any])] = Seq.empty,
  limit: Option[Long] = None,
  perPartitionLimit: Option[Long] = None,
  order: Option[ClusteringOrder] = None) {

  def settings(connector: CassandraConnector, readConf: ReadConf): Settings =
    connector.conf.settings(readConf.options ++ Map(Setting.KEYSPACE.option -> keyspace, Setting.TABLE.option -> table), readConf.unset)

  /** The conditions without markers; empty for none. Asks the server for the types of values. */
  def conditions(settings: Settings, schema: TableSchema): String = {
    val all = where.map(_._1).mkString(" AND ")
    val values = where.flatMap(_._2).map(_.asInstanceOf[AnyRef]).asJava
    if (all.isEmpty) ""
    else
      Conditions.withValues(
        SharedEngines.of(settings).session(),
        schema,
        all,
        values,
        (value: AnyRef, to: DataType) => ToCassandra.convert(value, to))
  }

  /** Whether each of these columns is a collection that is empty instead of null. */
  def emptyForNull(settings: Settings, schema: TableSchema, refs: IndexedSeq[ColumnRef]): IndexedSeq[Boolean] = {
    val names = EmptyCollections.of(schema, settings)
    refs.map {
      case ColumnName(name, _) => names.contains(name)
      case CollectionColumnName(name, _, _) => names.contains(name)
      case _ => false
    }
  }

  /** The SELECT of a scan. */
  def query(settings: Settings, schema: TableSchema, refs: Seq[ColumnRef]): String = {
    val conditions = this.conditions(settings, schema)
    val clustering = schema.clusteringColumns.asScala
    val ordered = order.map { direction =>
      if (clustering.isEmpty || conditions.isEmpty) {
        throw new IllegalArgumentException(
          s"[${schema.cqlName}] rows have an order only within a partition: choose partitions by where, in a table with clustering columns")
      }
      s" ORDER BY ${clustering.head.cqlName} ${if (direction == ClusteringOrder.Descending) "DESC" else "ASC"}"
    }
    s"SELECT ${refs.map(_.cql).mkString(", ")} FROM ${schema.cqlName}" +
      (if (conditions.isEmpty) "" else s" WHERE $conditions") +
      ordered.getOrElse("") +
      perPartitionLimit.fold("")(rows => s" PER PARTITION LIMIT $rows") +
      (if (conditions.isEmpty) "" else " ALLOW FILTERING")
  }
}

private[connector] object TableRead {

  /** The column that is selected of those that were selected before; None if it is none of them. */
  def narrowed(before: Seq[ColumnRef], column: ColumnRef): Option[ColumnRef] =
    if (before.contains(column)) Some(column)
    else
      column match {
        case ColumnName(name, alias) =>
          before.find(_.selectedAs == name).orElse(before.find(_.columnName == name).filter(_.isInstanceOf[ColumnName])).map {
            case earlier: ColumnName => earlier.copy(alias = alias.orElse(earlier.alias))
            case earlier: TTL => earlier.copy(alias = alias.orElse(earlier.alias))
            case earlier: WriteTime => earlier.copy(alias = alias.orElse(earlier.alias))
            case earlier: FunctionCallRef => earlier.copy(alias = alias.orElse(earlier.alias))
            case other => other
          }
        case TTL(name, _) => before.find(_.columnName == name).map(_ => column)
        case WriteTime(name, _) => before.find(_.columnName == name).map(_ => column)
        case _ => Some(column)
      }

  /** The columns that a lookup reads, or the function that it cannot read. */
  def selection(refs: Seq[ColumnRef]): Either[FunctionCallRef, Seq[String]] =
    refs.collectFirst { case function: FunctionCallRef => function }.toLeft(refs.map {
      case TTL(column, _) => s"ttl($column)"
      case WriteTime(column, _) => s"writetime($column)"
      case other => other.columnName
    })
}

/**
 * Rows of a table. Lazy: sends no request before Spark needs partitions.
 *
 * @tparam R the rows, or pairs of a key and a row
 */
abstract class CassandraRDD[R: ClassTag](sc: SparkContext, dependencies: Seq[Dependency[_]]) extends RDD[R](sc, dependencies) {
  type Self <: CassandraRDD[R]

  private[connector] def read: TableRead

  /** How it is read. */
  def readConf: ReadConf

  private[connector] def connector: CassandraConnector

  private[connector] def copy(read: TableRead = read, readConf: ReadConf = readConf, connector: CassandraConnector = connector): Self

  @transient private[connector] lazy val schema: TableSchema = Tables.schema(connector, read.keyspace, read.table)

  @transient private[connector] lazy val tableDef: TableDef = TableDef.of(schema)

  /** The same, read in another way. */
  def withReadConf(readConf: ReadConf): Self = copy(readConf = readConf)

  /** The same, from another cluster. */
  def withConnector(connector: CassandraConnector): Self = copy(connector = connector)

  /**
   * Only rows that meet these conditions, which the servers evaluate.
   *
   * @param cql as after WHERE
   * @param values of its bind markers, in their order
   */
  def where(cql: String, values: Any*): Self = copy(read.copy(where = read.where :+ (cql -> values)))

  /** Only these columns of rows. Columns of an earlier select are narrowed. */
  def select(columns: ColumnRef*): Self = {
    val narrowed = read.columns match {
      case SomeColumns(before @ _*) =>
        columns.map(column =>
          TableRead.narrowed(before, column).getOrElse(
            throw new IllegalArgumentException(
              s"[${read.keyspace}.${read.table}] ${column.columnName} is not among the columns that were selected before: " +
                before.map(_.selectedAs).mkString(", "))))
      case _ => columns
    }
    copy(read.copy(columns = SomeColumns(narrowed: _*)))
  }

  /** Limits the rows of each Spark partition of a scan, or of each key of a join. */
  def limit(rowLimit: Long): Self = {
    require(rowLimit >= 0, s"the limit is $rowLimit, must be 0 or more")
    copy(read.copy(limit = Some(rowLimit)))
  }

  /** Limits the rows of each partition of the table. */
  def perPartitionLimit(rowLimit: Long): Self = {
    require(rowLimit > 0, s"the limit for each partition is $rowLimit, must be 1 or more")
    copy(read.copy(perPartitionLimit = Some(rowLimit)))
  }

  /** The order of the rows of partitions that `where` names. */
  def clusteringOrder(order: ClusteringOrder): Self = copy(read.copy(order = Some(order)))

  def withAscOrder: Self = clusteringOrder(ClusteringOrder.Ascending)

  def withDescOrder: Self = clusteringOrder(ClusteringOrder.Descending)

  /** Names of the selected columns and values. */
  def selectedColumnNames: Seq[String] = selectedColumnRefs.map(_.cqlValueName)

  private[connector] def selectedColumnRefs: IndexedSeq[ColumnRef] = read.columns.selectFrom(tableDef)

  /** The number of rows, counted by the servers where that is possible. */
  def cassandraCount(): Long

  /** Reads no more rows than are taken. */
  override def take(num: Int): Array[R] = read.limit match {
    case None if num > 0 => copy(read.copy(limit = Some(num.toLong))).takeRows(num)
    case _ => takeRows(num)
  }

  private def takeRows(num: Int): Array[R] = super.take(num)
}

/**
 * Rows of a scan of a table, by token ranges, or of the partitions that `where` names.
 *
 * @tparam R the rows
 */
class CassandraTableScanRDD[R] private[connector] (
  sc: SparkContext,
  private[connector] val connector: CassandraConnector,
  private[connector] val read: TableRead,
  val readConf: ReadConf,
  keyed: Option[CassandraPartitioner] = None)(
  implicit
  tag: ClassTag[R],
  @transient private val readers: RowReaderFactory[R])
  extends CassandraRDD[R](sc, Seq.empty) {
  override type Self = CassandraTableScanRDD[R]

  /** The partitioner of the keys which `keyBy` has given to rows. */
  @transient override val partitioner: Option[Partitioner] = keyed

  /** Other conditions, or another cluster, may not be read by ranges of tokens. */
  override private[connector] def copy(read: TableRead, readConf: ReadConf, connector: CassandraConnector): CassandraTableScanRDD[R] =
    new CassandraTableScanRDD[R](
      sparkContext,
      connector,
      read,
      readConf,
      keyed.filter(_ => read.where == this.read.where && connector == this.connector))

  private lazy val reader: RowReader[R] = readers.rowReader(tableDef, selectedColumnRefs)

  private lazy val emptyForNull: IndexedSeq[Boolean] = read.emptyForNull(read.settings(connector, readConf), schema, reader.neededColumns)

  private lazy val scan: RddScan = {
    val settings = read.settings(connector, readConf)
    new RddScan(settings, read.query(settings, schema, reader.neededColumns), rowLimit)
  }

  /** The partitions that `where` names by lists; None if they are not looked up, as lookups have no order and read whole partitions. */
  @transient private lazy val named: Option[NamedKeys] =
    if (read.where.isEmpty || read.order.isDefined || read.perPartitionLimit.isDefined) None
    else {
      val settings = read.settings(connector, readConf)
      NamedKeys.of(schema, read.conditions(settings, schema), settings.number(Setting.LOOKUP_MAX_KEYS)).toScala
    }

  private lazy val lookup: Option[RddLookup] =
    for (keys <- named; selection <- TableRead.selection(reader.neededColumns).toOption)
      yield RddLookup.plan(
        sparkContext,
        read.settings(connector, readConf),
        schema,
        selection.asJava,
        keys.where,
        schema.partitionKey.asScala.map(_.name).asJava)

  private def rowLimit: Long = read.limit.getOrElse(Long.MaxValue)

  override protected def getPartitions: Array[Partition] = {
    emptyForNull // as long as the schema is here
    val inputs = (keyed, lookup) match {
      case (Some(buckets), _) => scan.buckets(sparkContext, schema, buckets.numPartitions)
      case (_, Some(lookups)) => lookups.partitions(sparkContext, schema, named.get)
      case _ => scan.partitions(sparkContext)
    }
    inputs.asScala.zipWithIndex.map { case (input, index) => new ScanPartition(index, input): Partition }.toArray
  }

  override protected def getPreferredLocations(split: Partition): Seq[String] =
    split.asInstanceOf[ScanPartition].input.preferredLocations.toSeq

  override def compute(split: Partition, context: TaskContext): Iterator[R] = {
    val input = split.asInstanceOf[ScanPartition].input
    val metrics = context.taskMetrics().inputMetrics
    val rows = if (keyed.isEmpty && lookup.isDefined) lookup.get.open(input, rowLimit, metrics) else scan.open(input, metrics)
    context.addTaskCompletionListener[Unit](_ => rows.close())
    val reader = this.reader
    val values = new Array[AnyRef](reader.neededColumns.size)
    lazy val cells = new CellReader(rows.types.asScala.toIndexedSeq, emptyForNull)
    val found = Iterator.continually(rows.next()).takeWhile(_ != null).map { row =>
      cells.read(row, values)
      reader.read(values)
    }
    keyed.fold(found)(buckets => found.map(pair => requireIn(split.index, buckets, pair)))
  }

  /** A key that is read as another type may be equal to the key of another partition. */
  private def requireIn(index: Int, buckets: CassandraPartitioner, pair: R): R = {
    val key = pair.asInstanceOf[(_, _)]._1
    if (buckets.getPartition(key) != index) {
      throw new IllegalArgumentException(
        s"[${read.keyspace}.${read.table}] the key $key does not have the token of its row: read the partition key as the types that its" +
          " columns have, or remove the partitioner with map(identity)")
    }
    pair
  }

  override def cassandraCount(): Long =
    if (read.limit.isDefined || read.perPartitionLimit.isDefined || named.isDefined) {
      copy(read.copy(columns = PartitionKeyColumns), readConf, connector)
        .countAs(RowReaderFactory.GenericRows)
    } else {
      val settings = read.settings(connector, readConf)
      RddScan.count(settings, read.keyspace, read.table, read.conditions(settings, schema))
    }

  private def countAs(factory: RowReaderFactory[CassandraRow]): Long =
    new CassandraTableScanRDD[CassandraRow](sparkContext, connector, read, readConf)(implicitly, factory).count()

  /**
   * Each row with its key, which these columns make. If the key has the whole partition key, the rows are read by equal ranges of tokens, and
   * this RDD has a partitioner: groups and joins by key need no shuffle. Connects to the cluster.
   */
  def keyBy[K](
    columns: ColumnSelector)(implicit tagOfKey: ClassTag[K], keys: RowReaderFactory[K], writers: RowWriterFactory[K]): CassandraTableScanRDD[(K, R)] =
    withKeys(columns, partitionerOf[K](columns).map(partitioner => partitioner.withPartitions(scan.tasks(sparkContext))))

  private def withKeys[K](columns: ColumnSelector, partitioner: Option[CassandraPartitioner])(
    implicit
    tagOfKey: ClassTag[K],
    keys: RowReaderFactory[K]): CassandraTableScanRDD[(K, R)] =
    new CassandraTableScanRDD[(K, R)](sparkContext, connector, read, readConf, partitioner)(
      implicitly,
      new KeyAndRow[K, R](columns, keys, readers))

  /**
   * The partitioner of the keys; None if the rows cannot be read by ranges of tokens, or the key lacks a part of the
   * partition key.
   */
  private def partitionerOf[K](columns: ColumnSelector)(implicit writers: RowWriterFactory[K]): Option[CassandraPartitioner] = {
    val writer =
      try Some(writers.rowWriter(tableDef, (if (columns == AllColumns) PartitionKeyColumns else columns).selectFrom(tableDef)))
      catch {
        case _: IllegalArgumentException => None // a single value has no properties
      }
    writer.flatMap(PartitionKeys.of(schema, _)).filter(_ => scan.hasBuckets(schema)).map(keys => new CassandraPartitioner(1, keys.asInstanceOf[PartitionKeys[Any]]))
  }

  /** Each row with its key, which these columns make. */
  def keyBy[K](
    columns: ColumnRef*)(implicit tagOfKey: ClassTag[K], keys: RowReaderFactory[K], writers: RowWriterFactory[K]): CassandraTableScanRDD[(K, R)] =
    keyBy[K](SomeColumns(columns: _*))

  /** Each row with a key of all of its columns for which a key has properties. */
  def keyBy[K]()(implicit tagOfKey: ClassTag[K], keys: RowReaderFactory[K], writers: RowWriterFactory[K]): CassandraTableScanRDD[(K, R)] =
    keyBy[K](AllColumns)

  /**
   * Like `keyBy`, in the Spark partitions of another RDD, so that joins with it need no shuffle.
   *
   * @throws IllegalArgumentException if this is not possible: keys must have the same properties and types in both
   */
  def keyAndApplyPartitionerFrom[K, X](other: CassandraTableScanRDD[(K, X)], columns: ColumnSelector = PartitionKeyColumns)(
    implicit
    tagOfKey: ClassTag[K],
    keys: RowReaderFactory[K],
    writers: RowWriterFactory[K]): CassandraTableScanRDD[(K, R)] =
    keyByAs(columns, other.partitioner)

  private[connector] def keyByAs[K](columns: ColumnSelector, other: Option[Partitioner])(
    implicit
    tagOfKey: ClassTag[K],
    keys: RowReaderFactory[K],
    writers: RowWriterFactory[K]): CassandraTableScanRDD[(K, R)] =
    withKeys(columns, Some(sameAs(other, partitionerOf[K](columns))))

  /** The same in the Spark partitions of another RDD. */
  private[connector] def repartitionedAs(other: Option[Partitioner]): CassandraTableScanRDD[R] =
    new CassandraTableScanRDD[R](sparkContext, connector, read, readConf, Some(sameAs(other, keyed)))

  private def sameAs(other: Option[Partitioner], own: Option[CassandraPartitioner]): CassandraPartitioner = {
    val applied = other.flatMap(partitioner => own.map(_.withPartitions(partitioner.numPartitions)))
    applied.filter(partitioner => other.contains(partitioner)).getOrElse(
      throw new IllegalArgumentException(
        s"[${read.keyspace}.${read.table}] cannot have the partitioner of the other RDD: both must be tables that keyBy has given keys with" +
          " the whole partition key, of the same types and in the same properties"))
  }
}

/** Functions for rows of a table that have keys. */
final class CassandraTableScanPairRDDFunctions[K, V] private[connector] (rdd: CassandraTableScanRDD[(K, V)]) {

  /**
   * The same rows in the Spark partitions of another RDD, so that joins with it need no shuffle.
   *
   * @throws IllegalArgumentException if this is not possible: keys must have the same properties and types in both
   */
  def applyPartitionerFrom[X](other: CassandraTableScanRDD[(K, X)]): CassandraTableScanRDD[(K, V)] = rdd.repartitionedAs(other.partitioner)
}

/** The read of one task of a scan. */
private final class ScanPartition(override val index: Int, val input: InputPartition) extends Partition

/** Reads a key and a row from the same row. */
private final class KeyAndRow[K, R](columns: ColumnSelector, keys: RowReaderFactory[K], rows: RowReaderFactory[R])
  extends RowReaderFactory[(K, R)] {
  override def rowReader(table: TableDef, selectedColumns: IndexedSeq[ColumnRef]): RowReader[(K, R)] =
    new PairReader(keys.rowReader(table, columns.selectFrom(table)), rows.rowReader(table, selectedColumns))
}
