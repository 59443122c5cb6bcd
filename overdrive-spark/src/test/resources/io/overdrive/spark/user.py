"""What a user of PySpark does with the bundle. Prints each part below a line "== name"; PySparkIT looks at what is there."""
import sys

from pyspark.sql import SparkSession

keyspace = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")


def part(name):
    print("== " + name, flush=True)


def table(name, format="cassandra"):
    return spark.read.format(format).options(table=name, keyspace=keyspace).load()


part("version")
print(spark.version)

part("schema")
table("flights").printSchema()

part("show")
flights = table("flights")
flights.filter("origin = 'JFK' and dest = 'LAX' and year = 2013 and month = 1").select("day", "dep_delay").orderBy("day").show()

part("name of the connector for Spark 3")
print(len(table("flights", "org.apache.spark.sql.cassandra").collect()))

part("SQL")
flights.createOrReplaceTempView("flights")
spark.sql("SELECT carrier, avg(dep_delay) AS delay FROM flights GROUP BY carrier ORDER BY carrier").show()

part("wrong name")
try:
    table("fligths").show()
except Exception as error:
    print(error)
