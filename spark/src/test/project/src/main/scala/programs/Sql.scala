package programs

import org.apache.spark.sql.{Row, SparkSession}
import programs.Programs.same

/** SQL with a catalog, and without. */
object Sql {
  def run(spark: SparkSession, keyspace: String): Unit = {
    spark.conf.set("spark.sql.catalog.mycatalog", "com.datastax.spark.connector.datasource.CassandraCatalog")
    val own = s"${keyspace}_sql"
    spark.sql(s"DROP DATABASE IF EXISTS mycatalog.$own CASCADE")
    spark.sql(s"CREATE DATABASE IF NOT EXISTS mycatalog.$own WITH DBPROPERTIES (class = 'SimpleStrategy', replication_factor = '1')")
    same(spark.sql("SHOW NAMESPACES FROM mycatalog").collect().contains(Row(own)), true)
    spark.sql(
      s"CREATE TABLE mycatalog.$own.testtab (key_1 INT, key_2 INT, cc1 STRING, cc2 STRING, value STRING) USING cassandra" +
        " PARTITIONED BY (key_1, key_2) TBLPROPERTIES (clustering_key = 'cc1.asc, cc2.desc', compaction = '{class=SizeTieredCompactionStrategy}')")
    spark.sql(s"INSERT INTO mycatalog.$own.testtab SELECT id, id, 'a', 'b', concat('v', id) FROM range(1, 11)")
    same(spark.sql(s"SHOW TABLES FROM mycatalog.$own").collect().map(_.getString(1)).toSeq, Seq("testtab"))
    same(spark.sql(s"SELECT value FROM mycatalog.$own.testtab WHERE key_1 = 7 AND key_2 = 7").collect().toSeq, Seq(Row("v7")))
    spark.sql(s"ALTER TABLE mycatalog.$own.testtab ADD COLUMNS (newcol INT)")
    same(spark.table(s"mycatalog.$own.testtab").columns.contains("newcol"), true)
    spark.sql(s"CREATE TABLE mycatalog.$own.copied USING cassandra PARTITIONED BY (key_1) AS SELECT key_1, value FROM mycatalog.$own.testtab")
    spark.range(1, 4).selectExpr("CAST(id AS INT) AS key_1", "'new' AS value").writeTo(s"mycatalog.$own.copied").append()
    same(spark.sql(s"SELECT count(*) FROM mycatalog.$own.copied WHERE value = 'new'").head().getLong(0), 3)
    spark.sql(s"ALTER TABLE mycatalog.$own.copied SET TBLPROPERTIES (gc_grace_seconds = '111')")
    spark.sql(s"DROP TABLE mycatalog.$own.copied")

    spark.sql(
      s"CREATE TEMPORARY VIEW tab USING org.apache.spark.sql.cassandra OPTIONS (table 'testtab', keyspace '$own', pushdown 'true')")
    same(spark.sql("SELECT max(key_1) FROM tab").head().getInt(0), 10)
    spark.sql(s"DROP DATABASE mycatalog.$own CASCADE")
  }
}
