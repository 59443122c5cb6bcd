package com.datastax.spark.connector.cql

import com.datastax.oss.driver.api.core.CqlIdentifier
import com.datastax.spark.connector.mapper.ColumnMapper
import com.datastax.spark.connector.types.{ColumnType, CounterType}
import com.datastax.spark.connector.{ColumnName, ColumnRef, FunctionCallRef}
import io.overdrive.TableSchema
import io.overdrive.TableSchema.Role
import io.overdrive.internal.names.DidYouMean

import scala.jdk.CollectionConverters._

/** A column's place in the primary key, if it has one. */
sealed trait ColumnRole extends Serializable

/** A column of the partition key. */
case object PartitionKeyColumn extends ColumnRole

object ClusteringColumn {

  /** The order of the rows of a partition. */
  sealed trait SortingOrder extends Serializable

  case object Ascending extends SortingOrder {
    override def toString: String = "ASC"
  }

  case object Descending extends SortingOrder {
    override def toString: String = "DESC"
  }
}

/** @param index among the clustering columns, from 0 */
final case class ClusteringColumn(index: Int, sortDirection: ClusteringColumn.SortingOrder = ClusteringColumn.Ascending) extends ColumnRole

/** A column whose value all rows of a partition share. */
case object StaticColumn extends ColumnRole

/** Any other column. */
case object RegularColumn extends ColumnRole

/** A column of a table, a field of a UDT, or a component of a tuple. Immutable. */
trait FieldDef extends Serializable {
  def columnName: String

  def columnType: ColumnType[_]

  def ref: ColumnRef = ColumnName(columnName)
}

/** A column of a table. Immutable. */
final case class ColumnDef(columnName: String, columnRole: ColumnRole, columnType: ColumnType[_]) extends FieldDef {
  def isStatic: Boolean = columnRole == StaticColumn

  def isCollection: Boolean = columnType.isCollection

  def isFrozen: Boolean = columnType.isFrozen

  def isMultiCell: Boolean = columnType.isMultiCell

  def isCounterColumn: Boolean = columnType == CounterType

  def isPartitionKeyColumn: Boolean = columnRole == PartitionKeyColumn

  def isClusteringColumn: Boolean = columnRole.isInstanceOf[ClusteringColumn]

  def isPrimaryKeyColumn: Boolean = isPartitionKeyColumn || isClusteringColumn

  /** The column as in CREATE TABLE. */
  def cql: String =
    s"${CqlIdentifier.fromInternal(columnName).asCql(true)} ${columnType.cqlTypeName}${if (columnRole == StaticColumn) " static" else ""}"
}

/**
 * A table that exists, or that can be created. Immutable.
 *
 * @param tableOptions options after WITH in CREATE TABLE, by name; values as in CQL
 */
final case class TableDef(
  keyspaceName: String,
  tableName: String,
  partitionKey: Seq[ColumnDef],
  clusteringColumns: Seq[ColumnDef],
  regularColumns: Seq[ColumnDef],
  ifNotExists: Boolean = false,
  tableOptions: Map[String, String] = Map.empty) extends Serializable {
  require(partitionKey.nonEmpty, s"table $keyspaceName.$tableName has no partition key: it needs one column or more")

  /** All columns, beginning with the primary key. */
  lazy val columns: IndexedSeq[ColumnDef] = (partitionKey ++ clusteringColumns ++ regularColumns).toIndexedSeq

  lazy val primaryKey: IndexedSeq[ColumnDef] = (partitionKey ++ clusteringColumns).toIndexedSeq

  def name: String = s"$keyspaceName.$tableName"

  def columnRefs: IndexedSeq[ColumnRef] = columns.map(_.ref)

  def columnNames: IndexedSeq[String] = columns.map(_.columnName)

  def columnTypes: IndexedSeq[ColumnType[_]] = columns.map(_.columnType)

  lazy val columnByName: Map[String, ColumnDef] = columns.map(column => column.columnName -> column).toMap

  /** The columns that the table does not have. */
  def missingColumns(columnsToCheck: Seq[ColumnRef]): Seq[ColumnRef] =
    columnsToCheck.filter {
      case _: FunctionCallRef => false
      case ref => !columnByName.contains(ref.columnName)
    }

  private[connector] def requireColumns(refs: Seq[ColumnRef]): Unit = {
    val missing = missingColumns(refs)
    if (missing.nonEmpty) {
      throw new IllegalArgumentException(
        s"[$keyspaceName.$tableName] has no column ${missing.map(ref => s"\"${ref.columnName}\"").mkString(", ")}; its columns are " +
          columns.map(column => s"\"${column.columnName}\"").mkString(", ") +
          DidYouMean.suggestion(missing.head.columnName, columns.map(_.columnName).asJava))
    }
  }

  /** The statement that creates it. */
  def cql: String = {
    def names(of: Seq[ColumnDef]) = of.map(column => CqlIdentifier.fromInternal(column.columnName).asCql(true)).mkString(", ")
    val key = s"PRIMARY KEY ((${names(partitionKey)})${clusteringColumns.map(column => ", " + names(Seq(column))).mkString})"
    val order = clusteringColumns.collect { case column @ ColumnDef(_, ClusteringColumn(_, direction), _) =>
      s"${names(Seq(column))} $direction"
    }
    val isDescending = clusteringColumns.exists(_.columnRole match {
      case ClusteringColumn(_, direction) => direction == ClusteringColumn.Descending
      case _ => false
    })
    val options = (if (isDescending) Seq(s"CLUSTERING ORDER BY (${order.mkString(", ")})") else Seq.empty) ++
      tableOptions.toSeq.sorted.map { case (name, value) => s"$name = $value" }
    s"CREATE TABLE ${if (ifNotExists) "IF NOT EXISTS " else ""}${CqlIdentifier.fromInternal(keyspaceName).asCql(true)}." +
      s"${CqlIdentifier.fromInternal(tableName).asCql(true)} (${columns.map(_.cql).mkString(", ")}, $key)" +
      (if (options.isEmpty) "" else options.mkString(" WITH ", " AND ", ""))
  }
}

object TableDef {

  /**
   * A table for objects of a type: its first property is the partition key.
   *
   * @throws IllegalArgumentException if no column can be created for a property
   */
  def fromType[T: ColumnMapper](keyspaceName: String, tableName: String): TableDef =
    implicitly[ColumnMapper[T]].newTable(keyspaceName, tableName)

  /** @param schema of a table that exists; the order of its rows is not among it */
  private[connector] def of(schema: TableSchema): TableDef = {
    def withRole(role: Role, as: Int => ColumnRole): Seq[ColumnDef] =
      schema.columns.asScala.filter(_.role == role).zipWithIndex.map { case (column, i) =>
        ColumnDef(column.name, as(i), ColumnType.fromDriverType(column.`type`))
      }.toSeq
    TableDef(
      schema.keyspace,
      schema.table,
      withRole(Role.PARTITION_KEY, _ => PartitionKeyColumn),
      withRole(Role.CLUSTERING, ClusteringColumn(_)),
      withRole(Role.STATIC, _ => StaticColumn) ++ withRole(Role.REGULAR, _ => RegularColumn))
  }
}
