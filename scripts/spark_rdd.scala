// The RDD part of a comparison in Spark: the same program for Overdrive and for the connector for Spark 3 (see PERFORMANCE.md).
//
//   RDD_TABLE=KEYSPACE.TABLE RDD_OP=write RDD_FILE=FILE.csv spark-shell --master 'local[2]' --driver-memory 2g \
//       --jars spark-scala/target/overdrive-spark-scala-bundle.jar --conf spark.cassandra.connection.host=HOST -i scripts/spark_rdd.scala
//
// RDD_OP is write, scan or join; the table has rows W1. Prints "job seconds N", from the session being ready to the end of the job.
import com.datastax.spark.connector._
import java.util.Date

val Array(keyspace, table) = sys.env("RDD_TABLE").split('.')
val start = System.nanoTime
sys.env("RDD_OP") match {
  case "write" =>
    sc.textFile(sys.env("RDD_FILE")).filter(!_.startsWith("host,")).map(_.split(','))
      .map(f => (f(0), new Date(f(1).toLong), f(2), new Date(f(3).toLong), f(4).toDouble, f(5)))
      .saveToCassandra(keyspace, table, SomeColumns("host", "bucket_time", "service", "time", "metric", "state"))
  case "scan" => println("SUM " + sc.cassandraTable(keyspace, table).map(_.getDouble("metric")).sum())
  case "join" => // a thousand partitions, by their whole key
    val keys = sc.parallelize(0 until 1000).map(i =>
      (f"host-$i%05d.example.net", new Date(1700000000000L + (i * 10 + i % 10) % 7 * 3600000L), f"service-${i % 10}%02d"))
    println("ROWS " + keys.joinWithCassandraTable(keyspace, table).on(SomeColumns("host", "bucket_time", "service")).count())
}
println("job seconds %.2f".format((System.nanoTime - start) / 1e9))
sys.exit(0)
