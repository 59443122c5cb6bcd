package com.datastax.spark.connector.cql

import com.datastax.spark.connector.cql.CassandraConnectorConf._

import java.net.InetSocketAddress

/** Which cluster to connect to. Immutable. */
sealed trait ContactInfo extends Serializable {

  /** The end point in messages. */
  def endPointStr(): String

  /** The settings by their names in the configuration of an application. */
  private[cql] def settings: Map[String, String]
}

/** The cluster of these nodes. */
final case class IpBasedContactInfo(
  hosts: Set[InetSocketAddress],
  authConf: AuthConf = NoAuthConf,
  cassandraSSLConf: CassandraSSLConf = DefaultCassandraSSLConf) extends ContactInfo {
  override def endPointStr(): String = hosts.map(host => s"${host.getHostString}:${host.getPort}").mkString("{", ", ", "}")

  override private[cql] def settings: Map[String, String] =
    Map(ConnectionHostParam.name -> hosts.map(ContactInfo.shown).toSeq.sorted.mkString(",")) ++
      ContactInfo.credentials(authConf) ++ cassandraSSLConf.settings
}

/** @param path of a secure connect bundle, which has nodes and certificates */
final case class CloudBasedContactInfo(path: String, authConf: AuthConf) extends ContactInfo {
  override def endPointStr(): String = s"the bundle $path"

  override private[cql] def settings: Map[String, String] =
    Map(CloudBasedConfigurationParam.name -> path) ++ ContactInfo.credentials(authConf)
}

/** @param path of a configuration file of the driver */
final case class ProfileFileBasedContactInfo(path: String) extends ContactInfo {
  override def endPointStr(): String = s"the configuration file $path"

  override private[cql] def settings: Map[String, String] = Map(ProfileFileBasedConfigurationParam.name -> path)
}

private object ContactInfo {

  /** An IPv6 address in brackets. */
  def shown(host: InetSocketAddress): String = {
    val name = host.getHostString
    s"${if (name.contains(':') && !name.startsWith("[")) s"[$name]" else name}:${host.getPort}"
  }

  def credentials(authConf: AuthConf): Map[String, String] = AuthConf.credentials(authConf).fold(Map.empty[String, String]) { found =>
    Map(DefaultAuthConfFactory.UserNameParam.name -> found.user, DefaultAuthConfFactory.PasswordParam.name -> found.password)
  }
}
