package com.datastax.spark.connector

import com.datastax.spark.connector.types.{FromCassandra, TypeConverter}

import java.net.InetAddress
import java.nio.ByteBuffer
import java.util.{Date, UUID}

/** Names of the values of a row. Immutable. */
final case class CassandraRowMetadata(columnNames: IndexedSeq[String]) extends Serializable {
  @transient private lazy val indexes: Map[String, Int] = columnNames.zipWithIndex.toMap

  /** -1 if there is none of this name. */
  def indexOf(name: String): Int = indexes.getOrElse(name, -1)
}

object CassandraRowMetadata {
  def fromColumnNames(columnNames: Seq[String]): CassandraRowMetadata = CassandraRowMetadata(columnNames.toIndexedSeq)
}

/** Values that are read by their index, from 0, as a type that they fit. Immutable. */
trait ScalaGettableByIndexData extends Serializable {
  def columnValues: IndexedSeq[AnyRef]

  /** The value as it was read; null for null. */
  def getRaw(index: Int): AnyRef = columnValues(index)

  def isNullAt(index: Int): Boolean = columnValues(index) == null

  def length: Int = columnValues.size

  def size: Int = columnValues.size

  def iterator: Iterator[AnyRef] = columnValues.iterator

  /**
   * The value as a type.
   *
   * @throws IllegalArgumentException if the value does not fit it, also for a null that is not read as an Option
   */
  def get[T](index: Int)(implicit c: TypeConverter[T]): T = converted(columnValues(index), index.toString)

  private[connector] def converted[T](value: AnyRef, name: String)(implicit c: TypeConverter[T]): T =
    FromCassandra.named(name)(c.convert(value))

  def getBoolean(index: Int): Boolean = get[Boolean](index)
  def getBooleanOption(index: Int): Option[Boolean] = get[Option[Boolean]](index)
  def getByte(index: Int): Byte = get[Byte](index)
  def getByteOption(index: Int): Option[Byte] = get[Option[Byte]](index)
  def getShort(index: Int): Short = get[Short](index)
  def getShortOption(index: Int): Option[Short] = get[Option[Short]](index)
  def getInt(index: Int): Int = get[Int](index)
  def getIntOption(index: Int): Option[Int] = get[Option[Int]](index)
  def getLong(index: Int): Long = get[Long](index)
  def getLongOption(index: Int): Option[Long] = get[Option[Long]](index)
  def getFloat(index: Int): Float = get[Float](index)
  def getFloatOption(index: Int): Option[Float] = get[Option[Float]](index)
  def getDouble(index: Int): Double = get[Double](index)
  def getDoubleOption(index: Int): Option[Double] = get[Option[Double]](index)
  def getString(index: Int): String = get[String](index)
  def getStringOption(index: Int): Option[String] = get[Option[String]](index)
  def getBytes(index: Int): ByteBuffer = get[ByteBuffer](index)
  def getBytesOption(index: Int): Option[ByteBuffer] = get[Option[ByteBuffer]](index)
  def getDate(index: Int): Date = get[Date](index)
  def getDateOption(index: Int): Option[Date] = get[Option[Date]](index)
  def getVarInt(index: Int): BigInt = get[BigInt](index)
  def getVarIntOption(index: Int): Option[BigInt] = get[Option[BigInt]](index)
  def getDecimal(index: Int): BigDecimal = get[BigDecimal](index)
  def getDecimalOption(index: Int): Option[BigDecimal] = get[Option[BigDecimal]](index)
  def getUUID(index: Int): UUID = get[UUID](index)
  def getUUIDOption(index: Int): Option[UUID] = get[Option[UUID]](index)
  def getInet(index: Int): InetAddress = get[InetAddress](index)
  def getInetOption(index: Int): Option[InetAddress] = get[Option[InetAddress]](index)
  def getUDTValue(index: Int): UDTValue = get[UDTValue](index)
  def getUDTValueOption(index: Int): Option[UDTValue] = get[Option[UDTValue]](index)
  def getTupleValue(index: Int): TupleValue = get[TupleValue](index)
  def getTupleValueOption(index: Int): Option[TupleValue] = get[Option[TupleValue]](index)
  def getList[T: TypeConverter](index: Int): Vector[T] = get[Vector[T]](index)
  def getSet[T: TypeConverter](index: Int): Set[T] = get[Set[T]](index)
  def getMap[K: TypeConverter, V: TypeConverter](index: Int): Map[K, V] = get[Map[K, V]](index)
}

/** Values that are also read by their name. Immutable. */
trait ScalaGettableData extends ScalaGettableByIndexData {
  def metaData: CassandraRowMetadata

  private def index(name: String): Int = {
    val found = metaData.indexOf(name)
    if (found < 0) {
      throw new ColumnNotFoundException(
        s"there is no column \"$name\" among those that were read: ${metaData.columnNames.mkString(", ")}")
    }
    found
  }

  /** @see [[indexOf]] */
  def contains(name: String): Boolean = indexOf(name) >= 0

  /** -1 if there is none of this name. */
  def indexOf(name: String): Int = metaData.indexOf(name)

  def nameOf(index: Int): String = metaData.columnNames(index)

  /** The value as it was read; null for null. */
  def getRaw(name: String): AnyRef = getRaw(index(name))

  def isNullAt(name: String): Boolean = isNullAt(index(name))

  def toMap: Map[String, Any] = metaData.columnNames.zip(columnValues).toMap

  /**
   * The value as a type.
   *
   * @throws IllegalArgumentException if the value does not fit it, also for a null that is not read as an Option
   * @throws ColumnNotFoundException if there is none of this name
   */
  def get[T](name: String)(implicit c: TypeConverter[T]): T = converted(columnValues(index(name)), name)

  def getBoolean(name: String): Boolean = get[Boolean](name)
  def getBooleanOption(name: String): Option[Boolean] = get[Option[Boolean]](name)
  def getByte(name: String): Byte = get[Byte](name)
  def getByteOption(name: String): Option[Byte] = get[Option[Byte]](name)
  def getShort(name: String): Short = get[Short](name)
  def getShortOption(name: String): Option[Short] = get[Option[Short]](name)
  def getInt(name: String): Int = get[Int](name)
  def getIntOption(name: String): Option[Int] = get[Option[Int]](name)
  def getLong(name: String): Long = get[Long](name)
  def getLongOption(name: String): Option[Long] = get[Option[Long]](name)
  def getFloat(name: String): Float = get[Float](name)
  def getFloatOption(name: String): Option[Float] = get[Option[Float]](name)
  def getDouble(name: String): Double = get[Double](name)
  def getDoubleOption(name: String): Option[Double] = get[Option[Double]](name)
  def getString(name: String): String = get[String](name)
  def getStringOption(name: String): Option[String] = get[Option[String]](name)
  def getBytes(name: String): ByteBuffer = get[ByteBuffer](name)
  def getBytesOption(name: String): Option[ByteBuffer] = get[Option[ByteBuffer]](name)
  def getDate(name: String): Date = get[Date](name)
  def getDateOption(name: String): Option[Date] = get[Option[Date]](name)
  def getVarInt(name: String): BigInt = get[BigInt](name)
  def getVarIntOption(name: String): Option[BigInt] = get[Option[BigInt]](name)
  def getDecimal(name: String): BigDecimal = get[BigDecimal](name)
  def getDecimalOption(name: String): Option[BigDecimal] = get[Option[BigDecimal]](name)
  def getUUID(name: String): UUID = get[UUID](name)
  def getUUIDOption(name: String): Option[UUID] = get[Option[UUID]](name)
  def getInet(name: String): InetAddress = get[InetAddress](name)
  def getInetOption(name: String): Option[InetAddress] = get[Option[InetAddress]](name)
  def getUDTValue(name: String): UDTValue = get[UDTValue](name)
  def getUDTValueOption(name: String): Option[UDTValue] = get[Option[UDTValue]](name)
  def getTupleValue(name: String): TupleValue = get[TupleValue](name)
  def getTupleValueOption(name: String): Option[TupleValue] = get[Option[TupleValue]](name)
  def getList[T: TypeConverter](name: String): Vector[T] = get[Vector[T]](name)
  def getSet[T: TypeConverter](name: String): Set[T] = get[Set[T]](name)
  def getMap[K: TypeConverter, V: TypeConverter](name: String): Map[K, V] = get[Map[K, V]](name)

  /** Names and values as text. */
  def dataAsString: String =
    metaData.columnNames.zip(columnValues).map { case (name, value) => s"$name: ${FromCassandra.shown(value)}" }.mkString("{", ", ", "}")

  override def equals(other: Any): Boolean = other match {
    case that: ScalaGettableData => getClass == that.getClass && metaData == that.metaData && columnValues == that.columnValues
    case _ => false
  }

  override def hashCode: Int = 31 * metaData.hashCode + columnValues.hashCode
}

/** A column that was not read. */
class ColumnNotFoundException(message: String) extends IllegalArgumentException(message)

/** A row: values by the names of columns. Collections are those of Scala; UDTs and tuples are UDTValue and TupleValue. Immutable. */
final class CassandraRow(val metaData: CassandraRowMetadata, val columnValues: IndexedSeq[AnyRef]) extends ScalaGettableData {
  def this(columnNames: IndexedSeq[String], columnValues: IndexedSeq[AnyRef]) =
    this(CassandraRowMetadata(columnNames), columnValues)

  override def toString: String = "CassandraRow" + dataAsString
}

object CassandraRow {
  def fromMap(map: Map[String, Any]): CassandraRow = {
    val (names, values) = map.toIndexedSeq.unzip
    new CassandraRow(names, values.map(_.asInstanceOf[AnyRef]))
  }
}

/** A value of a UDT: fields by their names. Immutable. */
final class UDTValue(val metaData: CassandraRowMetadata, val columnValues: IndexedSeq[AnyRef]) extends ScalaGettableData {
  def this(columnNames: IndexedSeq[String], columnValues: IndexedSeq[AnyRef]) =
    this(CassandraRowMetadata(columnNames), columnValues)

  def columnNames: IndexedSeq[String] = metaData.columnNames

  override def toString: String = dataAsString
}

object UDTValue {
  def apply(columnNames: IndexedSeq[String], columnValues: IndexedSeq[AnyRef]): UDTValue = new UDTValue(columnNames, columnValues)

  def fromMap(map: Map[String, Any]): UDTValue = {
    val (names, values) = map.toIndexedSeq.unzip
    new UDTValue(names, values.map(_.asInstanceOf[AnyRef]))
  }
}

/** A value of a CQL tuple. Immutable. */
final case class TupleValue(values: Any*) extends ScalaGettableByIndexData {
  override val columnValues: IndexedSeq[AnyRef] = values.map(_.asInstanceOf[AnyRef]).toIndexedSeq

  override def toString: String = columnValues.map(FromCassandra.shown).mkString("(", ",", ")")
}
