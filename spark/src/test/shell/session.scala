// What a reader of the documentation of the connector for Spark 3 types into spark-shell, in our words. KEYSPACE stands for an empty keyspace.
// Prints the name of each part, and what is wrong in it.
import com.datastax.spark.connector._
import com.datastax.spark.connector.cql._
import scala.language.postfixOps
val ks = "KEYSPACE"
var wrong = Seq.empty[String]
def same(found: Any, expected: Any): Unit = if (found != expected) wrong :+= s"found $found instead of $expected"
def part(name: String): Unit = { println(s"\n### $name\n${if (wrong.isEmpty) "works" else wrong.mkString("\n")}\n### after"); wrong = Seq.empty }
val connector = CassandraConnector(sc.getConf)
def cql(statement: String): Unit = connector.withSessionDo(session => session.execute(statement))

cql(s"CREATE TABLE $ks.numbers (k int PRIMARY KEY, v int)")
sc.parallelize(1 to 50).map(x => (x, x)).saveToCassandra(ks, "numbers")
same(sc.cassandraTable(ks, "numbers").take(3).size, 3)
val lazily = sc.parallelize(1 to 4).mapPartitions(it => connector.withSessionDo(session => it.map(n => session.execute(s"SELECT v FROM KEYSPACE.numbers WHERE k = $n").one.getInt(0))))
same(lazily.sum, 10.0)
part("connecting")

cql(s"CREATE TABLE $ks.fruits (name text PRIMARY KEY, stock int, colours set<text>, days list<int>)")
cql(s"INSERT INTO $ks.fruits (name, stock, colours, days) VALUES ('pear', 20, {'green', 'yellow'}, [1, 2])")
cql(s"INSERT INTO $ks.fruits (name) VALUES ('fig')")
val rdd = sc.cassandraTable(ks, "fruits")
rdd.collect.foreach(println)
val firstRow = rdd.where("name = ?", "pear").first
same((firstRow.size, firstRow.getInt("stock"), firstRow.getLong("stock"), firstRow.get[BigInt]("stock")), (4, 20, 20L, BigInt(20)))
same((firstRow.getIntOption("stock"), firstRow.get[Option[Int]]("stock")), (Some(20), Some(20)))
same(firstRow.get[Set[String]]("colours"), Set("green", "yellow"))
same((firstRow.getList[Int]("days"), firstRow.get[Seq[Long]]("days"), firstRow.get[IndexedSeq[String]]("days")), (Vector(1, 2), Seq(1L, 2L), IndexedSeq("1", "2")))
same(firstRow.get[String]("days"), "[1,2]")
same(rdd.select("name").where("name = ?", "fig").first.toString, "CassandraRow{name: fig}")
same(rdd.select("name", "stock").select("stock".writeTime as "written").first.getLongOption("written").forall(_ > 1000000L), true)
case class Fruit(name: String, stock: Option[Int])
same(sc.cassandraTable[Fruit](ks, "fruits").collect.toSet, Set(Fruit("pear", Some(20)), Fruit("fig", None)))
class Mutable extends Serializable {
  var name: String = ""
  var stock: Option[Int] = None
}
same(sc.cassandraTable[Mutable](ks, "fruits").map(fruit => (fruit.name, fruit.stock)).collect.toMap, Map("pear" -> Some(20), "fig" -> None))
case class Renamed(fruit: String, number: Option[Int])
same(sc.cassandraTable[Renamed](ks, "fruits").select("name" as "fruit", "stock" as "number").where("name = 'pear'").first, Renamed("pear", Some(20)))
part("loading")

cql(s"CREATE TYPE $ks.place (street text, house_number int)")
cql(s"CREATE TABLE $ks.shops (id int PRIMARY KEY, shop_name text, line_1 text, at frozen<place>)")
case class Place(street: String, houseNumber: Int)
case class Shop(id: Int, shopName: String, line1: String, at: Place)
sc.parallelize(Seq(Shop(1, "One", "first", Place("Main", 5)))).saveToCassandra(ks, "shops")
same(sc.cassandraTable[Shop](ks, "shops").collect.toSeq, Seq(Shop(1, "One", "first", Place("Main", 5))))
case class Loose(id: Int, at: UDTValue)
sc.parallelize(Seq(Loose(2, UDTValue.fromMap(Map("street" -> "Side", "house_number" -> 6))))).saveToCassandra(ks, "shops")
same(sc.cassandraTable(ks, "shops").where("id = 2").first.getUDTValue("at").getInt("house_number"), 6)
cql(s"CREATE TABLE $ks.visits (day text, visitor text, pages int, PRIMARY KEY (day, visitor))")
sc.parallelize(Seq(("mon", "ann", 3), ("mon", "bob", 30), ("tue", "ann", 4))).saveToCassandra(ks, "visits")
case class VisitKey(visitor: String, day: String)
case class Pages(pages: Int)
same(sc.cassandraTable[Pages](ks, "visits").keyBy[VisitKey].collect.toMap, Map(VisitKey("ann", "mon") -> Pages(3), VisitKey("bob", "mon") -> Pages(30), VisitKey("ann", "tue") -> Pages(4)))
val keyed = { sc.cassandraTable[(Int, String)](ks, "visits")
  .select("pages" as "_1", "visitor" as "_2", "day")
  .keyBy[Tuple1[String]]("day")
}
same((keyed.partitioner.isDefined, keyed.groupByKey.map { case (day, all) => (day._1, all.size) }.collect.toMap), (true, Map("mon" -> 2, "tue" -> 1)))
same(keyed.map(x => x).partitioner, None)
sc.cassandraTable(ks, "visits")
  .spanBy(row => row.getString("day"))
  .map { case (day, rows) => (day, rows.size) }
  .collect
same(sc.cassandraTable(ks, "visits").keyBy(row => row.getString("day")).spanByKey.mapValues(_.size).collect.toMap, Map("mon" -> 2, "tue" -> 1))
same(sc.cassandraTable(ks, "visits").cassandraCount(), 3L)
import com.datastax.spark.connector.mapper.{DefaultColumnMapper, JavaBeanColumnMapper}
:paste < END
class Stock extends Serializable {
    private var _name: String = ""
    private var _stock: Int = 0
    def setName(name: String): Unit = { _name = name }
    def setStock(stock: Int): Unit = { _stock = stock }
    def getName: String = _name
    def getStock: Int = _stock
    override def toString = _name + ":" + _stock
}
object Stock {
    implicit object Mapper extends JavaBeanColumnMapper[Stock]
}
case class Brief(n: String, s: Int)
object Brief {
    implicit object Mapper extends DefaultColumnMapper[Brief](Map("n" -> "name", "s" -> "stock"))
}
END
same(sc.cassandraTable[Stock](ks, "fruits").where("name = 'pear'").map(_.toString).collect.toSeq, Seq("pear:20"))
same(sc.cassandraTable[Brief](ks, "fruits").where("name = 'pear'").collect.toSeq, Seq(Brief("pear", 20)))
sc.parallelize(Seq(Brief("lime", 30))).saveToCassandra(ks, "fruits", SomeColumns("name", "stock"))
same(sc.cassandraTable[Brief](ks, "fruits").where("name = 'lime'").first, Brief("lime", 30))
part("mappers")

import com.datastax.spark.connector.types.CassandraOption
import com.datastax.spark.connector.writer._
sc.parallelize(Seq((30, "date"), (40, "kiwi"))).saveToCassandra(ks, "fruits", SomeColumns("name" as "_2", "stock" as "_1"))
sc.parallelize(Seq(("kiwi", Vector(7)))).saveToCassandra(ks, "fruits", SomeColumns("name", "days" append))
sc.parallelize(Seq(("kiwi", Vector(6)))).saveToCassandra(ks, "fruits", SomeColumns("name", "days" prepend))
same(sc.cassandraTable[(Int, List[Int])](ks, "fruits").select("stock", "days").where("name = 'kiwi'").first, (40, List(6, 7)))
cql(s"CREATE TABLE $ks.options (key int PRIMARY KEY, one int, two int)")
sc.parallelize(1 to 6).map(x => (x, x, x)).saveToCassandra(ks, "options")
sc.parallelize(1 to 6).map(x => x match {
  case x if (x >= 5) => (x, CassandraOption.Null, CassandraOption.Unset)
  case x if (x <= 2) => (x, CassandraOption.Unset, CassandraOption.Null)
  case x => (x, CassandraOption(-1), CassandraOption(-1))
}).saveToCassandra(ks, "options")
same(sc.cassandraTable[(Int, Option[Int], Option[Int])](ks, "options").select("key", "one", "two").collect.toSeq.sortBy(_._1).map(row => (row._2, row._3)), Seq((Some(1), None), (Some(2), None), (Some(-1), Some(-1)), (Some(-1), Some(-1)), (None, Some(5)), (None, Some(6))))
val nones = sc.parallelize(1 to 6).map(x => (x, None, None))
nones.map { case (x: Int, y: Option[Int], z: Option[Int]) =>
    (x, CassandraOption.deleteIfNone(y), CassandraOption.unsetIfNone(z))
  }.saveToCassandra(ks, "options")
same(sc.cassandraTable(ks, "options").where("key = 6").first.getIntOption("two"), Some(6))
nones.saveToCassandra(ks, "options", writeConf = WriteConf.fromSparkConf(sc.getConf).copy(ignoreNulls = true))
same(sc.cassandraTable(ks, "options").where("key = 6").first.getIntOption("two"), Some(6))
case class Kept(name: String, stock: Int, seconds: Int)
sc.makeRDD(Seq(
  Kept("plum", 1, 1000),
  Kept("sloe", 2, 2000))).saveToCassandra(ks, "fruits", writeConf = WriteConf(ttl = TTLOption.perRow("seconds")))
same(sc.cassandraTable(ks, "fruits").select("stock".ttl).where("name = 'sloe'").first.getInt("ttl(stock)") > 1500, true)
sc.makeRDD(Seq(("plum", 5))).saveToCassandra(ks, "fruits", SomeColumns("name", "stock"), writeConf = WriteConf(timestamp = TimestampOption.constant(1L)))
sc.makeRDD(Seq(("plum", 5))).saveToCassandra(ks, "fruits", SomeColumns("name", "stock"), writeConf = WriteConf(ifNotExists = true))
same(sc.cassandraTable[Int](ks, "fruits").select("stock").where("name = 'plum'").first, 1)
case class Made(name: String, total: Long)
sc.parallelize(Seq(Made("a", 1), Made("b", 2))).saveAsCassandraTable(ks, "made", SomeColumns("name", "total"))
val like = TableDef.fromType[Made](ks, "made")
val more = TableDef(ks, "made_2", like.partitionKey, like.clusteringColumns,
  like.regularColumns :+ ColumnDef("additional", RegularColumn, com.datastax.spark.connector.types.IntType))
sc.parallelize(Seq(Made("a", 1))).saveAsCassandraTableEx(more, SomeColumns("name", "total"))
same(sc.cassandraTable(ks, "made_2").first.getIntOption("additional"), None)
spark.sql("SELECT 'row' AS name, 1 + 1 AS total").rdd.saveToCassandra(ks, "made")
spark.sql("SELECT 'other row', 1 + 2").rdd.saveToCassandra(ks, "made", SomeColumns("name", "total"))
same(sc.cassandraTable[(String, Long)](ks, "made").collect.toMap, Map("a" -> 1L, "b" -> 2L, "row" -> 2L, "other row" -> 3L))
sc.cassandraTable(ks, "visits")
  .where("pages < 10")
  .deleteFromCassandra(ks, "visits")
same(sc.cassandraTable(ks, "visits").map(_.getString("visitor")).collect.toSeq, Seq("bob"))
sc.parallelize(Seq(("mon", "bob"))).deleteFromCassandra(ks, "visits", SomeColumns("pages"))
same(sc.cassandraTable(ks, "visits").first.getIntOption("pages"), None)
case class Day(day: String)
sc.parallelize(Seq(Day("mon"))).deleteFromCassandra(ks, "visits", keyColumns = SomeColumns("day"))
same(sc.cassandraTable(ks, "visits").count, 0L)
part("saving")

cql(s"CREATE TABLE $ks.sales (k int, n int, what text, PRIMARY KEY (k, n))")
sc.parallelize(for (k <- 1 to 50 by 2; n <- 1 to 3) yield (k, n, s"w$n")).saveToCassandra(ks, "sales")
case class Id(k: Int)
val ids = sc.parallelize(1 to 100).map(Id(_))
val moved = ids.repartitionByCassandraReplica(ks, "sales", 10)
same((moved.partitions.length, moved.count), (10, 100L))
val join = sc.cassandraTable(ks, "numbers").joinWithCassandraTable(ks, "sales")
same((join.count, join.cassandraCount, join.limit(1).count, join.where("n > 2").count), (75L, 75L, 25L, 25L))
same(join.select("what").on(SomeColumns("k")).map(_._2.size).distinct.collect.toSeq, Seq(1))
same(moved.leftJoinWithCassandraTable[(Int, Int)](ks, "sales").filter(_._2.isEmpty).count, 75L)
same(sc.parallelize(Seq((3, 2))).joinWithCassandraTable[String](ks, "sales").on(SomeColumns("k", "n")).select("what").collect.toSeq, Seq(((3, 2), "w2")))
val sales = { sc.cassandraTable[(Int, String)](ks, "sales")
  .select("n" as "_1", "what" as "_2", "k")
  .keyBy[Tuple1[Int]]("k")
}
val numbers = { sc.cassandraTable[Tuple1[Int]](ks, "numbers")
  .select("v" as "_1", "k")
  .keyBy[Tuple1[Int]]("k")
}.applyPartitionerFrom(sales)
same((sales.join(numbers).count, sales.join(numbers).toDebugString.contains("Shuffled")), (75L, false))
part("joins")

import org.apache.spark.sql.cassandra._
import com.datastax.spark.connector.rdd.ReadConf
spark.setCassandraConf("Cluster1", ks, ReadConf.SplitSizeInMBParam.option(32))
val df = spark.read.cassandraFormat("made", ks).options(ReadConf.SplitSizeInMBParam.option(64)).load()
same(df.filter("name = 'b'").select("total").collect.map(_.getLong(0)).toSeq, Seq(2L))
df.withColumnRenamed("total", "sum").createCassandraTable(
    ks,
    "renamed",
    partitionKeyColumns = Some(Seq("name")),
    clusteringKeyColumns = Some(Seq("sum")))
df.withColumnRenamed("total", "sum").write
  .cassandraFormat("renamed", ks)
  .mode("append")
  .save()
same(sc.cassandraTable(ks, "renamed").count, 4L)
part("data frames")
println("\n### end\n")
