package org.apache.spark.sql.cassandra

import com.datastax.spark.connector.util.ConfigParameter

/** Options of reads and writes of DataFrames, as in `options(CassandraSourceRelation.DirectJoinSettingParam.sqlOption("on"))`. */
object CassandraSourceRelation {

  /** The name of the group of settings that a read or a write uses if it names none. */
  val defaultClusterName: String = CassandraSQLContextParams.EveryCluster

  val TTLParam: ConfigParameter[Option[String]] = new ConfigParameter("ttl", None)
  val WriteTimeParam: ConfigParameter[Option[String]] = new ConfigParameter("writetime", None)
  val DirectJoinSettingParam: ConfigParameter[String] = new ConfigParameter("directJoinSetting", Automatic.option)
  val DirectJoinSizeRatioParam: ConfigParameter[Double] = new ConfigParameter("directJoinSizeRatio", 0.9)
  val InClauseToFullTableScanConversionThreshold: ConfigParameter[Long] =
    new ConfigParameter("spark.cassandra.sql.inClauseToFullScanConversionThreshold", 1000000L)

  /** Has no effect: keys are looked up, whatever their number. */
  val InClauseToJoinWithTableConversionThreshold: ConfigParameter[Long] =
    new ConfigParameter("spark.cassandra.sql.inClauseToJoinConversionThreshold", 2500L)

  /** Has no effect: a time of a column that has none is an error. */
  val IgnoreMissingMetaColumns: ConfigParameter[Boolean] = new ConfigParameter("ignoreMissingMetaColumns", false)

  /** Has no effect: Cassandra's own estimates are used. */
  val TableSizeInBytesParam: ConfigParameter[Option[Long]] = new ConfigParameter("spark.cassandra.table.size.in.bytes", None)
}
