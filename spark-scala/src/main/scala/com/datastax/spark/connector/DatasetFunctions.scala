package com.datastax.spark.connector

import com.datastax.spark.connector.cql.{CassandraConnector, ClusteringColumn}
import io.overdrive.spark.CassandraCatalog
import io.overdrive.spark.config.Setting
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.cassandra.{AlwaysOn, DirectJoinSetting, PlannedReads}
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException
import org.apache.spark.sql.connector.catalog.{Column, Identifier}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.jdk.CollectionConverters._

/** Functions for any Dataset. */
class DatasetFunctions[K](dataset: Dataset[K]) extends Serializable {

  /**
   * The same rows, where joins with the tables that are read look up keys, or do not.
   *
   * @throws IllegalArgumentException if no Cassandra table is read
   */
  def directJoin(directJoinSetting: DirectJoinSetting = AlwaysOn): Dataset[K] =
    PlannedReads.withOption(dataset, Setting.DIRECT_JOIN.option, directJoinSetting.option)

  /**
   * Creates a table with the columns of this Dataset; writes no rows. Returns when all nodes have it.
   *
   * @param partitionKeyColumns without, the first column
   * @throws IllegalArgumentException if a column is not there, or no column can be created for its type
   */
  def createCassandraTable(
    keyspaceName: String,
    tableName: String,
    partitionKeyColumns: Option[Seq[String]] = None,
    clusteringKeyColumns: Option[Seq[String]] = None)(
    implicit
    connector: CassandraConnector = CassandraConnector(dataset.sparkSession.sparkContext)): Unit =
    createCassandraTableEx(
      keyspaceName,
      tableName,
      partitionKeyColumns.getOrElse(dataset.columns.take(1).toSeq),
      clusteringKeyColumns.getOrElse(Seq.empty).map(_ -> ClusteringColumn.Ascending))

  /**
   * Like `createCassandraTable`, with the order of rows and options of the table.
   *
   * @param clusteringKeyColumns each with the order of its values
   * @param ifNotExists whether a table that exists already is left as it is, instead of an error
   * @param tableOptions options after WITH in CREATE TABLE, by name; a value is a number, true, false, text, or a map as in CQL
   */
  def createCassandraTableEx(
    keyspaceName: String,
    tableName: String,
    partitionKeyColumns: Seq[String],
    clusteringKeyColumns: Seq[(String, ClusteringColumn.SortingOrder)],
    ifNotExists: Boolean = false,
    tableOptions: Map[String, String] = Map.empty)(
    implicit
    connector: CassandraConnector = CassandraConnector(dataset.sparkSession.sparkContext)): Unit = {
    val catalog = new CassandraCatalog
    catalog.initialize("cassandra", new CaseInsensitiveStringMap(connector.conf.options.asJava))
    val properties = tableOptions ++ Map(
      "partition_key" -> partitionKeyColumns.mkString(","),
      "clustering_key" -> clusteringKeyColumns.map { case (name, order) => s"$name.$order" }.mkString(","))
    val columns = dataset.schema.fields.map(field => Column.create(field.name, field.dataType))
    try catalog.createTable(Identifier.of(Array(keyspaceName), tableName), columns, Array.empty, properties.asJava)
    catch {
      case _: TableAlreadyExistsException if ifNotExists => // as asked for
    }
  }
}
