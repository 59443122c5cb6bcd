package com.datastax.spark.connector.cql

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.spark.connector.util.DriverUtil
import io.overdrive.Overdrive
import io.overdrive.spark.config.{Setting, Settings, SharedEngines}
import org.apache.spark.sql.execution.QueryExecutionException
import org.apache.spark.{SparkConf, SparkContext}

import java.io.IOException
import java.net.{InetAddress, InetSocketAddress}
import java.time.Duration
import scala.jdk.CollectionConverters._

/**
 * The way to a session of the Cassandra driver, on Spark's driver and in functions that run on executors, to which it travels.
 * {{{
 * CassandraConnector(sc.getConf).withSessionDo(session => session.execute("CREATE TABLE …"))
 * }}}
 * All sessions of a JVM for the same cluster share the connections of the engine, which stay open until the JVM ends: opening and
 * closing costs nothing. Thread-safe.
 */
final class CassandraConnector(val conf: CassandraConnectorConf) extends Serializable {

  @transient private lazy val settings: Settings = conf.settings(Map.empty)

  /** @throws IOException if the cluster cannot be reached, as in the connector for Spark 3 */
  private[connector] def engine: Overdrive =
    try SharedEngines.of(settings)
    catch {
      case e: QueryExecutionException => throw new IOException(e.getMessage, e)
    }

  /**
   * A session, which the caller may close. Requests time out after the setting `requestTimeout`
   * unless they have their own timeout.
   *
   * @throws IllegalArgumentException if a setting is invalid
   * @throws IOException if the cluster cannot be reached
   */
  def openSession(): CqlSession =
    new SharedSession(
      engine.session(),
      Duration.ofMillis(settings.number(Setting.REQUEST_TIMEOUT)))

  /** The result of the code. Iterators that it returns may use the session, too. */
  def withSessionDo[T](code: CqlSession => T): T = closeResourceAfterUse(openSession())(code)

  /** Like `withSessionDo`, for Java. */
  def jWithSessionDo[T](code: java.util.function.Function[CqlSession, T]): T =
    withSessionDo(session => code.apply(session))

  /** Closes the resource when the code ends, also if it fails. */
  def closeResourceAfterUse[T, C <: AutoCloseable](closeable: C)(code: C => T): T =
    try code(closeable)
    finally closeable.close()

  /** The addresses of all nodes that the driver knows. */
  def hosts: Set[InetSocketAddress] =
    withSessionDo(_.getMetadata.getNodes.values.asScala.flatMap(DriverUtil.toAddress).toSet)

  /** Addresses of `hosts`, without their ports. */
  def hostAddresses: Set[InetAddress] = hosts.map(_.getAddress)

  override def equals(other: Any): Boolean = other match {
    case that: CassandraConnector => conf == that.conf
    case _ => false
  }

  override def hashCode: Int = conf.hashCode
}

object CassandraConnector {

  /** A connector for the cluster of these settings. */
  def apply(conf: CassandraConnectorConf): CassandraConnector = new CassandraConnector(conf)

  /** A connector for the cluster of these nodes, or of this bundle. */
  def apply(contactInfo: ContactInfo, localDC: Option[String] = None): CassandraConnector =
    apply(CassandraConnectorConf(contactInfo).copy(localDC = localDC))

  /** A connector for the cluster that the configuration of an application names. */
  def apply(conf: SparkConf): CassandraConnector = apply(CassandraConnectorConf.fromSparkConf(conf))

  /** A connector for the cluster that the configuration of the application names. */
  def apply(sc: SparkContext): CassandraConnector = apply(sc.getConf)
}
