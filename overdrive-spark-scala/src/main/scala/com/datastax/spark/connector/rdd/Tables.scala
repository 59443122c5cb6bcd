package com.datastax.spark.connector.rdd

import com.datastax.spark.connector.cql.{CassandraConnector, TableDef}
import io.overdrive.OverdriveException
import io.overdrive.TableSchema
import io.overdrive.spark.config.{Failures, SharedEngines}

/** Tables of the cluster that a connector names. Stateless. */
private[connector] object Tables {

  /** @throws IllegalArgumentException if there is no such table */
  def schema(connector: CassandraConnector, keyspace: String, table: String): TableSchema =
    try SharedEngines.of(connector.conf.settings(Map.empty)).table(keyspace, table)
    catch {
      case e: OverdriveException => throw Failures.ofSpark(e)
    }

  /** Returns when all nodes have it. */
  def create(connector: CassandraConnector, table: TableDef): Unit = {
    val statement = table.cql
    try SharedEngines.of(connector.conf.settings(Map.empty)).changeSchema(statement)
    catch {
      case e: OverdriveException => throw Failures.ofSpark(e)
      case e: com.datastax.oss.driver.api.core.DriverException => throw Failures.ofSpark(e, statement)
    }
  }
}
