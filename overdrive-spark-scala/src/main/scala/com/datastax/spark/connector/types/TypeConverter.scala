package com.datastax.spark.connector.types

import com.datastax.oss.driver.api.core.data.{ByteUtils, CqlDuration, CqlVector, GettableByIndex, TupleValue => DriverTupleValue, UdtValue}
import com.datastax.spark.connector.mapper.{Constructors, ObjectMaker}
import com.datastax.spark.connector.{CassandraRow, ScalaGettableData, TupleValue, UDTValue}
import org.apache.commons.lang3.tuple.{Pair, Triple}

import java.lang.{Boolean => JBoolean, Byte => JByte, Double => JDouble, Float => JFloat, Long => JLong, Short => JShort}
import java.math.{BigDecimal => JBigDecimal, BigInteger}
import java.net.InetAddress
import java.nio.ByteBuffer
import java.time.{Instant, LocalDate, LocalTime, ZoneId}
import java.util.{Date, GregorianCalendar, UUID}
import scala.collection.immutable.{TreeMap, TreeSet}
import scala.jdk.CollectionConverters._
import scala.reflect.runtime.universe._

/**
 * Turns values that were read into those of a type. Immutable and thread-safe; travels to executors.
 *
 * @tparam T the type
 */
trait TypeConverter[T] extends Serializable {

  /** For messages. */
  def targetTypeName: String

  /**
   * The value as this type.
   *
   * @param obj null for null
   * @throws IllegalArgumentException if it does not fit; also ArithmeticException
   */
  def convert(obj: Any): T

  /** As `convert`, where a null is allowed: null for null, unless the type has another value for it. */
  private[connector] def convertOrNull(obj: Any): Any = if (obj == null) null else convert(obj)

  override def toString: String = s"TypeConverter[$targetTypeName]"
}

/** Those that need no type tag, so that they cost little where a row is read. */
sealed trait LowPriorityTypeConverters {

  /** For tuples, case classes, and collections of Java. */
  implicit def ofType[T: TypeTag]: TypeConverter[T] = TypeConverter.forType[T]
}

object TypeConverter extends LowPriorityTypeConverters {
  private def of[T](name: String)(conversion: Any => T): TypeConverter[T] = new Simple(name, conversion)

  private final class Simple[T](val targetTypeName: String, conversion: Any => T) extends TypeConverter[T] {
    override def convert(obj: Any): T =
      if (obj == null) throw new IllegalArgumentException(s"it is null: read it as Option[$targetTypeName]") else conversion(obj)
  }

  implicit val BooleanConverter: TypeConverter[Boolean] = of("Boolean")(Scalars.boolean(_).booleanValue)
  implicit val ByteConverter: TypeConverter[Byte] = of("Byte")(Scalars.whole(_, Byte.MinValue, Byte.MaxValue).toByte)
  implicit val ShortConverter: TypeConverter[Short] = of("Short")(Scalars.whole(_, Short.MinValue, Short.MaxValue).toShort)
  implicit val IntConverter: TypeConverter[Int] = of("Int")(Scalars.int(_).intValue)
  implicit val LongConverter: TypeConverter[Long] = of("Long")(Scalars.long)
  implicit val FloatConverter: TypeConverter[Float] = of("Float")(Scalars.float)
  implicit val DoubleConverter: TypeConverter[Double] = of("Double")(Scalars.double)
  implicit val StringConverter: TypeConverter[String] = of("String")(FromCassandra.shown)
  implicit val BigIntConverter: TypeConverter[BigInt] = of("BigInt")(value => BigInt(Scalars.varint(value)))
  implicit val BigDecimalConverter: TypeConverter[BigDecimal] = of("BigDecimal")(value => BigDecimal(Scalars.decimal(value)))
  implicit val UUIDConverter: TypeConverter[UUID] = of("UUID")(Scalars.uuid)
  implicit val InetAddressConverter: TypeConverter[InetAddress] = of("InetAddress")(Scalars.inet)
  implicit val DateConverter: TypeConverter[Date] = of("Date")(Scalars.date)
  implicit val ByteBufferConverter: TypeConverter[ByteBuffer] = of("ByteBuffer")(Scalars.buffer)
  implicit val ByteArrayConverter: TypeConverter[Array[Byte]] = of("Array[Byte]")(Scalars.bytes)
  implicit val UDTValueConverter: TypeConverter[UDTValue] = of("UDTValue") {
    case value: UDTValue => value
    case _ => throw new IllegalArgumentException("it must be a value of a UDT")
  }
  implicit val TupleValueConverter: TypeConverter[TupleValue] = of("TupleValue") {
    case value: TupleValue => value
    case _ => throw new IllegalArgumentException("it must be a tuple")
  }

  implicit def optionConverter[T](implicit of: TypeConverter[T]): TypeConverter[Option[T]] =
    new OfNull[Option[T]](s"Option[${of.targetTypeName}]", () => None, value => Some(of.convert(value)))

  implicit def cassandraOptionConverter[T](implicit of: TypeConverter[T]): TypeConverter[CassandraOption[T]] =
    new OfNull[CassandraOption[T]](
      s"CassandraOption[${of.targetTypeName}]",
      () => CassandraOption.Unset,
      value => CassandraOption.Value(of.convert(value)))

  implicit def vectorConverter[T](implicit of: TypeConverter[T]): TypeConverter[Vector[T]] =
    new OfNull[Vector[T]](s"Vector[${of.targetTypeName}]", () => Vector.empty, elements(_).map(of.convert).toVector)

  implicit def listConverter[T](implicit of: TypeConverter[T]): TypeConverter[List[T]] =
    new OfNull[List[T]](s"List[${of.targetTypeName}]", () => Nil, elements(_).map(of.convert).toList)

  implicit def setConverter[T](implicit of: TypeConverter[T]): TypeConverter[Set[T]] =
    new OfNull[Set[T]](s"Set[${of.targetTypeName}]", () => Set.empty, elements(_).map(of.convert).toSet)

  implicit def mapConverter[K, V](implicit key: TypeConverter[K], value: TypeConverter[V]): TypeConverter[Map[K, V]] =
    new OfNull[Map[K, V]](
      s"Map[${key.targetTypeName}, ${value.targetTypeName}]",
      () => Map.empty,
      pairs(_).map { case (k, v) => key.convert(k) -> value.convert(v) }.toMap)

  /** Has a value for null: collections are empty, as Cassandra does not distinguish both. */
  private final class OfNull[T](val targetTypeName: String, ofNull: () => T, conversion: Any => T) extends TypeConverter[T] {
    override def convert(obj: Any): T = if (obj == null) ofNull() else conversion(obj)

    override private[connector] def convertOrNull(obj: Any): Any = convert(obj)
  }

  private def elements(value: Any): Iterator[Any] = value match {
    case map: collection.Map[_, _] => map.iterator
    case some: Iterable[_] => some.iterator
    case _ => throw new IllegalArgumentException("it must be a collection")
  }

  private def pairs(value: Any): Iterator[(Any, Any)] = elements(value).map {
    case (key, of) => (key, of)
    case _ => throw new IllegalArgumentException("it must be a map")
  }

  /** Reads null as null, as Java expects it. */
  private[connector] def orNull(of: TypeConverter[_]): TypeConverter[Any] = new OfNull[Any](of.targetTypeName, () => null, of.convert)

  /** Own converters are not supported: read the value as it is in Cassandra, and convert it in a function of Spark. */
  def registerConverter(converter: TypeConverter[_]): Unit =
    throw new UnsupportedOperationException(
      s"$converter cannot be registered, as own converters are not supported: read the column as the type that it has in Cassandra," +
        " and convert its values with map")

  /** @throws IllegalArgumentException if no value can be read as this type */
  def forType[T: TypeTag]: TypeConverter[T] = forType(typeOf[T]).asInstanceOf[TypeConverter[T]]

  /** @throws IllegalArgumentException if no value can be read as this type */
  def forType(tpe: Type): TypeConverter[_] = {
    val dealiased = tpe.dealias
    single.collectFirst { case (known, converter) if dealiased =:= known => converter }.getOrElse(composed(dealiased))
  }

  private lazy val single: Seq[(Type, TypeConverter[_])] = Seq(
    typeOf[Boolean] -> BooleanConverter,
    typeOf[JBoolean] -> of("java.lang.Boolean")(Scalars.boolean),
    typeOf[Byte] -> ByteConverter,
    typeOf[JByte] -> of[JByte]("java.lang.Byte")(value => ByteConverter.convert(value)),
    typeOf[Short] -> ShortConverter,
    typeOf[JShort] -> of[JShort]("java.lang.Short")(value => ShortConverter.convert(value)),
    typeOf[Int] -> IntConverter,
    typeOf[Integer] -> of("java.lang.Integer")(Scalars.int),
    typeOf[Long] -> LongConverter,
    typeOf[JLong] -> of[JLong]("java.lang.Long")(value => Scalars.long(value)),
    typeOf[Float] -> FloatConverter,
    typeOf[JFloat] -> of[JFloat]("java.lang.Float")(value => Scalars.float(value)),
    typeOf[Double] -> DoubleConverter,
    typeOf[JDouble] -> of[JDouble]("java.lang.Double")(value => Scalars.double(value)),
    typeOf[String] -> StringConverter,
    typeOf[BigInt] -> BigIntConverter,
    typeOf[BigInteger] -> of("BigInteger")(Scalars.varint),
    typeOf[BigDecimal] -> BigDecimalConverter,
    typeOf[JBigDecimal] -> of("java.math.BigDecimal")(Scalars.decimal),
    typeOf[UUID] -> UUIDConverter,
    typeOf[InetAddress] -> InetAddressConverter,
    typeOf[Date] -> DateConverter,
    typeOf[java.sql.Date] -> of("java.sql.Date")(value => java.sql.Date.valueOf(Scalars.localDate(value))),
    typeOf[GregorianCalendar] -> of("GregorianCalendar") { value =>
      val calendar = new GregorianCalendar
      calendar.setTime(Scalars.date(value))
      calendar
    },
    typeOf[java.sql.Timestamp] -> of("java.sql.Timestamp")(value => java.sql.Timestamp.from(Scalars.instant(value))),
    typeOf[Instant] -> of("Instant")(Scalars.instant),
    typeOf[java.time.ZonedDateTime] -> of("ZonedDateTime")(value => Scalars.instant(value).atZone(ZoneId.systemDefault)),
    typeOf[LocalDate] -> of("LocalDate")(Scalars.localDate),
    typeOf[LocalTime] -> of("LocalTime")(Scalars.localTime),
    typeOf[CqlDuration] -> of("CqlDuration")(Scalars.duration),
    typeOf[ByteBuffer] -> ByteBufferConverter,
    typeOf[Array[Byte]] -> ByteArrayConverter,
    typeOf[UDTValue] -> UDTValueConverter,
    typeOf[TupleValue] -> TupleValueConverter,
    typeOf[Any] -> new OfNull[Any]("Any", () => null, identity),
    typeOf[AnyRef] -> new OfNull[Any]("AnyRef", () => null, identity))

  private def composed(tpe: Type): TypeConverter[_] = {
    def argument(n: Int): TypeConverter[Any] = forType(tpe.typeArgs(n)).asInstanceOf[TypeConverter[Any]]
    val name = tpe.toString
    def iterable[T](empty: T)(build: Iterator[Any] => T): TypeConverter[T] = {
      val element = argument(0)
      new OfNull[T](name, () => empty, value => build(elements(value).map(element.convert)))
    }
    def map[T](empty: () => T)(build: Iterator[(Any, Any)] => T): TypeConverter[T] = {
      val (key, value) = (argument(0), argument(1))
      new OfNull[T](name, empty, from => build(pairs(from).map { case (k, v) => key.convert(k) -> value.convert(v) }))
    }
    val symbol = tpe.typeSymbol
    if (tpe <:< typeOf[Option[_]]) optionConverter(argument(0))
    else if (tpe <:< typeOf[CassandraOption[_]]) cassandraOptionConverter(argument(0))
    else if (symbol == typeOf[List[Any]].typeSymbol) listConverter(argument(0))
    else if (symbol == typeOf[TreeSet[Any]].typeSymbol) iterable[TreeSet[Any]](TreeSet.empty(Natural))(TreeSet.from(_)(Natural))
    else if (symbol == typeOf[TreeMap[Any, Any]].typeSymbol) map[TreeMap[Any, Any]](() => TreeMap.empty(Natural))(TreeMap.from(_)(Natural))
    else if (symbol == typeOf[Pair[Any, Any]].typeSymbol) pairOf(name, argument(0), argument(1))
    else if (symbol == typeOf[Triple[Any, Any, Any]].typeSymbol) tripleOf(name, argument(0), argument(1), argument(2))
    else if (typeOf[Vector[Any]].baseClasses.contains(symbol) && tpe.typeArgs.size == 1) vectorConverter(argument(0))
    else if (typeOf[Set[Any]].baseClasses.contains(symbol) && tpe.typeArgs.size == 1) setConverter(argument(0))
    else if (typeOf[Map[Any, Any]].baseClasses.contains(symbol) && tpe.typeArgs.size == 2) mapConverter(argument(0), argument(1))
    else if (tpe <:< typeOf[java.util.List[_]] || symbol == typeOf[java.util.Collection[Any]].typeSymbol)
      iterable(new java.util.ArrayList[Any])(all => new java.util.ArrayList[Any](all.toSeq.asJava))
    else if (tpe <:< typeOf[java.util.Set[_]])
      iterable(new java.util.HashSet[Any])(all => new java.util.HashSet[Any](all.toSeq.asJava))
    else if (tpe <:< typeOf[java.util.Map[_, _]])
      map(() => new java.util.HashMap[Any, Any])(all => new java.util.HashMap[Any, Any](all.toMap.asJava))
    else if (symbol.fullName.matches("scala\\.Tuple\\d+")) new OfTuple(name, tpe.typeArgs.map(forType), ObjectMaker.of(tpe))
    else if (symbol.isClass && symbol.asClass.isCaseClass) new OfUdt(name, ObjectMaker.of(tpe))
    else unreadable(name)
  }

  /** That of the values themselves. */
  private object Natural extends Ordering[Any] {
    override def compare(one: Any, other: Any): Int = one.asInstanceOf[Comparable[Any]].compareTo(other)
  }

  private def components(value: Any, count: Int): IndexedSeq[Any] = value match {
    case tuple: TupleValue if tuple.size == count => tuple.columnValues
    case pair: (_, _) if count == 2 => IndexedSeq(pair._1, pair._2)
    case _ => throw new IllegalArgumentException(s"it must be a tuple of $count components")
  }

  private def pairOf(name: String, left: TypeConverter[Any], right: TypeConverter[Any]): TypeConverter[_] = of(name) { value =>
    val both = components(value, 2)
    Pair.of(left.convert(both(0)), right.convert(both(1)))
  }

  private def tripleOf(name: String, left: TypeConverter[Any], middle: TypeConverter[Any], right: TypeConverter[Any]): TypeConverter[_] =
    of(name) { value =>
      val all = components(value, 3)
      Triple.of(left.convert(all(0)), middle.convert(all(1)), right.convert(all(2)))
    }

  private def unreadable(name: String): Nothing =
    throw new IllegalArgumentException(
      s"no value can be read as $name: read it as the type that it has in Cassandra, or as Any, and convert it with map")

  private final class OfTuple(val targetTypeName: String, of: Seq[TypeConverter[_]], maker: ObjectMaker) extends TypeConverter[Any] {
    private val converters = of.toArray

    override def convert(obj: Any): Any = {
      if (obj == null) throw new IllegalArgumentException(s"it is null: read it as Option[$targetTypeName]")
      val values = components(obj, converters.length)
      maker.make(Array.tabulate(converters.length)(i => converters(i).convert(values(i)).asInstanceOf[AnyRef]))
    }
  }

  private final class OfUdt(val targetTypeName: String, maker: ObjectMaker) extends TypeConverter[Any] {
    override def convert(obj: Any): Any = obj match {
      case value: ScalaGettableData =>
        maker.make(Array.tabulate(maker.names.size) { i =>
          val field = maker.columnOf(i, value.metaData.columnNames)
          FromCassandra.named(maker.names(i)) {
            maker.converters(i).convert(if (field < 0) null else value.getRaw(field)).asInstanceOf[AnyRef]
          }
        })
      case null => throw new IllegalArgumentException(s"it is null: read it as Option[$targetTypeName]")
      case _ => throw new IllegalArgumentException("it must be a value of a UDT")
    }
  }
}

/** Values of the driver as those of rows. Stateless. */
private[connector] object FromCassandra {

  /** Collections, UDTs and tuples as those of Scala, and bytes as an array, which Spark can send; everything else as it is. */
  def value(of: Any): AnyRef = of match {
    case bytes: ByteBuffer => ByteUtils.getArray(bytes)
    case list: java.util.List[_] => list.asScala.map(value).toList
    case set: java.util.Set[_] => set.asScala.map(value).toSet
    case map: java.util.Map[_, _] => map.asScala.map { case (key, each) => value(key) -> value(each) }.toMap
    case vector: CqlVector[_] => vector.iterator.asScala.map(value).toVector
    case udt: UdtValue =>
      val names = udt.getType.getFieldNames.asScala.map(_.asInternal).toIndexedSeq
      new UDTValue(names, names.indices.map(i => component(udt, i)))
    case tuple: DriverTupleValue => TupleValue((0 until tuple.size).map(i => component(tuple, i)): _*)
    case other => other.asInstanceOf[AnyRef]
  }

  /** The driver has an empty collection for a null. */
  private def component(of: GettableByIndex, i: Int): AnyRef = if (of.isNull(i)) null else value(of.getObject(i))

  /** As text, in the form of CQL. */
  def shown(value: Any): String = value match {
    case null => "null"
    case map: collection.Map[_, _] => map.map { case (key, of) => s"${shown(key)}: ${shown(of)}" }.mkString("{", ",", "}")
    case set: collection.Set[_] => set.iterator.map(shown).mkString("{", ",", "}")
    case some: Iterable[_] => some.iterator.map(shown).mkString("[", ",", "]")
    case data: ScalaGettableData => data.dataAsString
    case tuple: TupleValue => tuple.toString
    case other => Scalars.text(other)
  }

  /** What the conversion gives; if it fails, the message names the column. */
  def named[T](name: => String)(conversion: => T): T =
    try conversion
    catch {
      case e @ (_: IllegalArgumentException | _: ArithmeticException | _: java.time.DateTimeException) =>
        throw new IllegalArgumentException(s"column \"$name\" cannot be read: ${e.getMessage}", e)
    }
}
