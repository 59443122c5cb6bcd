package org.apache.spark.sql

import com.datastax.spark.connector.util.ConfigParameter
import io.overdrive.spark.config.{Setting, Settings}
import org.apache.spark.sql.streaming.DataStreamWriter

import scala.jdk.CollectionConverters._

/**
 * Tables of Cassandra in reads and writes of DataFrames:
 * {{{
 * import org.apache.spark.sql.cassandra._
 * spark.read.cassandraFormat("orders", "shop").load()
 * df.write.cassandraFormat("orders", "shop").withTTL(3600).mode("append").save()
 * }}}
 */
package object cassandra {

  /** The name of the format. */
  val CassandraFormat = "org.apache.spark.sql.cassandra"

  /**
   * The options of a read or a write that name a table.
   *
   * @param cluster name of a group of settings; empty for the session's, see `setCluster`
   * @param pushdownEnable whether Cassandra evaluates filters; true is what the settings say
   */
  def cassandraOptions(table: String, keyspace: String, cluster: String = "", pushdownEnable: Boolean = true): Map[String, String] =
    Map(Setting.TABLE.option -> table, Setting.KEYSPACE.option -> keyspace) ++
      Option.when(cluster.nonEmpty)(Setting.CLUSTER.option -> cluster) ++
      Option.when(!pushdownEnable)(Setting.PUSHDOWN.option -> "false")

  implicit class DataFrameReaderWrapper(val dfReader: DataFrameReader) extends AnyVal {

    /** Reads from a table that options name. */
    def cassandraFormat: DataFrameReader = dfReader.format(CassandraFormat)

    /** @see [[cassandraOptions]] */
    def cassandraFormat(table: String, keyspace: String, cluster: String = "", pushdownEnable: Boolean = true): DataFrameReader =
      cassandraFormat.options(cassandraOptions(table, keyspace, cluster, pushdownEnable))
  }

  implicit class DataFrameWriterWrapper[T](val dfWriter: DataFrameWriter[T]) extends AnyVal {

    /** Writes into a table that options name. */
    def cassandraFormat: DataFrameWriter[T] = dfWriter.format(CassandraFormat)

    /** @see [[cassandraOptions]] */
    def cassandraFormat(table: String, keyspace: String, cluster: String = "", pushdownEnable: Boolean = true): DataFrameWriter[T] =
      cassandraFormat.options(cassandraOptions(table, keyspace, cluster, pushdownEnable))

    /** @param constant time to live of all rows, in seconds; 0 for the table's */
    def withTTL(constant: Int): DataFrameWriter[T] = withTTL(constant.toString)

    /** @param column that has the time to live of each row, in seconds; it is not written itself */
    def withTTL(column: String): DataFrameWriter[T] = dfWriter.option(Setting.TTL.option, column)

    /** @param constant write time of all rows, in microseconds since 1970; 0 for the job's */
    def withWriteTime(constant: Long): DataFrameWriter[T] = withWriteTime(constant.toString)

    /** @param column that has the write time of each row, in microseconds since 1970; it is not written itself */
    def withWriteTime(column: String): DataFrameWriter[T] = dfWriter.option(Setting.WRITE_TIME.option, column)
  }

  implicit class DataStreamWriterWrapper[T](val dsWriter: DataStreamWriter[T]) extends AnyVal {

    /** Writes into a table that options name. */
    def cassandraFormat: DataStreamWriter[T] = dsWriter.format(CassandraFormat)

    /** @see [[cassandraOptions]] */
    def cassandraFormat(table: String, keyspace: String, cluster: String = "", pushdownEnable: Boolean = true): DataStreamWriter[T] =
      cassandraFormat.options(cassandraOptions(table, keyspace, cluster, pushdownEnable))

    /** @param constant time to live of all rows, in seconds; 0 for the table's */
    def withTTL(constant: Int): DataStreamWriter[T] = withTTL(constant.toString)

    /** @param column that has the time to live of each row, in seconds; it is not written itself */
    def withTTL(column: String): DataStreamWriter[T] = dsWriter.option(Setting.TTL.option, column)

    /** @param constant write time of all rows, in microseconds since 1970; 0 for the job's */
    def withWriteTime(constant: Long): DataStreamWriter[T] = withWriteTime(constant.toString)

    /** @param column that has the write time of each row, in microseconds since 1970; it is not written itself */
    def withWriteTime(column: String): DataStreamWriter[T] = dsWriter.option(Setting.WRITE_TIME.option, column)
  }

  /** The remaining time to live of a column's value, in seconds. Needs the extensions. */
  def ttl(column: Column): Column = functions.call_function("ttl", column)

  /** The remaining time to live of a column's value, in seconds. Needs the extensions. */
  def ttl(column: String): Column = ttl(functions.col(column))

  /** The write time of a column's value, in microseconds since 1970. Needs the extensions. */
  def writeTime(column: Column): Column = functions.call_function("writetime", column)

  /** The write time of a column's value, in microseconds since 1970. Needs the extensions. */
  def writeTime(column: String): Column = writeTime(functions.col(column))

  implicit class CassandraSparkSessionFunctions(val sparkSession: SparkSession) extends AnyVal {

    /** The group of settings that reads and writes of this session use unless they name one. */
    def setCluster(cluster: String): SparkSession = {
      sparkSession.conf.set(CassandraSQLContextParams.SqlClusterParam.name, cluster)
      sparkSession
    }

    /** The group of settings that `setCluster` has set. */
    def getCluster: String =
      sparkSession.conf.get(CassandraSQLContextParams.SqlClusterParam.name, CassandraSQLContextParams.EveryCluster)

    /**
     * Settings for all clusters and keyspaces.
     *
     * @param options by their names in a session
     * @throws IllegalArgumentException if one is no setting of the connector, or its value is invalid; then none is set
     */
    def setCassandraConf(options: Map[String, String]): SparkSession = setCassandraConf(CassandraSQLContextParams.EveryCluster, options)

    /** Settings for a cluster. */
    def setCassandraConf(cluster: String, options: Map[String, String]): SparkSession = setAll(cluster, options)

    /** Settings for a keyspace of a cluster. */
    def setCassandraConf(cluster: String, keyspace: String, options: Map[String, String]): SparkSession =
      setAll(s"$cluster:$keyspace", options)

    private def setAll(group: String, options: Map[String, String]): SparkSession = {
      Settings.check(options.asJava)
      options.foreach { case (name, value) => sparkSession.conf.set(s"$group/$name", value) }
      sparkSession
    }
  }

  object CassandraSQLContextParams {
    private[cassandra] val EveryCluster = "default"

    val SqlClusterParam: ConfigParameter[String] = new ConfigParameter("spark.cassandra.sql.cluster", EveryCluster)
  }
}
