package programs

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.spark.connector._
import com.datastax.spark.connector.cql.CassandraConnector
import org.apache.spark.SparkContext
import programs.Programs.same

/** The first steps, sessions of the driver, and an application with two connections. */
object Connecting {
  def run(sc: SparkContext, keyspace: String): Unit = {
    val connector = CassandraConnector(sc.getConf)
    connector.withSessionDo { session =>
      session.execute(s"CREATE TABLE $keyspace.kv (key text PRIMARY KEY, value int)")
      session.execute(s"INSERT INTO $keyspace.kv (key, value) VALUES ('key1', 1)")
      session.execute(s"INSERT INTO $keyspace.kv (key, value) VALUES ('key2', 2)")
    }
    val rdd = sc.cassandraTable(keyspace, "kv")
    same(rdd.count(), 2)
    same(rdd.map(_.getInt("value")).sum(), 3.0)
    rdd.foreach(row => require(row.getString("key").startsWith("key")))
    val collection = sc.parallelize(Seq(("key3", 3), ("key4", 4)))
    collection.saveToCassandra(keyspace, "kv", SomeColumns("key", "value"))
    same(rdd.cassandraCount(), 4)

    val total = sc.parallelize(Seq("key1", "key4")).mapPartitions { keys =>
      connector.withSessionDo { session: CqlSession =>
        val statement = session.prepare(s"SELECT value FROM $keyspace.kv WHERE key = ?")
        keys.map(key => session.execute(statement.bind(key)).one.getInt("value")).toList.iterator
      }
    }.sum()
    same(total, 5.0)

    connector.withSessionDo(_.execute(s"CREATE TABLE $keyspace.kv2 (key text PRIMARY KEY, value int)"))
    val connectorToOne = CassandraConnector(sc.getConf.set("spark.cassandra.input.consistency.level", "LOCAL_QUORUM"))
    val connectorToTwo = CassandraConnector(sc.getConf.set("spark.cassandra.output.consistency.level", "ALL"))
    val rddOfOne = {
      implicit val c: CassandraConnector = connectorToOne
      sc.cassandraTable(keyspace, "kv")
    }
    locally {
      implicit val c: CassandraConnector = connectorToTwo
      rddOfOne.saveToCassandra(keyspace, "kv2")
    }
    same(sc.cassandraTable(keyspace, "kv2").count(), 4)
  }
}
