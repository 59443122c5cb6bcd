package programs

import com.datastax.spark.connector._
import com.datastax.spark.connector.cql._
import com.datastax.spark.connector.types.{CassandraOption, IntType, TextType}
import com.datastax.spark.connector.writer._
import org.apache.spark.SparkContext
import programs.Programs.same

import scala.language.postfixOps

case class Company(name: String, address: UDTValue)
case class Expiring(key: Int, value: String, ttl: Int, timestamp: Long)

/** Writes and deletions. */
object Saving {
  def run(sc: SparkContext, keyspace: String): Unit = {
    val connector = CassandraConnector(sc.getConf)
    def cql(statement: String): Unit = connector.withSessionDo(_.execute(statement))
    cql(s"CREATE TABLE $keyspace.counts (word text PRIMARY KEY, count int)")
    cql(s"CREATE TABLE $keyspace.words2 (word text PRIMARY KEY, num int)")
    cql(s"CREATE TABLE $keyspace.collections_mod (key int PRIMARY KEY, lcol list<text>, mcol map<text, text>, scol set<text>)")
    cql(s"CREATE TYPE $keyspace.address (city text, street text)")
    cql(s"CREATE TABLE $keyspace.companies (name text PRIMARY KEY, address frozen<address>)")
    cql(s"CREATE TABLE $keyspace.tab (key int PRIMARY KEY, value text)")
    cql(s"CREATE TABLE $keyspace.totals (key int PRIMARY KEY, n counter)")

    sc.parallelize(Seq(("cat", 30), ("fox", 40))).saveToCassandra(keyspace, "counts", SomeColumns("word", "count"))
    sc.parallelize(Seq((50, "dog"))).saveToCassandra(keyspace, "counts", SomeColumns("word" as "_2", "count" as "_1"))
    val objects = sc.parallelize(Seq(WordCount("cow", 60)))
    objects.saveToCassandra(keyspace, "counts", SomeColumns("word", "count"))
    objects.saveToCassandra(keyspace, "words2", SomeColumns("word", "num" as "count"))
    same(sc.cassandraTable[WordCount](keyspace, "counts").map(_.count).sum(), 180.0)
    same(sc.cassandraTable[(String, Int)](keyspace, "words2").collect().toSeq, Seq(("cow", 60)))

    sc.parallelize(Seq((1, Vector("One"), Map("k" -> "v"), Set("a", "b")))).saveToCassandra(keyspace, "collections_mod")
    sc.parallelize(Seq((1, Vector("Two")))).saveToCassandra(keyspace, "collections_mod", SomeColumns("key", "lcol" append))
    sc.parallelize(Seq((1, Vector("Zero")))).saveToCassandra(keyspace, "collections_mod", SomeColumns("key", "lcol" prepend))
    sc.parallelize(Seq((1, Set("a")))).saveToCassandra(keyspace, "collections_mod", SomeColumns("key", "scol" remove))
    same(
      sc.cassandraTable[(Int, List[String], Map[String, String], Set[String])](keyspace, "collections_mod").first(),
      (1, List("Zero", "One", "Two"), Map("k" -> "v"), Set("b")))

    sc.parallelize(Seq(Company("Paul's", UDTValue.fromMap(Map("city" -> "Oakland", "street" -> "Broadway"))))).saveToCassandra(keyspace, "companies")
    same(sc.cassandraTable(keyspace, "companies").first().getUDTValue("address").getString("city"), "Oakland")

    val pairs = sc.parallelize(Seq((1, "one"), (2, "two")))
    pairs.saveToCassandra(keyspace, "tab", writeConf = WriteConf(ttl = TTLOption.constant(100)))
    pairs.saveToCassandra(keyspace, "tab", writeConf = WriteConf(timestamp = TimestampOption.constant(1000)))
    sc.parallelize(Seq(Expiring(3, "three", 3600, 5000L)))
      .saveToCassandra(keyspace, "tab", writeConf = WriteConf(ttl = TTLOption.perRow("ttl"), timestamp = TimestampOption.perRow("timestamp")))
    same(sc.cassandraTable(keyspace, "tab").select("value".writeTime as "w").where("key = 3").first().getLong("w"), 5000L)
    sc.parallelize(Seq((1, "other"))).saveToCassandra(keyspace, "tab", writeConf = WriteConf(ifNotExists = true, batchSize = RowsInBatch(1)))
    sc.parallelize(Seq((1, CassandraOption.Unset), (2, CassandraOption.Null))).saveToCassandra(keyspace, "tab")
    same(sc.cassandraTable[(Int, Option[String])](keyspace, "tab").collect().toSet, Set((1, Some("one")), (2, None), (3, Some("three"))))

    sc.parallelize(Seq((1, 5L), (1, 6L))).saveToCassandra(keyspace, "totals")
    same(sc.cassandraTable[(Int, Long)](keyspace, "totals").first(), (1, 11L))

    objects.saveAsCassandraTable(keyspace, "words_new", SomeColumns("word", "count"))
    val table = TableDef(
      keyspace,
      "words_ex",
      Seq(ColumnDef("word", PartitionKeyColumn, TextType)),
      Seq(ColumnDef("count", ClusteringColumn(0), IntType)),
      Seq.empty)
    objects.saveAsCassandraTableEx(table, SomeColumns("word", "count"))
    same(sc.cassandraTable(keyspace, "words_new").count() + sc.cassandraTable(keyspace, "words_ex").count(), 2)

    sc.cassandraTable(keyspace, "counts").where("word = 'cat'").deleteFromCassandra(keyspace, "counts")
    sc.parallelize(Seq(Tuple1("fox"))).deleteFromCassandra(keyspace, "counts", keyColumns = SomeColumns("word"))
    sc.parallelize(Seq(Tuple1("dog"))).deleteFromCassandra(keyspace, "counts", SomeColumns("count"))
    same(sc.cassandraTable[(String, Option[Int])](keyspace, "counts").collect().toSet, Set(("dog", None), ("cow", Some(60))))
  }
}
