package io.overdrive.spark.rdd

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel
import com.datastax.spark.connector._
import com.datastax.spark.connector.cql.{CassandraConnectorConf, ClusteringColumn}
import com.datastax.spark.connector.rdd.ReadConf
import com.datastax.spark.connector.writer.{BatchGroupingKey, WriteConf}
import io.overdrive.TestCluster
import io.overdrive.spark.rdd.TestSpark.{cql, spark}
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.cassandra._
import org.apache.spark.sql.streaming.Trigger
import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.TestInstance.Lifecycle
import org.junit.jupiter.api.io.TempDir
import org.junit.jupiter.api.{BeforeAll, Test, TestInstance}

import java.nio.file.{Files, Path}

case class Word(user: String, word: String, count: Int)

/**
 * The additions of the connector for Spark 3 to DataFrames in Scala: the programs of its documentation, and its tests.
 */
@TestInstance(Lifecycle.PER_CLASS)
class DataFramesIT {
  private val ks = "rdd_frames"
  private val Words = Seq(Word("Russ", "dino", 10), Word("Russ", "fad", 5), Word("Sam", "alpha", 3), Word("Zebra", "zed", 100))

  private lazy val words: DataFrame = spark.createDataFrame(Words)

  @BeforeAll
  def start(): Unit = {
    TestCluster.keyspace(ks)
    cql(s"CREATE TABLE $ks.words (user text, word text, count int, PRIMARY KEY (user, word))")
    words.write.cassandraFormat("words", ks).mode("append").save()
    cql(s"CREATE TABLE $ks.times (key int PRIMARY KEY, value text)")
  }

  @Test
  def readsAndWritesByTheFormat(): Unit = {
    assertThat(spark.read.cassandraFormat("words", ks).load().count()).isEqualTo(4)
    assertThat(spark.read.cassandraFormat.options(cassandraOptions("words", ks)).load().where("user = 'Russ'").count()).isEqualTo(2)
    val filtered = spark.read.cassandraFormat("words", ks, pushdownEnable = false).load().where("user = 'Russ'")
    assertThat(filtered.count()).isEqualTo(2)
    assertThat(filtered.queryExecution.executedPlan.toString).contains("Filter")
    words.where("user = 'Sam'").write.cassandraFormat("words", ks).option("confirm.truncate", "false").mode("append").save()
    assertThatThrownBy(() => words.write.cassandraFormat("words", ks).mode("overwrite").save()).hasMessageContaining("confirm.truncate")
  }

  private def times(key: Int): (Int, Long) = {
    val row = cql(s"SELECT ttl(value), writetime(value) FROM $ks.times WHERE key = $key").head
    (row.getInt(0), row.getLong(1))
  }

  @Test
  def writesAndReadsTimes(): Unit = {
    val rows = spark.createDataFrame(Seq((1, "x", 1000, 5000L))).toDF("key", "value", "seconds", "micros")
    rows.select("key", "value").write.cassandraFormat("times", ks).withTTL(2000).withWriteTime(42).mode("append").save()
    assertThat(times(1)._1).isBetween(1900, 2000)
    assertThat(times(1)._2).isEqualTo(42)
    rows.write.cassandraFormat("times", ks).withTTL("seconds").withWriteTime("micros").mode("append").save()
    assertThat(times(1)._1).isBetween(900, 1000)
    assertThat(times(1)._2).isEqualTo(5000)
    val table = spark.read.cassandraFormat("times", ks).load()
    val read = table.where("key = 1").select(ttl("value").as("left"), writeTime("value"), writeTime(table("value")) as "w").head()
    assertThat(read.getInt(0)).isBetween(900, 1000)
    assertThat(read.getLong(1)).isEqualTo(5000)
    assertThat(read.getLong(2)).isEqualTo(5000)
    rows.select("key", "value", "micros").withColumn("micros", rows("micros") + 1)
      .write.cassandraFormat("times", ks).withTTL("forever").withWriteTime("micros").mode("append").save()
    assertThat(times(1)).isEqualTo((0, 5001L))
  }

  @Test
  def writesStreams(@TempDir directory: Path): Unit = {
    val input = Files.createDirectory(directory.resolve("input"))
    Files.writeString(input.resolve("rows.csv"), "7,seven\n8,eight\n")
    val query = spark.readStream.schema("key INT, value STRING").csv(input.toString)
      .writeStream.cassandraFormat("times", ks).withTTL(3000).withWriteTime(77)
      .option("checkpointLocation", directory.resolve("checkpoint").toString).trigger(Trigger.AvailableNow).start()
    query.awaitTermination()
    assertThat(times(7)._1).isBetween(2900, 3000)
    assertThat(times(8)._2).isEqualTo(77)
  }

  @Test
  def createsTables(): Unit = {
    val renamed = words.withColumnRenamed("word", "newcolumnname")
    renamed.createCassandraTable(
      ks,
      "renamed",
      partitionKeyColumns = Some(Seq("user")),
      clusteringKeyColumns = Some(Seq("newcolumnname")))
    renamed.write.cassandraFormat("renamed", ks).mode("append").save()
    assertThat(spark.read.cassandraFormat("renamed", ks).load().collect().toSet).isEqualTo(renamed.collect().toSet)
    words.createCassandraTable(ks, "by_user")
    assertThat(cql(s"SELECT kind FROM system_schema.columns WHERE keyspace_name = '$ks' AND table_name = 'by_user'")
      .count(_.getString(0) == "partition_key")).isOne()

    def createEx(ifNotExists: Boolean): Unit =
      words.createCassandraTableEx(
        ks,
        "ordered",
        Seq("user"),
        Seq("count" -> ClusteringColumn.Descending, "word" -> ClusteringColumn.Ascending),
        ifNotExists,
        Map("gc_grace_seconds" -> "60", "comment" -> "of words"))
    createEx(ifNotExists = false)
    createEx(ifNotExists = true)
    assertThatThrownBy(() => createEx(ifNotExists = false)).hasMessageContaining("already exists")
    words.write.cassandraFormat("ordered", ks).mode("append").save()
    assertThat(cql(s"SELECT count FROM $ks.ordered WHERE user = 'Russ'").map(_.getInt(0))).isEqualTo(Seq(10, 5))
    val table = cql(s"SELECT gc_grace_seconds, comment FROM system_schema.tables WHERE keyspace_name = '$ks' AND table_name = 'ordered'").head
    assertThat((table.getInt(0), table.getString(1))).isEqualTo((60, "of words"))
    assertThatThrownBy(() => words.createCassandraTable(ks, "none", Some(Seq("usr")))).hasMessageContaining("\"usr\"")
  }

  private def isDirect(join: DataFrame): Boolean = join.queryExecution.executedPlan.toString.contains("CassandraDirectJoin")

  @Test
  def joinsAsTheDatasetSays(): Unit = {
    val keys = spark.createDataFrame(Seq(Tuple1("Russ"), Tuple1("nobody"))).toDF("name")
    val table = spark.read.cassandraFormat("words", ks).load()
    def joined(to: DataFrame): DataFrame = keys.join(to, keys("name") === to("user"))
    val off = joined(table.directJoin(AlwaysOff))
    val on = joined(table.directJoin())
    assertThat((isDirect(off), isDirect(on), isDirect(joined(table.where("count > 5").directJoin(AlwaysOn))))).isEqualTo((false, true, true))
    assertThat(on.collect().toSet).isEqualTo(off.collect().toSet).isEqualTo(Set(Row("Russ", "Russ", "dino", 10), Row("Russ", "Russ", "fad", 5)))
    assertThat(isDirect(joined(table.directJoin(AlwaysOff).directJoin(Automatic)))).isEqualTo(isDirect(joined(table)))
    val ofCatalog = spark.table(s"cass.$ks.words")
    assertThat((isDirect(joined(ofCatalog.directJoin(AlwaysOff))), isDirect(joined(ofCatalog.directJoin(AlwaysOn))))).isEqualTo((false, true))
    import spark.implicits._
    assertThat(table.as[Word].directJoin(AlwaysOn).filter(_.count == 3).collect()).containsExactly(Word("Sam", "alpha", 3))
    assertThatThrownBy(() => keys.directJoin(AlwaysOn)).hasMessageContaining("reads none")
  }

  /** Sets them in a session whose settings no other test sees. */
  @Test
  def setsGroupsOfSettings(): Unit = {
    val session = spark.newSession()
    def partitions(cluster: String = "", table: String = "words"): Int =
      session.read.cassandraFormat(table, ks, cluster).options(Map("directJoin" -> "off")).load().rdd.getNumPartitions
    val before = partitions()
    def count(n: Int) = Map("spark.overdrive.splitCount" -> n.toString)
    session.setCassandraConf(count(3))
    assertThat(partitions()).isEqualTo(3).isNotEqualTo(before)
    session.setCassandraConf("One", count(4))
    session.setCassandraConf("Two", ks, count(5))
    assertThat((partitions("One"), partitions("Two"), partitions("Three"))).isEqualTo((4, 5, 3))
    assertThat(session.getCluster).isEqualTo("default")
    session.setCluster("One")
    assertThat((session.getCluster, partitions())).isEqualTo(("One", 4))
    assertThatThrownBy(() => session.setCassandraConf(Map("spark.cassandra.input.split.sizeMB" -> "1")))
      .hasMessageContaining("spark.cassandra.input.split.sizeInMB")
    assertThatThrownBy(() => session.setCassandraConf(Map("spark.ui.port" -> "1"))).hasMessageContaining("not a setting of this connector")
    assertThatThrownBy(() => session.setCassandraConf(ReadConf.SplitSizeInMBParam.option("many"))).hasMessageContaining("a whole number")
    session.setCassandraConf("One", ReadConf.ConsistencyLevelParam.option(DefaultConsistencyLevel.TWO))
    assertThatThrownBy(() => partitions()).hasMessageContaining("TWO")
    assertThat(session.read.cassandraFormat("words", ks).options(ReadConf.ConsistencyLevelParam.option("ONE")).load().count()).isEqualTo(4)
  }

  @Test
  def settingsHaveTheNamesOfTheConnectorForSpark3(): Unit = {
    val all = Seq(CassandraConnectorConf, ReadConf, WriteConf).flatMap { holder =>
      holder.getClass.getMethods.filter(_.getName.endsWith("Param")).map(_.invoke(holder).asInstanceOf[util.ConfigParameter[_]])
    }
    assertThat(all.size).isGreaterThan(40)
    val texts = Map("consistency" -> "ONE", "key" -> "replica_set", "enabled" -> "true", "Nulls" -> "true", "Exists" -> "true", "compression" -> "lz4")
    all.foreach { parameter =>
      val value = texts.collectFirst { case (part, text) if parameter.name.contains(part) => text }.getOrElse("7")
      io.overdrive.spark.config.Settings.check(java.util.Map.of(parameter.name, value))
    }
    words.write.cassandraFormat("words", ks)
      .options(WriteConf.BatchLevelParam.option(BatchGroupingKey.ReplicaSet) ++ WriteConf.ConsistencyLevelParam.option(DefaultConsistencyLevel.ONE))
      .mode("append").save()
  }

  @Test
  def parametersAreOptions(): Unit = {
    val read = spark.read.cassandraFormat("words", ks).options(
      CassandraConnectorConf.ReadTimeoutParam.sqlOption("7000") ++ ReadConf.TaskMetricParam.sqlOption(true) ++
        CassandraSourceRelation.DirectJoinSettingParam.sqlOption("off"))
    assertThat(read.load().count()).isEqualTo(4)
    assertThatThrownBy(() =>
      spark.read.cassandraFormat("words", ks).options(CassandraConnectorConf.ReadTimeoutParam.sqlOption("soon")).load())
      .hasMessageContaining("spark.cassandra.read.timeoutMS")
    words.where("user = 'Sam'").write.cassandraFormat("words", ks).options(CassandraSourceRelation.TTLParam.option(3600)).mode("append").save()
    assertThat(cql(s"SELECT ttl(count) FROM $ks.words WHERE user = 'Sam'").head.getInt(0)).isBetween(3000, 3600)
  }
}
