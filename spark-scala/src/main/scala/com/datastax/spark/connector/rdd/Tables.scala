package com.datastax.spark.connector.rdd

import com.datastax.spark.connector.cql.{CassandraConnector, TableDef}
import io.overdrive.OverdriveException
import io.overdrive.TableSchema
import io.overdrive.spark.config.Failures

import java.io.IOException

/** Tables of the cluster that a connector names. Stateless. */
private[connector] object Tables {

  /** @throws IOException if there is no such table, or the cluster cannot be reached, as in the connector for Spark 3 */
  def schema(connector: CassandraConnector, keyspace: String, table: String): TableSchema =
    try connector.engine.table(keyspace, table)
    catch {
      case e: OverdriveException => throw new IOException(Failures.named(e).getMessage, e)
    }

  /** Returns when all nodes have it. */
  def create(connector: CassandraConnector, table: TableDef): Unit = {
    val statement = table.cql
    try connector.engine.changeSchema(statement)
    catch {
      case e: OverdriveException => throw Failures.ofSpark(e)
      case e: com.datastax.oss.driver.api.core.DriverException => throw Failures.ofSpark(e, statement)
    }
  }
}
