package com.datastax.spark.connector.writer

import com.datastax.spark.connector.types.Scalars

import java.util.Date
import scala.concurrent.duration.{Duration => ScalaDuration}

/** Where the value of an option comes from. */
sealed trait WriteOptionValue[+T] extends Serializable

/** The same value for all rows. */
final case class StaticWriteOptionValue[T](value: T) extends WriteOptionValue[T]

/** A property of each row. */
final case class PerRowWriteOptionValue[T](placeholder: String) extends WriteOptionValue[T]

/** Not set. */
case object DefaultValue extends WriteOptionValue[Nothing]

/** An option of written rows. */
sealed trait WriteOption[+T] extends Serializable

/** The time to live of written rows, in seconds. */
final case class TTLOption(value: WriteOptionValue[Int]) extends WriteOption[Int]

/** The write time of written rows, in microseconds since 1970. */
final case class TimestampOption(value: WriteOptionValue[Long]) extends WriteOption[Long]

object TTLOption {

  /** The time to live of the table. */
  val defaultValue: TTLOption = TTLOption(DefaultValue)

  /** Rows do not expire, also in a table whose rows do by default. */
  val forever: TTLOption = TTLOption(StaticWriteOptionValue(0))

  /** @param ttl in seconds, more than 0 */
  def constant(ttl: Int): TTLOption = {
    require(ttl > 0, s"the time to live is $ttl seconds, must be 1 or more; rows that do not expire: TTLOption.forever")
    TTLOption(StaticWriteOptionValue(ttl))
  }

  /** A time to live in whole seconds; if it is infinite, rows do not expire. */
  def constant(ttl: ScalaDuration): TTLOption = if (ttl.isFinite) constant(Math.toIntExact(ttl.toSeconds)) else forever

  /** @param placeholder the property of each row that has its time to live in seconds; it is not written as a column */
  def perRow(placeholder: String): TTLOption = TTLOption(PerRowWriteOptionValue(placeholder))
}

object TimestampOption {

  /** The time of the job. */
  val defaultValue: TimestampOption = TimestampOption(DefaultValue)

  /** @param microseconds since 1970, more than 0 */
  def constant(microseconds: Long): TimestampOption = {
    require(microseconds > 0, s"the write time is $microseconds microseconds since 1970, must be 1 or more")
    TimestampOption(StaticWriteOptionValue(microseconds))
  }

  /** A point in time. */
  def constant(timestamp: Date): TimestampOption = constant(Scalars.micros(timestamp))

  /** @param placeholder the property of each row that has its write time, in microseconds or as a date; it is not written as a column */
  def perRow(placeholder: String): TimestampOption = TimestampOption(PerRowWriteOptionValue(placeholder))
}
