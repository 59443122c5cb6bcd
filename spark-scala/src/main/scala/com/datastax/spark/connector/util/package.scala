package com.datastax.spark.connector

import com.datastax.spark.connector.cql.{CassandraConnector, Schema, TableDef}

package object util {

  /** @see [[com.datastax.spark.connector.cql.Schema.fromCassandra]] */
  def schemaFromCassandra(connector: CassandraConnector, keyspaceName: Option[String] = None, tableName: Option[String] = None): Schema =
    connector.withSessionDo(Schema.fromCassandra(_, keyspaceName, tableName))

  /** @see [[com.datastax.spark.connector.cql.Schema.tableFromCassandra]] */
  def tableFromCassandra(connector: CassandraConnector, keyspaceName: String, tableName: String): TableDef =
    connector.withSessionDo(Schema.tableFromCassandra(_, keyspaceName, tableName))
}
