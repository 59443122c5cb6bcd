"""What a user of PySpark does with the bundle. Prints each part below a line "### name"; PySparkIT looks at what is there."""
import json
import os
import sys

from pyspark.sql import SparkSession

keyspace, directory = sys.argv[1:3]
spark = SparkSession.builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")


def part(name):
    print("### " + name, flush=True)


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
print(table("flights", "org.apache.spark.sql.cassandra").count())

part("SQL")
flights.createOrReplaceTempView("flights")
spark.sql("SELECT carrier, avg(dep_delay) AS delay FROM flights GROUP BY carrier ORDER BY carrier").show()

part("wrong name")
try:
    table("fligths").show()
except Exception as error:
    print(error)

part("SQL by the catalog")
spark.sql(f"SELECT carrier, avg(dep_delay) AS delay FROM cass.{keyspace}.flights GROUP BY carrier ORDER BY carrier").show()

part("wrong name in SQL")
try:
    spark.sql(f"SELECT * FROM cass.{keyspace}.fligths").show()
except Exception as error:
    print(error)

part("join")
routes = spark.createDataFrame([("JFK", "HNL", 2013, 1), ("JFK", "SFO", 2013, 1)], "origin string, dest string, year int, month int")
direct = spark.read.format("cassandra").options(table="flights", keyspace=keyspace, directJoin="on").load()
joined = routes.join(direct, ["origin", "dest", "year", "month"])
joined.explain()
print("rows", joined.count())

part("append")
spark.sql(f"CREATE TABLE cass.{keyspace}.planes (tail STRING, hours BIGINT, seats INT) PARTITIONED BY (tail)")
planes = spark.createDataFrame([("N1", 10, 100), ("N2", 20, None), ("N3", 30, 300)], "tail string, hours long, seats int")
planes.write.format("cassandra").options(table="planes", keyspace=keyspace).mode("append").save()
table("planes").orderBy("tail").show()

part("overwrite without the confirmation")
try:
    planes.write.format("cassandra").options(table="planes", keyspace=keyspace).mode("overwrite").save()
except Exception as error:
    print(error)

part("insert")
spark.sql(f"INSERT INTO cass.{keyspace}.planes SELECT carrier AS tail, count(*) AS hours, 1 AS seats FROM flights GROUP BY carrier")
print(spark.table(f"cass.{keyspace}.planes").selectExpr("sum(hours)").first()[0])

part("times")
spark.sql(f"INSERT INTO cass.{keyspace}.planes WITH (writetime = 77) VALUES ('N9', 90, 1)")
spark.sql(f"SELECT tail, max(writetime(hours)) FROM cass.{keyspace}.planes GROUP BY tail HAVING min(writetime(hours)) < 99").show()

part("stream")
source = os.path.join(directory, "source")
os.mkdir(source)
for file in range(3):
    with open(os.path.join(source, f"{file}.json"), "w") as out:
        out.writelines(json.dumps({"tail": f"S{file}-{row}", "hours": row}) + "\n" for row in range(100))
rows = spark.readStream.schema("tail string, hours long").option("maxFilesPerTrigger", 1).json(source)
stream = (rows.writeStream.format("cassandra").options(table="planes", keyspace=keyspace)
          .option("checkpointLocation", os.path.join(directory, "checkpoint")).trigger(availableNow=True).start())
stream.awaitTermination()
print(table("planes").filter("tail like 'S%'").selectExpr("count(*)", "sum(hours)").first())
