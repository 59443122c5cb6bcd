package io.overdrive.spark.rdd

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.spark.connector._
import com.datastax.spark.connector.cql.CassandraConnector
import com.datastax.spark.connector.japi.CassandraJavaUtil.{javaFunctions, mapColumnTo}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.cassandra._
import org.apache.spark.{SparkConf, SparkContext}

/** A user's program, which BundleIT runs with the jar for users and Spark's own jars. */
object BundleApp {

  /** @param arguments address of the node, its port, and a keyspace with a table kv (key int PRIMARY KEY, value text) */
  def main(arguments: Array[String]): Unit = {
    val conf = new SparkConf()
      .setMaster("local[2]")
      .setAppName("bundle")
      .set("spark.ui.enabled", "false")
      .set("spark.cassandra.connection.host", arguments(0))
      .set("spark.cassandra.connection.port", arguments(1))
    val sc = new SparkContext(conf)
    val connector = CassandraConnector(sc.getConf)
    connector.withSessionDo((session: CqlSession) => session.execute(s"TRUNCATE ${arguments(2)}.kv"))
    sc.parallelize(1 to 100).map(n => (n, s"v$n")).saveToCassandra(arguments(2), "kv", SomeColumns("key", "value"))
    val rows = sc.cassandraTable[(Int, String)](arguments(2), "kv").filter { case (key, value) => value == s"v$key" }.count()
    println(s"rows: $rows")
    val ofJava = javaFunctions(sc).cassandraTable(arguments(2), "kv", mapColumnTo(classOf[String])).select("value")
    println(s"rows in Java: ${ofJava.count()}")
    val frame = SparkSession.builder.getOrCreate().read.cassandraFormat("kv", arguments(2)).load()
    println(s"rows of a DataFrame: ${frame.count()}")
    sc.stop()
  }
}
