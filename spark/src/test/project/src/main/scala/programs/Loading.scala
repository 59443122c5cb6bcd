package programs

import com.datastax.spark.connector._
import com.datastax.spark.connector.cql.CassandraConnector
import com.datastax.spark.connector.mapper.{ColumnMapper, DefaultColumnMapper}
import com.datastax.spark.connector.rdd.ReadConf
import org.apache.spark.SparkContext
import programs.Programs.same

case class WordCount(word: String, count: Int)
case class Renamed(w: String, n: Int)
case class Street(name: String, number: Int)

/** Reads of tables: rows and their values, selections, mappers, and groups without a shuffle. */
object Loading {
  def run(sc: SparkContext, keyspace: String): Unit = {
    CassandraConnector(sc.getConf).withSessionDo { session =>
      session.execute(s"CREATE TABLE $keyspace.words (word text PRIMARY KEY, count int)")
      session.execute(s"INSERT INTO $keyspace.words (word, count) VALUES ('foo', 20)")
      session.execute(s"INSERT INTO $keyspace.words (word, count) VALUES ('bar', 20)")
      session.execute(s"CREATE TYPE $keyspace.street (name text, number int)")
      session.execute(
        s"CREATE TABLE $keyspace.users (id int PRIMARY KEY, name text, emails list<text>, tags set<int>, n map<text, int>, home frozen<street>)")
      session.execute(
        s"INSERT INTO $keyspace.users (id, emails, tags, n, home) VALUES (1, ['a@x', 'b@x'], {1, 2}, {'k': 7}, {name: 'Main', number: 5})")
      session.execute(s"CREATE TABLE $keyspace.events (year int, month int, day int, customer int, PRIMARY KEY (year, month, day))")
    }
    rows(sc, keyspace)
    mappers(sc, keyspace)
    selections(sc, keyspace)
  }

  private def rows(sc: SparkContext, keyspace: String): Unit = {
    val firstRow = sc.cassandraTable(keyspace, "words").where("word = ?", "bar").first()
    same(firstRow.columnValues.size, 2)
    same((firstRow.getInt("count"), firstRow.getLong("count"), firstRow.getString("count")), (20, 20L, "20"))
    same((firstRow.get[Int]("count"), firstRow.get[BigInt]("count")), (20, BigInt(20)))
    val user = sc.cassandraTable(keyspace, "users").first()
    same((user.getStringOption("name"), user.get[Option[String]]("name")), (None, None))
    same((user.getList[String]("emails"), user.get[List[String]]("emails")), (Vector("a@x", "b@x"), List("a@x", "b@x")))
    same(user.get[IndexedSeq[String]]("emails"), IndexedSeq("a@x", "b@x"))
    same((user.getSet[Int]("tags"), user.getMap[String, Int]("n")), (Set(1, 2), Map("k" -> 7)))
    val home = user.getUDTValue("home")
    same((home.getString("name"), home.getInt("number")), ("Main", 5))
    same(sc.cassandraTable[(Int, Street)](keyspace, "users").select("id", "home").first(), (1, Street("Main", 5)))
  }

  private def mappers(sc: SparkContext, keyspace: String): Unit = {
    same(sc.cassandraTable[(String, Int)](keyspace, "words").select("word", "count").collect().toSet, Set(("bar", 20), ("foo", 20)))
    same(sc.cassandraTable[(Int, String)](keyspace, "words").select("count", "word").collect().toSet, Set((20, "bar"), (20, "foo")))
    same(sc.cassandraTable[WordCount](keyspace, "words").collect().toSet, Set(WordCount("bar", 20), WordCount("foo", 20)))
    same(
      sc.cassandraTable[Renamed](keyspace, "words").select("word" as "w", "count" as "n").collect().toSet,
      Set(Renamed("bar", 20), Renamed("foo", 20)))
    locally {
      implicit val mapper: ColumnMapper[Renamed] = new DefaultColumnMapper[Renamed](Map("w" -> "word", "n" -> "count"))
      same(sc.cassandraTable[Renamed](keyspace, "words").where("word = 'foo'").first(), Renamed("foo", 20))
    }
  }

  private def selections(sc: SparkContext, keyspace: String): Unit = {
    sc.parallelize(for (year <- 2012 to 2014; month <- 1 to 12; day <- 1 to 3) yield (year, month, day, day * 7)).saveToCassandra(keyspace, "events")
    val events = sc.cassandraTable(keyspace, "events")
    same(events.where("year = ? AND month > ?", 2013, 10).count(), 6)
    same(events.where("year IN ?", Seq(2012, 2014)).where("month IN (?, ?)", 1, 2).count(), 12)
    same(events.where("year = 2013").withDescOrder.limit(1).first().getInt("month"), 12)
    same(events.where("year = 2013").withAscOrder.first().getInt("month"), 1)
    same(events.perPartitionLimit(2).count(), 6)
    same(events.take(5).length, 5)
    same(events.select("year", "month").first().size, 2)
    val times = events.select("customer", "customer".ttl, "customer".writeTime as "written").first()
    same((times.getIntOption("ttl(customer)"), times.getLong("written") > 0), (None, true))
    same(events.spanBy(row => (row.getInt("year"), row.getInt("month"))).map(_._2.size).distinct().collect().toSeq, Seq(3))
    same(events.keyBy(row => (row.getInt("year"), row.getInt("month"))).spanByKey.count(), 36)
    val grouped = events.keyBy[Tuple1[Int]]("year").groupByKey()
    same(grouped.map { case (year, rows) => (year._1, rows.size) }.collect().toSet, Set((2012, 36), (2013, 36), (2014, 36)))
    same(events.withReadConf(ReadConf(splitCount = Some(5))).partitions.length, 5)
  }
}
