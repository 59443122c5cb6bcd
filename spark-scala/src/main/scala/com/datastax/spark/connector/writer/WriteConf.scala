package com.datastax.spark.connector.writer

import com.datastax.oss.driver.api.core.{ConsistencyLevel, DefaultConsistencyLevel}
import com.datastax.spark.connector.{BatchSize, BytesInBatch, RowsInBatch}
import com.datastax.spark.connector.cql.CassandraConnectorConf
import com.datastax.spark.connector.util.{ConfigParameter, GivenSettings, ReadSettings}
import io.overdrive.spark.config.Setting
import org.apache.spark.SparkConf

/**
 * How rows are written. Other settings are those of the connector. Immutable.
 *
 * @param batchSize maximum size of a batch; by default, what the application's settings say, or what is found by measuring
 * @param batchGroupingBufferSize without effect: rows that wait are limited in bytes, by the setting `groupingMemoryMB`
 * @param batchGroupingKey which rows may share a batch; by default, what the application's settings say, or rows of a partition
 *     and, while that is faster, single rows of partitions with the same replicas
 * @param parallelismLevel maximum number of requests in flight for each core of an executor; 5, the default, is no limit, as what is in
 *     flight is found by measuring
 * @param ignoreNulls whether a null leaves the existing value unchanged instead of deleting it
 * @param ifNotExists whether only rows that do not exist yet are written
 * @param throughputMiBPS limit for each core of an executor, in MiB a second
 * @param ttl time to live of rows
 * @param timestamp write time of rows
 * @param taskMetricsEnabled without effect: metrics are always counted
 * @param carried other settings of the configuration that `fromSparkConf` read
 * @param read settings of that configuration which the fields have
 */
final case class WriteConf(
  batchSize: BatchSize = BatchSize.Automatic,
  batchGroupingBufferSize: Int = 1000,
  batchGroupingKey: BatchGroupingKey = BatchGroupingKey.Partition,
  consistencyLevel: ConsistencyLevel = DefaultConsistencyLevel.LOCAL_QUORUM,
  ifNotExists: Boolean = false,
  ignoreNulls: Boolean = false,
  parallelismLevel: Int = WriteConf.NoLimit,
  throughputMiBPS: Option[Double] = None,
  ttl: TTLOption = TTLOption.defaultValue,
  timestamp: TimestampOption = TimestampOption.defaultValue,
  taskMetricsEnabled: Boolean = true,
  private[connector] val carried: Map[Setting, (String, String)] = Map.empty,
  private[connector] val read: ReadSettings = ReadSettings.None) {

  /** The names of properties that have the time to live and the write time of each row. */
  private[connector] def propertiesOfTimes: Seq[String] =
    Seq[WriteOptionValue[_]](ttl.value, timestamp.value).collect { case PerRowWriteOptionValue(name) => name }

  /** Settings of the application that do not count, because their field was set back to its default. */
  private[connector] def unset: Set[Setting] = read.without(fields.keySet)

  /** Settings of fields that leave them to the application by default, with name and value. */
  private def fields: Map[Setting, (String, String)] =
    Seq(
      batchSize match {
        case RowsInBatch(rows) => Some(Setting.BATCH_ROWS -> (Setting.BATCH_ROWS.option -> rows.toString))
        case BatchSize.Automatic => None
        case BytesInBatch(bytes) => Some(Setting.BATCH_BYTES -> (WriteConf.BatchSizeBytesParam.name -> bytes.toString))
      },
      Option.when(batchGroupingKey != BatchGroupingKey.Partition)(
        Setting.GROUPING -> (WriteConf.BatchLevelParam.name -> batchGroupingKey.toString)),
      // under these names, limits are multiplied by the cores of an executor
      Option.when(parallelismLevel != WriteConf.NoLimit)(
        Setting.IN_FLIGHT_REQUESTS -> (WriteConf.ParallelismLevelParam.name -> parallelismLevel.toString)),
      throughputMiBPS.map(rate => Setting.WRITE_MB_PER_SECOND -> (WriteConf.ThroughputMiBPSParam.name -> rate.toString))).flatten.toMap

  /** The settings as options of a DataFrame. */
  private[connector] def options: Map[String, String] =
    GivenSettings.options(carried ++ fields) ++ Map(
      Setting.WRITE_CONSISTENCY.option -> consistencyLevel.name,
      Setting.IF_NOT_EXISTS.option -> ifNotExists.toString,
      Setting.IGNORE_NULLS.option -> ignoreNulls.toString,
      Setting.TTL.option -> (if (ttl == TTLOption.forever) WriteConf.Forever else WriteConf.text(ttl.value)),
      Setting.WRITE_TIME.option -> WriteConf.text(timestamp.value))
}

object WriteConf {
  val ConsistencyLevelParam: ConfigParameter[ConsistencyLevel] = ConfigParameter.of("output.consistency.level", DefaultConsistencyLevel.LOCAL_QUORUM)
  val BatchSizeRowsParam: ConfigParameter[Option[Int]] = ConfigParameter.of("output.batch.size.rows", None)
  val BatchSizeBytesParam: ConfigParameter[Int] = ConfigParameter.of("output.batch.size.bytes", 1024)
  val BatchBufferSizeParam: ConfigParameter[Int] = ConfigParameter.of("output.batch.grouping.buffer.size", 1000)
  val BatchLevelParam: ConfigParameter[BatchGroupingKey] = ConfigParameter.of("output.batch.grouping.key", BatchGroupingKey.Partition)
  val IfNotExistsParam: ConfigParameter[Boolean] = ConfigParameter.of("output.ifNotExists", false)
  val IgnoreNullsParam: ConfigParameter[Boolean] = ConfigParameter.of("output.ignoreNulls", false)
  val ParallelismLevelParam: ConfigParameter[Int] = ConfigParameter.of("output.concurrent.writes", 5)
  val ThroughputMiBPSParam: ConfigParameter[Option[Double]] = ConfigParameter.of("output.throughputMBPerSec", None)
  val TTLParam: ConfigParameter[Int] = ConfigParameter.of("output.ttl", 0)
  val TimestampParam: ConfigParameter[Long] = ConfigParameter.of("output.timestamp", 0L)
  val TaskMetricsParam: ConfigParameter[Boolean] = ConfigParameter.of("output.metrics", true)

  /** The default of the connector for Spark 3. */
  private val NoLimit = 5

  /** Settings that fields have. */
  private val Fields = Set(
    Setting.BATCH_ROWS,
    Setting.WRITE_CONSISTENCY,
    Setting.IF_NOT_EXISTS,
    Setting.IGNORE_NULLS,
    Setting.TTL,
    Setting.WRITE_TIME)

  /** Settings that fields have with the unit of the connector for Spark 3. */
  private val Limits = Set(Setting.BATCH_BYTES, Setting.GROUPING, Setting.IN_FLIGHT_REQUESTS, Setting.WRITE_MB_PER_SECOND)

  /** The setting's word; 0 is the default of the table there. */
  private val Forever = "forever"

  /**
   * Reads the settings of an application.
   *
   * @throws IllegalArgumentException if one of them is invalid
   */
  def fromSparkConf(conf: SparkConf): WriteConf = {
    val settings = CassandraConnectorConf.fromSparkConf(conf).settings(Map.empty)
    val default = WriteConf()
    def asInSpark3(setting: Setting): Option[String] = Option(settings.findAsInSpark3(setting))
    val read = WriteConf(
      batchSize = Option(settings.find(Setting.BATCH_ROWS))
        .map(rows => RowsInBatch(rows.toInt))
        .orElse(asInSpark3(Setting.BATCH_BYTES).map(bytes => BytesInBatch(bytes.toInt)))
        .getOrElse(default.batchSize),
      batchGroupingBufferSize = conf.getInt(BatchBufferSizeParam.name, default.batchGroupingBufferSize),
      batchGroupingKey = asInSpark3(Setting.GROUPING).fold(default.batchGroupingKey)(BatchGroupingKey(_)),
      parallelismLevel = asInSpark3(Setting.IN_FLIGHT_REQUESTS).fold(default.parallelismLevel)(_.toInt),
      throughputMiBPS = asInSpark3(Setting.WRITE_MB_PER_SECOND).map(_.toDouble),
      consistencyLevel = settings.consistency(Setting.WRITE_CONSISTENCY),
      ifNotExists = settings.isOn(Setting.IF_NOT_EXISTS),
      ignoreNulls = settings.isOn(Setting.IGNORE_NULLS),
      ttl = Option(settings.find(Setting.TTL)).fold(default.ttl) { text =>
        if (text.equalsIgnoreCase(Forever)) TTLOption.forever else TTLOption(value(text)(_.toInt))
      },
      timestamp = Option(settings.find(Setting.WRITE_TIME)).fold(default.timestamp)(text => TimestampOption(value(text)(_.toLong))),
      carried = GivenSettings.carried(settings, _.isOfWrites, Fields, Limits))
    read.copy(read = new ReadSettings(read.fields.keySet))
  }

  /** A number is a constant, 0 is not set, and anything else the name of a property. */
  private def value[T](text: String)(number: String => T): WriteOptionValue[T] =
    if (text.matches("0+")) DefaultValue
    else if (text.matches("\\d+")) StaticWriteOptionValue(number(text))
    else PerRowWriteOptionValue(text)

  private def text(value: WriteOptionValue[_]): String = value match {
    case StaticWriteOptionValue(constant) => constant.toString
    case PerRowWriteOptionValue(property) => property
    case DefaultValue => "0"
  }
}
