package com.datastax.spark.connector.types

import com.datastax.oss.driver.api.core.`type`.{DataType, DataTypes, ListType => DriverList, MapType => DriverMap, SetType => DriverSet}

import scala.reflect.runtime.universe._

/**
 * The CQL type of a column. Immutable.
 *
 * @tparam T the Scala type that values have by default
 */
sealed trait ColumnType[T] extends Serializable {

  /** As the driver has it. */
  def dataType: DataType

  /** As a statement names it. */
  def cqlTypeName: String = dataType.asCql(/* includeFrozen */ true, /* pretty */ true)

  def isCollection: Boolean = dataType.isInstanceOf[DriverList] || dataType.isInstanceOf[DriverSet] || dataType.isInstanceOf[DriverMap]

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

final case class ListType[T](elemType: ColumnType[T], isFrozen: Boolean = false) extends ColumnType[Vector[T]] {
  override def dataType: DataType = DataTypes.listOf(elemType.dataType, isFrozen)
}

final case class SetType[T](elemType: ColumnType[T], isFrozen: Boolean = false) extends ColumnType[Set[T]] {
  override def dataType: DataType = DataTypes.setOf(elemType.dataType, isFrozen)
}

final case class MapType[K, V](keyType: ColumnType[K], valueType: ColumnType[V], isFrozen: Boolean = false) extends ColumnType[Map[K, V]] {
  override def dataType: DataType = DataTypes.mapOf(keyType.dataType, valueType.dataType, isFrozen)
}

/** Any other type: UDTs, tuples, vectors. */
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
          s"no column can be created for values of type $scalaType: create the table by CQL, or give its TableDef, and save with" +
            " saveToCassandra")
    }
  }

  /** @see [[fromScalaType]] */
  def fromScalaType[T: TypeTag]: ColumnType[_] = fromScalaType(typeOf[T])

  private[connector] def of(dataType: DataType): ColumnType[_] = dataType match {
    case list: DriverList => ListType(of(list.getElementType), list.isFrozen)
    case set: DriverSet => SetType(of(set.getElementType), set.isFrozen)
    case map: DriverMap => MapType(of(map.getKeyType), of(map.getValueType), map.isFrozen)
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
