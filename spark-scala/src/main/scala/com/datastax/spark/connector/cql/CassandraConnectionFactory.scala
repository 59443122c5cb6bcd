package com.datastax.spark.connector.cql

import com.datastax.oss.driver.api.core.CqlSession

/**
 * Makes sessions for a program that calls it. No setting can name another one than the default: reads and writes need the connector's own
 * sessions.
 */
trait CassandraConnectionFactory extends Serializable {

  /** A session, which the caller closes. */
  def createSession(conf: CassandraConnectorConf): CqlSession

  /** The names of settings that are only for this factory. */
  def properties: Set[String] = Set.empty
}

/** Sessions of `CassandraConnector`. */
object DefaultConnectionFactory extends CassandraConnectionFactory {
  override def createSession(conf: CassandraConnectorConf): CqlSession = CassandraConnector(conf).openSession()
}
