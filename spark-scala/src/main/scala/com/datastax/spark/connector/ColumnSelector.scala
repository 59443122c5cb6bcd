package com.datastax.spark.connector

import com.datastax.spark.connector.cql.TableDef

import scala.language.implicitConversions

/** Which columns of a table. Immutable. */
sealed trait ColumnSelector extends Serializable {

  /** Each property that has another name than its column, and that column. */
  def aliases: Map[String, String]

  /**
   * The columns in order.
   *
   * @throws IllegalArgumentException if the table does not have one of them
   */
  def selectFrom(table: TableDef): IndexedSeq[ColumnRef]
}

/** All columns. */
case object AllColumns extends ColumnSelector {
  override def aliases: Map[String, String] = Map.empty
  override def selectFrom(table: TableDef): IndexedSeq[ColumnRef] = table.columns.map(_.ref)
}

/** The columns of the partition key. */
case object PartitionKeyColumns extends ColumnSelector {
  override def aliases: Map[String, String] = Map.empty
  override def selectFrom(table: TableDef): IndexedSeq[ColumnRef] = table.partitionKey.map(_.ref).toIndexedSeq
}

/** The columns of the partition key, and the clustering columns. */
case object PrimaryKeyColumns extends ColumnSelector {
  override def aliases: Map[String, String] = Map.empty
  override def selectFrom(table: TableDef): IndexedSeq[ColumnRef] = table.primaryKey.map(_.ref)
}

/** These columns, in this order. */
final case class SomeColumns(columns: ColumnRef*) extends ColumnSelector {
  override def aliases: Map[String, String] = columns.map(ref => ref.selectedAs -> ref.columnName).toMap

  override def selectFrom(table: TableDef): IndexedSeq[ColumnRef] = {
    table.requireColumns(columns)
    columns.toIndexedSeq
  }
}

object SomeColumns {
  implicit def seqToSomeColumns(columns: Seq[String]): SomeColumns = SomeColumns(columns.map(ColumnName(_)): _*)
}
