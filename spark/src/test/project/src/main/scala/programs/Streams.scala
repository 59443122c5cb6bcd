package programs

import com.datastax.spark.connector.cql.CassandraConnector
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.cassandra._
import org.apache.spark.sql.streaming.Trigger
import programs.Programs.same

import java.nio.file.Files

/** Structured streaming into a table, and joined with a table. */
object Streams {
  def run(spark: SparkSession, keyspace: String): Unit = {
    val session = CassandraConnector(spark.sparkContext.getConf)
    session.withSessionDo { session =>
      session.execute(s"CREATE TABLE $keyspace.names (id int PRIMARY KEY, name text)")
      session.execute(s"CREATE TABLE $keyspace.named (id int PRIMARY KEY, name text, amount int)")
      session.execute(s"INSERT INTO $keyspace.names (id, name) VALUES (1, 'Ann')")
    }
    val directory = Files.createTempDirectory("stream")
    val input = Files.createDirectory(directory.resolve("input"))
    Files.writeString(input.resolve("amounts.csv"), "1,10\n2,20\n")
    val amounts = spark.readStream.schema("number INT, amount INT").csv(input.toString)
    val names = spark.read.cassandraFormat("names", keyspace).load()
    val query = amounts.join(names, amounts("number") === names("id")).select("id", "name", "amount")
      .writeStream
      .cassandraFormat("named", keyspace)
      .option("checkpointLocation", directory.resolve("checkpoint").toString)
      .outputMode("append")
      .trigger(Trigger.AvailableNow)
      .start()
    query.awaitTermination()
    val row = spark.read.cassandraFormat("named", keyspace).load().collect().map(row => (row.getAs[Int]("id"), row.getAs[String]("name"), row.getAs[Int]("amount")))
    same(row.toSeq, Seq((1, "Ann", 10)))
  }
}
