package com.datastax.spark.connector.types

import com.datastax.oss.driver.api.core.CqlIdentifier
import com.datastax.oss.driver.api.core.`type`.{DataType, DataTypes, ListType => DriverList, MapType => DriverMap, SetType => DriverSet, TupleType => DriverTuple, UserDefinedType => DriverUdt, VectorType => DriverVector}
import com.datastax.oss.driver.internal.core.`type`.DefaultUserDefinedType
import com.datastax.spark.connector.cql.FieldDef
import com.datastax.spark.connector.{TupleValue, UDTValue}

import scala.jdk.CollectionConverters._
import scala.reflect.runtime.universe._

/**
 * The CQL type of a column. Immutable.
 *
 * @tparam T the Scala type that values have by default
 */
sealed trait ColumnType[T] extends Serializable {

  /** The type in the driver. */
  def dataType: DataType

  /** The type in a statement. */
  def cqlTypeName: String = dataType.asCql(/* includeFrozen */ true, /* pretty */ true)

  def isCollection: Boolean = dataType.isInstanceOf[DriverList] || dataType.isInstanceOf[DriverSet] || dataType.isInstanceOf[DriverMap]

  def isFrozen: Boolean = false

  /** Whether elements or fields can be written by themselves. */
  def isMultiCell: Boolean = isCollection && !isFrozen

  override def toString: String = cqlTypeName
}

case object AsciiType extends ColumnType[String] { override def dataType: DataType = DataTypes.ASCII }
case object TextType extends ColumnType[String] { override def dataType: DataType = DataTypes.TEXT }
case object VarCharType extends ColumnType[String] { override def dataType: DataType = DataTypes.TEXT }
case object BooleanType extends ColumnType[Boolean] { override def dataType: DataType = DataTypes.BOOLEAN }
case object TinyIntType extends ColumnType[Byte] { override def dataType: DataType = DataTypes.TINYINT }
case object SmallIntType extends ColumnType[Short] { override def dataType: DataType = DataTypes.SMALLINT }
case object IntType extends ColumnType[Int] { override def dataType: DataType = DataTypes.INT }
case object BigIntType extends ColumnType[Long] { override def dataType: DataType = DataTypes.BIGINT }
case object CounterType extends ColumnType[Long] { override def dataType: DataType = DataTypes.COUNTER }
case object FloatType extends ColumnType[Float] { override def dataType: DataType = DataTypes.FLOAT }
case object DoubleType extends ColumnType[Double] { override def dataType: DataType = DataTypes.DOUBLE }
case object VarIntType extends ColumnType[BigInt] { override def dataType: DataType = DataTypes.VARINT }
case object DecimalType extends ColumnType[BigDecimal] { override def dataType: DataType = DataTypes.DECIMAL }
case object TimestampType extends ColumnType[java.util.Date] { override def dataType: DataType = DataTypes.TIMESTAMP }
case object DateType extends ColumnType[java.time.LocalDate] { override def dataType: DataType = DataTypes.DATE }
case object TimeType extends ColumnType[Long] { override def dataType: DataType = DataTypes.TIME }
case object UUIDType extends ColumnType[java.util.UUID] { override def dataType: DataType = DataTypes.UUID }
case object TimeUUIDType extends ColumnType[java.util.UUID] { override def dataType: DataType = DataTypes.TIMEUUID }
case object InetType extends ColumnType[java.net.InetAddress] { override def dataType: DataType = DataTypes.INET }
case object BlobType extends ColumnType[java.nio.ByteBuffer] { override def dataType: DataType = DataTypes.BLOB }
case object DurationType extends ColumnType[com.datastax.oss.driver.api.core.data.CqlDuration] {
  override def dataType: DataType = DataTypes.DURATION
}

final case class ListType[T](elemType: ColumnType[T], override val isFrozen: Boolean = false) extends ColumnType[Vector[T]] {
  override def dataType: DataType = DataTypes.listOf(elemType.dataType, isFrozen)
}

final case class SetType[T](elemType: ColumnType[T], override val isFrozen: Boolean = false) extends ColumnType[Set[T]] {
  override def dataType: DataType = DataTypes.setOf(elemType.dataType, isFrozen)
}

final case class MapType[K, V](keyType: ColumnType[K], valueType: ColumnType[V], override val isFrozen: Boolean = false)
  extends ColumnType[Map[K, V]] {
  override def dataType: DataType = DataTypes.mapOf(keyType.dataType, valueType.dataType, isFrozen)
}

final case class VectorType[T](elemType: ColumnType[T], dimension: Int) extends ColumnType[Seq[T]] {
  override def dataType: DataType = DataTypes.vectorOf(elemType.dataType, dimension)
}

/** A field of a UDT. Immutable. */
final case class UDTFieldDef(columnName: String, columnType: ColumnType[_]) extends FieldDef

/**
 * A UDT of the keyspace of the table that has it. Immutable.
 *
 * @param name as in Cassandra, not quoted
 */
final case class UserDefinedType(name: String, columns: IndexedSeq[UDTFieldDef], override val isFrozen: Boolean = false)
  extends ColumnType[UDTValue] {
  def columnNames: IndexedSeq[String] = columns.map(_.columnName)

  def columnTypes: IndexedSeq[ColumnType[_]] = columns.map(_.columnType)

  override def isMultiCell: Boolean = !isFrozen

  /** Its text has no keyspace, as all types of a table are of the table's. */
  override def dataType: DataType = {
    val cqlName = CqlIdentifier.fromInternal(name)
    new DefaultUserDefinedType(
      CqlIdentifier.fromInternal(""),
      cqlName,
      isFrozen,
      columns.map(field => CqlIdentifier.fromInternal(field.columnName)).asJava,
      columns.map(_.columnType.dataType).asJava) {
      override def asCql(includeFrozen: Boolean, pretty: Boolean): String =
        if (isFrozen && includeFrozen) s"frozen<${cqlName.asCql(pretty)}>" else cqlName.asCql(pretty)
    }
  }

  /** A value of this type: one value for each field. */
  def newInstance(columnValues: Any*): UDTValue = UDTValue(columnNames, columnValues.map(_.asInstanceOf[AnyRef]).toIndexedSeq)
}

object UserDefinedType {

  /** Converts the driver's type. */
  def apply(of: DriverUdt): UserDefinedType =
    UserDefinedType(
      of.getName.asInternal,
      of.getFieldNames.asScala.zip(of.getFieldTypes.asScala).map { case (name, columnType) =>
        UDTFieldDef(name.asInternal, ColumnType.fromDriverType(columnType))
      }.toIndexedSeq,
      of.isFrozen)
}

/** @param index from 0 */
final case class TupleFieldDef(index: Int, columnType: ColumnType[_]) extends FieldDef {
  override def columnName: String = index.toString
}

/** A tuple, which is always frozen. Immutable. */
final case class TupleType(componentTypes: TupleFieldDef*) extends ColumnType[TupleValue] {
  componentTypes.zipWithIndex.foreach { case (component, index) =>
    require(component.index == index, s"component $index of a tuple has the index ${component.index}, must have $index")
  }

  def columns: IndexedSeq[TupleFieldDef] = componentTypes.toIndexedSeq

  override def dataType: DataType = DataTypes.tupleOf(componentTypes.map(_.columnType.dataType): _*)

  /** A value of this type: one value for each component. */
  def newInstance(componentValues: Any*): TupleValue = TupleValue(componentValues: _*)
}

object TupleType {

  /** Converts the driver's type. */
  def apply(of: DriverTuple): TupleType =
    TupleType(of.getComponentTypes.asScala.zipWithIndex.map { case (columnType, index) =>
      TupleFieldDef(index, ColumnType.fromDriverType(columnType))
    }.toSeq: _*)
}

/** Any other type: custom ones. */
final case class OtherType(dataType: DataType) extends ColumnType[Any]

object ColumnType {
  private val scalars: Seq[(Type, ColumnType[_])] = Seq(
    typeOf[String] -> TextType,
    typeOf[Boolean] -> BooleanType,
    typeOf[java.lang.Boolean] -> BooleanType,
    typeOf[Byte] -> TinyIntType,
    typeOf[java.lang.Byte] -> TinyIntType,
    typeOf[Short] -> SmallIntType,
    typeOf[java.lang.Short] -> SmallIntType,
    typeOf[Int] -> IntType,
    typeOf[java.lang.Integer] -> IntType,
    typeOf[Long] -> BigIntType,
    typeOf[java.lang.Long] -> BigIntType,
    typeOf[Float] -> FloatType,
    typeOf[java.lang.Float] -> FloatType,
    typeOf[Double] -> DoubleType,
    typeOf[java.lang.Double] -> DoubleType,
    typeOf[BigInt] -> VarIntType,
    typeOf[java.math.BigInteger] -> VarIntType,
    typeOf[BigDecimal] -> DecimalType,
    typeOf[java.math.BigDecimal] -> DecimalType,
    typeOf[java.sql.Date] -> DateType,
    typeOf[java.util.Date] -> TimestampType,
    typeOf[java.time.Instant] -> TimestampType,
    typeOf[java.time.LocalDate] -> DateType,
    typeOf[java.time.LocalTime] -> TimeType,
    typeOf[java.util.UUID] -> UUIDType,
    typeOf[java.net.InetAddress] -> InetType,
    typeOf[java.nio.ByteBuffer] -> BlobType,
    typeOf[Array[Byte]] -> BlobType)

  /**
   * The type in which a column for values of a Scala type is created.
   *
   * @throws IllegalArgumentException if there is none
   */
  def fromScalaType(scalaType: Type): ColumnType[_] = {
    val dealiased = scalaType.dealias
    def argument(n: Int): ColumnType[_] = fromScalaType(dealiased.typeArgs(n))
    scalars.collectFirst { case (known, columnType) if dealiased <:< known && !(dealiased <:< typeOf[Null]) => columnType }.getOrElse {
      if (dealiased <:< typeOf[Option[_]] || dealiased <:< typeOf[CassandraOption[_]]) argument(0)
      else if (dealiased <:< typeOf[collection.Map[_, _]] || dealiased <:< typeOf[java.util.Map[_, _]]) MapType(argument(0), argument(1))
      else if (dealiased <:< typeOf[collection.Set[_]] || dealiased <:< typeOf[java.util.Set[_]]) SetType(argument(0))
      else if (dealiased <:< typeOf[Iterable[_]] || dealiased <:< typeOf[java.util.Collection[_]]) ListType(argument(0))
      else
        throw new IllegalArgumentException(
          s"no column can be created for values of type $scalaType: create the table in CQL, or give its TableDef, and save with" +
            " saveToCassandra")
    }
  }

  /** @see [[fromScalaType]] */
  def fromScalaType[T: TypeTag]: ColumnType[_] = fromScalaType(typeOf[T])

  /** Converts the driver's type. */
  def fromDriverType(dataType: DataType): ColumnType[_] = dataType match {
    case list: DriverList => ListType(fromDriverType(list.getElementType), list.isFrozen)
    case set: DriverSet => SetType(fromDriverType(set.getElementType), set.isFrozen)
    case map: DriverMap => MapType(fromDriverType(map.getKeyType), fromDriverType(map.getValueType), map.isFrozen)
    case vector: DriverVector => VectorType(fromDriverType(vector.getElementType), vector.getDimensions)
    case udt: DriverUdt => UserDefinedType(udt)
    case tuple: DriverTuple => TupleType(tuple)
    case other => single.getOrElse(other, OtherType(other))
  }

  private lazy val single: Map[DataType, ColumnType[_]] = Seq[ColumnType[_]](
    AsciiType,
    TextType,
    BooleanType,
    TinyIntType,
    SmallIntType,
    IntType,
    BigIntType,
    CounterType,
    FloatType,
    DoubleType,
    VarIntType,
    DecimalType,
    TimestampType,
    DateType,
    TimeType,
    UUIDType,
    TimeUUIDType,
    InetType,
    BlobType,
    DurationType).map(columnType => columnType.dataType -> columnType).toMap
}
