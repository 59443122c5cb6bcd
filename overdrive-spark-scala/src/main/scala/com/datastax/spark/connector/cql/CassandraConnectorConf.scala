package com.datastax.spark.connector.cql

import com.datastax.spark.connector.util.ConfigParameter
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

  /** As options of a catalog: those that are only for this connector. */
  private[connector] def options: Map[String, String] =
    application.filter { case (name, _) => name.startsWith("spark.cassandra.") || name.startsWith("spark.overdrive.") }

  override def equals(other: Any): Boolean = other match {
    case that: CassandraConnectorConf => application == that.application
    case _ => false
  }

  override def hashCode: Int = application.hashCode

  override def toString: String = s"CassandraConnectorConf(${settings(Map.empty)})"
}

object CassandraConnectorConf {
  val ConnectionHostParam: ConfigParameter = ConfigParameter("connection.host")
  val ConnectionPortParam: ConfigParameter = ConfigParameter("connection.port")
  val LocalDCParam: ConfigParameter = ConfigParameter("connection.localDC")
  val ConnectionTimeoutParam: ConfigParameter = ConfigParameter("connection.timeoutMS")
  val KeepAliveMillisParam: ConfigParameter = ConfigParameter("connection.keepAliveMS")
  val MinReconnectionDelayParam: ConfigParameter = ConfigParameter("connection.reconnectionDelayMS.min")
  val MaxReconnectionDelayParam: ConfigParameter = ConfigParameter("connection.reconnectionDelayMS.max")
  val LocalConnectionsPerExecutorParam: ConfigParameter = ConfigParameter("connection.localConnectionsPerExecutor")
  val RemoteConnectionsPerExecutorParam: ConfigParameter = ConfigParameter("connection.remoteConnectionsPerExecutor")
  val CompressionParam: ConfigParameter = ConfigParameter("connection.compression")
  val QuietPeriodBeforeCloseParam: ConfigParameter = ConfigParameter("connection.quietPeriodBeforeCloseMS")
  val TimeoutBeforeCloseParam: ConfigParameter = ConfigParameter("connection.timeoutBeforeCloseMS")
  val QueryRetryParam: ConfigParameter = ConfigParameter("query.retry.count")
  val ReadTimeoutParam: ConfigParameter = ConfigParameter("read.timeoutMS")
  val CloudBasedConfigurationParam: ConfigParameter = ConfigParameter("connection.config.cloud.path")
  val ProfileFileBasedConfigurationParam: ConfigParameter = ConfigParameter("connection.config.profile.path")
  val SSLEnabledParam: ConfigParameter = ConfigParameter("connection.ssl.enabled")
  val SSLTrustStorePathParam: ConfigParameter = ConfigParameter("connection.ssl.trustStore.path")
  val SSLTrustStorePasswordParam: ConfigParameter = ConfigParameter("connection.ssl.trustStore.password")
  val SSLTrustStoreTypeParam: ConfigParameter = ConfigParameter("connection.ssl.trustStore.type")
  val SSLProtocolParam: ConfigParameter = ConfigParameter("connection.ssl.protocol")
  val SSLEnabledAlgorithmsParam: ConfigParameter = ConfigParameter("connection.ssl.enabledAlgorithms")
  val SSLClientAuthEnabledParam: ConfigParameter = ConfigParameter("connection.ssl.clientAuth.enabled")
  val SSLKeyStorePathParam: ConfigParameter = ConfigParameter("connection.ssl.keyStore.path")
  val SSLKeyStorePasswordParam: ConfigParameter = ConfigParameter("connection.ssl.keyStore.password")
  val SSLKeyStoreTypeParam: ConfigParameter = ConfigParameter("connection.ssl.keyStore.type")

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
