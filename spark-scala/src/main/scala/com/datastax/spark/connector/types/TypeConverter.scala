package com.datastax.spark.connector.types

import com.datastax.oss.driver.api.core.data.{ByteUtils, CqlDuration, CqlVector, GettableByIndex, TupleValue => DriverTupleValue, UdtValue}
import com.datastax.spark.connector.japi.JavaTypes
import com.datastax.spark.connector.mapper.{Constructors, ObjectMaker, Properties, Setter}
import com.datastax.spark.connector.{CassandraRow, ScalaGettableData, TupleValue, UDTValue}
import org.apache.commons.lang3.tuple.{Pair, Triple}

import java.lang.{Boolean => JBoolean, Byte => JByte, Double => JDouble, Float => JFloat, Long => JLong, Short => JShort}
import java.math.{BigDecimal => JBigDecimal, BigInteger}
import java.net.InetAddress
import java.nio.ByteBuffer
import java.time.{Instant, LocalDate, LocalTime, ZoneId, ZonedDateTime}
import java.util.{Date, GregorianCalendar, UUID}
import scala.collection.immutable.{TreeMap, TreeSet}
import scala.jdk.CollectionConverters._
import scala.reflect.api.{Mirror => ApiMirror, TypeCreator, Universe => ApiUniverse}
import scala.reflect.runtime.universe._

/**
 * Turns values that were read into values of a type. A program may have its own, which it passes to `get` of a row. Immutable and thread-safe;
 * travels to executors.
 *
 * @tparam T the type
 */
trait TypeConverter[T] extends Serializable {
  def targetTypeTag: TypeTag[T]

  /** Which values fit, and how. */
  def convertPF: PartialFunction[Any, T]

  /** The type in messages. */
  def targetTypeName: String = targetTypeTag.tpe.toString

  /**
   * The value as this type.
   *
   * @param obj null for null
   * @throws IllegalArgumentException if it does not fit; also ArithmeticException
   */
  def convert(obj: Any): T =
    convertPF.applyOrElse(
      obj,
      (_: Any) => throw new IllegalArgumentException(s"${FromCassandra.shown(obj)} does not fit the converter to $targetTypeName"))

  /** Like `convert`, where a null is allowed: null for null, unless the type has another value for it. */
  private[connector] def convertOrNull(obj: Any): Any = if (obj == null) null else convert(obj)

  override def toString: String = s"TypeConverter[$targetTypeName]"
}

/**
 * Converts a null to null.
 *
 * @tparam T the type
 */
trait NullableTypeConverter[T] extends TypeConverter[T] {
  override def convert(obj: Any): T = if (obj == null) null.asInstanceOf[T] else super.convert(obj)
}

/** Converters that need no type tag, so that they cost little where a row is read. */
sealed trait LowPriorityTypeConverters {

  /** Converts to tuples, case classes, and collections of Java. */
  implicit def ofType[T: TypeTag]: TypeConverter[T] = TypeConverter.forType[T]
}

object TypeConverter extends LowPriorityTypeConverters {

  /** A converter of this connector: all values are tried. */
  sealed abstract class BuiltIn[T](override val targetTypeName: String) extends TypeConverter[T] {
    override def convertPF: PartialFunction[Any, T] = { case value => convert(value) }
  }

  /** A converter of a single value. */
  sealed abstract class Simple[T](name: String, conversion: Any => T)(implicit override val targetTypeTag: TypeTag[T]) extends BuiltIn[T](name) {
    override def convert(obj: Any): T =
      conversion(notNull(obj, targetTypeName))
  }

  /** A converter of a class with type parameters. */
  sealed abstract class Composed[T](name: String, ofClass: Class[_], arguments: Seq[TypeConverter[_]]) extends BuiltIn[T](name) {
    override def targetTypeTag: TypeTag[T] = {
      val mirror = runtimeMirror(Option(Thread.currentThread.getContextClassLoader).getOrElse(getClass.getClassLoader))
      tag[T](mirror, appliedType(mirror.classSymbol(ofClass).toTypeConstructor, arguments.map(_.targetTypeTag.tpe).toList))
    }
  }

  private[connector] def tag[T](mirror: Mirror, tpe: Type): TypeTag[T] = TypeTag(
    mirror,
    new TypeCreator {
      override def apply[U <: ApiUniverse with Singleton](of: ApiMirror[U]): U#Type = tpe.asInstanceOf[U#Type]
    })

  implicit object BooleanConverter extends Simple[Boolean]("Boolean", Scalars.boolean(_).booleanValue)
  implicit object JavaBooleanConverter extends Simple[JBoolean]("java.lang.Boolean", Scalars.boolean)
  implicit object ByteConverter extends Simple[Byte]("Byte", Scalars.whole(_, Byte.MinValue, Byte.MaxValue).toByte)
  implicit object JavaByteConverter extends Simple[JByte]("java.lang.Byte", value => ByteConverter.convert(value))
  implicit object ShortConverter extends Simple[Short]("Short", Scalars.whole(_, Short.MinValue, Short.MaxValue).toShort)
  implicit object JavaShortConverter extends Simple[JShort]("java.lang.Short", value => ShortConverter.convert(value))
  implicit object IntConverter extends Simple[Int]("Int", Scalars.int(_).intValue)
  implicit object JavaIntConverter extends Simple[Integer]("java.lang.Integer", Scalars.int)
  implicit object LongConverter extends Simple[Long]("Long", Scalars.long)
  implicit object JavaLongConverter extends Simple[JLong]("java.lang.Long", value => Scalars.long(value))
  implicit object FloatConverter extends Simple[Float]("Float", Scalars.float)
  implicit object JavaFloatConverter extends Simple[JFloat]("java.lang.Float", value => Scalars.float(value))
  implicit object DoubleConverter extends Simple[Double]("Double", Scalars.double)
  implicit object JavaDoubleConverter extends Simple[JDouble]("java.lang.Double", value => Scalars.double(value))
  implicit object StringConverter extends Simple[String]("String", FromCassandra.shown)
  implicit object BigIntConverter extends Simple[BigInt]("BigInt", value => BigInt(Scalars.varint(value)))
  implicit object JavaBigIntegerConverter extends Simple[BigInteger]("BigInteger", Scalars.varint)
  implicit object BigDecimalConverter extends Simple[BigDecimal]("BigDecimal", value => BigDecimal(Scalars.decimal(value)))
  implicit object JavaBigDecimalConverter extends Simple[JBigDecimal]("java.math.BigDecimal", Scalars.decimal)
  implicit object UUIDConverter extends Simple[UUID]("UUID", Scalars.uuid)
  implicit object InetAddressConverter extends Simple[InetAddress]("InetAddress", Scalars.inet)
  implicit object DateConverter extends Simple[Date]("Date", Scalars.date)
  implicit object SqlDateConverter extends Simple[java.sql.Date]("java.sql.Date", value => java.sql.Date.valueOf(Scalars.localDate(value)))
  implicit object TimestampConverter
    extends Simple[java.sql.Timestamp]("java.sql.Timestamp", value => java.sql.Timestamp.from(Scalars.instant(value)))
  implicit object GregorianCalendarConverter extends Simple[GregorianCalendar](
      "GregorianCalendar",
      value => {
        val calendar = new GregorianCalendar
        calendar.setTime(Scalars.date(value))
        calendar
      })
  implicit object JavaInstantConverter extends Simple[Instant]("Instant", Scalars.instant)
  implicit object ZonedDateTimeConverter
    extends Simple[ZonedDateTime]("ZonedDateTime", value => Scalars.instant(value).atZone(ZoneId.systemDefault))
  implicit object JavaLocalDateConverter extends Simple[LocalDate]("LocalDate", Scalars.localDate)
  implicit object JavaLocalTimeConverter extends Simple[LocalTime]("LocalTime", Scalars.localTime)
  implicit object DurationConverter extends Simple[CqlDuration]("CqlDuration", Scalars.duration)
  implicit object ByteBufferConverter extends Simple[ByteBuffer]("ByteBuffer", Scalars.buffer)
  implicit object ByteArrayConverter extends Simple[Array[Byte]]("Array[Byte]", Scalars.bytes)
  implicit object UDTValueConverter extends Simple[UDTValue](
      "UDTValue",
      {
        case value: UDTValue => value
        case _ => throw new IllegalArgumentException("it must be a value of a UDT")
      })
  implicit object TupleValueConverter extends Simple[TupleValue](
      "TupleValue",
      {
        case value: TupleValue => value
        case _ => throw new IllegalArgumentException("it must be a tuple")
      })

  /** The value as it was read. */
  object AnyConverter extends BuiltIn[Any]("Any") {
    override def targetTypeTag: TypeTag[Any] = typeTag[Any]

    override def convert(obj: Any): Any = obj
  }

  /** The value as it was read. */
  object AnyRefConverter extends BuiltIn[AnyRef]("AnyRef") {
    override def targetTypeTag: TypeTag[AnyRef] = typeTag[AnyRef]

    override def convert(obj: Any): AnyRef = obj.asInstanceOf[AnyRef]
  }

  implicit def optionConverter[T](implicit of: TypeConverter[T]): TypeConverter[Option[T]] =
    new OfNull[Option[T]](
      s"Option[${of.targetTypeName}]",
      classOf[Option[_]],
      Seq(of),
      () => None,
      given(_).map(value => of.convert(value)))

  /** A row that a program makes may have options itself. */
  private def given(value: Any): Option[Any] = value match {
    case option: Option[_] => option
    case other => Some(other)
  }

  implicit def cassandraOptionConverter[T](implicit of: TypeConverter[T]): TypeConverter[CassandraOption[T]] =
    new OfNull[CassandraOption[T]](
      s"CassandraOption[${of.targetTypeName}]",
      classOf[CassandraOption[_]],
      Seq(of),
      () => CassandraOption.Unset,
      value => CassandraOption.Value(of.convert(value)))

  implicit def vectorConverter[T](implicit of: TypeConverter[T]): TypeConverter[Vector[T]] =
    new OfNull[Vector[T]](s"Vector[${of.targetTypeName}]", classOf[Vector[_]], Seq(of), () => Vector.empty, elements(_).map(of.convert).toVector)

  implicit def listConverter[T](implicit of: TypeConverter[T]): TypeConverter[List[T]] =
    new OfNull[List[T]](s"List[${of.targetTypeName}]", classOf[List[_]], Seq(of), () => Nil, elements(_).map(of.convert).toList)

  implicit def setConverter[T](implicit of: TypeConverter[T]): TypeConverter[Set[T]] =
    new OfNull[Set[T]](s"Set[${of.targetTypeName}]", classOf[Set[_]], Seq(of), () => Set.empty, elements(_).map(of.convert).toSet)

  implicit def mapConverter[K, V](implicit key: TypeConverter[K], value: TypeConverter[V]): TypeConverter[Map[K, V]] =
    new OfNull[Map[K, V]](
      s"Map[${key.targetTypeName}, ${value.targetTypeName}]",
      classOf[Map[_, _]],
      Seq(key, value),
      () => Map.empty,
      pairs(_).map { case (k, v) => key.convert(k) -> value.convert(v) }.toMap)

  /** Has a value for null: collections are empty, as Cassandra does not distinguish both. */
  private final class OfNull[T](name: String, ofClass: Class[_], arguments: Seq[TypeConverter[_]], ofNull: () => T, conversion: Any => T)
    extends Composed[T](name, ofClass, arguments) {
    override def convert(obj: Any): T = if (obj == null) ofNull() else conversion(obj)

    override private[connector] def convertOrNull(obj: Any): Any = convert(obj)
  }

  /** A row that a program makes may have collections of Java. */
  private def elements(value: Any): Iterator[Any] = value match {
    case map: collection.Map[_, _] => map.iterator
    case some: Iterable[_] => some.iterator
    case map: java.util.Map[_, _] => map.asScala.iterator
    case some: java.lang.Iterable[_] => some.iterator.asScala
    case _ => throw new IllegalArgumentException("it must be a collection")
  }

  private def pairs(value: Any): Iterator[(Any, Any)] = elements(value).map {
    case (key, of) => (key, of)
    case _ => throw new IllegalArgumentException("it must be a map")
  }

  /** Reads null as null, as Java expects it. */
  private[connector] def orNull[T](of: TypeConverter[T]): TypeConverter[T] = new OrNull[T](of)

  private final class OrNull[T](of: TypeConverter[T]) extends BuiltIn[T](of.targetTypeName) {
    override def targetTypeTag: TypeTag[T] = of.targetTypeTag

    override def convert(obj: Any): T = if (obj == null) null.asInstanceOf[T] else of.convert(obj)
  }

  /** No converter can be registered for all reads and writes: convert values in a function of Spark, or by `get` of a row. */
  def registerConverter(converter: TypeConverter[_]): Unit =
    throw new UnsupportedOperationException(
      s"$converter cannot be registered for all reads and writes: read the column as the type that it has in Cassandra, and convert its" +
        " values with map, or pass the converter to get of a CassandraRow; before a write, convert them with map, too")

  /** Does nothing, as none is registered. */
  def unregisterConverter(converter: TypeConverter[_]): Unit = ()

  /**
   * A converter to a class without type parameters.
   *
   * @throws IllegalArgumentException if no value can be read as this type
   */
  def forType(ofClass: Class[_]): TypeConverter[_] = JavaTypes.converter(ofClass)

  /** @throws IllegalArgumentException if no value can be read as this type */
  def forType[T: TypeTag]: TypeConverter[T] = forType(typeOf[T]).asInstanceOf[TypeConverter[T]]

  /** @throws IllegalArgumentException if no value can be read as this type */
  def forType(tpe: Type): TypeConverter[_] = {
    val dealiased = tpe.dealias
    single.collectFirst { case (known, converter) if dealiased =:= known => converter }.getOrElse(composed(dealiased))
  }

  private lazy val single: Seq[(Type, TypeConverter[_])] = Seq[TypeConverter[_]](
    BooleanConverter,
    JavaBooleanConverter,
    ByteConverter,
    JavaByteConverter,
    ShortConverter,
    JavaShortConverter,
    IntConverter,
    JavaIntConverter,
    LongConverter,
    JavaLongConverter,
    FloatConverter,
    JavaFloatConverter,
    DoubleConverter,
    JavaDoubleConverter,
    StringConverter,
    BigIntConverter,
    JavaBigIntegerConverter,
    BigDecimalConverter,
    JavaBigDecimalConverter,
    UUIDConverter,
    InetAddressConverter,
    DateConverter,
    SqlDateConverter,
    GregorianCalendarConverter,
    TimestampConverter,
    JavaInstantConverter,
    ZonedDateTimeConverter,
    JavaLocalDateConverter,
    JavaLocalTimeConverter,
    DurationConverter,
    ByteBufferConverter,
    ByteArrayConverter,
    UDTValueConverter,
    TupleValueConverter,
    AnyConverter,
    AnyRefConverter).map(converter => converter.targetTypeTag.tpe -> converter)

  private def composed(tpe: Type): TypeConverter[_] = {
    def argument(n: Int): TypeConverter[Any] = forType(tpe.typeArgs(n)).asInstanceOf[TypeConverter[Any]]
    val name = tpe.toString
    def iterable[T](empty: T)(build: Iterator[Any] => T): TypeConverter[T] = {
      val element = argument(0)
      new OfNull[T](name, ObjectMaker.classOf(tpe), Seq(element), () => empty, value => build(elements(value).map(element.convert)))
    }
    def map[T](empty: () => T)(build: Iterator[(Any, Any)] => T): TypeConverter[T] = {
      val (key, value) = (argument(0), argument(1))
      new OfNull[T](
        name,
        ObjectMaker.classOf(tpe),
        Seq(key, value),
        empty,
        from => build(pairs(from).map { case (k, v) => key.convert(k) -> value.convert(v) }))
    }
    val symbol = tpe.typeSymbol
    if (tpe <:< typeOf[Option[_]]) optionConverter(argument(0))
    else if (tpe <:< typeOf[CassandraOption[_]]) cassandraOptionConverter(argument(0))
    else if (symbol == typeOf[List[Any]].typeSymbol) listConverter(argument(0))
    else if (symbol == typeOf[TreeSet[Any]].typeSymbol) iterable[TreeSet[Any]](TreeSet.empty(Natural))(TreeSet.from(_)(Natural))
    else if (symbol == typeOf[TreeMap[Any, Any]].typeSymbol) map[TreeMap[Any, Any]](() => TreeMap.empty(Natural))(TreeMap.from(_)(Natural))
    else if (symbol == typeOf[Pair[Any, Any]].typeSymbol) new OfPair(name, argument(0), argument(1))
    else if (symbol == typeOf[Triple[Any, Any, Any]].typeSymbol) new OfTriple(name, argument(0), argument(1), argument(2))
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
    else if (symbol.isClass && symbol.asClass.isCaseClass)
      new OfUdt(name, tpe.typeArgs.map(forType), ObjectMaker.of(tpe), Setter.ofVariables(tpe))
    else unreadable(name)
  }

  /** The order of the values themselves. */
  private object Natural extends Ordering[Any] {
    override def compare(one: Any, other: Any): Int = one.asInstanceOf[Comparable[Any]].compareTo(other)
  }

  private def components(value: Any, count: Int): IndexedSeq[Any] = value match {
    case tuple: TupleValue if tuple.size == count => tuple.columnValues
    case pair: (_, _) if count == 2 => IndexedSeq(pair._1, pair._2)
    case _ => throw new IllegalArgumentException(s"it must be a tuple of $count components")
  }

  private final class OfPair(name: String, left: TypeConverter[Any], right: TypeConverter[Any])
    extends Composed[Pair[Any, Any]](name, classOf[Pair[_, _]], Seq(left, right)) {
    override def convert(obj: Any): Pair[Any, Any] = {
      val both = components(notNull(obj, name), 2)
      Pair.of(left.convert(both(0)), right.convert(both(1)))
    }
  }

  private final class OfTriple(name: String, left: TypeConverter[Any], middle: TypeConverter[Any], right: TypeConverter[Any])
    extends Composed[Triple[Any, Any, Any]](name, classOf[Triple[_, _, _]], Seq(left, middle, right)) {
    override def convert(obj: Any): Triple[Any, Any, Any] = {
      val all = components(notNull(obj, name), 3)
      Triple.of(left.convert(all(0)), middle.convert(all(1)), right.convert(all(2)))
    }
  }

  private def notNull(value: Any, name: String): Any =
    if (value == null) throw new IllegalArgumentException(s"it is null: read it as Option[$name]") else value

  private def unreadable(name: String): Nothing =
    throw new IllegalArgumentException(
      s"no value can be read as $name: read it as the type that it has in Cassandra, or as Any, and convert it with map")

  private final class OfTuple(name: String, of: Seq[TypeConverter[_]], maker: ObjectMaker) extends Composed[Any](name, maker.ofClass, of) {
    private val converters = of.toArray

    override def convert(obj: Any): Any = {
      val values = components(notNull(obj, targetTypeName), converters.length)
      maker.make(Array.tabulate(converters.length)(i => converters(i).convert(values(i)).asInstanceOf[AnyRef]))
    }
  }

  private final class OfUdt(name: String, arguments: Seq[TypeConverter[_]], maker: ObjectMaker, setters: Seq[(String, Setter)])
    extends Composed[Any](name, maker.ofClass, arguments) {
    private def indexOf(value: ScalaGettableData, property: String): Int = {
      val names = value.metaData.columnNames
      val exact = names.indexOf(property)
      if (exact >= 0) exact else names.indexOf(Properties.underscored(property))
    }

    private def converted(value: ScalaGettableData, property: String, converter: TypeConverter[_]): AnyRef = {
      val field = indexOf(value, property)
      FromCassandra.named(property)(converter.convert(if (field < 0) null else value.getRaw(field)).asInstanceOf[AnyRef])
    }

    override def convert(obj: Any): Any = notNull(obj, targetTypeName) match {
      case value: ScalaGettableData =>
        val made = maker.make(Array.tabulate(maker.names.size)(i => converted(value, maker.names(i), maker.converters(i))))
        setters.foreach { case (property, setter) =>
          if (indexOf(value, property) >= 0) setter.set(made.asInstanceOf[AnyRef], converted(value, property, setter.converter))
        }
        made
      case _ => throw new IllegalArgumentException("it must be a value of a UDT")
    }
  }
}

/** Turns values of the driver into values of rows. Stateless. */
private[connector] object FromCassandra {

  /** Turns collections, UDTs and tuples into Scala's, and bytes into an array, which Spark can send; everything else as it is. */
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

  /** The value as text, in the form of CQL. */
  def shown(value: Any): String = value match {
    case null => "null"
    case map: collection.Map[_, _] => map.map { case (key, of) => s"${shown(key)}: ${shown(of)}" }.mkString("{", ",", "}")
    case set: collection.Set[_] => set.iterator.map(shown).mkString("{", ",", "}")
    case some: Iterable[_] => some.iterator.map(shown).mkString("[", ",", "]")
    case map: java.util.Map[_, _] => shown(map.asScala)
    case set: java.util.Set[_] => shown(set.asScala)
    case some: java.util.Collection[_] => shown(some.asScala)
    case data: ScalaGettableData => data.dataAsString
    case tuple: TupleValue => tuple.toString
    case other => Scalars.text(other)
  }

  /** The result of the conversion; if it fails, the message names the column. */
  def named[T](name: => String)(conversion: => T): T =
    try conversion
    catch {
      case e @ (_: IllegalArgumentException | _: ArithmeticException | _: java.time.DateTimeException) =>
        throw new IllegalArgumentException(s"column \"$name\" cannot be read: ${e.getMessage}", e)
    }
}
