"""Runs Spark jobs for `overdrive bench`, on Spark 3.5 and 4: each line from the given port of this machine is a job, and gets a line as
its answer, both in JSON. Before it there may be lines on how far the job is. Ends with the connection. It uses nothing that only one of the
connectors has."""

import functools
import json
import os
import shutil
import socket
import sys
import threading
import time

from pyspark.sql import Observation, SparkSession
from pyspark.sql.functions import expr

CASSANDRA = "org.apache.spark.sql.cassandra"
# How Spark names the stages of a write after what was called here; those of a shuffle before it have other names.
WRITES = "save at "
PARTITIONS_PER_HOST = 10


def query(job):
    """Runs a query, and returns what it observes."""
    start = time.monotonic()
    if job["from"]:
        spark.read.format(CASSANDRA).options(**job["from"]).load().createOrReplaceTempView("cassandra_rows")
    seen = Observation()
    rows = spark.sql(job["query"]).observe(seen, *(expr(aggregate).alias(name) for name, aggregate in job["observe"].items()))
    if job["into"]:
        rows.write.format(CASSANDRA).options(**job["into"]).mode("append").save()
    else:
        rows.write.format("noop").mode("overwrite").save()
    return {"seconds": time.monotonic() - start, **seen.get}


def look_up(wanted):
    """Joins an RDD of keys with a table, and returns the number of rows."""
    jvm = spark.sparkContext._jvm
    java = jvm.com.datastax.spark.connector.japi.CassandraJavaUtil
    text = jvm.java.lang.Class.forName("java.lang.String")
    column = spark.sparkContext._gateway.new_array(jvm.java.lang.String, 1)
    column[0] = wanted["column"]
    table = wanted["keyspace"], wanted["table"]
    objects = keys(wanted["prefix"], wanted["count"])
    start = time.monotonic()
    rdd = spark.sparkContext._jsc.parallelize(objects)
    if wanted["byReplica"]:
        rdd = java.javaFunctions(rdd).repartitionByCassandraReplica(
            *table, PARTITIONS_PER_HOST, java.someColumns(column), java.mapTupleToRow(text))
    rows = java.javaFunctions(rdd).joinWithCassandraTable(
        *table, java.allColumns, java.someColumns(column),
        jvm.com.datastax.spark.connector.japi.GenericJavaRowReaderFactory.instance, java.mapTupleToRow(text)).count()
    return {"rows": rows, "seconds": time.monotonic() - start}


@functools.lru_cache(maxsize=1)
def keys(prefix, count):
    """Tuples with a text each, in Java; made once, as that takes a request each."""
    jvm = spark.sparkContext._jvm
    objects = jvm.java.util.ArrayList()
    for number in range(count):
        objects.add(jvm.scala.Tuple1(prefix + str(number)))
    return objects


class Watch(threading.Thread):
    """Sends the share of the tasks of a write that are complete, several times a second."""

    def __init__(self):
        super().__init__(daemon=True)
        self.ended = threading.Event()

    def run(self):
        tracker = spark.sparkContext.statusTracker()
        while not self.ended.wait(0.1):
            for job in tracker.getActiveJobsIds():
                of = tracker.getJobInfo(job)
                for stage in map(tracker.getStageInfo, of.stageIds if of else ()):
                    if stage and stage.name.startswith(WRITES):
                        send({"done": stage.numCompletedTasks / stage.numTasks})

    def __enter__(self):
        self.start()

    def __exit__(self, *failure):
        self.ended.set()
        self.join()


def run(job):
    if job["keys"]:
        return look_up(job["keys"])
    if not job["progress"]:
        return query(job)
    with Watch():
        return query(job)


def answer(line):
    try:
        return run(json.loads(line))
    except Exception as e:  # whatever it is, the experiment is to report it
        return {"error": str(e)}


def send(message):
    lines.write(json.dumps(message) + "\n")
    lines.flush()


with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
    spark = SparkSession.builder.appName("overdrive bench").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    lines = connection.makefile("rw", encoding="utf-8", newline="\n")
    send({"version": spark.version})
    for line in lines:
        send(answer(line))
    application = spark.sparkContext.applicationId
    spark.stop()
    # The workers of a local cluster keep the files of their executors here.
    shutil.rmtree(os.path.join(os.environ.get("SPARK_HOME", "."), "work", application), ignore_errors=True)
