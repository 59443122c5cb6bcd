package com.datastax.spark.connector

import com.datastax.spark.connector.cql.CassandraConnectorConf
import com.datastax.spark.connector.rdd.ReadConf
import com.datastax.spark.connector.writer.{BatchGroupingKey, WriteConf}
import io.overdrive.spark.config.{Setting, SettingSamples, Settings}
import org.apache.spark.SparkConf
import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

import scala.jdk.CollectionConverters._

/** The settings that the configurations of reads and writes of RDDs take from the application's. */
class ConfsTest {
  private val cores = Map("spark.executor.cores" -> "3")

  private def conf(settings: (String, String)*): SparkConf = new SparkConf(false).setAll(cores ++ settings)

  private def valueOf(setting: Setting, options: Map[String, String], application: Map[String, String] = cores): String =
    Settings.of(options.asJava, application.asJava).find(setting)

  /** Also those that come later. */
  @Test
  def noSettingIsForgottenUnderAnyOfItsNames(): Unit = {
    var names = 0
    for (setting <- Setting.values; name <- SettingSamples.names(setting)) {
      val value = SettingSamples.value(setting)
      val expected = valueOf(setting, Map.empty, cores + (name -> value))
      val confs = Seq(
        Option.when(setting.isOfReads)(ReadConf.fromSparkConf(conf(name -> value)).options),
        Option.when(setting.isOfWrites)(WriteConf.fromSparkConf(conf(name -> value)).options)).flatten
      for (options <- confs) {
        assertEquals(expected, valueOf(setting, options), s"$name=$value")
        names += 1
      }
    }
    assertThat(names).isGreaterThan(60)
  }

  @Test
  def limitsOfTheConnectorForSpark3AreFields(): Unit = {
    val write = WriteConf.fromSparkConf(conf(
      "spark.cassandra.output.throughputMBPerSec" -> "0.5",
      "spark.cassandra.output.concurrent.writes" -> "17",
      "spark.cassandra.output.batch.grouping.key" -> "none",
      "spark.cassandra.output.batch.grouping.buffer.size" -> "42"))
    assertThat(write).isEqualTo(
      WriteConf(
        throughputMiBPS = Some(0.5),
        parallelismLevel = 17,
        batchGroupingKey = BatchGroupingKey.None,
        batchGroupingBufferSize = 42))
    assertThat(valueOf(Setting.WRITE_MB_PER_SECOND, write.options)).isEqualTo("1.5")
    assertThat(valueOf(Setting.IN_FLIGHT_REQUESTS, write.options)).isEqualTo("51")
    val read = ReadConf.fromSparkConf(conf(
      "spark.cassandra.input.throughputMBPerSec" -> "2.5",
      "spark.cassandra.input.readsPerSec" -> "100"))
    assertThat(read).isEqualTo(ReadConf(throughputMiBPS = Some(2.5), readsPerSec = Some(100)))
    assertThat(valueOf(Setting.LOOKUPS_PER_SECOND, read.options)).isEqualTo("300")
  }

  @Test
  def aFieldThatIsSetReplacesWhatWasGivenUnderOurName(): Unit = {
    val given = WriteConf.fromSparkConf(conf(
      "spark.overdrive.inFlightRequests" -> "5",
      "spark.overdrive.batchBytes" -> "512",
      "spark.overdrive.grouping" -> "none",
      "spark.overdrive.linger" -> "9"))
    assertThat(valueOf(Setting.IN_FLIGHT_REQUESTS, given.options)).isEqualTo("5")
    assertThat(valueOf(Setting.BATCH_BYTES, given.options)).isEqualTo("512")
    assertThat(valueOf(Setting.GROUPING, given.options)).isEqualTo("none")
    val changed = given.copy(parallelismLevel = 4, batchSize = RowsInBatch(10), batchGroupingKey = BatchGroupingKey.ReplicaSet)
    assertThat(valueOf(Setting.IN_FLIGHT_REQUESTS, changed.options)).isEqualTo("12")
    assertThat(valueOf(Setting.BATCH_ROWS, changed.options)).isEqualTo("10")
    assertThat(valueOf(Setting.GROUPING, changed.options)).isEqualTo("replica_set")
    assertThat(valueOf(Setting.LINGER, changed.options)).isEqualTo("9")
  }

  /** The application's setting does not come back. */
  @Test
  def aFieldThatIsSetBackToItsDefaultCounts(): Unit = {
    val application = Seq(
      "spark.cassandra.output.batch.size.rows" -> "8",
      "spark.cassandra.output.batch.grouping.key" -> "none",
      "spark.cassandra.output.concurrent.writes" -> "17",
      "spark.cassandra.output.throughputMBPerSec" -> "2",
      "spark.cassandra.input.fetch.sizeInRows" -> "5000",
      "spark.cassandra.input.throughputMBPerSec" -> "3",
      "spark.cassandra.input.readsPerSec" -> "100",
      "spark.overdrive.splitCount" -> "9")
    val connector = CassandraConnectorConf.fromSparkConf(conf(application: _*))
    val write = WriteConf.fromSparkConf(conf(application: _*))
    val default = WriteConf()
    def written(changed: WriteConf) = connector.settings(changed.options, changed.unset)
    assertThat(written(write).find(Setting.BATCH_ROWS)).isEqualTo("8")
    val back = written(write.copy(
      batchSize = default.batchSize,
      batchGroupingKey = default.batchGroupingKey,
      parallelismLevel = default.parallelismLevel,
      throughputMiBPS = None))
    val writes = Seq(Setting.BATCH_ROWS, Setting.GROUPING, Setting.IN_FLIGHT_REQUESTS, Setting.WRITE_MB_PER_SECOND)
    assertThat(writes.filter(back.isGiven(_)).map(_.option).mkString(", ")).isEmpty()
    assertThat(written(write.copy(batchSize = BytesInBatch(4096))).isGiven(Setting.BATCH_ROWS)).isFalse()
    assertThat(written(default).find(Setting.BATCH_ROWS)).as("of an object without a configuration").isEqualTo("8")
    val read = ReadConf.fromSparkConf(conf(application: _*))
    def reading(changed: ReadConf) = connector.settings(changed.options, changed.unset)
    assertThat(reading(read).find(Setting.SPLIT_COUNT)).isEqualTo("9")
    val plain = reading(read.copy(
      splitCount = None,
      fetchSizeInRows = ReadConf().fetchSizeInRows,
      throughputMiBPS = None,
      readsPerSec = None))
    val reads = Seq(Setting.SPLIT_COUNT, Setting.PAGE_ROWS, Setting.READ_MB_PER_SECOND, Setting.LOOKUPS_PER_SECOND)
    assertThat(reads.filter(plain.isGiven(_)).map(_.option).mkString(", ")).isEmpty()
  }

  @Test
  def aWrongValueIsRefused(): Unit = {
    assertThatThrownBy(() => WriteConf.fromSparkConf(conf("spark.cassandra.output.throughputMBPerSec" -> "fast")))
      .hasMessageContaining("spark.cassandra.output.throughputMBPerSec")
    assertThatThrownBy(() => ReadConf.fromSparkConf(conf("spark.cassandra.input.readsPerSec" -> "many")))
      .hasMessageContaining("spark.cassandra.input.readsPerSec")
  }
}
