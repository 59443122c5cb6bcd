package io.overdrive.spark.rdd

import com.datastax.spark.connector._
import com.datastax.spark.connector.cql.CassandraConnector
import com.datastax.spark.connector.mapper.{ColumnMapper, DefaultColumnMapper, JavaBeanColumnMapper}
import com.datastax.spark.connector.rdd.{CassandraTableScanRDD, ReadConf, ReplicaPartition}
import com.datastax.spark.connector.types.CassandraOption
import io.overdrive.TestCluster
import io.overdrive.spark.rdd.TestSpark.{cql, sc}
import org.apache.spark.HashPartitioner
import org.apache.spark.rdd.RDD
import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.{BeforeAll, Test, TestInstance}

import java.io.IOException
import java.util.Date

case class KeyValue(key: Int, value: String)
case class CustomerID(cust_id: Int)
case class Year(year: Int)
case class WithVariable(key: Int) {
  var value: String = "none"
}
class Job {
  case class Inner(key: Int, value: String)
  def read(): String = sc.cassandraTable[Inner]("rdd_loading", "kv").where("key = 5").map(_.value).first()
}
class JobOf(keyspace: String) {
  case class Inner(key: Int, value: String)
  def read(): String = sc.cassandraTable[Inner](keyspace, "kv").where("key = 5").map(inner => inner.value).first()
}
case class Flight(origin: String, dest: String, arrDelay: Option[Int])
case class Visit(custId: Int, place: String)
case class Place(place: String)

/** Reads of tables as RDDs, and joins: the programs of the documentation of the connector for Spark 3, and what it tests. */
@TestInstance(Lifecycle.PER_CLASS)
class LoadingIT {
  private val ks = "rdd_loading"

  @BeforeAll
  def start(): Unit = {
    TestCluster.keyspace(ks)
    cql(s"CREATE TABLE $ks.kv (key int PRIMARY KEY, value text)")
    sc.parallelize(1 to 1000).map(n => (n, s"v$n")).saveToCassandra(ks, "kv")
    cql(s"CREATE TABLE $ks.events (year int, month int, ts timestamp, data text, PRIMARY KEY (year, month, ts))")
    val rows = for (year <- 2001 to 2020; month <- 1 to 12; n <- 1 to 3) yield (year, month, new Date(n * 1000L), s"$year-$month-$n")
    sc.parallelize(rows).saveToCassandra(ks, "events")
    cql(s"CREATE TABLE $ks.nulls (key int PRIMARY KEY, col_1 int, col_2 text, col_3 list<int>)")
    cql(s"INSERT INTO $ks.nulls (key) VALUES (1)")
  }

  @Test
  def readsRowsIfNoTypeIsGiven(): Unit = {
    val rdd = sc.cassandraTable(ks, "kv")
    val typed: CassandraTableScanRDD[CassandraRow] = rdd
    assertThat(typed.count()).isEqualTo(1000)
    val row = rdd.where("key = ?", 7).first()
    assertThat(row.getInt("key")).isEqualTo(7)
    assertThat(row.get[String]("value")).isEqualTo("v7")
    assertThat(row.getString(1)).isEqualTo("v7")
    assertThat(row.toString).isEqualTo("CassandraRow{key: 7, value: v7}")
    assertThat(row.getLong("key")).isEqualTo(7)
    assertThat(row.get[Option[BigInt]]("key")).isEqualTo(Some(BigInt(7)))
    assertThatThrownBy(() => row.getInt("vlue")).hasMessageContaining("no column \"vlue\"").hasMessageContaining("key, value")
    assertThatThrownBy(() => row.getInt("value")).hasMessageContaining("column \"value\" cannot be read")
  }

  @Test
  def readsTuplesCaseClassesAndSingleColumns(): Unit = {
    val sum = (1 to 1000).map(_.toLong).sum
    assertThat(sc.cassandraTable[(Int, String)](ks, "kv").map(_._1.toLong).reduce(_ + _)).isEqualTo(sum)
    assertThat(sc.cassandraTable[KeyValue](ks, "kv").filter(kv => kv.value == s"v${kv.key}").count()).isEqualTo(1000)
    assertThat(sc.cassandraTable[Int](ks, "kv").select("key").map(_.toLong).sum).isEqualTo(sum.toDouble)
    assertThat(sc.cassandraTable[String](ks, "kv").select("value").where("key = 3").collect()).containsExactly("v3")
    assertThat(sc.cassandraTable[(String, Long)](ks, "kv").select("value", "key").where("key = 3").first()).isEqualTo(("v3", 3L))
    assertThatThrownBy(() => sc.cassandraTable[(Int, String, Int)](ks, "kv").count()).hasMessageContaining("needs 3 columns")
  }

  @Test
  def readsPropertiesUnderOtherNames(): Unit = {
    assertThat(sc.cassandraTable[WordCount](ks, "kv").select("value" as "word", "key" as "count").where("key = 5").first())
      .isEqualTo(WordCount("v5", 5))
    locally {
      implicit val mapper: ColumnMapper[WordCount] = new DefaultColumnMapper[WordCount](Map("word" -> "value", "count" -> "key"))
      assertThat(sc.cassandraTable[WordCount](ks, "kv").where("key = 5").first()).isEqualTo(WordCount("v5", 5))
    }
  }

  @Test
  def setsTheVariablesOfCaseClasses(): Unit = {
    assertThat(sc.cassandraTable[WithVariable](ks, "kv").where("key = 5").map(_.value).first()).isEqualTo("v5")
    assertThat(sc.cassandraTable[WithVariable](ks, "kv").select("key").where("key = 5").map(_.value).first()).isEqualTo("none")
  }

  @Test
  def makesObjectsOfInnerClassesIfThatIsPossible(): Unit = {
    assertThat(new Job().read()).isEqualTo("v5")
    assertThatThrownBy(() => new JobOf(ks).read())
      .isInstanceOf(classOf[IllegalArgumentException])
      .hasMessageContaining("JobOf$Inner is a class inside of io.overdrive.spark.rdd.JobOf")
      .hasMessageContaining("move the inner class into an object")
  }

  @Test
  def readsBeans(): Unit = {
    implicit val mapper: ColumnMapper[Bean] = new JavaBeanColumnMapper[Bean](Map("word" -> "value", "count" -> "key"))
    val bean = sc.cassandraTable[Bean](ks, "kv").where("key = 5").map(bean => (bean.getWord, bean.getCount.intValue)).first()
    assertThat(bean).isEqualTo(("v5", 5))
  }

  @Test
  def readsNullsAsOptions(): Unit = {
    assertThat(sc.cassandraTable[(Int, Option[Int], Option[String], List[Int])](ks, "nulls").first()).isEqualTo((1, None, None, Nil))
    assertThat(sc.cassandraTable[(Int, CassandraOption[Int])](ks, "nulls").first()).isEqualTo((1, CassandraOption.Unset))
    assertThatThrownBy(() => sc.cassandraTable[(Int, Int)](ks, "nulls").first()).hasMessageContaining("read it as Option[Int]")
  }

  @Test
  def readsCollectionsWithoutElementsAsEmptyUnlessTheyAreFrozen(): Unit = {
    cql(s"CREATE TABLE $ks.elements (key int PRIMARY KEY, l list<int>, s set<int>, m map<int, int>, f frozen<list<int>>)")
    cql(s"INSERT INTO $ks.elements (key) VALUES (1)")
    val table = sc.cassandraTable(ks, "elements").select("key", "l" as "x", "s", "m", "f")
    val joined = sc.parallelize(Seq(Tuple1(1))).joinWithCassandraTable(ks, "elements").select("l" as "x", "s", "m", "f")
    for (row <- Seq(table.first(), table.where("key IN ?", Seq(1, 2)).first(), joined.first()._2)) {
      assertThat(row.toString).contains("x: [], s: {}, m: {}, f: null")
      assertThat(row.isNullAt("x")).isFalse()
      assertThat(row.getRaw("m")).isEqualTo(Map.empty)
      assertThat(row.get[Option[Seq[Int]]]("x")).isEqualTo(Some(Nil))
      assertThat(row.get[Option[Seq[Int]]]("f")).isEqualTo(None)
    }
    val asNull = CassandraConnector(sc.getConf.set("spark.overdrive.emptyAsNull", "true"))
    for (row <- Seq(table.withConnector(asNull).first(), joined.withConnector(asNull).first()._2)) {
      assertThat(row.toString).contains("x: null, s: null, m: null, f: null")
      assertThat(row.getList[Int]("x")).isEqualTo(Vector.empty)
    }
  }

  @Test
  def selectsTimesAndFunctions(): Unit = {
    cql(s"CREATE TABLE $ks.times (key int PRIMARY KEY, value text)")
    cql(s"INSERT INTO $ks.times (key, value) VALUES (1, 'x') USING TTL 1000 AND TIMESTAMP 42")
    val rdd = sc.cassandraTable(ks, "times")
    val row = rdd.select("value", "value".ttl, "value".writeTime).first()
    assertThat(row.getLong("ttl(value)")).isBetween(900L, 1000L)
    assertThat(row.getLong("writetime(value)")).isEqualTo(42)
    assertThat(rdd.select("value".ttl as "column_ttl").first().getLong("column_ttl")).isBetween(900L, 1000L)
    val token = rdd.select(FunctionCallRef("token", Seq(Left("key": ColumnName)), Some("t"))).first()
    assertThat(token.getLong("t")).isEqualTo(cql(s"SELECT token(key) FROM $ks.times").head.getLong(0))
  }

  @Test
  def narrowsWhatWasSelected(): Unit = {
    val rdd = sc.cassandraTable(ks, "kv").select("key", "value").select("value")
    assertThat(rdd.first().columnValues.size).isOne()
    assertThatThrownBy(() => rdd.select("key")).hasMessageContaining("not among the columns that were selected before")
    assertThatThrownBy(() => sc.cassandraTable(ks, "kv").select("vlue").count()).hasMessageContaining("has no column \"vlue\"")
  }

  @Test
  def selectsTheTimesOfAColumnThatWasSelected(): Unit = {
    val row = sc.cassandraTable(ks, "kv").select("key", "value").select("value".writeTime, "value" as "v").where("key = 7").first()
    assertThat(row.metaData.columnNames).isEqualTo(IndexedSeq("writetime(value)", "v"))
    assertThat(row.getLong("writetime(value)")).isPositive()
    assertThat(row.getString("v")).isEqualTo("v7")
  }

  @Test
  def filtersOnTheServer(): Unit = {
    val events = sc.cassandraTable[(Int, Int, Date, String)](ks, "events")
    assertThat(events.where("year = ?", 2013).count()).isEqualTo(36)
    assertThat(events.where("year = 2013 AND month > ?", 6).count()).isEqualTo(18)
    assertThat(events.where("year = ?", 2013).where("month = ?", "5").count()).isEqualTo(3)
    assertThat(events.where("year IN ?", Seq(2001, 2002, 1999)).count()).isEqualTo(72)
    assertThat(events.where("year IN (?, ?) AND month IN (1, ?)", 2001, 2002, 3).count()).isEqualTo(12)
    assertThat(events.where("month = :month", 5).count()).isEqualTo(60)
    assertThat(events.where("data = ?", "2013-5-2").collect().map(_._4)).containsExactly("2013-5-2")
    assertThat(events.where("year = ? AND month = ? AND ts > ?", 2013, 5, new Date(1500)).count()).isEqualTo(2)
    assertThat(events.where("year = ? AND month = 5 AND ts = '1970-01-01T00:00:02Z'", 2013).count()).isOne()
    assertThatThrownBy(() => events.where("year = ?").count()).hasMessageContaining("1 markers, and there are 0 values")
    assertThatThrownBy(() => events.where("year = ?", "x").count()).hasMessageContaining("does not fit")
    assertThatThrownBy(() => events.where("yaer = ?", 1).count()).isInstanceOf(classOf[IllegalArgumentException])
  }

  @Test
  def looksUpTheKeysOfLists(): Unit = {
    val table = sc.cassandraTable[(Int, String)](ks, "kv")
    val listed = table.where("key IN ?", 501 to 3500)
    assertThat(listed.partitions.length).isGreaterThan(1) // one query would be one partition
    assertThat(listed.collect().sorted.toSeq).isEqualTo((501 to 1000).map(n => (n, s"v$n")))
    assertThat(listed.cassandraCount()).isEqualTo(500)
    assertThat(listed.limit(3).collect().length).isBetween(3, 3 * listed.partitions.length)
    assertThat(table.where(s"key in (${(1 to 3000).mkString(", ")})").where("value = 'v7'").collect()).containsExactly((7, "v7"))
    assertThat(table.where("key IN ?", Seq(7, 7, 8)).count()).isEqualTo(2)
    val times = sc.cassandraTable(ks, "kv").select("key", "value".writeTime).where("key IN ?", 1 to 2000).collect()
    assertThat(times.length).isEqualTo(1000)
    assertThat(times.count(_.getLong("writetime(value)") > 0)).isEqualTo(1000)
    val tokens = sc.cassandraTable(ks, "kv").select(FunctionCallRef("token", Seq(Left("key": ColumnName)), Some("t"))).where("key IN ?", Seq(1, 2))
    assertThat(tokens.count()).isEqualTo(2)
    val events = sc.cassandraTable[(Int, Int)](ks, "events").select("year", "month").where("year IN ?", 1001 to 3000)
    assertThat(events.partitions.length).isGreaterThan(1)
    assertThat(events.count()).isEqualTo(720)
    assertThat(events.where("month > ?", 6).count()).isEqualTo(360)
    assertThat(events.where("month = 3").cassandraCount()).isEqualTo(60)
    assertThat(sc.cassandraTable[Int](ks, "events").select("month").where("year IN ?", Seq(2001, 2002)).perPartitionLimit(1).collect())
      .containsExactly(1, 1)
    assertThatThrownBy(() => table.where("key IN ?", Seq("x", "y")).count()).hasMessageContaining("does not fit")
    assertThatThrownBy(() => table.where("key IN ('x', 'y')").count()).isInstanceOf(classOf[IllegalArgumentException])
  }

  @Test
  def limitsAndOrders(): Unit = {
    val events = sc.cassandraTable[(Int, Int)](ks, "events").select("year", "month")
    assertThat(events.perPartitionLimit(2).count()).isEqualTo(40)
    assertThat(events.where("year = 2013").limit(5).count()).isEqualTo(5)
    assertThat(events.where("year = 2013").withDescOrder.first()).isEqualTo((2013, 12))
    assertThat(events.where("year = 2013").withAscOrder.first()).isEqualTo((2013, 1))
    assertThat(events.take(7)).hasSize(7)
    assertThat(events.limit(1).collect().length).isBetween(1, events.limit(1).partitions.length)
    assertThatThrownBy(() => events.withDescOrder.count()).hasMessageContaining("only within a partition")
  }

  @Test
  def countsOnTheServers(): Unit = {
    assertThat(sc.cassandraTable(ks, "kv").cassandraCount()).isEqualTo(1000)
    val events = sc.cassandraTable(ks, "events")
    assertThat(events.cassandraCount()).isEqualTo(720)
    assertThat(events.where("year = ?", 2013).cassandraCount()).isEqualTo(36)
    assertThat(events.where("month = 3").cassandraCount()).isEqualTo(60)
    assertThat(events.perPartitionLimit(1).cassandraCount()).isEqualTo(20)
  }

  @Test
  def groupsAdjacentRows(): Unit = {
    val spans = sc.cassandraTable(ks, "events").spanBy(row => (row.getInt("year"), row.getInt("month"))).collect()
    assertThat(spans).hasSize(240)
    assertThat(spans.map(_._2.size).toSet).isEqualTo(Set(3))
    val byKey = sc.cassandraTable(ks, "events").keyBy(row => row.getInt("year")).spanByKey.collect()
    assertThat(byKey.map { case (year, rows) => year -> rows.size }.toMap).isEqualTo((2001 to 2020).map(_ -> 36).toMap)
    val partitioned = sc.parallelize(Seq(1 -> "a", 2 -> "a", 3 -> "a", 4 -> "a")).partitionBy(new HashPartitioner(2))
    assertThat(partitioned.spanBy(_._2).reduceByKey(_ ++ _).collect().map(_._1)).containsExactly("a") // other keys than the partitioner's
    assertThat(partitioned.spanByKey.partitioner).isEqualTo(partitioned.partitioner)
  }

  @Test
  def givesRowsWithTheirKeys(): Unit = {
    val keyed = sc.cassandraTable[(Int, String)](ks, "kv").keyBy[Tuple1[Int]]("key")
    assertThat(keyed.where("key = 9").collect()).containsExactly((Tuple1(9), (9, "v9")))
    assertThat(sc.cassandraTable(ks, "events").keyBy[(Int, Int)]("year", "month").map(_._1).distinct().count()).isEqualTo(240)
  }

  @Test
  def makesKeysOfAllColumnsIfNoneAreNamed(): Unit = {
    cql(s"CREATE TABLE $ks.visits (cust_id int, day int, place text, PRIMARY KEY (cust_id, day))")
    sc.parallelize(for (id <- 1 to 20; day <- 1 to 2) yield (id, day, s"place $id")).saveToCassandra(ks, "visits")
    val visits = sc.cassandraTable[(Int, Int)](ks, "visits").select("cust_id", "day")
    val byCustomer = visits.keyBy[CustomerID]
    assertThat(byCustomer.partitioner.isDefined).isTrue()
    assertThat(byCustomer.collect().forall { case (key, row) => key.cust_id == row._1 }).isTrue()
    assertThat(byCustomer.partitioner).isEqualTo(visits.keyBy[CustomerID]("cust_id").partitioner)
    val others = sc.cassandraTable(ks, "visits").keyAndApplyPartitionerFrom(byCustomer)
    assertThat(byCustomer.join(others).count()).isEqualTo(80)
    val byPlace = visits.keyBy[Visit]
    assertThat(byPlace.collect().forall { case (key, row) => key == Visit(row._1, s"place ${row._1}") }).isTrue()
    assertThat(byPlace.partitioner.isDefined).isTrue()
    assertThat(byPlace.groupByKey().count()).isEqualTo(20)
    assertThat(visits.keyBy[Place].partitioner).isEqualTo(None)
    val byTuple = visits.keyBy[(Int, Int)]
    assertThat(byTuple.partitioner.isDefined).isTrue()
    assertThat(byTuple.collect().forall { case (key, row) => key == row }).isTrue()
  }

  @Test
  def joinsAndGroupsByPartitionKeyWithoutAShuffle(): Unit = {
    cql(s"CREATE TABLE $ks.purchases (userid int, purchaseid int, objectid text, amount int, PRIMARY KEY (userid, purchaseid, objectid))")
    cql(s"CREATE TABLE $ks.users (userid int PRIMARY KEY, name text, zipcode int)")
    sc.parallelize(1 to 300).map(n => (n, s"user $n", n % 7)).saveToCassandra(ks, "users")
    sc.parallelize(for (user <- 2 to 400 by 2; p <- 1 to 3) yield (user, p, s"o${p % 2}", p)).saveToCassandra(ks, "purchases")
    def isShuffled(rdd: RDD[_]): Boolean = rdd.toDebugString.linesIterator.count(_.contains("+-")) > 0

    val purchases = sc.cassandraTable[(Int, Int, String)](ks, "purchases")
      .select("purchaseid" as "_1", "amount" as "_2", "objectid" as "_3", "userid").keyBy[Tuple1[Int]]("userid")
    val users = sc.cassandraTable[(String, Int)](ks, "users").select("name" as "_1", "zipcode" as "_2", "userid").keyBy[Tuple1[Int]]("userid")
    assertThat(purchases.partitioner.get.numPartitions).isGreaterThan(1)
    for (same <- Seq(
        users.applyPartitionerFrom(purchases),
        sc.cassandraTable[(String, Int)](ks, "users").select("name" as "_1", "zipcode" as "_2", "userid")
          .keyAndApplyPartitionerFrom(purchases))) {
      assertThat(same.partitioner).isEqualTo(purchases.partitioner)
      val joined = purchases.join(same)
      assertThat(isShuffled(joined)).isFalse()
      assertThat(joined.map { case (user, (_, (name, _))) => (user._1, name) }.collect().groupBy(identity).view.mapValues(_.length).toMap)
        .isEqualTo((2 to 300 by 2).map(n => (n, s"user $n") -> 3).toMap)
    }
    val ofOthers = sc.parallelize(1 to 10).map(n => (Tuple1(n), n)).join(users)
    assertThat(ofOthers.map(_._1._1).collect().sorted.toSeq).isEqualTo(1 to 10)

    val byObject = sc.cassandraTable[(Int, Int)](ks, "purchases").select("purchaseid", "amount").keyBy[(Int, String)]("userid", "objectid").groupByKey()
    assertThat(isShuffled(byObject)).isFalse()
    assertThat(byObject.mapValues(_.size).collect().groupBy(_._2).view.mapValues(_.length).toMap).isEqualTo(Map(1 -> 200, 2 -> 200))

    assertThat(sc.cassandraTable[(String, Int)](ks, "users").keyBy[Tuple1[Int]]("zipcode").partitioner).isEqualTo(None)
    assertThat(users.where("userid = 3").partitioner).isEqualTo(None)
    assertThat(users.where("userid = 3").collect().map(_._1)).containsExactly(Tuple1(3))
    assertThat(users.limit(1).partitioner).isEqualTo(users.partitioner)
    assertThatThrownBy(() => users.applyPartitionerFrom(users.where("userid = 3")))
      .hasMessageContaining("cannot have the partitioner")
    val swapped = sc.cassandraTable[Int](ks, "users").select("zipcode").keyBy[(Int, Int)]("zipcode", "userid")
    assertThat(swapped.partitioner).isNotEqualTo(sc.cassandraTable[Int](ks, "users").select("zipcode").keyBy[(Int, Int)]("userid", "zipcode").partitioner)
  }

  @Test
  def refusesKeysThatDoNotHaveTheTokensOfTheirRows(): Unit = {
    cql(s"CREATE TABLE $ks.numbers (n text PRIMARY KEY, v int)")
    sc.parallelize(1 to 50).map(n => (s"0$n", n)).saveToCassandra(ks, "numbers")
    val keyed = sc.cassandraTable[Int](ks, "numbers").select("v").keyBy[Tuple1[Int]]("n")
    assertThatThrownBy(() => keyed.count()).hasMessageContaining("does not have the token of its row")
    cql(s"CREATE TABLE $ks.decimals (n decimal PRIMARY KEY)")
    assertThat(sc.cassandraTable[Tuple1[BigDecimal]](ks, "decimals").keyBy[Tuple1[BigDecimal]]("n").partitioner).isEqualTo(None)
  }

  @Test
  def readsInAsManyPartitionsAsAsked(): Unit = {
    val rdd = sc.cassandraTable[(Int, String)](ks, "kv").withReadConf(ReadConf(splitCount = Some(7)))
    assertThat(rdd.partitions.length).isEqualTo(7)
    assertThat(rdd.map(_._1).distinct().count()).isEqualTo(1000)
    locally {
      implicit val readConf: ReadConf = ReadConf(splitCount = Some(3), fetchSizeInRows = 10)
      assertThat(sc.cassandraTable(ks, "kv").partitions.length).isEqualTo(3)
      assertThat(sc.cassandraTable(ks, "kv").count()).isEqualTo(1000)
    }
  }

  @Test
  def isLazy(): Unit = {
    val missing = sc.cassandraTable(ks, "not_there").select("a").where("b = ?", 1).map(_.getInt("a"))
    assertThatThrownBy(() => missing.count()).isInstanceOf(classOf[IOException]).hasMessageContaining("has no table \"not_there\"")
  }

  /** Also its further attempts, which would find the new table. */
  @Test
  def failsIfTheTableIsDroppedAndCreatedWhileATaskReadsIt(): Unit = {
    for (isJoin <- Seq(false, true)) {
      val create = s"CREATE TABLE $ks.gone (id int PRIMARY KEY, v int)"
      cql(create)
      sc.parallelize(1 to 20).map(id => (id, id)).saveToCassandra(ks, "gone")
      val rows: RDD[_] =
        if (isJoin) sc.parallelize(1 to 20, 1).map(Tuple1(_)).joinWithCassandraTable(ks, "gone")
        else sc.cassandraTable(ks, "gone").withReadConf(ReadConf(splitCount = Some(1), fetchSizeInRows = 1))
      assertThatThrownBy(() =>
        rows.foreachPartition { of =>
          assertThat(of.hasNext).isTrue
          cql("DROP TABLE rdd_loading.gone")
          cql("CREATE TABLE rdd_loading.gone (id int PRIMARY KEY, v int)")
          of.foreach(_ => ())
        }).hasMessageContaining(s"[$ks.gone] the table was dropped while the table was read")
      cql(s"DROP TABLE $ks.gone")
    }
  }

  @Test
  def copiesATableWithoutDeletingValues(): Unit = {
    cql(s"CREATE TABLE $ks.tab1 (key INT, col_1 INT, col_2 INT, PRIMARY KEY (key))")
    cql(s"INSERT INTO $ks.tab1 (key, col_1, col_2) VALUES (1, null, 1)")
    cql(s"CREATE TABLE $ks.tab2 (key INT, col_1 INT, col_2 INT, PRIMARY KEY (key))")
    cql(s"INSERT INTO $ks.tab2 (key, col_1, col_2) VALUES (1, 5, null)")
    sc.cassandraTable[(Int, CassandraOption[Int], CassandraOption[Int])](ks, "tab1").saveToCassandra(ks, "tab2")
    assertThat(sc.cassandraTable[(Int, Int, Int)](ks, "tab2").collect()).containsExactly((1, 5, 1))
  }

  @Test
  def joinsByPartitionKey(): Unit = {
    val joined = sc.parallelize(Seq(1, 500, 5000).map(Tuple1(_))).joinWithCassandraTable[(Int, String)](ks, "kv")
    assertThat(joined.collect().toSet).isEqualTo(Set((Tuple1(1), (1, "v1")), (Tuple1(500), (500, "v500"))))
    val left = sc.parallelize(Seq(1, 5000).map(Tuple1(_))).leftJoinWithCassandraTable(ks, "kv").collect().toMap
    assertThat(left(Tuple1(1)).map(_.getString("value"))).isEqualTo(Some("v1"))
    assertThat(left(Tuple1(5000))).isEqualTo(None)
    assertThat(sc.parallelize(Seq(1, 5000).map(Tuple1(_))).leftJoinWithCassandraTable(ks, "kv").cassandraCount()).isOne()
  }

  @Test
  def joinsTwoTables(): Unit = {
    cql(s"CREATE TABLE $ks.customer_info (cust_id int PRIMARY KEY, name text, address text)")
    cql(s"CREATE TABLE $ks.shopping_history (cust_id int, date timestamp, product text, quantity int, PRIMARY KEY (cust_id, date, product))")
    sc.parallelize(0 to 99).map(n => (n, s"name $n", "here")).saveToCassandra(ks, "customer_info", SomeColumns("cust_id", "name", "address"))
    sc.parallelize(for (n <- 0 to 99; d <- 1 to n % 4) yield (n, new Date(d * 1000L), s"p$d", d)).saveToCassandra(ks, "shopping_history")
    val internalJoin = sc.cassandraTable(ks, "customer_info").joinWithCassandraTable(ks, "shopping_history")
    assertThat(internalJoin.count()).isEqualTo(150)
    assertThat(internalJoin.cassandraCount()).isEqualTo(150)
    assertThat(internalJoin.where("date > ?", new Date(1000)).count()).isEqualTo(75)
    assertThat(internalJoin.limit(1).count()).isEqualTo(75)
    assertThat(internalJoin.select("quantity").map(_._2.columnValues.size).distinct().collect()).containsExactly(1)
    assertThat(internalJoin.on(SomeColumns("cust_id")).count()).isEqualTo(150)
    val joinWithRDD = sc.parallelize(0 to 5).filter(_ % 2 == 0).map(CustomerID(_)).joinWithCassandraTable(ks, "customer_info")
    assertThat(joinWithRDD.map(_._2.getString("name")).collect()).containsExactlyInAnyOrder("name 0", "name 2", "name 4")
    val two = sc.parallelize(Seq((3, new Date(2000)))).joinWithCassandraTable[String](ks, "shopping_history")
      .on(SomeColumns("cust_id", "date")).select("product")
    assertThat(two.map(_._2).collect()).containsExactly("p2")
  }

  @Test
  def refusesJoinsThatCannotBe(): Unit = {
    val keys = sc.parallelize(Seq((2013, 1)))
    assertThatThrownBy(() => keys.joinWithCassandraTable(ks, "events").on(SomeColumns("month")).count()).hasMessageContaining("cannot be looked up by")
    assertThatThrownBy(() => keys.joinWithCassandraTable(ks, "events").on(SomeColumns("year", "ts")).count()).hasMessageContaining("cannot be looked up by")
    assertThatThrownBy(() => keys.joinWithCassandraTable(ks, "events").withDescOrder.count()).hasMessageContaining("no clustering order")
    assertThatThrownBy(() => sc.parallelize(Seq(Tuple1(null: Integer))).joinWithCassandraTable(ks, "kv").count())
      .hasMessageContaining("key column \"key\" is null")
    cql(s"CREATE TABLE $ks.only_keys (year int, month int, PRIMARY KEY (year, month))")
    assertThatThrownBy(() => sc.parallelize(Seq(Year(2013))).joinWithCassandraTable(ks, "only_keys").on(SomeColumns("year", "month")).count())
      .hasMessageContaining("no property for column \"month\"")
  }

  @Test
  def movesRowsToTheirReplicas(): Unit = {
    val ids = sc.parallelize(1 to 1000).map(KeyValue(_, "x"))
    val moved = ids.repartitionByCassandraReplica(ks, "kv", 10)
    assertThat(moved.partitions.length).isEqualTo(10)
    assertThat(moved.map(_.key).collect().toSet).isEqualTo((1 to 1000).toSet)
    assertThat(moved.glom().map(_.length).collect().count(_ > 50)).isEqualTo(10)
    val node = TestCluster.address.getAddress.getHostAddress
    assertThat(moved.partitions.map(_.asInstanceOf[ReplicaPartition].endpoint).toSet).isEqualTo(Set(node))
    assertThat(moved.joinWithCassandraTable(ks, "kv").count()).isEqualTo(1000)
    assertThat(ids.keyByCassandraReplica(ks, "kv").map(_._1.map(_.getHostAddress)).distinct().collect()).containsExactly(Set(node))
  }

  /** Its methods for tuples, too. */
  @Test
  def methodsOfTheJavaApiAreVisible(): Unit = {
    import com.datastax.spark.connector.japi.CassandraJavaUtil._
    val rows = javaFunctions(sc).cassandraTable("system", "local", mapRowToTuple(classOf[String], classOf[String])).select("key", "cluster_name")
    assertThat(rows.first()._1).isEqualTo("local")
    assertThat(mapTupleToRow(classOf[String])).isNotNull
  }
}
