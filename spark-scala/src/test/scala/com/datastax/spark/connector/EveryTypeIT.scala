package com.datastax.spark.connector

import com.datastax.oss.driver.api.core.ProtocolVersion
import com.datastax.oss.driver.api.core.`type`.codec.registry.CodecRegistry
import com.datastax.oss.driver.api.core.`type`.{DataTypes, ListType, MapType, SetType}
import com.datastax.spark.connector.types.{FromCassandra, ToCassandra}
import io.overdrive.TypeZoo.TypeSamples
import io.overdrive.spark.rdd.TestSpark.{cql, sc}
import io.overdrive.{TestCluster, TypeZoo}
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.{BeforeAll, Tag, Test, TestInstance}

import scala.jdk.CollectionConverters._

/** Values of all types, written and read by RDDs, also as keys. */
@TestInstance(Lifecycle.PER_CLASS)
class EveryTypeIT {
  private val ks = "rdd_types"

  @BeforeAll
  def start(): Unit = {
    TestCluster.keyspace(ks)
    cql(TypeZoo.udtDdl(ks))
  }

  private def types: Seq[TypeSamples] = TypeZoo.all(ks).asScala.filter(_.`type` != DataTypes.COUNTER).toSeq

  /** The server reads no decimal with such an exponent in CQL. */
  private def isLiteral(value: Any): Boolean = value match {
    case number: java.math.BigDecimal => Math.abs(number.scale) < 1000
    case _ => true
  }

  private def scalaValues(of: TypeSamples): Seq[AnyRef] = of.samples.asScala.map(sample => FromCassandra.value(sample.value)).toSeq

  @Test
  def valuesAreReadAsTheyWereWritten(): Unit = {
    cql(s"CREATE TABLE $ks.all_types (key int PRIMARY KEY, ${types.zipWithIndex.map { case (of, i) => s"c$i ${of.cql}" }.mkString(", ")})")
    val count = types.map(_.samples.size).max
    val rows = (0 until count).map { n =>
      val values = types.zipWithIndex.map { case (of, i) => s"c$i" -> scalaValues(of)(n % of.samples.size) }
      CassandraRow.fromMap(values.toMap[String, Any] + ("key" -> n))
    }
    sc.parallelize(rows).saveToCassandra(ks, "all_types")
    val found = sc.cassandraTable(ks, "all_types").collect().map(row => row.getInt("key") -> row).toMap
    assertThat(found.size).isEqualTo(count)
    for (n <- 0 until count; (of, i) <- types.zipWithIndex) {
      val sample = of.samples.get(n % of.samples.size)
      val isEmpty = sample.value match {
        case some: java.util.Collection[_] => some.isEmpty
        case some: java.util.Map[_, _] => some.isEmpty
        case _ => false
      }
      val expected = if (isEmpty && !of.cql.startsWith("frozen")) null else sample.value // the server has a null for an empty one
      assertThat(ToCassandra.convert(found(n).getRaw(s"c$i"), of.`type`)).as(s"${of.name} ${sample.text}").isEqualTo(expected)
    }
  }

  @Test
  @Tag("nightly")
  def keysOfAllTypesAreFound(): Unit =
    for ((of, i) <- types.zipWithIndex if of.`type` != DataTypes.DURATION && !of.cql.contains("duration")) {
      val isCollection = of.`type` match {
        case _: ListType | _: SetType | _: MapType => true
        case _ => false
      }
      cql(s"CREATE TABLE $ks.k$i (k ${if (isCollection) s"frozen<${of.cql}>" else of.cql} PRIMARY KEY, n int)")
      val keys = of.samples.asScala.map(_.value).filter { value =>
        val length = CodecRegistry.DEFAULT.codecFor(of.`type`, value).encode(value, ProtocolVersion.DEFAULT).remaining
        length > 0 && length < 0x10000 // others are refused by the server
      }
      val rows = keys.map(FromCassandra.value(_)).zipWithIndex.toSeq
      sc.parallelize(rows).saveToCassandra(ks, s"k$i")
      val joined = sc.parallelize(rows.map(row => Tuple1(row._1))).joinWithCassandraTable(ks, s"k$i").collect()
      assertThat(joined.map(pair => ToCassandra.convert(pair._2.getRaw("k"), of.`type`)).toSeq.asJava).as(of.name)
        .containsExactlyInAnyOrderElementsOf(keys.asJava)
      for ((value, (scalaValue, _)) <- keys.zip(rows) if isLiteral(value)) {
        val found = sc.cassandraTable(ks, s"k$i").where("k = ?", scalaValue).collect()
        assertThat(found.map(row => ToCassandra.convert(row.getRaw("k"), of.`type`)).toSeq.asJava).as(s"${of.name} $value").containsExactly(value)
      }
      sc.parallelize(rows.map(row => Tuple1(row._1))).deleteFromCassandra(ks, s"k$i")
      assertThat(cql(s"SELECT n FROM $ks.k$i").size).as(of.name).isZero()
    }
}
