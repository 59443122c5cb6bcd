package com.datastax.spark.connector.cql

import com.datastax.oss.driver.api.core.auth.{AuthProvider, ProgrammaticPlainTextAuthProvider}
import com.datastax.spark.connector.util.ConfigParameter
import io.overdrive.spark.config.CredentialsFactory
import org.apache.spark.SparkConf

import scala.jdk.CollectionConverters._

/** How a connection is authenticated: `NoAuthConf` or `PasswordAuthConf`. Immutable. */
trait AuthConf extends Serializable {
  def authProvider: Option[AuthProvider]
}

/** No credentials. */
case object NoAuthConf extends AuthConf {
  override def authProvider: Option[AuthProvider] = None
}

/** @param password not shown in `toString` */
final case class PasswordAuthConf(user: String, password: String) extends AuthConf {
  override def authProvider: Option[AuthProvider] = Some(new ProgrammaticPlainTextAuthProvider(user, password))

  override def toString: String = s"PasswordAuthConf($user,…)"
}

object AuthConf {

  /**
   * Reads the settings of an application.
   *
   * @throws IllegalArgumentException if one of them is invalid
   */
  def fromSparkConf(conf: SparkConf): AuthConf = CassandraConnectorConf.fromSparkConf(conf).authConf

  /**
   * User and password; None without credentials.
   *
   * @throws IllegalArgumentException if the connection is to be authenticated in another way
   */
  private[cql] def credentials(of: AuthConf): Option[PasswordAuthConf] = of match {
    case NoAuthConf => None
    case password: PasswordAuthConf => Some(password)
    case other =>
      throw new IllegalArgumentException(
        s"an AuthConf must be NoAuthConf or a PasswordAuthConf, and this is a ${other.getClass.getName}: for other ways to authenticate," +
          " set spark.overdrive.driver.advanced.auth-provider.class to the class of an AuthProvider of the driver")
  }
}

/**
 * Gets user and password, for example from a vault, where the setting `auth.conf.factory` names its class or object. Runs on Spark's driver,
 * whenever a read, a write or a connector is made.
 */
trait AuthConfFactory extends CredentialsFactory {

  /** @param conf the settings of application and session */
  def authConf(conf: SparkConf): AuthConf

  /** The names of settings that are only for this factory. */
  def properties: Set[String] = Set.empty

  final override def credentials(conf: SparkConf): CredentialsFactory.Credentials =
    AuthConf.credentials(authConf(conf)).map(found => new CredentialsFactory.Credentials(found.user, found.password)).orNull

  final override def ownSettings: java.util.Set[String] = properties.asJava
}

object AuthConfFactory {
  val FactoryParam: ConfigParameter[AuthConfFactory] = ConfigParameter.of("auth.conf.factory", DefaultAuthConfFactory)
}

/** The default factory: user and password are settings. */
object DefaultAuthConfFactory extends AuthConfFactory {
  val UserNameParam: ConfigParameter[Option[String]] = ConfigParameter.of("auth.username", None)
  val PasswordParam: ConfigParameter[Option[String]] = ConfigParameter.of("auth.password", None)

  override val properties: Set[String] = Set(UserNameParam.name, PasswordParam.name)

  override def authConf(conf: SparkConf): AuthConf = {
    val credentials =
      for (user <- conf.getOption(UserNameParam.name); password <- conf.getOption(PasswordParam.name)) yield PasswordAuthConf(user, password)
    credentials.getOrElse(NoAuthConf)
  }
}
