package com.datastax.spark.connector.types

import com.datastax.oss.driver.api.core.CqlIdentifier
import com.datastax.oss.driver.api.core.`type`.codec.TypeCodec
import com.datastax.oss.driver.api.core.`type`.codec.registry.CodecRegistry
import com.datastax.oss.driver.api.core.`type`.{DataType, ListType => DriverList, MapType => DriverMap, SetType => DriverSet, TupleType => DriverTuple, UserDefinedType, VectorType}
import com.datastax.oss.driver.api.core.data.{CqlVector, SettableByIndex, TupleValue => DriverTupleValue, UdtValue}
import com.datastax.spark.connector.mapper.Properties
import com.datastax.spark.connector.{TupleValue, UDTValue}
import io.overdrive.internal.codec.CqlType
import io.overdrive.spark.write.ObjectFields
import org.apache.commons.lang3.tuple.{Pair, Triple}
import org.apache.spark.sql.Row

import java.util.{ArrayList => JArrayList, LinkedHashMap => JLinkedHashMap, LinkedHashSet => JLinkedHashSet}
import scala.jdk.CollectionConverters._

/** Values of objects as the driver's values for a CQL type. Stateless. */
private[connector] object ToCassandra {

  /**
   * The value; null for null and None, and ObjectFields.UNSET for no value.
   *
   * @throws IllegalArgumentException if the type cannot hold the value; also ArithmeticException
   */
  def convert(value: Any, to: DataType): AnyRef = value match {
    case null | None | CassandraOption.Null => null
    case CassandraOption.Unset => ObjectFields.UNSET
    case Some(present) => convert(present, to)
    case CassandraOption.Value(present) => convert(present, to)
    case present: java.util.Optional[_] => if (present.isPresent) convert(present.get, to) else null
    case present => ofType(present, to)
  }

  /**
   * The write time that a value stands for, in microseconds since 1970; null for no value.
   *
   * @throws IllegalArgumentException if it is none; also ArithmeticException
   */
  def writeTime(value: Any): java.lang.Long = given(value) match {
    case null => null
    case present => Scalars.micros(present)
  }

  /**
   * The time to live that a value stands for, in seconds; null for no value.
   *
   * @throws IllegalArgumentException if it is none; also ArithmeticException
   */
  def timeToLive(value: Any): Integer = given(value) match {
    case null => null
    case present => Scalars.seconds(present)
  }

  /** The value, or the content of an option; null for no value. */
  private def given(value: Any): Any = value match {
    case null | None | CassandraOption.Null | CassandraOption.Unset => null
    case Some(present) => given(present)
    case CassandraOption.Value(present) => given(present)
    case present: java.util.Optional[_] => if (present.isPresent) given(present.get) else null
    case present => present
  }

  /**
   * The value of a key column, which every key needs.
   *
   * @throws IllegalArgumentException if there is none, or the type cannot hold it; says which column it is
   */
  def keyColumn(value: Any, to: DataType, table: String, column: String): AnyRef = {
    val converted =
      try convert(value, to)
      catch {
        case e: IllegalArgumentException => throw ObjectFields.bad(table, column, to, value, e)
        case e: ArithmeticException => throw ObjectFields.bad(table, column, to, value, e)
      }
    if (converted == null || converted == ObjectFields.UNSET) {
      throw new IllegalArgumentException(
        s"[$table] key column \"$column\" is null in a row, and no row of the table has such a key: filter these rows first")
    }
    converted
  }

  private def ofType(value: Any, to: DataType): AnyRef = CqlType.of(to) match {
    case CqlType.TEXT | CqlType.ASCII => FromCassandra.shown(value)
    case CqlType.BOOLEAN => Scalars.boolean(value)
    case CqlType.TINYINT => Byte.box(Scalars.whole(value, Byte.MinValue, Byte.MaxValue).toByte)
    case CqlType.SMALLINT => Short.box(Scalars.whole(value, Short.MinValue, Short.MaxValue).toShort)
    case CqlType.INT => Scalars.int(value)
    case CqlType.BIGINT | CqlType.COUNTER => Long.box(Scalars.long(value))
    case CqlType.FLOAT => Float.box(Scalars.float(value))
    case CqlType.DOUBLE => Double.box(Scalars.double(value))
    case CqlType.VARINT => Scalars.varint(value)
    case CqlType.DECIMAL => Scalars.decimal(value)
    case CqlType.TIMESTAMP => Scalars.instant(value)
    case CqlType.DATE => Scalars.localDate(value)
    case CqlType.TIME => Scalars.localTime(value)
    case CqlType.UUID | CqlType.TIMEUUID => Scalars.uuid(value)
    case CqlType.INET => Scalars.inet(value)
    case CqlType.DURATION => Scalars.duration(value)
    case CqlType.BLOB | CqlType.CUSTOM => Scalars.buffer(value)
    case CqlType.LIST => elements(value, to.asInstanceOf[DriverList].getElementType)
    case CqlType.SET => new JLinkedHashSet[AnyRef](elements(value, to.asInstanceOf[DriverSet].getElementType))
    case CqlType.VECTOR =>
      val vector = to.asInstanceOf[VectorType]
      val converted = elements(value, vector.getElementType)
      if (converted.size != vector.getDimensions) {
        throw new IllegalArgumentException(s"it has ${converted.size} elements, must have ${vector.getDimensions}")
      }
      CqlVector.newInstance(converted)
    case CqlType.MAP => pairs(value, to.asInstanceOf[DriverMap])
    case CqlType.UDT => udt(value, to.asInstanceOf[UserDefinedType])
    case CqlType.TUPLE => tuple(value, to.asInstanceOf[DriverTuple])
  }

  /** A value inside of another one, where Cassandra has no null. */
  private def element(value: Any, to: DataType): AnyRef = {
    val converted = convert(value, to)
    if (converted == null || converted == ObjectFields.UNSET) {
      throw new IllegalArgumentException("it contains a null, which Cassandra does not allow")
    }
    converted
  }

  private def elements(value: Any, to: DataType): JArrayList[AnyRef] = {
    val all = value match {
      case map: collection.Map[_, _] => map.iterator
      case some: IterableOnce[_] => some.iterator
      case some: java.lang.Iterable[_] => some.iterator.asScala
      case array: Array[_] => array.iterator
      case _ => throw new IllegalArgumentException("it must be a collection")
    }
    val converted = new JArrayList[AnyRef]
    all.foreach(each => converted.add(element(each, to)))
    converted
  }

  private def pairs(value: Any, to: DriverMap): JLinkedHashMap[AnyRef, AnyRef] = {
    val converted = new JLinkedHashMap[AnyRef, AnyRef]
    def put(key: Any, of: Any): Unit = converted.put(element(key, to.getKeyType), element(of, to.getValueType))
    value match {
      case map: collection.Map[_, _] => map.foreachEntry((key, of) => put(key, of))
      case map: java.util.Map[_, _] => map.forEach((key, of) => put(key, of))
      case some: Iterable[_] =>
        some.foreach {
          case (key, of) => put(key, of)
          case _ => throw new IllegalArgumentException("it must be a map, or pairs of key and value")
        }
      case _ => throw new IllegalArgumentException("it must be a map, or pairs of key and value")
    }
    converted
  }

  private def udt(value: Any, to: UserDefinedType): UdtValue = {
    val names = to.getFieldNames.asScala.map(_.asInternal).toIndexedSeq
    val fieldOf: String => Any = value match {
      case same: UdtValue =>
        name => {
          val field = CqlIdentifier.fromInternal(name)
          if (same.isNull(field)) null else same.getObject(field) // which would be empty for a collection
        }
      case of: UDTValue => byName(names, of.metaData.columnNames, name => of.getRaw(name))
      case map: collection.Map[_, _] => byText(names, map)
      case map: java.util.Map[_, _] => byText(names, map.asScala)
      case row: Row => byName(names, row.schema.fieldNames, name => row.get(row.fieldIndex(name)))
      case other =>
        val properties = Properties.of(other.getClass)
        name => properties.read(other.asInstanceOf[AnyRef], name)
    }
    val converted = to.newValue()
    names.indices.foreach(i => set(converted, i, convert(fieldOf(names(i)), to.getFieldTypes.get(i)), to.getFieldTypes.get(i)))
    converted
  }

  private def byText(names: Seq[String], map: collection.Map[_, _]): String => Any = {
    val fields: Map[String, Any] = map.iterator.map { case (key, of) => String.valueOf(key) -> of }.toMap
    byName(names, fields.keys, fields)
  }

  /** Fields that the value does not have are null; one that the type does not have is a mistake. */
  private def byName(names: Seq[String], present: Iterable[String], get: String => Any): String => Any = {
    val known = present.toSet
    val unknown = known.diff(names.toSet)
    if (unknown.nonEmpty) {
      throw new IllegalArgumentException(
        s"it has a field ${unknown.toSeq.sorted.mkString(", ")}, and the type has only ${names.mkString(", ")}")
    }
    name => if (known.contains(name)) get(name) else null
  }

  private def tuple(value: Any, to: DriverTuple): DriverTupleValue = {
    val types = to.getComponentTypes
    val components: IndexedSeq[Any] = value match {
      case same: DriverTupleValue => (0 until same.size).map(i => if (same.isNull(i)) null else same.getObject(i))
      case of: TupleValue => of.columnValues
      case row: Row => row.toSeq.toIndexedSeq
      case pair: Pair[_, _] => IndexedSeq(pair.getLeft, pair.getRight)
      case triple: Triple[_, _, _] => IndexedSeq(triple.getLeft, triple.getMiddle, triple.getRight)
      case product: Product => product.productIterator.toIndexedSeq
      case _ => throw new IllegalArgumentException("it must be a tuple")
    }
    if (components.size != types.size) {
      throw new IllegalArgumentException(s"it has ${components.size} components, must have ${types.size}")
    }
    val converted = to.newValue()
    components.indices.foreach(i => set(converted, i, convert(components(i), types.get(i)), types.get(i)))
    converted
  }

  private def set[S <: SettableByIndex[S]](of: S, i: Int, value: AnyRef, to: DataType): Unit =
    if (value == null || value == ObjectFields.UNSET) {
      of.setToNull(i)
    } else {
      of.set(i, value, CodecRegistry.DEFAULT.codecFor[AnyRef](to, value).asInstanceOf[TypeCodec[AnyRef]])
    }
}
