"""Overdrive's part of a comparison in Spark: writes, scans, sums, counts or joins a table of rows W1 or W2 (see PERFORMANCE.md).

    PYSPARK_PYTHON=$V/bin/python $V/bin/spark-submit --driver-memory 2g --jars spark/target/overdrive-spark-bundle.jar \\
        scripts/spark_job.py HOST[:PORT] write KEYSPACE.TABLE FILE.csv [OPTION=VALUE …]
        scripts/spark_job.py HOST[:PORT] scan|sum|count|join KEYSPACE.TABLE [OPTION=VALUE …]

$V is a Python environment with PySpark 4; PySparkIT leaves one in ~/.cache/overdrive/pyspark-VERSION. Prints "job seconds N", from the
session being ready to the end of the job: without the start of Python and Spark. Run it by spark-submit, and not by python: that would
not wait for its JVM, and the CPU time of child processes would miss nearly all of it.
"""
import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql.functions import expr

host, op, name = sys.argv[1:4]
address, port = (host.split(":") + ["9042"])[:2]
keyspace, table = name.split(".")
spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
         .config("spark.sql.extensions", "io.overdrive.spark.OverdriveExtensions")
         .config("spark.cassandra.connection.host", address).config("spark.cassandra.connection.port", port).getOrCreate())
spark.sparkContext.setLogLevel("ERROR")


def read():
    options = dict(o.split("=", 1) for o in sys.argv[4:])
    return spark.read.format("cassandra").options(table=table, keyspace=keyspace, **options).load()


start = time.time()
if op == "write":
    csv = spark.read.option("header", "true")
    if table.startswith("w1"):
        rows = csv.schema("host string, bucket_time long, service string, time long, metric double, state string").csv(sys.argv[4])
        rows = rows.withColumn("bucket_time", expr("timestamp_millis(bucket_time)")).withColumn("time", expr("timestamp_millis(time)"))
    else:
        rows = csv.schema("id string, v string").csv(sys.argv[4]).withColumn("v", expr("unhex(substring(v, 3))"))
    rows.write.format("cassandra").options(table=table, keyspace=keyspace, **dict(o.split("=", 1) for o in sys.argv[5:])).mode("append").save()
elif op == "scan":
    read().write.format("noop").mode("overwrite").save()
elif op == "sum":
    print("SUM", read().selectExpr("sum(metric)").collect())
elif op == "count":
    print("COUNT", read().count())
elif op == "join":  # a thousand partitions, by their whole key
    keys = spark.range(1000).selectExpr(
        "format_string('host-%05d.example.net', id) AS host", "format_string('service-%02d', id % 10) AS service",
        "timestamp_millis(1700000000000 + (id * 10 + id % 10) % 7 * 3600000) AS bucket_time")
    print("JOIN", keys.join(read(), ["host", "bucket_time", "service"]).selectExpr("count(*)", "sum(metric)").collect())
else:
    sys.exit(f"{op} is none of write, scan, sum, count, join")
print("job seconds %.2f" % (time.time() - start))
spark.stop()
