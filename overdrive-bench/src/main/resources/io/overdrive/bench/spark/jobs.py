"""Runs Spark jobs for `overdrive bench`, on Spark 3.5 and 4: each line from the given port of this machine is a job, and gets a line as
its answer, both in JSON. Ends with the connection. It uses nothing that only one of the connectors has."""

import json
import os
import shutil
import socket
import sys

from pyspark.sql import Observation, SparkSession
from pyspark.sql.functions import count, lit

CASSANDRA = "org.apache.spark.sql.cassandra"


def run(job):
    """Returns the number of rows that were written."""
    seen = Observation()
    rows = spark.sql(job["query"]).observe(seen, count(lit(1)).alias("rows"))
    rows.write.format(CASSANDRA).options(**job["into"]).mode("append").save()
    return {"rows": seen.get["rows"]}


def answer(line):
    try:
        return run(json.loads(line))
    except Exception as e:  # whatever it is, the experiment is to report it
        return {"error": str(e)}


with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
    spark = SparkSession.builder.appName("overdrive bench").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    lines = connection.makefile("rw", encoding="utf-8", newline="\n")
    lines.write(json.dumps({"version": spark.version}) + "\n")
    lines.flush()
    for line in lines:
        lines.write(json.dumps(answer(line)) + "\n")
        lines.flush()
    application = spark.sparkContext.applicationId
    spark.stop()
    # The workers of a local cluster keep the files of their executors here.
    shutil.rmtree(os.path.join(os.environ.get("SPARK_HOME", "."), "work", application), ignore_errors=True)
