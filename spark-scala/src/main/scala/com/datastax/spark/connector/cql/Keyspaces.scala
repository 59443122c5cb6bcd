package com.datastax.spark.connector.cql

import com.datastax.oss.driver.api.core.{CqlIdentifier, CqlSession}
import com.datastax.oss.driver.api.core.metadata.schema.{ClusteringOrder, ColumnMetadata, KeyspaceMetadata, RelationMetadata}
import com.datastax.spark.connector.types.{ColumnType, UserDefinedType}
import io.overdrive.internal.names.DidYouMean

import scala.jdk.CollectionConverters._

/** A keyspace. Immutable. */
final case class KeyspaceDef(keyspaceName: String, tables: Set[TableDef], userTypes: Set[UserDefinedType]) {
  lazy val tableByName: Map[String, TableDef] = tables.map(table => table.tableName -> table).toMap

  lazy val userTypeByName: Map[String, UserDefinedType] = userTypes.map(userType => userType.name -> userType).toMap
}

/** Keyspaces of a cluster. Immutable. */
final case class Schema(keyspaces: Set[KeyspaceDef]) {
  lazy val keyspaceByName: Map[String, KeyspaceDef] = keyspaces.map(keyspace => keyspace.keyspaceName -> keyspace).toMap

  /** Tables of all keyspaces. */
  lazy val tables: Set[TableDef] = keyspaces.flatMap(_.tables)
}

object Schema {

  /**
   * Reads the schema as it is now. Materialized views are among the tables.
   *
   * @param keyspaceName only this one, if it exists
   * @param tableName only tables of this name
   */
  def fromCassandra(session: CqlSession, keyspaceName: Option[String] = None, tableName: Option[String] = None): Schema = {
    val keyspaces = session.refreshSchema().getKeyspaces.values.asScala.filter(found => keyspaceName.forall(_ == found.getName.asInternal))
    Schema(keyspaces.map(keyspace(_, tableName)).toSet)
  }

  /** @throws IllegalArgumentException if there is no such table */
  def tableFromCassandra(session: CqlSession, keyspaceName: String, tableName: String): TableDef = {
    val tables = fromCassandra(session, Some(keyspaceName)).tables.map(table => table.tableName -> table).toMap
    tables.getOrElse(
      tableName,
      throw new IllegalArgumentException(
        s"there is no table \"$keyspaceName.$tableName\"" + DidYouMean.suggestion(tableName, tables.keys.toSeq.asJava)))
  }

  private def keyspace(of: KeyspaceMetadata, tableName: Option[String]): KeyspaceDef = {
    val relations: Iterable[RelationMetadata] = of.getTables.values.asScala ++ of.getViews.values.asScala
    KeyspaceDef(
      of.getName.asInternal,
      relations.filter(found => tableName.forall(_ == found.getName.asInternal)).map(table(of.getName, _)).toSet,
      of.getUserDefinedTypes.values.asScala.map(UserDefinedType(_)).toSet)
  }

  private def table(keyspace: CqlIdentifier, of: RelationMetadata): TableDef = {
    def column(found: ColumnMetadata, role: ColumnRole) = ColumnDef(found.getName.asInternal, role, ColumnType.fromDriverType(found.getType))
    val clustering = of.getClusteringColumns.asScala.toSeq.zipWithIndex.map { case ((found, order), index) =>
      column(found, ClusteringColumn(index, if (order == ClusteringOrder.DESC) ClusteringColumn.Descending else ClusteringColumn.Ascending))
    }
    val key = of.getPrimaryKey.asScala.toSet
    TableDef(
      keyspace.asInternal,
      of.getName.asInternal,
      of.getPartitionKey.asScala.map(column(_, PartitionKeyColumn)).toSeq,
      clustering,
      of.getColumns.values.asScala.filterNot(key).map(found => column(found, if (found.isStatic) StaticColumn else RegularColumn)).toSeq)
  }
}
