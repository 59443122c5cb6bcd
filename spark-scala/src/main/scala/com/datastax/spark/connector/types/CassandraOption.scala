package com.datastax.spark.connector.types

import scala.language.implicitConversions

/** The value of a column, a null, or no value: a write leaves an unset column as it is. Immutable. */
sealed trait CassandraOption[+A] extends Product with Serializable

object CassandraOption {

  /** A value. */
  final case class Value[+A](value: A) extends CassandraOption[A]

  /** No value; in a read, a column without a value. */
  case object Unset extends CassandraOption[Nothing]

  /** A null, which deletes the value. */
  case object Null extends CassandraOption[Nothing]

  /** The value, or Unset for null. */
  def apply[A](x: A): CassandraOption[A] = if (x == null) Unset else Value(x)

  implicit def toScalaOption[A](option: CassandraOption[A]): Option[A] = option match {
    case Value(value) => Some(value)
    case Unset | Null => None
  }

  /** None deletes the value. */
  def deleteIfNone[A](option: Option[A]): CassandraOption[A] = option.fold[CassandraOption[A]](Null)(Value(_))

  /** None leaves the value as it is. */
  def unsetIfNone[A](option: Option[A]): CassandraOption[A] = option.fold[CassandraOption[A]](Unset)(Value(_))
}
