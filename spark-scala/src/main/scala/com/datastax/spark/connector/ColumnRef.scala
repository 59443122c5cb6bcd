package com.datastax.spark.connector

import com.datastax.oss.driver.api.core.CqlIdentifier

/** A part of a row to read, or a column to write. Immutable. */
sealed trait ColumnRef extends Serializable {

  /** Name of the column, or of the function. */
  def columnName: String

  /** Name of the result of a read; for a write, the property of the object that has the value. */
  def selectedAs: String

  /** The text that CQL selects. */
  def cql: String

  /** The name in messages and results if there is no alias. */
  def cqlValueName: String
}

/** How the values of a write change an existing collection. */
sealed trait CollectionBehavior extends Serializable

/** Replaces the collection. */
case object CollectionOverwrite extends CollectionBehavior

/** Adds elements; to a list, behind those that it has. */
case object CollectionAppend extends CollectionBehavior

/** Adds elements in front of those that a list has. */
case object CollectionPrepend extends CollectionBehavior

/** Removes elements. */
case object CollectionRemove extends CollectionBehavior

/** A column. */
final case class ColumnName(columnName: String, alias: Option[String] = None) extends ColumnRef {
  override def cql: String = ColumnRef.quoted(columnName)
  override def cqlValueName: String = columnName
  override def selectedAs: String = alias.getOrElse(columnName)
  override def toString: String = columnName

  /** Replaces the collection. */
  def overwrite: CollectionColumnName = CollectionColumnName(columnName, alias, CollectionOverwrite)

  /** Adds to the collection. */
  def add: CollectionColumnName = append

  /** Adds to the collection; to a list, behind the elements that it has. */
  def append: CollectionColumnName = CollectionColumnName(columnName, alias, CollectionAppend)

  /** Adds in front of the elements of a list. */
  def prepend: CollectionColumnName = CollectionColumnName(columnName, alias, CollectionPrepend)

  /** Removes from the collection. */
  def remove: CollectionColumnName = CollectionColumnName(columnName, alias, CollectionRemove)

  /** Another name in the result, or the property that has the value. */
  def as(alias: String): ColumnName = copy(alias = Some(alias))
}

/** A column with a collection, and how a write changes it. */
final case class CollectionColumnName(
  columnName: String,
  alias: Option[String] = None,
  collectionBehavior: CollectionBehavior = CollectionOverwrite) extends ColumnRef {
  override def cql: String = ColumnRef.quoted(columnName)
  override def cqlValueName: String = columnName
  override def selectedAs: String = alias.getOrElse(columnName)
  override def toString: String = columnName

  /** The property that has the value. */
  def as(alias: String): CollectionColumnName = copy(alias = Some(alias))

  /** Replaces the collection. */
  def overwrite: CollectionColumnName = copy(collectionBehavior = CollectionOverwrite)

  /** Adds to the collection. */
  def add: CollectionColumnName = append

  /** Adds to the collection; to a list, behind the elements that it has. */
  def append: CollectionColumnName = copy(collectionBehavior = CollectionAppend)

  /** Adds in front of the elements of a list. */
  def prepend: CollectionColumnName = copy(collectionBehavior = CollectionPrepend)

  /** Removes from the collection. */
  def remove: CollectionColumnName = copy(collectionBehavior = CollectionRemove)
}

/** The remaining time to live of a column's value, in seconds. */
final case class TTL(columnName: String, alias: Option[String] = None) extends ColumnRef {
  override def cql: String = s"ttl(${ColumnRef.quoted(columnName)})"
  override def cqlValueName: String = s"ttl($columnName)"
  override def selectedAs: String = alias.getOrElse(cqlValueName)
  override def toString: String = cqlValueName

  /** Another name in the result. */
  def as(alias: String): TTL = copy(alias = Some(alias))
}

/** The write time of a column's value, in microseconds since 1970. */
final case class WriteTime(columnName: String, alias: Option[String] = None) extends ColumnRef {
  override def cql: String = s"writetime(${ColumnRef.quoted(columnName)})"
  override def cqlValueName: String = s"writetime($columnName)"
  override def selectedAs: String = alias.getOrElse(cqlValueName)
  override def toString: String = cqlValueName

  /** Another name in the result. */
  def as(alias: String): WriteTime = copy(alias = Some(alias))
}

/**
 * A call of a function of Cassandra.
 *
 * @param columnName of the function
 * @param actualParams columns, or CQL
 */
final case class FunctionCallRef(
  columnName: String,
  actualParams: Seq[Either[ColumnRef, String]] = Seq.empty,
  alias: Option[String] = None) extends ColumnRef {
  override def cql: String = s"$columnName(${actualParams.map(_.fold(_.cql, identity)).mkString(", ")})"
  override def cqlValueName: String = s"$columnName(${actualParams.map(_.fold(_.cqlValueName, identity)).mkString(", ")})"
  override def selectedAs: String = alias.getOrElse(cqlValueName)
  override def toString: String = cqlValueName

  /** Another name in the result. */
  def as(alias: String): FunctionCallRef = copy(alias = Some(alias))
}

object ColumnRef {
  private[connector] def quoted(name: String): String = CqlIdentifier.fromInternal(name).asCql(/* pretty */ true)
}
