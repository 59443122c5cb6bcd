package com.datastax.spark.connector.cql

import io.overdrive.spark.config.Settings
import org.apache.spark.SparkConf

import scala.jdk.CollectionConverters._

/**
 * Which cluster to connect to, and how: the settings of an application that concern Cassandra. Immutable and thread-safe; travels
 * to executors. Holds passwords, which `toString` masks.
 */
final class CassandraConnectorConf private (private[connector] val application: Map[String, String]) extends Serializable {

  /**
   * These settings, and others that override them.
   *
   * @param options by their names as options of a DataFrame
   * @throws IllegalArgumentException if a name looks like a mistyped setting, or a value is invalid
   */
  private[connector] def settings(options: Map[String, String]): Settings = Settings.of(options.asJava, application.asJava)

  override def equals(other: Any): Boolean = other match {
    case that: CassandraConnectorConf => application == that.application
    case _ => false
  }

  override def hashCode: Int = application.hashCode

  override def toString: String = s"CassandraConnectorConf(${settings(Map.empty)})"
}

object CassandraConnectorConf {

  /** The settings of an application. */
  def apply(conf: SparkConf): CassandraConnectorConf = fromSparkConf(conf)

  /** The settings of an application. */
  def fromSparkConf(conf: SparkConf): CassandraConnectorConf =
    new CassandraConnectorConf(conf.getAll.filter { case (name, _) => isNeeded(name) }.toMap)

  /** What is resolved to settings; the number of cores is that of the limits which are given for each core. */
  private def isNeeded(name: String): Boolean =
    name == "spark.executor.cores" || name == "spark.master" || !name.startsWith("spark.") ||
      name.startsWith("spark.cassandra.") || name.startsWith("spark.overdrive.")
}
