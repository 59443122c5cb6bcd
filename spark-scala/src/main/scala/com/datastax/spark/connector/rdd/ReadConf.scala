package com.datastax.spark.connector.rdd

import com.datastax.oss.driver.api.core.{ConsistencyLevel, DefaultConsistencyLevel}
import com.datastax.spark.connector.cql.CassandraConnectorConf
import com.datastax.spark.connector.util.{ConfigParameter, GivenSettings, ReadSettings}
import io.overdrive.spark.config.Setting
import org.apache.spark.SparkConf

/**
 * How rows are read. Other settings are those of the connector. Immutable.
 *
 * @param splitCount the number of Spark partitions; overrides their size
 * @param splitSizeInMB size of a Spark partition
 * @param fetchSizeInRows maximum rows of a page; by default, what the application's settings say, or pages are limited by bytes
 * @param taskMetricsEnabled without effect: metrics are always counted
 * @param throughputMiBPS limit for each core of an executor, in MiB a second
 * @param readsPerSec limit of lookups for each core of an executor
 * @param parallelismLevel maximum number of keys that a task of a join looks up at once
 * @param carried other settings of the configuration that `fromSparkConf` read
 * @param read settings of that configuration which the fields have
 */
final case class ReadConf(
  splitCount: Option[Int] = None,
  splitSizeInMB: Int = ReadConf.DefaultSplitMB,
  fetchSizeInRows: Int = ReadConf.DefaultFetchRows,
  consistencyLevel: ConsistencyLevel = DefaultConsistencyLevel.LOCAL_ONE,
  taskMetricsEnabled: Boolean = true,
  throughputMiBPS: Option[Double] = None,
  readsPerSec: Option[Int] = None,
  parallelismLevel: Int = ReadConf.DefaultLookups,
  private[connector] val carried: Map[Setting, (String, String)] = Map.empty,
  private[connector] val read: ReadSettings = ReadSettings.None) {

  /** Settings of the application that do not count, because their field was set back to its default. */
  private[connector] def unset: Set[Setting] = read.without(fields.keySet)

  /** Settings of fields that leave them to the application by default, with name and value. */
  private def fields: Map[Setting, (String, String)] =
    Seq(
      // under these names, limits are multiplied by the cores of an executor
      throughputMiBPS.map(rate => Setting.READ_MB_PER_SECOND -> (ReadConf.ThroughputMiBPSParam.name -> rate.toString)),
      readsPerSec.map(rate => Setting.LOOKUPS_PER_SECOND -> (ReadConf.ReadsPerSecParam.name -> rate.toString)),
      splitCount.map(count => Setting.SPLIT_COUNT -> (Setting.SPLIT_COUNT.option -> count.toString)),
      Option.when(fetchSizeInRows != ReadConf.DefaultFetchRows)(
        Setting.PAGE_ROWS -> (Setting.PAGE_ROWS.option -> fetchSizeInRows.toString))).flatten.toMap

  /** The settings as options of a DataFrame. */
  private[connector] def options: Map[String, String] =
    GivenSettings.options(carried ++ fields) ++ Map(
      Setting.READ_CONSISTENCY.option -> consistencyLevel.name,
      Setting.SPLIT_MB.option -> splitSizeInMB.toString,
      Setting.LOOKUPS_IN_FLIGHT.option -> parallelismLevel.toString)
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

  /** Settings that fields have. */
  private val Fields =
    Set(Setting.SPLIT_COUNT, Setting.SPLIT_MB, Setting.PAGE_ROWS, Setting.READ_CONSISTENCY, Setting.LOOKUPS_IN_FLIGHT)

  /** Settings that fields have with the unit of the connector for Spark 3. */
  private val Limits = Set(Setting.READ_MB_PER_SECOND, Setting.LOOKUPS_PER_SECOND)

  /**
   * Reads the settings of an application.
   *
   * @throws IllegalArgumentException if one of them is invalid
   */
  def fromSparkConf(conf: SparkConf): ReadConf = {
    val settings = CassandraConnectorConf.fromSparkConf(conf).settings(Map.empty)
    def asInSpark3(setting: Setting): Option[Double] = Option(settings.findAsInSpark3(setting)).map(_.toDouble)
    val read = ReadConf(
      splitCount = Option(settings.find(Setting.SPLIT_COUNT)).map(_.toInt),
      splitSizeInMB = Math.toIntExact(settings.number(Setting.SPLIT_MB)),
      fetchSizeInRows = Option(settings.find(Setting.PAGE_ROWS)).fold(DefaultFetchRows)(_.toInt),
      consistencyLevel = settings.consistency(Setting.READ_CONSISTENCY),
      throughputMiBPS = asInSpark3(Setting.READ_MB_PER_SECOND),
      readsPerSec = asInSpark3(Setting.LOOKUPS_PER_SECOND).map(_.ceil.toInt),
      parallelismLevel = Math.toIntExact(settings.number(Setting.LOOKUPS_IN_FLIGHT)),
      carried = GivenSettings.carried(settings, _.isOfReads, Fields, Limits))
    read.copy(read = new ReadSettings(read.fields.keySet))
  }
}
