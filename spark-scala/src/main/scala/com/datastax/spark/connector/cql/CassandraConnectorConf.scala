package com.datastax.spark.connector.cql

import com.datastax.spark.connector.util.ConfigParameter
import io.overdrive.spark.config.{Setting, Settings, SharedEngines}
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
   * @param unset settings of the application that do not count
   * @throws IllegalArgumentException if a name looks like a mistyped setting, or a value is invalid
   */
  private[connector] def settings(options: Map[String, String], unset: Set[Setting] = Set.empty): Settings =
    Settings.of(options.asJava, without(unset.toSeq).asJava)

  /** The settings of this connector as options of a catalog. */
  private[connector] def options: Map[String, String] =
    application.filter { case (name, _) => name.startsWith("spark.cassandra.") || name.startsWith("spark.overdrive.") }

  @transient private lazy val own: Settings = settings(Map.empty)

  /** Which cluster. */
  def contactInfo: ContactInfo =
    (Option(own.find(Setting.BUNDLE)), Option(own.find(Setting.DRIVER_CONFIG))) match {
      case (Some(bundle), _) => CloudBasedContactInfo(bundle, authConf)
      case (None, Some(file)) if !own.isGiven(Setting.HOST) => ProfileFileBasedContactInfo(file)
      case _ => IpBasedContactInfo(SharedEngines.contactPoints(own).asScala.toSet, authConf, sslConf)
    }

  private[cql] def authConf: AuthConf =
    Option(own.find(Setting.USERNAME)).fold[AuthConf](NoAuthConf)(PasswordAuthConf(_, own.get(Setting.PASSWORD)))

  private def sslConf: CassandraConnectorConf.CassandraSSLConf = {
    val keyStore = Option(own.find(Setting.TLS_KEY_STORE))
    CassandraConnectorConf.CassandraSSLConf(
      enabled = SharedEngines.isEncrypted(own),
      trustStorePath = Option(own.find(Setting.TLS_TRUST_STORE)),
      trustStorePassword = Option(own.find(Setting.TLS_TRUST_STORE_PASSWORD)),
      clientAuthEnabled = keyStore.isDefined,
      keyStorePath = keyStore,
      keyStorePassword = Option(own.find(Setting.TLS_KEY_STORE_PASSWORD)))
  }

  def localDC: Option[String] = Option(own.find(Setting.DATACENTER))

  def localConnectionsPerExecutor: Option[Int] = given(CassandraConnectorConf.LocalConnectionsPerExecutorParam)

  def remoteConnectionsPerExecutor: Option[Int] = given(CassandraConnectorConf.RemoteConnectionsPerExecutorParam)

  def compression: String = own.get(Setting.WIRE_COMPRESSION)

  /** Retries of a request, after its first attempt. */
  def queryRetryCount: Int = Math.toIntExact(own.number(Setting.MAX_ATTEMPTS) - 1)

  def connectTimeoutMillis: Int = Math.toIntExact(own.number(Setting.CONNECT_TIMEOUT))

  def readTimeoutMillis: Int = Math.toIntExact(own.number(Setting.REQUEST_TIMEOUT))

  private def given(parameter: ConfigParameter[Option[Int]]): Option[Int] = application.get(parameter.name).map(_.toInt)

  /** The same, except for what is given. */
  def copy(
    contactInfo: ContactInfo = contactInfo,
    localDC: Option[String] = localDC,
    localConnectionsPerExecutor: Option[Int] = localConnectionsPerExecutor,
    remoteConnectionsPerExecutor: Option[Int] = remoteConnectionsPerExecutor,
    compression: String = compression,
    queryRetryCount: Int = queryRetryCount,
    connectTimeoutMillis: Int = connectTimeoutMillis,
    readTimeoutMillis: Int = readTimeoutMillis): CassandraConnectorConf = {
    import CassandraConnectorConf._
    val fields = Seq[(ConfigParameter[_], Seq[Setting], Any, Any)](
      (LocalDCParam, Seq(Setting.DATACENTER), this.localDC, localDC),
      (LocalConnectionsPerExecutorParam, Seq.empty, this.localConnectionsPerExecutor, localConnectionsPerExecutor),
      (RemoteConnectionsPerExecutorParam, Seq.empty, this.remoteConnectionsPerExecutor, remoteConnectionsPerExecutor),
      (CompressionParam, Seq(Setting.WIRE_COMPRESSION), this.compression, compression),
      (QueryRetryParam, Seq(Setting.MAX_ATTEMPTS), this.queryRetryCount, queryRetryCount),
      (ConnectionTimeoutParam, Seq(Setting.CONNECT_TIMEOUT), this.connectTimeoutMillis, connectTimeoutMillis),
      (ReadTimeoutParam, Seq(Setting.REQUEST_TIMEOUT), this.readTimeoutMillis, readTimeoutMillis))
    val contacts = if (contactInfo == this.contactInfo) application else without(Contacts) ++ contactInfo.settings
    new CassandraConnectorConf(fields.foldLeft(contacts) {
      case (settings, (_, _, was, is)) if is == was => settings
      case (settings, (parameter, names, _, is)) =>
        new CassandraConnectorConf(settings).without(names) - parameter.name ++ Option(is).collect {
          case Some(value) => parameter.name -> value.toString
          case value if value != None => parameter.name -> value.toString
        }
    })
  }

  private def without(settings: Seq[Setting]): Map[String, String] = Settings.without(application.asJava, settings.asJava).asScala.toMap

  override def equals(other: Any): Boolean = other match {
    case that: CassandraConnectorConf => application == that.application
    case _ => false
  }

  override def hashCode: Int = application.hashCode

  override def toString: String = s"CassandraConnectorConf(${settings(Map.empty)})"
}

object CassandraConnectorConf {

  /**
   * Certificates. Immutable.
   *
   * @param trustStoreType without effect, as `protocol`, `enabledAlgorithms` and `keyStoreType`: see the page on settings
   * @param clientAuthEnabled whether the key store is used
   */
  final case class CassandraSSLConf(
    enabled: Boolean = false,
    trustStorePath: Option[String] = None,
    trustStorePassword: Option[String] = None,
    trustStoreType: String = "JKS",
    protocol: String = "TLS",
    enabledAlgorithms: Set[String] = Set.empty,
    clientAuthEnabled: Boolean = false,
    keyStorePath: Option[String] = None,
    keyStorePassword: Option[String] = None,
    keyStoreType: String = "JKS") {
    private[cql] def settings: Map[String, String] = {
      val trust = Seq(SSLTrustStorePathParam -> trustStorePath, SSLTrustStorePasswordParam -> trustStorePassword)
      val key = Seq(SSLKeyStorePathParam -> keyStorePath, SSLKeyStorePasswordParam -> keyStorePassword)
      val stores = (if (enabled) trust else Seq.empty) ++ (if (enabled && clientAuthEnabled) key else Seq.empty)
      Map(SSLEnabledParam.name -> enabled.toString) ++ stores.collect { case (parameter, Some(value)) => parameter.name -> value }
    }

    /** Leaves out the passwords. */
    override def toString: String = s"CassandraSSLConf($enabled,$trustStorePath,$keyStorePath)"
  }

  /** No TLS. */
  val DefaultCassandraSSLConf: CassandraSSLConf = CassandraSSLConf()

  val ConnectionHostParam: ConfigParameter[String] = ConfigParameter.of("connection.host", "127.0.0.1")
  val ConnectionPortParam: ConfigParameter[Int] = ConfigParameter.of("connection.port", 9042)
  val LocalDCParam: ConfigParameter[Option[String]] = ConfigParameter.of("connection.localDC", None)
  val ConnectionTimeoutParam: ConfigParameter[Int] = ConfigParameter.of("connection.timeoutMS", 10000)
  val KeepAliveMillisParam: ConfigParameter[Int] = ConfigParameter.of("connection.keepAliveMS", 3600000)
  val MinReconnectionDelayParam: ConfigParameter[Int] = ConfigParameter.of("connection.reconnectionDelayMS.min", 1000)
  val MaxReconnectionDelayParam: ConfigParameter[Int] = ConfigParameter.of("connection.reconnectionDelayMS.max", 60000)
  val LocalConnectionsPerExecutorParam: ConfigParameter[Option[Int]] = ConfigParameter.of("connection.localConnectionsPerExecutor", None)
  val RemoteConnectionsPerExecutorParam: ConfigParameter[Option[Int]] = ConfigParameter.of("connection.remoteConnectionsPerExecutor", None)
  val CompressionParam: ConfigParameter[String] = ConfigParameter.of("connection.compression", "none")
  val QuietPeriodBeforeCloseParam: ConfigParameter[Int] = ConfigParameter.of("connection.quietPeriodBeforeCloseMS", 0)
  val TimeoutBeforeCloseParam: ConfigParameter[Int] = ConfigParameter.of("connection.timeoutBeforeCloseMS", 15000)
  val QueryRetryParam: ConfigParameter[Int] = ConfigParameter.of("query.retry.count", 9)
  val ReadTimeoutParam: ConfigParameter[Int] = ConfigParameter.of("read.timeoutMS", 60000)
  val CloudBasedConfigurationParam: ConfigParameter[Option[String]] = ConfigParameter.of("connection.config.cloud.path", None)
  val ProfileFileBasedConfigurationParam: ConfigParameter[Option[String]] = ConfigParameter.of("connection.config.profile.path", None)
  val SSLEnabledParam: ConfigParameter[Boolean] = ConfigParameter.of("connection.ssl.enabled", DefaultCassandraSSLConf.enabled)
  val SSLTrustStorePathParam: ConfigParameter[Option[String]] = ConfigParameter.of("connection.ssl.trustStore.path", None)
  val SSLTrustStorePasswordParam: ConfigParameter[Option[String]] = ConfigParameter.of("connection.ssl.trustStore.password", None)
  val SSLTrustStoreTypeParam: ConfigParameter[String] = ConfigParameter.of("connection.ssl.trustStore.type", DefaultCassandraSSLConf.trustStoreType)
  val SSLProtocolParam: ConfigParameter[String] = ConfigParameter.of("connection.ssl.protocol", DefaultCassandraSSLConf.protocol)
  val SSLEnabledAlgorithmsParam: ConfigParameter[Set[String]] = ConfigParameter.of("connection.ssl.enabledAlgorithms", DefaultCassandraSSLConf.enabledAlgorithms)
  val SSLClientAuthEnabledParam: ConfigParameter[Boolean] = ConfigParameter.of("connection.ssl.clientAuth.enabled", DefaultCassandraSSLConf.clientAuthEnabled)
  val SSLKeyStorePathParam: ConfigParameter[Option[String]] = ConfigParameter.of("connection.ssl.keyStore.path", None)
  val SSLKeyStorePasswordParam: ConfigParameter[Option[String]] = ConfigParameter.of("connection.ssl.keyStore.password", None)
  val SSLKeyStoreTypeParam: ConfigParameter[String] = ConfigParameter.of("connection.ssl.keyStore.type", DefaultCassandraSSLConf.keyStoreType)

  /**
   * The configuration for the cluster of these nodes, or of this bundle; other settings have their defaults, see
   * `copy`.
   */
  def apply(contactInfo: ContactInfo): CassandraConnectorConf = new CassandraConnectorConf(contactInfo.settings)

  /**
   * The settings of an application.
   *
   * @throws IllegalArgumentException if a name looks like a mistyped setting, or an `auth.conf.factory` does not work
   */
  def apply(conf: SparkConf): CassandraConnectorConf = fromSparkConf(conf)

  /** Like `apply`. */
  def fromSparkConf(conf: SparkConf): CassandraConnectorConf = {
    val all = conf.getAll.toMap
    new CassandraConnectorConf(Settings.forExecutors(all.asJava).asScala.toMap ++ all.filter { case (name, _) => OfCores(name) })
  }

  /** Settings that a ContactInfo decides. */
  private val Contacts = Seq(Setting.HOST, Setting.PORT, Setting.USERNAME, Setting.PASSWORD, Setting.BUNDLE, Setting.DRIVER_CONFIG) ++
    Setting.values.filter(setting => setting.option == "tls" || setting.option.startsWith("tls."))

  /** Limits which are given for each core depend on these. */
  private val OfCores = Set("spark.executor.cores", "spark.master")
}
