package io.overdrive.spark.rdd

import com.datastax.oss.driver.api.core.cql.Row
import io.overdrive.TestCluster
import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession

import java.nio.file.Path
import scala.jdk.CollectionConverters._

/** One Spark for all tests of this JVM, with the node of TestCluster; started by the first of them. */
object TestSpark {
  lazy val spark: SparkSession = {
    val address = TestCluster.address
    SparkSession.builder
      .master("local[2,3]")
      .appName("overdrive")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "3")
      .config("spark.sql.session.timeZone", "UTC")
      .config("spark.sql.warehouse.dir", Path.of("target", "warehouse").toAbsolutePath.toString)
      .config("spark.cassandra.connection.host", address.getHostString)
      .config("spark.cassandra.connection.port", address.getPort.toString)
      .config("spark.sql.extensions", "com.datastax.spark.connector.CassandraSparkExtensions")
      .config("spark.sql.catalog.cass", "com.datastax.spark.connector.datasource.CassandraCatalog")
      .getOrCreate()
  }

  def sc: SparkContext = spark.sparkContext

  def cql(statement: String): Seq[Row] = TestCluster.execute(statement).asScala.toSeq
}
