package io.overdrive.spark.rdd

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel
import com.datastax.spark.connector._
import com.datastax.spark.connector.cql.{CassandraConnector, ClusteringColumn, ColumnDef, PartitionKeyColumn, RegularColumn, TableDef}
import com.datastax.spark.connector.mapper.{ColumnMapper, DefaultColumnMapper, JavaBeanColumnMapper}
import com.datastax.spark.connector.types._
import com.datastax.spark.connector.writer._
import io.overdrive.TestCluster
import io.overdrive.spark.rdd.TestSpark.{cql, sc, spark}
import org.apache.spark.TaskContext
import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.io.TempDir
import org.junit.jupiter.api.{BeforeAll, Test, TestInstance}

import java.nio.file.Path
import java.util.concurrent.ConcurrentHashMap
import scala.beans.BeanProperty
import scala.concurrent.duration.DurationInt
import scala.jdk.CollectionConverters._
import scala.language.postfixOps

case class WordCount(word: String, count: Long)
case class Miscount(word: String, cuont: Long)
case class Address(city: String, street: String, number: Int)
case class CompanyRow(name: String, address: Address)
case class Company(name: String, address: UDTValue)
case class OrderLine(orderId: Int, lineNumber: Int, unitPrice: BigDecimal)
case class KeyValueWithTTL(key: Int, value: String, ttl: Int, timestamp: Long)
class Bean extends Serializable {
  @BeanProperty var word: String = _
  @BeanProperty var count: Integer = _
}

/** Has a value that cannot be read the first time in each stage. */
class FragileBean(@BeanProperty val word: String) extends Serializable {
  def getCount: Integer = {
    if (FragileBean.failed.add(TaskContext.get.stageId)) throw new IllegalStateException("the first time")
    1
  }
}
object FragileBean {
  val failed: java.util.Set[Int] = ConcurrentHashMap.newKeySet[Int]()
}

/** Writes and deletions of RDDs: the programs of the documentation of the connector for Spark 3, and what it tests. */
@TestInstance(Lifecycle.PER_CLASS)
class SavingIT {
  private val ks = "rdd_saving"

  @BeforeAll
  def start(): Unit = {
    TestCluster.keyspace(ks)
    cql(s"CREATE TABLE $ks.words (word text PRIMARY KEY, count int)")
  }

  private def words: Map[String, Option[Int]] =
    cql(s"SELECT word, count FROM $ks.words").map(row => row.getString(0) -> Option(row.get(1, classOf[Integer])).map(_.intValue)).toMap

  private def empty(): Unit = cql(s"TRUNCATE $ks.words")

  @Test
  def savesTuplesInTheOrderOfColumns(): Unit = {
    empty()
    val collection = sc.parallelize(Seq(("cat", 30), ("fox", 40)))
    collection.saveToCassandra(ks, "words", SomeColumns("word", "count"))
    assertThat(words).isEqualTo(Map("cat" -> Some(30), "fox" -> Some(40)))
  }

  @Test
  def savesTuplesByTheirComponents(): Unit = {
    empty()
    val collection = sc.parallelize(Seq((30, "cat"), (40, "fox")))
    collection.saveToCassandra(ks, "words", SomeColumns("word" as "_2", "count" as "_1"))
    assertThat(words).isEqualTo(Map("cat" -> Some(30), "fox" -> Some(40)))
  }

  @Test
  def savesCaseClassesByNames(): Unit = {
    empty()
    sc.parallelize(Seq(WordCount("dog", 50), WordCount("cow", 60))).saveToCassandra(ks, "words", SomeColumns("word", "count"))
    sc.parallelize(Seq(WordCount("ox", 70))).saveToCassandra(ks, "words")
    assertThat(words).isEqualTo(Map("dog" -> Some(50), "cow" -> Some(60), "ox" -> Some(70)))
  }

  @Test
  def savesPropertiesUnderOtherNames(): Unit = {
    cql(s"CREATE TABLE $ks.words2 (word text PRIMARY KEY, num int)")
    val collection = sc.parallelize(Seq(WordCount("dog", 50), WordCount("cow", 60)))
    collection.saveToCassandra(ks, "words2", SomeColumns("word", "num" as "count"))
    locally {
      implicit val mapper: ColumnMapper[WordCount] = new DefaultColumnMapper[WordCount](Map("count" -> "num"))
      sc.parallelize(Seq(WordCount("ox", 70))).saveToCassandra(ks, "words2")
    }
    assertThat(cql(s"SELECT num FROM $ks.words2").map(_.getInt(0)).toSet).isEqualTo(Set(50, 60, 70))
  }

  @Test
  def savesCamelCaseInColumnsWithUnderscores(): Unit = {
    cql(s"CREATE TABLE $ks.lines (order_id int, line_number int, unit_price decimal, PRIMARY KEY (order_id, line_number))")
    sc.parallelize(for (o <- 1 to 10; l <- 1 to 20) yield OrderLine(o, l, BigDecimal(o * l) / 4)).saveToCassandra(ks, "lines")
    val found = cql(s"SELECT count(*), sum(unit_price) FROM $ks.lines").head
    assertThat(found.getLong(0)).isEqualTo(200)
    assertThat(found.getBigDecimal(1)).isEqualByComparingTo("2887.5")
  }

  @Test
  def savesBeansAndRows(): Unit = {
    empty()
    implicit val mapper: ColumnMapper[Bean] = new JavaBeanColumnMapper[Bean]()
    val bean = new Bean
    bean.setWord("bean")
    bean.setCount(1)
    sc.parallelize(Seq(bean)).saveToCassandra(ks, "words")
    sc.parallelize(Seq(CassandraRow.fromMap(Map("word" -> "row", "count" -> 2)))).saveToCassandra(ks, "words")
    spark.sql("SELECT 'sql' word, 3 count").rdd.saveToCassandra(ks, "words")
    assertThat(words).isEqualTo(Map("bean" -> Some(1), "row" -> Some(2), "sql" -> Some(3)))
  }

  @Test
  def savesRowsOfSparkByTheirNamesOrInTheOrderOfColumns(): Unit = {
    empty()
    spark.sql("SELECT 1 + 1 AS count, 'by name' AS word").rdd.saveToCassandra(ks, "words", SomeColumns("word", "count"))
    spark.sql("SELECT 'in order', 1 + 2").rdd.saveToCassandra(ks, "words", SomeColumns("word", "count"))
    assertThat(words).isEqualTo(Map("by name" -> Some(2), "in order" -> Some(3)))
    assertThatThrownBy(() => spark.sql("SELECT 7 cuont, 'x' word").rdd.saveToCassandra(ks, "words"))
      .hasMessageContaining("a row has no value for column \"count\"; it has \"cuont\", \"word\"")
    assertThat(words.size).isEqualTo(2)
  }

  @Test
  def writesAColumnThatIsAlsoATime(): Unit = {
    cql(s"CREATE TABLE $ks.kept (key int PRIMARY KEY, ttl int, value text)")
    sc.parallelize(Seq(KeyValueWithTTL(1, "one", 1000, 5000))).saveToCassandra(
      ks,
      "kept",
      SomeColumns("key", "ttl", "value"),
      WriteConf(ttl = TTLOption.perRow("ttl")))
    val row = cql(s"SELECT ttl, value, ttl(value) FROM $ks.kept").head
    assertThat(row.getInt(0)).isEqualTo(1000)
    assertThat(row.getInt(2)).isBetween(900, 1000)
  }

  @Test
  def savesStaticColumnsOfAPartition(): Unit = {
    cql(s"CREATE TABLE $ks.statics (\"P\" int, c int, \"sC\" text STATIC, v int, PRIMARY KEY (\"P\", c))")
    sc.parallelize(Seq((1, "one"), (2, "two"))).saveToCassandra(ks, "statics", SomeColumns("P", "sC"))
    sc.parallelize(Seq((1, 7, 70))).saveToCassandra(ks, "statics", SomeColumns("P", "c", "v"))
    assertThat(sc.cassandraTable[(Int, Option[Int], String, Option[Int])](ks, "statics").select("P", "c", "sC", "v").collect().toSet)
      .isEqualTo(Set((1, Some(7), "one", Some(70)), (2, None, "two", None)))
    val joined = sc.parallelize(Seq(Tuple1(1), Tuple1(1), Tuple1(3))).leftJoinWithCassandraTable[(String, Option[Long])](ks, "statics")
      .select("sC", "sC".writeTime)
    assertThat(joined.map { case (key, found) => (key._1, found.map(_._1)) }.collect().sorted.toSeq)
      .isEqualTo(Seq((1, Some("one")), (1, Some("one")), (3, None)))
    sc.parallelize(Seq(Tuple1(1))).deleteFromCassandra(ks, "statics", SomeColumns("sC"), SomeColumns("P"))
    assertThat(sc.cassandraTable[(Int, Option[String], Option[Int])](ks, "statics").select("P", "sC", "v").where("\"P\" = ?", 1).collect())
      .containsExactly((1, None, Some(70)))
  }

  @Test
  def changesCollections(): Unit = {
    cql(s"CREATE TABLE $ks.collections_mod (key int PRIMARY KEY, lcol list<text>, mcol map<text, text>, scol set<text>)")
    val listElements = sc.parallelize(Seq((1, Vector("One")), (1, Vector("Two")), (1, Vector("Three"))), 1)
    val prependElements = sc.parallelize(Seq((1, Vector("PrependOne")), (1, Vector("PrependTwo")), (1, Vector("PrependThree"))), 1)
    listElements.saveToCassandra(ks, "collections_mod", SomeColumns("key", "lcol" append))
    prependElements.saveToCassandra(ks, "collections_mod", SomeColumns("key", "lcol" prepend))
    sc.parallelize(Seq((1, Set("a", "b"), Map("k" -> "v")))).saveToCassandra(ks, "collections_mod", SomeColumns("key", "scol", "mcol"))
    sc.parallelize(Seq((1, Set("a"), Map("l" -> "w"))))
      .saveToCassandra(ks, "collections_mod", SomeColumns("key", "scol" remove, "mcol" append))
    val row = cql(s"SELECT lcol, scol, mcol FROM $ks.collections_mod WHERE key = 1").head
    assertThat(row.getList(0, classOf[String]))
      .containsExactlyInAnyOrder("PrependThree", "PrependTwo", "PrependOne", "One", "Two", "Three")
    assertThat(row.getSet(1, classOf[String])).containsExactly("b")
    assertThat(row.getMap(2, classOf[String], classOf[String])).isEqualTo(Map("k" -> "v", "l" -> "w").asJava)
  }

  @Test
  def savesVectors(): Unit = {
    cql(s"CREATE TABLE $ks.things (id int PRIMARY KEY, name text, features vector<float, 3>)")
    val newData = sc.parallelize(Seq((5, "e", List(5, 6, 7)), (6, "f", List(6, 7, 8))))
    newData.saveToCassandra(ks, "things", SomeColumns("id", "name", "features"))
    assertThat(cql(s"SELECT features FROM $ks.things WHERE id = 5").head.getObject(0).toString).isEqualTo("[5.0, 6.0, 7.0]")
    assertThatThrownBy(() => sc.parallelize(Seq((7, "g", List(1, 2)))).saveToCassandra(ks, "things", SomeColumns("id", "name", "features")))
      .hasMessageContaining("it has 2 elements, must have 3")
  }

  @Test
  def savesUserDefinedTypes(): Unit = {
    cql(s"CREATE TYPE $ks.address (city text, street text, number int)")
    cql(s"CREATE TABLE $ks.companies (name text PRIMARY KEY, address FROZEN<address>)")
    val address = Address(city = "Oakland", street = "Broadway", number = 3400)
    sc.parallelize(Seq(CompanyRow("Paul", address))).saveToCassandra(ks, "companies")
    val other = UDTValue.fromMap(Map("city" -> "Santa Clara", "street" -> "Freedom Circle", "number" -> 3975))
    sc.parallelize(Seq(Company("DataStax", other))).saveToCassandra(ks, "companies")
    val found = cql(s"SELECT address FROM $ks.companies").map(_.getUdtValue(0)).map(udt => udt.getString("city") -> udt.getInt("number"))
    assertThat(found.toSet).isEqualTo(Set("Oakland" -> 3400, "Santa Clara" -> 3975))
  }

  @Test
  def savesTuplesOfCassandra(): Unit = {
    cql(s"CREATE TABLE $ks.tuples (id int PRIMARY KEY, t tuple<int, text, list<int>>)")
    sc.parallelize(Seq((1, (1, "one", List(1))), (2, (2, "two", Nil)))).saveToCassandra(ks, "tuples")
    sc.parallelize(Seq((3, TupleValue(3, "three", null)))).saveToCassandra(ks, "tuples")
    assertThat(cql(s"SELECT t FROM $ks.tuples").map(_.getTupleValue(0).getString(1)).toSet).isEqualTo(Set("one", "two", "three"))
  }

  @Test
  def leavesUnsetColumnsAsTheyAre(): Unit = {
    cql(s"CREATE TABLE $ks.tab1 (key int PRIMARY KEY, col_1 int, col_2 int)")
    def rows = cql(s"SELECT key, col_1, col_2 FROM $ks.tab1").map(row =>
      (row.getInt(0), Option(row.get(1, classOf[Integer])).map(_.intValue), Option(row.get(2, classOf[Integer])).map(_.intValue))).toSet
    sc.parallelize(1 to 6).map(x => (x, x, x)).saveToCassandra(ks, "tab1")
    sc.parallelize(1 to 6).map(x =>
      x match {
        case x if (x >= 5) => (x, CassandraOption.Null, CassandraOption.Unset)
        case x if (x <= 2) => (x, CassandraOption.Unset, CassandraOption.Null)
        case x => (x, CassandraOption(-1), CassandraOption(-1))
      }).saveToCassandra(ks, "tab1")
    assertThat(rows).isEqualTo(
      Set(
        (1, Some(1), None),
        (2, Some(2), None),
        (3, Some(-1), Some(-1)),
        (4, Some(-1), Some(-1)),
        (5, None, Some(5)),
        (6, None, Some(6))))
    sc.parallelize(1 to 6).map(x => (x, x, x)).saveToCassandra(ks, "tab1")
    val optRdd = sc.parallelize(1 to 6).map(x => (x, Option.empty[Int], Option.empty[Int]))
    optRdd.map { case (x: Int, y: Option[Int], z: Option[Int]) =>
      (x, CassandraOption.deleteIfNone(y), CassandraOption.unsetIfNone(z))
    }.saveToCassandra(ks, "tab1")
    assertThat(rows).isEqualTo((1 to 6).map(x => (x, None, Some(x))).toSet)
    sc.parallelize(1 to 6).map(x => (x, x, x)).saveToCassandra(ks, "tab1")
    val ignoreNullsWriteConf = WriteConf.fromSparkConf(sc.getConf).copy(ignoreNulls = true)
    sc.parallelize(1 to 6).map(x => (x, None, None)).saveToCassandra(ks, "tab1", writeConf = ignoreNullsWriteConf)
    assertThat(rows).isEqualTo((1 to 6).map(x => (x, Some(x), Some(x))).toSet)
  }

  @Test
  def savesWithTimesOfAllRowsOrOfEach(): Unit = {
    cql(s"CREATE TABLE $ks.tab (key int PRIMARY KEY, value text)")
    def times = cql(s"SELECT key, ttl(value), writetime(value) FROM $ks.tab").map(row => row.getInt(0) -> (row.getInt(1), row.getLong(2))).toMap
    val rdd = sc.parallelize(Seq((1, "one"), (2, "two")))
    rdd.saveToCassandra(ks, "tab", writeConf = WriteConf(ttl = TTLOption.constant(1.hour), timestamp = TimestampOption.constant(1000)))
    assertThat(times.values.map(_._2).toSet).isEqualTo(Set(1000L))
    assertThat(times.values.map(_._1).max).isBetween(3000, 3600)
    val each = sc.parallelize(Seq(KeyValueWithTTL(1, "one", 1000, 5000), KeyValueWithTTL(2, "two", 2000, 6000)))
    each.saveToCassandra(
      ks,
      "tab",
      writeConf = WriteConf(ttl = TTLOption.perRow("ttl"), timestamp = TimestampOption.perRow("timestamp")))
    assertThat(times.map { case (key, (ttl, time)) => key -> (ttl / 1000.0).ceil -> time }.toSet)
      .isEqualTo(Set(1 -> 1.0 -> 5000L, 2 -> 2.0 -> 6000L))
    sc.parallelize(Seq((3, "three", 3000)))
      .saveToCassandra(ks, "tab", SomeColumns("key", "value"), WriteConf(ttl = TTLOption.perRow("seconds")))
    assertThat(times(3)._1).isBetween(2000, 3000)
  }

  @Test
  def writeTimesAreExactToTheMicrosecond(): Unit = {
    cql(s"CREATE TABLE $ks.micros (key int PRIMARY KEY, value text)")
    def times = cql(s"SELECT key, writetime(value) FROM $ks.micros").map(row => row.getInt(0) -> row.getLong(1)).toSet
    val timestamp = java.sql.Timestamp.from(java.time.Instant.parse("2013-01-31T12:59:59.123456Z"))
    val micros = 1359637199123456L
    val columns = SomeColumns("key", "value")
    val each = WriteConf(timestamp = TimestampOption.perRow("at"))
    sc.parallelize(Seq[(Int, String, Any)]((1, "a", timestamp), (2, "b", timestamp.toInstant), (3, "c", Some(timestamp)), (4, "d", micros)))
      .saveToCassandra(ks, "micros", columns, each)
    sc.parallelize(Seq((5, "e"))).saveToCassandra(ks, "micros", columns, WriteConf(timestamp = TimestampOption.constant(timestamp)))
    assertThat(times).isEqualTo((1 to 5).map(_ -> micros).toSet)
    for (noTime <- Seq[Any](java.time.LocalDate.of(2013, 1, 31), java.time.LocalTime.NOON, true, "soon"))
      assertThatThrownBy(() => sc.parallelize(Seq[(Int, String, Any)]((6, "f", noTime))).saveToCassandra(ks, "micros", columns, each))
        .hasMessageContaining("column \"writetime\"")
  }

  @Test
  def aTimeToLiveIsANumberOfSeconds(): Unit = {
    cql(s"CREATE TABLE $ks.seconds (key int PRIMARY KEY, value text)")
    def ttls = cql(s"SELECT key, ttl(value) FROM $ks.seconds").map(row => row.getInt(0) -> Option(row.getObject(1))).toMap
    val columns = SomeColumns("key", "value")
    val each = WriteConf(ttl = TTLOption.perRow("for"))
    sc.parallelize(Seq[(Int, String, Any)]((1, "a", 1000L), (2, "b", "1000"), (3, "c", Some(1000)), (4, "d", None)))
      .saveToCassandra(ks, "seconds", columns, each)
    for (key <- 1 to 3)
      assertThat(ttls(key).get.asInstanceOf[Int]).isBetween(900, 1000)
    assertThat(ttls(4)).isEqualTo(None)
    for (noTime <- Seq[Any](java.time.LocalDate.of(2013, 1, 31), java.time.LocalTime.MIDNIGHT, new java.util.Date(1), true, 1.5, "soon"))
      assertThatThrownBy(() => sc.parallelize(Seq[(Int, String, Any)]((6, "f", noTime))).saveToCassandra(ks, "seconds", columns, each))
        .hasMessageContaining("column \"ttl\"")
  }

  @Test
  def rowsThatAreKeptForeverDoNotExpireByDefaultOfTheTable(): Unit = {
    cql(s"CREATE TABLE $ks.expiring (key int PRIMARY KEY, value text) WITH default_time_to_live = 1000")
    val rdd = sc.parallelize(Seq((1, "one")))
    def ttl = Option(cql(s"SELECT ttl(value) FROM $ks.expiring WHERE key = 1").head.get(0, classOf[Integer])).map(_.intValue)
    rdd.saveToCassandra(ks, "expiring")
    assertThat(ttl.get).isBetween(900, 1000)
    rdd.saveToCassandra(ks, "expiring", writeConf = WriteConf(ttl = TTLOption.forever))
    assertThat(ttl).isEqualTo(None)
    rdd.saveToCassandra(ks, "expiring")
    assertThat(ttl.get).isBetween(900, 1000)
    val conf = sc.getConf.clone.set("spark.cassandra.output.ttl", "forever")
    rdd.saveToCassandra(ks, "expiring", writeConf = WriteConf.fromSparkConf(conf))
    assertThat(ttl).isEqualTo(None)
  }

  @Test
  def addsToCounters(): Unit = {
    cql(s"CREATE TABLE $ks.counts (key int PRIMARY KEY, n counter)")
    sc.parallelize(Seq((1, 10L), (1, 5L), (2, 1L))).saveToCassandra(ks, "counts")
    assertThat(cql(s"SELECT n FROM $ks.counts").map(_.getLong(0)).toSet).isEqualTo(Set(15L, 1L))
  }

  @Test
  def theLaterRowOfAKeyWins(): Unit = {
    empty()
    sc.parallelize((1 to 1000).map(n => ("same", n)), 1).saveToCassandra(ks, "words")
    assertThat(words).isEqualTo(Map("same" -> Some(1000)))
  }

  @Test
  def writesOnlyNewRowsIfAsked(): Unit = {
    empty()
    sc.parallelize(Seq(("a", 1))).saveToCassandra(ks, "words")
    sc.parallelize(Seq(("a", 2), ("b", 2))).saveToCassandra(ks, "words", writeConf = WriteConf(ifNotExists = true))
    assertThat(words).isEqualTo(Map("a" -> Some(1), "b" -> Some(2)))
  }

  /** A connector whose writes are SSTables that the node imports. */
  private def importing(directory: Path): CassandraConnector = CassandraConnector(
    sc.getConf
      .set("spark.overdrive.sstables", "true")
      .set("spark.overdrive.sstables.directory", directory.toString)
      .set("spark.overdrive.sstables.jmx", s"127.0.0.1:${TestCluster.node.jmxPort}")
      .set("spark.overdrive.sstables.tasks", "3"))

  @Test
  def importsWhatAWriteByCqlHas(@TempDir directory: Path): Unit = {
    for (table <- Seq("sent", "imported")) {
      cql(s"CREATE TABLE $ks.$table (p text, c int, s int STATIC, v text, n decimal, l list<int>, m map<text, uuid>, f frozen<tuple<int, text>>," +
        " PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC)")
    }
    val ids = Seq.fill(7)(java.util.UUID.randomUUID)
    val rows = sc.parallelize(0 until 3000, 4).map { i =>
      val n = i * 7 % 3000
      (
        s"p${n % 60}",
        n,
        n % 60,
        if (n % 3 == 0) None else Some(s"v$n"),
        BigDecimal(n) / 8,
        if (n % 5 == 0) Seq() else Seq(n, 1),
        Map("k" -> ids(n % 7)),
        TupleValue(n, "é"))
    }
    val columns = SomeColumns("p", "c", "s", "v", "n", "l", "m", "f")
    rows.saveToCassandra(ks, "sent", columns)
    locally {
      implicit val connector: CassandraConnector = importing(directory)
      rows.saveToCassandra(ks, "imported", columns)
    }
    def stored(table: String) = cql(s"SELECT * FROM $ks.$table").map(_.getFormattedContents).sorted
    assertThat(stored("imported")).isEqualTo(stored("sent"))
    assertThat(stored("imported").size).isEqualTo(3000)
    assertThat(directory).isEmptyDirectory()
  }

  @Test
  def importsTheTimesOfRowsAndTheLaterOnesOfAKey(@TempDir directory: Path): Unit = {
    cql(s"CREATE TABLE $ks.imported_times (key int PRIMARY KEY, value text)")
    cql(s"CREATE TABLE $ks.imported_twice (key int PRIMARY KEY, value text) WITH default_time_to_live = 5000")
    implicit val connector: CassandraConnector = importing(directory)
    sc.parallelize(Seq(KeyValueWithTTL(1, "a", 1000, 11), KeyValueWithTTL(2, "b", 2000, 12))).saveToCassandra(
      ks,
      "imported_times",
      writeConf = WriteConf(ttl = TTLOption.perRow("ttl"), timestamp = TimestampOption.perRow("timestamp")))
    val times = cql(s"SELECT key, ttl(value), writetime(value) FROM $ks.imported_times").map(row => (row.getInt(0), row.getInt(1), row.getLong(2))).sorted
    assertThat(times.map(_._3)).isEqualTo(Seq(11L, 12L))
    assertThat(times(0)._2).isBetween(900, 1000)
    assertThat(times(1)._2).isBetween(1900, 2000)
    sc.parallelize(0 until 2000, 1).map(n => (n % 20, s"v$n")).saveToCassandra(ks, "imported_twice")
    val found = cql(s"SELECT key, value, ttl(value) FROM $ks.imported_twice")
    assertThat(found.map(row => row.getInt(0) -> row.getString(1)).toMap).isEqualTo((0 until 20).map(k => k -> s"v${1980 + k}").toMap)
    assertThat(found.head.getInt(2)).isBetween(4900, 5000)
    assertThat(directory).isEmptyDirectory()
  }

  @Test
  def importsNothingTwiceIfTasksFail(@TempDir directory: Path): Unit = {
    cql(s"CREATE TABLE $ks.imported_again (word text PRIMARY KEY, count int)")
    implicit val connector: CassandraConnector = importing(directory)
    implicit val mapper: ColumnMapper[FragileBean] = new JavaBeanColumnMapper[FragileBean]()
    sc.parallelize(0 until 500, 2).map(n => new FragileBean(s"w$n")).saveToCassandra(ks, "imported_again")
    assertThat(FragileBean.failed.size).as("stages with a failed task").isEqualTo(2)
    assertThat(cql(s"SELECT count(*) FROM $ks.imported_again WHERE count = 1 ALLOW FILTERING").head.getLong(0)).isEqualTo(500)
    assertThatThrownBy(() => sc.parallelize(Seq(("a", 1L), ("b", 1L << 40))).saveToCassandra(ks, "imported_again"))
      .hasStackTraceContaining("column \"count\" is int, which cannot take the Long 1099511627776")
    assertThat(cql(s"SELECT word FROM $ks.imported_again WHERE word = 'a'").asJava).isEmpty()
    assertThat(directory).isEmptyDirectory()
  }

  @Test
  def refusesWhatSstablesCannotHaveBeforeTheJobStarts(@TempDir directory: Path): Unit = {
    cql(s"CREATE TABLE $ks.not_imported (key int PRIMARY KEY, l list<int>)")
    cql(s"CREATE TABLE $ks.not_counted (key int PRIMARY KEY, n counter)")
    implicit val connector: CassandraConnector = importing(directory)
    val lists = sc.parallelize(Seq((1, Seq(1)))).map[(Int, Seq[Int])](_ => throw new IllegalStateException("has begun"))
    assertThatThrownBy(() => lists.saveToCassandra(ks, "not_imported", SomeColumns("key", "l" append)))
      .hasMessageContaining("SSTables cannot change collections that exist: leave out option \"sstables\"")
    assertThatThrownBy(() => lists.saveToCassandra(ks, "not_imported", writeConf = WriteConf(ifNotExists = true)))
      .hasMessageContaining("SSTables cannot have conditions (ifNotExists)")
    assertThatThrownBy(() => sc.parallelize(Seq((1, 1L))).saveToCassandra(ks, "not_counted"))
      .hasMessageContaining("holds counters, which SSTables cannot add to: leave out option \"sstables\"")
    assertThatThrownBy(() => sc.parallelize(Seq(Tuple1(1))).deleteFromCassandra(ks, "not_imported"))
      .hasMessageContaining("cannot be written as SSTables: set option \"sstables\" to false")
    assertThat(directory).isEmptyDirectory()
  }

  @Test
  def createsTheTable(): Unit = {
    sc.parallelize(Seq(WordCount("dog", 50), WordCount("cow", 60))).saveAsCassandraTable(ks, "words_new", SomeColumns("word", "count"))
    assertThat(cql(s"SELECT count FROM $ks.words_new WHERE word = 'cow'").head.getLong(0)).isEqualTo(60)
    sc.parallelize(Seq(WordCount("dog", 1), WordCount("cow", 1))).saveAsCassandraTable(ks, "words_turned", SomeColumns("count", "word"))
    assertThat(cql(s"SELECT word FROM $ks.words_turned").map(_.getString(0)).toSet).as("the first property is the key").isEqualTo(Set("dog", "cow"))
    sc.parallelize(Seq(WordCount("dog", 1))).saveAsCassandraTable(ks, "words_some", SomeColumns("word"))
    assertThat(cql(s"SELECT count FROM $ks.words_some").map(_.isNull(0)).asJava).containsExactly(true)
    val p1Col = ColumnDef("col1", PartitionKeyColumn, UUIDType)
    val c1Col = ColumnDef("col2", ClusteringColumn(0, ClusteringColumn.Descending), UUIDType)
    val c2Col = ColumnDef("col3", ClusteringColumn(1), DoubleType)
    val rCol = ColumnDef("col4", RegularColumn, IntType)
    val table = TableDef(ks, "outData", Seq(p1Col), Seq(c1Col, c2Col), Seq(rCol), tableOptions = Map("gc_grace_seconds" -> "60"))
    val id = java.util.UUID.randomUUID
    val rddOut = sc.parallelize(Seq((id, java.util.UUID.randomUUID, 1.5, 7)))
    rddOut.saveAsCassandraTableEx(table, SomeColumns("col1", "col2", "col3", "col4"))
    assertThat(cql(s"SELECT col4 FROM $ks.\"outData\" WHERE col1 = $id").head.getInt(0)).isEqualTo(7)
  }

  @Test
  def deletesRowsPartitionsAndColumns(): Unit = {
    cql(s"CREATE TABLE $ks.wide (p int, c int, v int, w int, PRIMARY KEY (p, c))")
    sc.parallelize(for (p <- 1 to 4; c <- 1 to 5) yield (p, c, c, c)).saveToCassandra(ks, "wide")
    def left(p: Int): Int = cql(s"SELECT c FROM $ks.wide WHERE p = $p").size
    sc.parallelize(Seq((1, 1), (1, 2))).deleteFromCassandra(ks, "wide")
    sc.parallelize(Seq(Tuple1(2))).deleteFromCassandra(ks, "wide", keyColumns = SomeColumns("p"))
    sc.parallelize(Seq((3, 1))).deleteFromCassandra(ks, "wide", SomeColumns("v"))
    assertThat((1 to 4).map(left)).isEqualTo(Seq(3, 0, 5, 5))
    val row = cql(s"SELECT v, w FROM $ks.wide WHERE p = 3 AND c = 1").head
    assertThat(row.isNull(0)).isTrue()
    assertThat(row.getInt(1)).isEqualTo(1)
    sc.cassandraTable(ks, "wide").where("p = ?", 4).deleteFromCassandra(ks, "wide")
    assertThat(left(4)).isZero()
  }

  @Test
  def deletesNoMoreThanTheRowsThatKeysName(): Unit = {
    cql(s"CREATE TABLE $ks.only_keys (year int, month int, PRIMARY KEY (year, month))")
    sc.parallelize(Seq((2013, 1), (2013, 2))).saveToCassandra(ks, "only_keys")
    val years = sc.parallelize(Seq(Year(2013)))
    assertThatThrownBy(() => years.deleteFromCassandra(ks, "only_keys")).hasMessageContaining("no property for column \"month\"")
    assertThat(cql(s"SELECT month FROM $ks.only_keys").size).isEqualTo(2)
    years.deleteFromCassandra(ks, "only_keys", keyColumns = PartitionKeyColumns)
    assertThat(cql(s"SELECT month FROM $ks.only_keys").size).isZero()
  }

  @Test
  def saysWhatDoesNotFitBeforeTheJobStarts(): Unit = {
    val rows = sc.parallelize(Seq(("a", 1))).map { row => if (row._2 > 0) throw new IllegalStateException("the job has started"); row }
    assertThatThrownBy(() => rows.saveToCassandra(ks, "wrds")).hasMessageContaining("has no table \"wrds\"")
    assertThatThrownBy(() => rows.saveToCassandra(ks, "words", SomeColumns("word", "coun")))
      .isInstanceOf(classOf[IllegalArgumentException])
      .hasMessageContaining("has no column \"coun\"; its columns are \"word\", \"count\"")
      .hasMessageContaining("\"count\"?")
    assertThatThrownBy(() => rows.saveToCassandra(ks, "words", SomeColumns("count", "count" as "_2"))).hasMessageContaining("none of them")
    assertThatThrownBy(() => rows.saveToCassandra(ks, "words", SomeColumns("word"))).hasMessageContaining("tuples of 2 components")
    assertThatThrownBy(() => rows.saveToCassandra(ks, "words", SomeColumns("count" as "_2"))).hasMessageContaining("primary key column \"word\" is missing")
    assertThatThrownBy(() => rows.map(row => Miscount(row._1, 1)).saveToCassandra(ks, "words"))
      .hasMessageContaining("Miscount has no property for \"count\", and no column has its cuont")
    assertThatThrownBy(() => rows.map(row => WordCount(row._1, 1)).saveToCassandra(ks, "words", SomeColumns("word", "count" as "cnt")))
      .hasMessageContaining("WordCount has no property for \"cnt\"")
    assertThatThrownBy(() => rows.deleteFromCassandra(ks, "words", keyColumns = SomeColumns("count")))
      .hasMessageContaining("\"word\" of the partition key is missing")
  }

  @Test
  def saysWhichValueDoesNotFit(): Unit = {
    assertThatThrownBy(() => sc.parallelize(Seq(("a", "many"))).saveToCassandra(ks, "words"))
      .hasMessageContaining("column \"count\" is int, which cannot take the String many: it is not a number, or out of range")
    assertThatThrownBy(() => sc.parallelize(Seq(("a", 1L << 40))).saveToCassandra(ks, "words"))
      .hasMessageContaining("it must be from -2147483648 to 2147483647")
    assertThatThrownBy(() => sc.parallelize(Seq((null: String, 1))).saveToCassandra(ks, "words"))
      .hasMessageContaining("key column \"word\" is null")
  }

  @Test
  def readsTheSettingsOfTheApplication(): Unit = {
    val conf = sc.getConf.clone
      .set("spark.cassandra.output.consistency.level", "ALL")
      .set("spark.cassandra.output.ttl", "77")
      .set("spark.cassandra.output.batch.size.rows", "8")
      .set("spark.cassandra.output.batch.grouping.key", "replica_set")
      .set("spark.cassandra.output.ignoreNulls", "true")
    assertThat(WriteConf.fromSparkConf(conf)).isEqualTo(
      WriteConf(
        batchSize = RowsInBatch(8),
        batchGroupingKey = BatchGroupingKey.ReplicaSet,
        consistencyLevel = DefaultConsistencyLevel.ALL,
        ttl = TTLOption.constant(77),
        ignoreNulls = true))
    assertThat(WriteConf.fromSparkConf(sc.getConf)).isEqualTo(WriteConf())
  }
}
