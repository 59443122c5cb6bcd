package com.datastax.spark.connector.rdd

import com.datastax.oss.driver.api.core.{ConsistencyLevel, DefaultConsistencyLevel}
import com.datastax.spark.connector.cql.CassandraConnectorConf
import com.datastax.spark.connector.util.ConfigParameter
import io.overdrive.spark.config.Setting
import org.apache.spark.SparkConf

/**
 * How rows are read. Other settings are those of the application. Immutable.
 *
 * @param splitCount the number of Spark partitions; overrides their size
 * @param splitSizeInMB size of a Spark partition
 * @param fetchSizeInRows maximum rows of a page; by default, what the application's settings say, or pages are limited by bytes
 * @param taskMetricsEnabled without effect: metrics are always counted
 * @param throughputMiBPS limit for each core of an executor, in MiB a second
 * @param readsPerSec limit of lookups for each core of an executor
 * @param parallelismLevel maximum number of keys that a task of a join looks up at once
 */
final case class ReadConf(
  splitCount: Option[Int] = None,
  splitSizeInMB: Int = ReadConf.DefaultSplitMB,
  fetchSizeInRows: Int = ReadConf.DefaultFetchRows,
  consistencyLevel: ConsistencyLevel = DefaultConsistencyLevel.LOCAL_ONE,
  taskMetricsEnabled: Boolean = true,
  throughputMiBPS: Option[Double] = None,
  readsPerSec: Option[Int] = None,
  parallelismLevel: Int = ReadConf.DefaultLookups) {

  /** As options of a DataFrame. */
  private[connector] def options: Map[String, String] =
    Map(
      Setting.READ_CONSISTENCY.option -> consistencyLevel.name,
      Setting.SPLIT_MB.option -> splitSizeInMB.toString,
      Setting.LOOKUPS_IN_FLIGHT.option -> parallelismLevel.toString) ++
      splitCount.map(Setting.SPLIT_COUNT.option -> _.toString) ++
      Option.when(fetchSizeInRows != ReadConf.DefaultFetchRows)(Setting.PAGE_ROWS.option -> fetchSizeInRows.toString) ++
      // under these names, limits are multiplied by the cores of an executor
      throughputMiBPS.map("spark.cassandra.input.throughputMBPerSec" -> _.toString) ++
      readsPerSec.map("spark.cassandra.input.readsPerSec" -> _.toString)
}

object ReadConf {
  private val DefaultSplitMB = 128
  private val DefaultFetchRows = 1000
  private val DefaultLookups = 256

  val ThroughputMiBPSParam: ConfigParameter[Option[Double]] = ConfigParameter.of("input.throughputMBPerSec", None)
  val SplitSizeInMBParam: ConfigParameter[Int] = ConfigParameter.of("input.split.sizeInMB", DefaultSplitMB)
  val FetchSizeInRowsParam: ConfigParameter[Int] = ConfigParameter.of("input.fetch.sizeInRows", DefaultFetchRows)
  val ConsistencyLevelParam: ConfigParameter[ConsistencyLevel] = ConfigParameter.of("input.consistency.level", DefaultConsistencyLevel.LOCAL_ONE)
  val TaskMetricParam: ConfigParameter[Boolean] = ConfigParameter.of("input.metrics", true)
  val ReadsPerSecParam: ConfigParameter[Option[Int]] = ConfigParameter.of("input.readsPerSec", None)
  val ParallelismLevelParam: ConfigParameter[Int] = ConfigParameter.of("concurrent.reads", DefaultLookups)

  /**
   * What the settings of an application say.
   *
   * @throws IllegalArgumentException if one of them is invalid
   */
  def fromSparkConf(conf: SparkConf): ReadConf = {
    val settings = CassandraConnectorConf.fromSparkConf(conf).settings(Map.empty)
    ReadConf(
      splitCount = Option(settings.find(Setting.SPLIT_COUNT)).map(_.toInt),
      splitSizeInMB = Math.toIntExact(settings.number(Setting.SPLIT_MB)),
      fetchSizeInRows = Option(settings.find(Setting.PAGE_ROWS)).fold(DefaultFetchRows)(_.toInt),
      consistencyLevel = settings.consistency(Setting.READ_CONSISTENCY),
      parallelismLevel = Math.toIntExact(settings.number(Setting.LOOKUPS_IN_FLIGHT)))
  }
}
