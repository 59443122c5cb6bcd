package com.datastax.spark.connector

import com.datastax.oss.driver.api.core.ProtocolVersion
import com.datastax.oss.driver.api.core.`type`.codec.registry.CodecRegistry
import com.datastax.oss.driver.api.core.`type`.{DataType, DataTypes}
import com.datastax.oss.driver.api.core.uuid.Uuids
import com.datastax.oss.driver.internal.core.`type`.UserDefinedTypeBuilder
import com.datastax.spark.connector.mapper.Properties
import com.datastax.spark.connector.rdd.{KeyTokens, PartitionKeys, Spans}
import com.datastax.spark.connector.types.{CassandraOption, FromCassandra, NullableTypeConverter, ToCassandra, TypeConverter}
import com.datastax.spark.connector.writer.RowWriter
import io.overdrive.TypeZoo
import io.overdrive.internal.codec.Bytes
import io.overdrive.internal.ring.Murmur3
import io.overdrive.spark.write.ObjectFields
import org.junit.jupiter.api.Assertions.{assertEquals, assertNull, assertSame, assertThrows, assertTrue}
import org.junit.jupiter.api.Test

import org.apache.commons.lang3.tuple.{Pair, Triple}

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import java.nio.ByteBuffer
import java.time.{Instant, LocalDate, LocalTime}
import java.util.{GregorianCalendar, UUID}
import scala.collection.immutable.{ListMap, TreeMap, TreeSet}
import scala.jdk.CollectionConverters._
import scala.reflect.runtime.universe.{typeOf, typeTag}
import scala.util.Random

case class Labelled(id: Int) {
  var firstLabel: String = ""
}
case class Point(xPos: Int, yPos: Option[Int])
trait Named {
  def name: String
  def initial: String = name.take(1)
}
case class Square(side: Int) extends Named {
  override val name: String = s"square $side"
  lazy val kind: String = "square"
  def area: Int = side * side
}

case class Email(address: String)
object ToEmail extends NullableTypeConverter[Email] {
  def targetTypeTag = typeTag[Email]
  def convertPF = { case address: String => Email(address) }
}

/** Values in the order of columns. */
private final class SeqWriter(columns: Int) extends RowWriter[Seq[Any]] {
  override def columnNames: Seq[String] = (0 until columns).map(n => s"c$n")

  override def readColumnValues(data: Seq[Any], buffer: Array[Any]): Unit = buffer.indices.foreach(i => buffer(i) = data(i))
}

/** Values of rows and objects, in both directions. */
class ValuesTest {

  @Test
  def whatIsReadIsWrittenAsTheSameValue(): Unit = {
    var values = 0
    for (samples <- TypeZoo.all().asScala; sample <- samples.samples.asScala) {
      val back = ToCassandra.convert(FromCassandra.value(sample.value), samples.`type`)
      assertEquals(sample.value, back, s"${samples.name} ${sample.text}")
      values += 1
    }
    assertTrue(values > 100, s"$values values")
  }

  @Test
  def keysHaveTheTokensOfTheirValues(): Unit =
    for (samples <- TypeZoo.all().asScala; sample <- samples.samples.asScala if samples.`type` != DataTypes.COUNTER) {
      val bytes = CodecRegistry.DEFAULT.codecFor(samples.`type`, sample.value).encode(sample.value, ProtocolVersion.DEFAULT)
      val length = bytes.remaining
      val single = Bytes.copyOf(bytes)
      val composite = ByteBuffer.allocate(3 + length + 7).putShort(length.toShort).put(single).put(0.toByte)
        .putShort(4.toShort).putInt(7).put(0.toByte).array
      def token(types: DataType*): Long =
        new KeyTokens(PartitionKeys("ks.t", new SeqWriter(types.size), types, types.indices)).token(Seq(sample.value, 7))
      if (length < 0x10000) { // a longer key is refused by the server
        assertEquals(Murmur3.token(single, 0, length), token(samples.`type`), s"${samples.name} ${sample.text}")
        assertEquals(Murmur3.token(composite, 0, composite.length), token(samples.`type`, DataTypes.INT), s"${samples.name} ${sample.text}")
      }
    }

  /** The text of every value of a type that has a plain one. */
  @Test
  def textIsWrittenAsTheValueThatItStandsFor(): Unit = {
    val id = UUID.randomUUID
    for ((text, to, value) <- Seq[(String, DataType, Any)](
        ("7", DataTypes.INT, 7),
        ("-1.5", DataTypes.DOUBLE, -1.5),
        ("12345678901234567890", DataTypes.VARINT, new java.math.BigInteger("12345678901234567890")),
        ("1.10", DataTypes.DECIMAL, new java.math.BigDecimal("1.10")),
        ("true", DataTypes.BOOLEAN, true),
        (id.toString, DataTypes.UUID, id),
        ("2013-01-31", DataTypes.DATE, LocalDate.of(2013, 1, 31)),
        ("12:59:59", DataTypes.TIME, LocalTime.of(12, 59, 59)),
        ("2013-01-31T12:59:59Z", DataTypes.TIMESTAMP, Instant.parse("2013-01-31T12:59:59Z")),
        ("10.0.0.1", DataTypes.INET, java.net.InetAddress.getByName("10.0.0.1"))))
      assertEquals(value, ToCassandra.convert(text, to))
  }

  @Test
  def noDigitIsLost(): Unit =
    for ((value, to) <- Seq[(Any, DataType)](
        (1L << 31, DataTypes.INT),
        (128, DataTypes.TINYINT),
        (1.5, DataTypes.INT),
        (BigInt(2).pow(63), DataTypes.BIGINT),
        (BigDecimal("1.5"), DataTypes.VARINT),
        (1e300, DataTypes.FLOAT),
        ("1e300", DataTypes.FLOAT),
        (BigDecimal("1e400"), DataTypes.DOUBLE),
        ("1e400", DataTypes.DOUBLE),
        ("x", DataTypes.INT)))
      assertThrows(classOf[RuntimeException], () => { val _ = ToCassandra.convert(value, to) }, s"$value as $to")

  /** The JDK and its resolver take these for other values. */
  @Test
  def textIsReadStrictly(): Unit =
    for ((text, to) <- Seq[(String, DataType)](
        ("f81d4fae7-dec-11d0-a765-00a0c91e6bf6", DataTypes.UUID),
        ("+81d4fae-7dec-11d0-a765-00a0c91e6bf6", DataTypes.UUID),
        ("1.2.3", DataTypes.INET),
        ("10", DataTypes.INET),
        ("256.1.1.1", DataTypes.INET),
        ("fe80::1%1", DataTypes.INET),
        ("1d", DataTypes.DOUBLE),
        ("1f", DataTypes.FLOAT),
        ("0x1p3", DataTypes.DOUBLE),
        ("1e400d", DataTypes.DOUBLE),
        ("\u0661", DataTypes.INT),
        ("\u0661", DataTypes.BIGINT),
        ("\u0661", DataTypes.VARINT),
        ("\u0661", DataTypes.DECIMAL)))
      assertThrows(classOf[IllegalArgumentException], () => { val _ = ToCassandra.convert(text, to) }, s"$text as $to")

  @Test
  def noPartOfASecondIsLost(): Unit = {
    val timestamp = java.sql.Timestamp.valueOf("2013-01-31 12:59:59.123456")
    assertEquals(timestamp.toInstant.toString, ToCassandra.convert(timestamp, DataTypes.TEXT))
    val time = new java.sql.Time(java.sql.Time.valueOf("12:30:00").getTime + 123)
    assertEquals(LocalTime.of(12, 30, 0, 123000000), ToCassandra.convert(time, DataTypes.TIME))
  }

  @Test
  def infinityIsANumber(): Unit =
    for (value <- Seq[Any](Double.NegativeInfinity, Float.NegativeInfinity, "-Infinity")) {
      assertEquals(Double.NegativeInfinity, ToCassandra.convert(value, DataTypes.DOUBLE))
      assertEquals(Float.NegativeInfinity, ToCassandra.convert(value, DataTypes.FLOAT))
    }

  @Test
  def optionsAreValuesNullsOrNothing(): Unit = {
    assertEquals(1, ToCassandra.convert(Some(1), DataTypes.INT))
    assertNull(ToCassandra.convert(None, DataTypes.INT))
    assertNull(ToCassandra.convert(CassandraOption.Null, DataTypes.INT))
    assertEquals(1, ToCassandra.convert(CassandraOption(1), DataTypes.INT))
    assertSame(ObjectFields.UNSET, ToCassandra.convert(CassandraOption.Unset, DataTypes.INT))
    assertThrows(classOf[IllegalArgumentException], () => { val _ = ToCassandra.convert(Seq(None), DataTypes.listOf(DataTypes.INT)) })
  }

  @Test
  def convertsWhatTypesAreMadeOf(): Unit = {
    def read[T](value: Any)(implicit converter: TypeConverter[T]): T = converter.convert(value)
    assertEquals(Some(List(1L, 2L)), read[Option[List[Long]]](Vector(1, 2)))
    assertEquals(Map("a" -> Set(BigDecimal(1))), read[Map[String, Set[BigDecimal]]](Map("a" -> Set(1))))
    assertEquals((1, "b"), read[(Int, String)](TupleValue(1, "b")))
    assertEquals(IndexedSeq(1), read[IndexedSeq[Int]](Vector(1)))
    assertEquals(java.util.List.of("x"), read[java.util.List[String]](Vector("x")))
    assertEquals(Point(1, None), read[Point](UDTValue.fromMap(Map("x_pos" -> 1, "y_pos" -> null))))
    assertEquals(Nil, read[List[Int]](null))
    assertEquals(TreeMap("a" -> 1, "b" -> 2), read[TreeMap[String, Int]](Map("b" -> 2, "a" -> 1)))
    assertEquals(Seq(1L, 2L, 10L), read[TreeSet[Long]](Set(10, 2, 1)).toSeq)
    assertEquals(Pair.of(1, "b"), read[Pair[Int, String]](TupleValue(1, "b")))
    assertEquals(Triple.of(1, "b", 2L), read[Triple[Int, String, Long]](TupleValue(1, "b", 2)))
    assertEquals(1000L, read[GregorianCalendar](Instant.ofEpochMilli(1000)).getTimeInMillis)
    val now = Uuids.timeBased
    assertEquals(Uuids.unixTimestamp(now), read[java.util.Date](now).getTime)
    val thrown = assertThrows(classOf[IllegalArgumentException], () => { val _ = read[Int](null) })
    assertEquals("it is null: read it as Option[Int]", thrown.getMessage)
    assertThrows(classOf[IllegalArgumentException], () => { val _ = TypeConverter.forType[Thread] })
    val refused = assertThrows(
      classOf[UnsupportedOperationException],
      () => TypeConverter.registerConverter(TypeConverter.IntConverter))
    assertTrue(refused.getMessage.contains("convert its values with map"), refused.getMessage)
  }

  @Test
  def rowsThatProgramsMakeMayHaveCollectionsOfJavaAndOptions(): Unit = {
    val row = CassandraRow.fromMap(ListMap(
      "list" -> java.util.List.of("a", "b"),
      "set" -> java.util.Set.of(1),
      "map" -> java.util.Map.of("k", 7),
      "none" -> None,
      "some" -> Some(3)))
    assertEquals(Vector("a", "b"), row.getList[String]("list"))
    assertEquals(Set(1L), row.getSet[Long]("set"))
    assertEquals(Map("k" -> 7), row.getMap[String, Int]("map"))
    assertEquals(java.util.List.of("a", "b"), row.get[java.util.List[String]]("list"))
    assertEquals(None, row.getIntOption("none"))
    assertEquals(Some(3), row.getIntOption("some"))
    assertEquals("CassandraRow{list: [a,b], set: {1}, map: {k: 7}, none: None, some: Some(3)}", row.toString)
    val ofJava = new japi.CassandraRow(Array("list", "n"), Array[AnyRef](java.util.List.of("a"), Int.box(7)))
    assertEquals(java.util.List.of("a"), ofJava.getObject("list"))
    assertEquals(7L, ofJava.getLong("n").longValue)
  }

  @Test
  def valuesOfUdtsHaveTheVariablesOfCaseClasses(): Unit = {
    val read = implicitly[TypeConverter[Labelled]].convert(UDTValue.fromMap(Map("id" -> 1, "first_label" -> "x")))
    assertEquals("x", read.firstLabel)
    assertEquals("", implicitly[TypeConverter[Labelled]].convert(UDTValue.fromMap(Map("id" -> 1))).firstLabel)
  }

  @Test
  def valuesHaveTheTextThatTheConnectorForSpark3GivesThem(): Unit = {
    def text(value: Any): Any = {
      val written = ToCassandra.convert(value, DataTypes.TEXT)
      assertEquals(written, TypeConverter.StringConverter.convert(value))
      written
    }
    assertEquals("[1,2]", text(Vector(1, 2)))
    assertEquals("{a: [1],b: []}", text(ListMap("a" -> List(1), "b" -> Nil)))
    assertEquals("{x}", text(Set("x")))
    assertEquals("{x: 1, y: null}", text(UDTValue(IndexedSeq("x", "y"), IndexedSeq(Int.box(1), null))))
    assertEquals("0x00ff", text(Array[Byte](0, -1)))
    assertEquals("1E+3", text(BigDecimal("1E+3")))
    assertEquals("2013-01-31T12:59:59Z", text(Instant.parse("2013-01-31T12:59:59Z")))
  }

  @Test
  def aYearIsItsFirstDayAndOtherNumbersAreNoTimes(): Unit = {
    assertEquals(Instant.parse("2015-01-01T00:00:00Z"), ToCassandra.convert("2015Z", DataTypes.TIMESTAMP))
    val start = LocalDate.of(2015, 1, 1).atStartOfDay(java.time.ZoneId.systemDefault).toInstant
    assertEquals(start, ToCassandra.convert("2015", DataTypes.TIMESTAMP))
    assertEquals(LocalDate.of(2015, 1, 1), ToCassandra.convert("2015", DataTypes.DATE))
    for (number <- Seq("20150131", "1420070400000", "-1", " 7 "))
      assertThrows(classOf[IllegalArgumentException], () => { val _ = ToCassandra.convert(number, DataTypes.TIMESTAMP) }, number)
  }

  @Test
  def aTimeOfDayIsNoPointInTime(): Unit = {
    assertEquals(LocalTime.of(12, 30), ToCassandra.convert(java.sql.Time.valueOf("12:30:00"), DataTypes.TIME))
    assertThrows(classOf[IllegalArgumentException], () => { val _ = ToCassandra.convert(new java.util.Date(0), DataTypes.TIME) })
  }

  @Test
  def sparkCanSendWhatIsRead(): Unit =
    for (samples <- TypeZoo.all().asScala; sample <- samples.samples.asScala) {
      val row = CassandraRow.fromMap(Map("c" -> FromCassandra.value(sample.value)))
      val bytes = new ByteArrayOutputStream
      new ObjectOutputStream(bytes).writeObject(row)
      val sent = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject.asInstanceOf[CassandraRow]
      assertEquals(sample.value, ToCassandra.convert(sent.getRaw("c"), samples.`type`), s"${samples.name} ${sample.text}")
    }

  @Test
  def aNullInsideOfAValueIsNoEmptyCollection(): Unit = {
    val list = DataTypes.listOf(DataTypes.INT)
    val udt = new UserDefinedTypeBuilder("ks", "u").withField("a", DataTypes.INT).withField("l", list).build().newValue()
    assertNull(FromCassandra.value(udt).asInstanceOf[UDTValue].getRaw("l"))
    val tuple = DataTypes.tupleOf(DataTypes.INT, list).newValue()
    assertEquals(TupleValue(null, null), FromCassandra.value(tuple))
    assertEquals(None, FromCassandra.value(udt.setList("l", java.util.List.of[Integer](), classOf[Integer])).asInstanceOf[UDTValue].get[Option[Int]]("a"))
    assertEquals(Some(Nil), FromCassandra.value(udt.setList("l", java.util.List.of[Integer](), classOf[Integer])).asInstanceOf[UDTValue].get[Option[List[Int]]]("l"))
  }

  @Test
  def namesOfPropertiesBecomeNamesOfColumns(): Unit =
    for ((property, column) <- Seq(
        "word" -> "word",
        "orderId" -> "order_id",
        "unitPrice2" -> "unit_price_2",
        "column1" -> "column_1",
        "a1B" -> "a_1_b",
        "parseHTTPResponse" -> "parse_http_response",
        "col_1" -> "col_1",
        "_1" -> "_1",
        "ID" -> "id"))
      assertEquals(column, Properties.underscored(property))

  @Test
  def propertiesAreTheValuesOfAnObject(): Unit = {
    def found(of: Class[_], names: String*): Seq[String] = names.filter(Properties.of(of).find(_).isDefined)
    assertEquals(
      Seq("x_pos", "yPos"),
      found(classOf[Point], "x_pos", "yPos", "hash_code", "to_string", "product_arity", "product_prefix"))
    assertEquals(Seq("side", "name", "kind"), found(classOf[Square], "side", "area", "name", "kind"))
    assertEquals(Seq("name"), found(classOf[Named], "name", "kind"))
  }

  @Test
  def spansAreTheGroupsOfAdjacentElements(): Unit = {
    val random = new Random(1)
    for (_ <- 1 to 200) {
      val elements = Seq.fill(random.nextInt(20))(random.nextInt(3))
      val spans = new Spans[Int, Int](elements.iterator, identity).toSeq
      assertEquals(elements, spans.flatMap(_._2))
      assertTrue(spans.forall { case (key, group) => group.nonEmpty && group.forall(_ == key) }, spans.toString)
      assertTrue(spans.zip(spans.drop(1)).forall { case (one, next) => one._1 != next._1 }, spans.toString)
    }
  }

  @Test
  def convertersHaveNamesAndTags(): Unit = {
    val row = CassandraRow.fromMap(Map("i" -> 7L, "m" -> Map("k" -> 1), "n" -> null))
    assertEquals(7, row.get("i")(TypeConverter.IntConverter))
    assertEquals(Integer.valueOf(7), row.get[Integer]("i"))
    assertEquals(Map("k" -> "1"), row.getMap("m")(TypeConverter.StringConverter, TypeConverter.StringConverter))
    assertSame(TypeConverter.JavaIntConverter, TypeConverter.forType[Integer])
    assertSame(TypeConverter.StringConverter, TypeConverter.forType(classOf[String]))
    assertTrue(TypeConverter.forType[Map[String, Option[Int]]].targetTypeTag.tpe =:= typeOf[Map[String, Option[Int]]])
    assertTrue(TypeConverter.forType[(Int, Point)].targetTypeTag.tpe =:= typeOf[(Int, Point)])
    assertTrue(TypeConverter.forType[java.util.List[Integer]].targetTypeTag.tpe =:= typeOf[java.util.List[Integer]])
  }

  @Test
  def aRowIsReadByAProgramsOwnConverter(): Unit = {
    val row = CassandraRow.fromMap(Map("mail" -> "a@b", "mails" -> Seq("a@b", "c@d"), "other" -> 7, "none" -> null))
    assertEquals(Email("a@b"), row.get[Email]("mail")(ToEmail))
    assertEquals(Vector(Email("a@b"), Email("c@d")), row.getList[Email]("mails")(ToEmail))
    assertEquals(None, row.get[Option[Email]]("none")(TypeConverter.optionConverter(ToEmail)))
    assertNull(row.get[Email]("none")(ToEmail))
    val problem = assertThrows(classOf[IllegalArgumentException], () => row.get[Email]("other")(ToEmail))
    assertTrue(problem.getMessage.contains("\"other\"") && problem.getMessage.contains("Email"), problem.getMessage)
  }

  @Test
  def ownConvertersCannotBeRegistered(): Unit = {
    val problem = assertThrows(classOf[UnsupportedOperationException], () => TypeConverter.registerConverter(ToEmail))
    assertTrue(problem.getMessage.contains("with map"), problem.getMessage)
    TypeConverter.unregisterConverter(ToEmail)
  }
}
