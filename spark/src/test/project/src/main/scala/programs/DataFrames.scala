package programs

import com.datastax.spark.connector._
import com.datastax.spark.connector.cql.{CassandraConnector, ClusteringColumn}
import com.datastax.spark.connector.rdd.ReadConf
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.cassandra._
import programs.Programs.same

/** DataFrames: formats, options, settings, tables made from a DataFrame, times, and direct joins. */
object DataFrames {
  def run(spark: SparkSession, keyspace: String): Unit = {
    import spark.implicits._
    val words = Seq(("Russ", "dino", 10), ("Russ", "fad", 5), ("Sam", "alpha", 3)).toDF("user", "word", "count")
    words.createCassandraTable(keyspace, "word_counts", partitionKeyColumns = Some(Seq("user")), clusteringKeyColumns = Some(Seq("word")))
    words.write.format("org.apache.spark.sql.cassandra").options(Map("table" -> "word_counts", "keyspace" -> keyspace)).mode("append").save()
    val df = spark.read.format("org.apache.spark.sql.cassandra").options(Map("table" -> "word_counts", "keyspace" -> keyspace)).load()
    same(df.count(), 3)
    same(spark.read.cassandraFormat("word_counts", keyspace).load().filter("user = 'Russ'").count(), 2)
    words.filter("user = 'Sam'").write.cassandraFormat("word_counts", keyspace)
      .options(Map("confirm.truncate" -> "true")).mode("overwrite").save()
    same(df.count(), 1)

    words.createCassandraTableEx(keyspace, "ordered", Seq("user"), Seq(("count", ClusteringColumn.Descending), ("word", ClusteringColumn.Ascending)))
    words.write.cassandraFormat("ordered", keyspace).withTTL(1000).withWriteTime(42L).mode("append").save()
    val ordered = spark.read.cassandraFormat("ordered", keyspace).load()
    same(ordered.where("user = 'Russ'").select("count").as[Int].collect().toSeq, Seq(10, 5))
    CassandraConnector(spark.sparkContext.getConf).withSessionDo(_.execute(s"CREATE TABLE $keyspace.timed (user text PRIMARY KEY, n int)"))
    Seq(("Ann", 1)).toDF("user", "n").write.cassandraFormat("timed", keyspace).withTTL(1000).withWriteTime(42L).mode("append").save()
    same(spark.read.cassandraFormat("timed", keyspace).load().select(writeTime("n"), ttl("n") > 0).as[(Long, Boolean)].head(), (42L, true))

    spark.setCassandraConf(ReadConf.SplitSizeInMBParam.option(128))
    spark.setCassandraConf("Cluster1", Map("spark.cassandra.connection.host" -> spark.conf.get("spark.cassandra.connection.host")))
    spark.setCassandraConf("Cluster1", keyspace, ReadConf.SplitSizeInMBParam.option(32))
    same(spark.read.cassandraFormat("ordered", keyspace, "Cluster1").load().count(), 3)

    val keys = Seq("Sam", "Eve").toDF("name")
    val joined = keys.join(ordered.directJoin(AlwaysOn), keys("name") === ordered("user"))
    same(joined.queryExecution.executedPlan.toString.contains("CassandraDirectJoin"), true)
    same(joined.select("word").as[String].collect().toSeq, Seq("alpha"))
  }
}
