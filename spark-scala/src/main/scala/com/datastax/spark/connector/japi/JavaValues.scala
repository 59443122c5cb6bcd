package com.datastax.spark.connector.japi

import com.datastax.spark.connector
import com.datastax.spark.connector.types.{FromCassandra, TypeConverter}
import com.datastax.spark.connector.{CassandraRowMetadata, ScalaGettableByIndexData, ScalaGettableData}

import java.lang.{Boolean => JBoolean, Byte => JByte, Double => JDouble, Float => JFloat, Long => JLong, Short => JShort}
import java.math.{BigDecimal => JBigDecimal, BigInteger}
import java.net.InetAddress
import java.nio.ByteBuffer
import java.util.{Date, List => JList, Map => JMap, Set => JSet, UUID}
import scala.jdk.CollectionConverters._

/** Values that Java reads by their index, from 0; a null is null. Immutable. */
sealed trait JavaGettableByIndexData extends Serializable {
  private[japi] def data: ScalaGettableByIndexData

  private[japi] def as[T](index: Int, converter: TypeConverter[T]): T = converted(data.getRaw(index), index.toString, converter)

  private[japi] def converted[T](value: AnyRef, name: => String, converter: TypeConverter[T]): T =
    if (value == null) null.asInstanceOf[T] else FromCassandra.named(name)(converter.convert(value))

  def length: Int = data.length

  def size: Int = data.size

  def isNullAt(index: Int): Boolean = data.isNullAt(index)

  /** Collections are those of Java. */
  def getObject(index: Int): AnyRef = JavaValues.of(data.getRaw(index))

  /** @throws IllegalArgumentException if the value does not fit the type; so do all of these methods */
  def get[T <: AnyRef](index: Int, converter: TypeConverter[T]): T = as(index, converter)

  def getBoolean(index: Int): JBoolean = as(index, TypeConverter.JavaBooleanConverter)
  def getByte(index: Int): JByte = as(index, TypeConverter.JavaByteConverter)
  def getShort(index: Int): JShort = as(index, TypeConverter.JavaShortConverter)
  def getInt(index: Int): Integer = as(index, TypeConverter.JavaIntConverter)
  def getLong(index: Int): JLong = as(index, TypeConverter.JavaLongConverter)
  def getFloat(index: Int): JFloat = as(index, TypeConverter.JavaFloatConverter)
  def getDouble(index: Int): JDouble = as(index, TypeConverter.JavaDoubleConverter)
  def getString(index: Int): String = as(index, TypeConverter.StringConverter)
  def getBytes(index: Int): ByteBuffer = as(index, TypeConverter.ByteBufferConverter)
  def getDate(index: Int): Date = as(index, TypeConverter.DateConverter)
  def getVarInt(index: Int): BigInteger = as(index, TypeConverter.JavaBigIntegerConverter)
  def getDecimal(index: Int): JBigDecimal = as(index, TypeConverter.JavaBigDecimalConverter)
  def getUUID(index: Int): UUID = as(index, TypeConverter.UUIDConverter)
  def getInet(index: Int): InetAddress = as(index, TypeConverter.InetAddressConverter)
  def getUDTValue(index: Int): UDTValue = JavaValues.udt(as(index, TypeConverter.UDTValueConverter))
  def getTupleValue(index: Int): TupleValue = JavaValues.tuple(as(index, TypeConverter.TupleValueConverter))

  /** Empty for null, as those below. */
  def getList(index: Int): JList[AnyRef] = JavaValues.list(data.getRaw(index))

  def getList[T](index: Int, converter: TypeConverter[T]): JList[T] =
    FromCassandra.named(index.toString)(TypeConverter.vectorConverter(converter).convert(data.getRaw(index)).asJava)

  def getSet(index: Int): JSet[AnyRef] = JavaValues.set(data.getRaw(index))

  def getSet[T](index: Int, converter: TypeConverter[T]): JSet[T] =
    FromCassandra.named(index.toString)(TypeConverter.setConverter(converter).convert(data.getRaw(index)).asJava)

  def getMap(index: Int): JMap[AnyRef, AnyRef] = JavaValues.map(data.getRaw(index))

  def getMap[K, V](index: Int, keyConverter: TypeConverter[K], valueConverter: TypeConverter[V]): JMap[K, V] =
    FromCassandra.named(index.toString)(TypeConverter.mapConverter(keyConverter, valueConverter).convert(data.getRaw(index)).asJava)

  override def equals(other: Any): Boolean = other match {
    case that: JavaGettableByIndexData => data == that.data
    case _ => false
  }

  override def hashCode: Int = data.hashCode

  override def toString: String = data.toString
}

/** Values that Java also reads by their name. Immutable. */
sealed trait JavaGettableData extends JavaGettableByIndexData {
  private[japi] def data: ScalaGettableData

  private def as[T](name: String, converter: TypeConverter[T]): T = converted(data.getRaw(name), name, converter)

  def metaData: CassandraRowMetadata = data.metaData

  def contains(name: String): Boolean = data.contains(name)

  /** -1 if there is none of this name. */
  def indexOf(name: String): Int = data.indexOf(name)

  def nameOf(index: Int): String = data.nameOf(index)

  def isNullAt(name: String): Boolean = data.isNullAt(name)

  /** Collections are those of Java. */
  def toMap: JMap[String, AnyRef] =
    data.metaData.columnNames.zip(data.columnValues.map(JavaValues.of)).foldLeft(new java.util.LinkedHashMap[String, AnyRef]) {
      case (map, (name, value)) =>
        map.put(name, value)
        map
    }

  /** Collections are those of Java. */
  def getObject(name: String): AnyRef = JavaValues.of(data.getRaw(name))

  /** @throws IllegalArgumentException if there is none of this name, or the value does not fit; so do all of these methods */
  def get[T <: AnyRef](name: String, converter: TypeConverter[T]): T = as(name, converter)

  def getBoolean(name: String): JBoolean = as(name, TypeConverter.JavaBooleanConverter)
  def getByte(name: String): JByte = as(name, TypeConverter.JavaByteConverter)
  def getShort(name: String): JShort = as(name, TypeConverter.JavaShortConverter)
  def getInt(name: String): Integer = as(name, TypeConverter.JavaIntConverter)
  def getLong(name: String): JLong = as(name, TypeConverter.JavaLongConverter)
  def getFloat(name: String): JFloat = as(name, TypeConverter.JavaFloatConverter)
  def getDouble(name: String): JDouble = as(name, TypeConverter.JavaDoubleConverter)
  def getString(name: String): String = as(name, TypeConverter.StringConverter)
  def getBytes(name: String): ByteBuffer = as(name, TypeConverter.ByteBufferConverter)
  def getDate(name: String): Date = as(name, TypeConverter.DateConverter)
  def getVarInt(name: String): BigInteger = as(name, TypeConverter.JavaBigIntegerConverter)
  def getDecimal(name: String): JBigDecimal = as(name, TypeConverter.JavaBigDecimalConverter)
  def getUUID(name: String): UUID = as(name, TypeConverter.UUIDConverter)
  def getInet(name: String): InetAddress = as(name, TypeConverter.InetAddressConverter)
  def getUDTValue(name: String): UDTValue = JavaValues.udt(as(name, TypeConverter.UDTValueConverter))
  def getTupleValue(name: String): TupleValue = JavaValues.tuple(as(name, TypeConverter.TupleValueConverter))

  /** Empty for null, as those below. */
  def getList(name: String): JList[AnyRef] = JavaValues.list(data.getRaw(name))

  def getList[T](name: String, converter: TypeConverter[T]): JList[T] =
    FromCassandra.named(name)(TypeConverter.vectorConverter(converter).convert(data.getRaw(name)).asJava)

  def getSet(name: String): JSet[AnyRef] = JavaValues.set(data.getRaw(name))

  def getSet[T](name: String, converter: TypeConverter[T]): JSet[T] =
    FromCassandra.named(name)(TypeConverter.setConverter(converter).convert(data.getRaw(name)).asJava)

  def getMap(name: String): JMap[AnyRef, AnyRef] = JavaValues.map(data.getRaw(name))

  def getMap[K, V](name: String, keyConverter: TypeConverter[K], valueConverter: TypeConverter[V]): JMap[K, V] =
    FromCassandra.named(name)(TypeConverter.mapConverter(keyConverter, valueConverter).convert(data.getRaw(name)).asJava)
}

/** A row: values by the names of columns. Immutable. */
final class CassandraRow private[connector] (private[japi] val data: connector.CassandraRow) extends JavaGettableData {

  /** A row that a program makes. */
  def this(metaData: CassandraRowMetadata, columnValues: IndexedSeq[AnyRef]) = this(new connector.CassandraRow(metaData, columnValues))

  /** A row that a program makes. */
  def this(columnNames: Array[String], columnValues: Array[Object]) =
    this(CassandraRowMetadata.fromColumnNames(columnNames.toIndexedSeq), columnValues.toIndexedSeq)
}

/** A value of a UDT: fields by their names. Immutable. */
final class UDTValue private[connector] (private[japi] val data: connector.UDTValue) extends JavaGettableData

/** A value of a CQL tuple. Immutable. */
final class TupleValue private[connector] (private[japi] val data: connector.TupleValue) extends JavaGettableByIndexData

/** Turns values of Scala into values of Java. Stateless. */
private[japi] object JavaValues {
  def of(value: AnyRef): AnyRef = value match {
    case map: collection.Map[_, _] => map.iterator.map { case (k, v) => any(k) -> any(v) }.toMap.asJava
    case set: collection.Set[_] => set.map(any).asJava
    case some: Seq[_] => some.map(any).asJava
    case value: connector.UDTValue => udt(value)
    case value: connector.TupleValue => tuple(value)
    case other => other
  }

  private def any(value: Any): AnyRef = of(value.asInstanceOf[AnyRef])

  def udt(value: connector.UDTValue): UDTValue = if (value == null) null else new UDTValue(value)

  def tuple(value: connector.TupleValue): TupleValue = if (value == null) null else new TupleValue(value)

  def list(value: AnyRef): JList[AnyRef] = cast[JList[AnyRef]](value, JList.of(), "a list")

  def set(value: AnyRef): JSet[AnyRef] = cast[JSet[AnyRef]](value, JSet.of(), "a set")

  def map(value: AnyRef): JMap[AnyRef, AnyRef] = cast[JMap[AnyRef, AnyRef]](value, JMap.of(), "a map")

  private def cast[T](value: AnyRef, empty: T, expected: String)(implicit tag: scala.reflect.ClassTag[T]): T =
    if (value == null) empty
    else
      of(value) match {
        case fitting: T => fitting
        case _ => throw new IllegalArgumentException(s"the value ${FromCassandra.shown(value)} must be $expected")
      }
}
