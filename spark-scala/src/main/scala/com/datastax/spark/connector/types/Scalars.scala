package com.datastax.spark.connector.types

import com.datastax.oss.driver.api.core.`type`.codec.TypeCodecs
import com.datastax.oss.driver.api.core.data.{ByteUtils, CqlDuration}
import com.datastax.oss.driver.api.core.uuid.Uuids
import io.overdrive.spark.cell.{Addresses, StrictText}

import java.lang.{Boolean => JBoolean, Number => JNumber}
import java.math.{BigDecimal => JBigDecimal, BigInteger}
import java.net.InetAddress
import java.nio.ByteBuffer
import java.time.{Instant, LocalDate, LocalDateTime, LocalTime, OffsetDateTime, ZoneId, ZoneOffset, ZonedDateTime}
import java.time.format.DateTimeFormatter
import java.time.temporal.ChronoUnit
import java.util.{Calendar, Date, Locale, UUID}

/**
 * Converts single values between all types that fit, in both directions. A value that does not fit is an
 * IllegalArgumentException, or ArithmeticException, that says why. Stateless.
 */
private[connector] object Scalars {
  private val NUMBER = "\\s*[+-]?\\d+\\s*".r

  /** The first day of a year, in the zone of this machine or in UTC. */
  private val YEAR = "(\\d{4})(Z?)".r

  private def unfit(value: Any, expected: String): Nothing =
    throw new IllegalArgumentException(s"it must be $expected")

  def text(value: Any): String = value match {
    case text: String => text
    case date: java.sql.Date => date.toLocalDate.toString
    case date: Date => DateTimeFormatter.ISO_INSTANT.format(exact(date))
    case address: InetAddress => address.getHostAddress
    case bytes: ByteBuffer => ByteUtils.toHexString(bytes)
    case bytes: Array[Byte] => ByteUtils.toHexString(bytes)
    case other => other.toString
  }

  def boolean(value: Any): JBoolean = value match {
    case flag: JBoolean => flag
    case number: JNumber => number.doubleValue != 0
    case text: String =>
      text.toLowerCase(Locale.ROOT) match {
        case "true" => true
        case "false" => false
        case _ => unfit(value, "true or false")
      }
    case _ => unfit(value, "true or false")
  }

  /** A whole number that Long holds. */
  def long(value: Any): Long = value match {
    case number: java.lang.Long => number
    case number: java.lang.Integer => number.longValue
    case number: java.lang.Short => number.longValue
    case number: java.lang.Byte => number.longValue
    case flag: JBoolean => if (flag) 1 else 0
    case date: Date => date.getTime
    case instant: Instant => instant.toEpochMilli
    case date: LocalDate => date.toEpochDay
    case time: LocalTime => time.toNanoOfDay
    case other => varint(other).longValueExact
  }

  /** A whole number within bounds. */
  def whole(value: Any, min: Long, max: Long): Long = {
    val number = long(value)
    if (number < min || number > max) {
      throw new IllegalArgumentException(s"it must be from $min to $max")
    }
    number
  }

  def int(value: Any): Integer = value match {
    case number: Integer => number
    case other => whole(other, Int.MinValue, Int.MaxValue).toInt
  }

  def varint(value: Any): BigInteger = value match {
    case number: BigInteger => number
    case number: BigInt => number.bigInteger
    case number: java.lang.Double => new JBigDecimal(number).toBigIntegerExact
    case number: java.lang.Float => new JBigDecimal(number.doubleValue).toBigIntegerExact
    case number: JBigDecimal => number.toBigIntegerExact
    case number: BigDecimal => number.bigDecimal.toBigIntegerExact
    case text: String => StrictText.varint(text)
    case _: JNumber => BigInteger.valueOf(long(value))
    case _ => unfit(value, "a whole number")
  }

  def decimal(value: Any): JBigDecimal = value match {
    case number: JBigDecimal => number
    case number: BigDecimal => number.bigDecimal
    case number: BigInteger => new JBigDecimal(number)
    case number: BigInt => new JBigDecimal(number.bigInteger)
    case number: java.lang.Double => JBigDecimal.valueOf(number)
    case number: java.lang.Float => new JBigDecimal(number.toString)
    case text: String => StrictText.decimal(text)
    case number: JNumber => JBigDecimal.valueOf(number.longValue)
    case _ => unfit(value, "a number")
  }

  def double(value: Any): Double = {
    val number = value match {
      case number: JNumber => number.doubleValue
      case text: String => StrictText.doubleNumber(text.strip)
      case _ => unfit(value, "a number")
    }
    if (number.isInfinite && !isInfinite(value)) unfit(value, "in the range of double") else number
  }

  def float(value: Any): Float = {
    val number = value match {
      case number: JNumber => number.floatValue
      case text: String => StrictText.floatNumber(text.strip)
      case _ => unfit(value, "a number")
    }
    if (number.isInfinite && !isInfinite(value)) unfit(value, "in the range of float") else number
  }

  private def isInfinite(value: Any): Boolean = value match {
    case number: java.lang.Double => number.isInfinite
    case number: java.lang.Float => number.isInfinite
    case text: String => text.contains("Infinity")
    case _ => false
  }

  /** A number is milliseconds since 1970; dates are in the zone of this machine. */
  def instant(value: Any): Instant = value match {
    case instant: Instant => instant
    case date: Date => exact(date)
    case calendar: Calendar => calendar.toInstant
    case time: ZonedDateTime => time.toInstant
    case time: OffsetDateTime => time.toInstant
    case time: LocalDateTime => time.atZone(ZoneId.systemDefault).toInstant
    case date: LocalDate => date.atStartOfDay(ZoneId.systemDefault).toInstant
    case number: JNumber => Instant.ofEpochMilli(long(number))
    case uuid: UUID if uuid.version == 1 => Instant.ofEpochMilli(Uuids.unixTimestamp(uuid))
    case text: String => instantOf(text)
    case _ => unfit(value, "a point in time")
  }

  /** The instant with all digits of a timestamp. */
  private def exact(date: Date): Instant = date match {
    case timestamp: java.sql.Timestamp => timestamp.toInstant
    case other => Instant.ofEpochMilli(other.getTime)
  }

  /** A write time in microseconds since 1970, which a number is already. */
  def micros(value: Any): Long = value match {
    case date: Date => micros(exact(date))
    case instant: Instant => ChronoUnit.MICROS.between(Instant.EPOCH, instant)
    case _: JNumber | _: String => long(value)
    case _ => unfit(value, "a whole number of microseconds since 1970, a Date or an Instant")
  }

  /** A time to live. */
  def seconds(value: Any): Integer = value match {
    case _: JNumber | _: String => int(value)
    case _ => unfit(value, "a whole number of seconds")
  }

  private def instantOf(text: String): Instant = text match {
    case YEAR(year, zone) => LocalDate.of(year.toInt, 1, 1).atStartOfDay(if (zone.isEmpty) ZoneId.systemDefault else ZoneOffset.UTC).toInstant
    case NUMBER() => unfit(text, "a point in time, such as 2013-01-31T12:59:59Z") // the driver would take it as milliseconds
    case _ => TypeCodecs.TIMESTAMP.parse(s"'${text.replace("'", "''")}'")
  }

  def date(value: Any): Date = value match {
    case date: Date => date
    case other => Date.from(instant(other))
  }

  /** A number is days since 1970; points in time are in the zone of this machine. */
  def localDate(value: Any): LocalDate = value match {
    case date: LocalDate => date
    case date: java.sql.Date => date.toLocalDate
    case number: JNumber => LocalDate.ofEpochDay(long(number))
    case text: String =>
      text match {
        case YEAR(year, _) => LocalDate.of(year.toInt, 1, 1)
        case _ => LocalDate.parse(text)
      }
    case other => instant(other).atZone(ZoneId.systemDefault).toLocalDate
  }

  /** A number is nanoseconds of the day. */
  def localTime(value: Any): LocalTime = value match {
    case time: LocalTime => time
    case number: JNumber => LocalTime.ofNanoOfDay(long(number))
    case text: String => LocalTime.parse(text)
    case time: java.sql.Time => time.toLocalTime.plus(Math.floorMod(time.getTime, 1000L), ChronoUnit.MILLIS) // without them in itself
    case _ => unfit(value, "a time of day")
  }

  def uuid(value: Any): UUID = value match {
    case uuid: UUID => uuid
    case text: String => StrictText.uuid(text)
    case _ => unfit(value, "a UUID of 36 characters")
  }

  /** Text must be an address: names are not resolved. */
  def inet(value: Any): InetAddress = value match {
    case address: InetAddress => address
    case text: String => Addresses.of(text)
    case _ => unfit(value, "an IPv4 or IPv6 address")
  }

  def duration(value: Any): CqlDuration = value match {
    case duration: CqlDuration => duration
    case text: String => CqlDuration.from(text)
    case _ => unfit(value, "a duration")
  }

  def buffer(value: Any): ByteBuffer = value match {
    case bytes: ByteBuffer => bytes
    case bytes: Array[Byte] => ByteBuffer.wrap(bytes)
    case text: String if text.startsWith("0x") => ByteUtils.fromHexString(text)
    case _ => unfit(value, "bytes")
  }

  def bytes(value: Any): Array[Byte] = value match {
    case bytes: Array[Byte] => bytes
    case other => ByteUtils.getArray(buffer(other))
  }
}
