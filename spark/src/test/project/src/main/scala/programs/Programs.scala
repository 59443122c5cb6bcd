package programs

import com.datastax.spark.connector.cql.CassandraConnector
import org.apache.spark.sql.SparkSession

import java.io.{PrintWriter, StringWriter}

/** Runs each program, and prints its name and whether it works. */
object Programs {

  /** @param arguments a keyspace that the programs may create */
  def main(arguments: Array[String]): Unit = {
    val spark = SparkSession.builder.appName("programs").getOrCreate()
    val sc = spark.sparkContext
    val keyspace = arguments(0)
    CassandraConnector(sc.getConf).withSessionDo { session =>
      session.execute(s"DROP KEYSPACE IF EXISTS $keyspace")
      session.execute(s"CREATE KEYSPACE $keyspace WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
    }
    Seq[(String, () => Unit)](
      "connecting" -> (() => Connecting.run(sc, keyspace)),
      "loading" -> (() => Loading.run(sc, keyspace)),
      "saving" -> (() => Saving.run(sc, keyspace)),
      "joins" -> (() => Joins.run(sc, keyspace)),
      "data frames" -> (() => DataFrames.run(spark, keyspace)),
      "sql" -> (() => Sql.run(spark, keyspace)),
      "streams" -> (() => Streams.run(spark, keyspace)),
      "java" -> (() => JavaPrograms.run(sc, keyspace))).foreach { case (name, program) =>
      val result =
        try {
          program()
          "works"
        } catch {
          case e: Throwable =>
            val text = new StringWriter
            e.printStackTrace(new PrintWriter(text, true))
            text.toString
        }
      println(s"\n### $name\n$result")
    }
    println("\n### end\n")
    spark.stop()
  }

  def same(found: Any, expected: Any): Unit =
    if (found != expected) throw new AssertionError(s"found $found instead of $expected")
}
