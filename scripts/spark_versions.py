"""What scripts/spark-versions.sh does with each version of Spark: writes, reads, joins and changes rows, has Cassandra filter and sort, and groups
without a shuffle, by SQL and DataFrames only.

    spark_versions.py KEYSPACE             on Spark 4, in a session of spark-submit
    spark_versions.py KEYSPACE ADDRESS     as a client of Spark Connect, such as sc://127.0.0.1:15002
    spark_versions.py KEYSPACE no-session  on Spark 3 with our extensions: the session must fail with the one sentence
    spark_versions.py KEYSPACE refused     on Spark 3 without them: whatever uses the connector must fail with it

Ends with an error unless each result is as expected. Prints the versions. Tables with indexes are in KEYSPACE_more, by scripts/spark_versions.cql.
"""
import sys
import time

from pyspark.sql import SparkSession

keyspace = sys.argv[1]
kind = sys.argv[2] if len(sys.argv) > 2 else ""
name = f"cass.{keyspace}.flights"


def expect(what, found, expected):
    if found != expected:
        raise SystemExit(f"{what}: expected {expected}, found {found}")


def rows(frame):
    return sorted(tuple(row) for row in frame.collect())


def table(spark):
    return spark.read.format("cassandra").options(keyspace=keyspace, table="flights").load()


def refused(what, action):
    try:
        action()
    except Exception as error:
        lines = [line for line in str(error).splitlines() if "Overdrive needs Spark 4 with Scala 2.13, and this is Spark 3" in line]
        if not lines or "NoClassDefFoundError" in str(error) or "NoSuchMethodError" in str(error):
            raise SystemExit(f"{what}: without the sentence that names the versions: {error}")
        return
    raise SystemExit(f"{what}: is not refused")


def check_refusals(spark):
    print("Spark", spark.version)
    refused("a read", lambda: table(spark).collect())
    refused("a write", lambda: spark.range(1).write.format("cassandra").options(keyspace=keyspace, table="flights").mode("append").save())
    refused("a catalog", lambda: spark.sql(f"SELECT * FROM {name}").collect())


def check(spark):
    print("Spark", spark.version)
    spark.sql(f"CREATE NAMESPACE cass.{keyspace}")
    spark.sql(f"CREATE TABLE {name} (origin STRING, day INT, delay DOUBLE, carrier STRING) PARTITIONED BY (origin)"
              " TBLPROPERTIES (clustering_key = 'day')")
    flights = [("HNL", day, day * 10.0, "HA") for day in range(1, 4)] + [("LAX", day, day + 0.5, "AA") for day in range(1, 4)]
    frame = spark.createDataFrame(flights[:3], "origin string, day int, delay double, carrier string")
    frame.write.format("cassandra").options(keyspace=keyspace, table="flights").mode("append").save()
    spark.createDataFrame(flights[3:], "origin string, day int, delay double, carrier string").writeTo(name).append()

    expect("a read by the format", rows(table(spark).select("origin", "day", "delay", "carrier")), flights)
    expect("a filter by the key", rows(table(spark).filter("origin = 'LAX' AND day > 1").select("delay")), [(2.5,), (3.5,)])
    expect("a count", table(spark).count(), 6)
    expect("an aggregate", rows(spark.sql(f"SELECT carrier, sum(delay) FROM {name} GROUP BY carrier")), [("AA", 7.5), ("HA", 60.0)])
    expect("a write time", rows(spark.sql(f"SELECT count(*) FROM {name} WHERE writetime(delay) > 0")), [(6,)])

    join = (f"SELECT f.day, f.delay FROM (SELECT id, IF(id = 0, 'LAX', 'SFO') AS origin FROM range(2)) k JOIN {name}"
            " WITH (directJoin = 'on') f ON k.origin = f.origin")
    plan = spark.sql("EXPLAIN " + join).collect()[0][0]
    expect("lookups in the plan of a join", "CassandraDirectJoin" in plan, True)
    expect("a join", rows(spark.sql(join)), [(1, 1.5), (2, 2.5), (3, 3.5)])

    check_push_downs(spark)

    spark.sql(f"DELETE FROM {name} WHERE origin = 'LAX' AND day = 3")  # by Cassandra alone
    spark.sql(f"DELETE FROM {name} WHERE delay > 25")  # row by row
    spark.sql(f"UPDATE {name} SET delay = delay + 100 WHERE carrier = 'AA' AND day != 1")
    spark.sql(f"MERGE INTO {name} t USING (SELECT * FROM VALUES ('HNL', 1, 11.0D), ('HNL', 9, 99.0D) AS v(origin, day, delay)) s"
              " ON t.origin = s.origin AND t.day = s.day WHEN MATCHED THEN UPDATE SET delay = s.delay"
              " WHEN NOT MATCHED THEN INSERT (origin, day, delay) VALUES (s.origin, s.day, s.delay)")
    expect("the rows after DELETE, UPDATE and MERGE", [tuple(map(str, row)) for row in rows(spark.table(name).select("origin", "day", "delay"))],
           [("HNL", "1", "11.0"), ("HNL", "2", "20.0"), ("HNL", "9", "99.0"), ("LAX", "1", "1.5"), ("LAX", "2", "102.5")])
    check_replacing(spark)
    spark.sql(f"DROP NAMESPACE cass.{keyspace} CASCADE")


def kept(spark, what, reason, table, action):
    try:
        action()
    except Exception as error:
        if reason not in str(error):
            raise SystemExit(f"{what}: expected an error with \"{reason}\", found {error}")
    else:
        raise SystemExit(f"{what}: is not refused")
    expect(f"{what}: the rows of the old table", rows(spark.table(table)), [(1, "a")])


def check_replacing(spark):
    """A table is dropped only if the one that replaces it is possible; and Spark's settings of text are not lost silently."""
    old = f"cass.{keyspace}.replaced"
    spark.sql(f"CREATE TABLE {old} (id INT, v STRING) PARTITIONED BY (id)")
    spark.sql(f"INSERT INTO {old} SELECT 1 AS id, 'a' COLLATE UTF8_LCASE AS v")
    replace = f"CREATE OR REPLACE TABLE {old}"
    kept(spark, "replacing", "confirm.truncate", old, lambda: spark.sql(f"{replace} (id INT) PARTITIONED BY (id)"))
    spark.conf.set("spark.overdrive.confirm.truncate", "true")
    kept(spark, "no key", "needs a partition key", old, lambda: spark.sql(f"{replace} (id INT)"))
    kept(spark, "no key, filled", "needs a partition key", old, lambda: spark.sql(f"{replace} AS SELECT 1 AS id"))
    kept(spark, "no type", "TIMESTAMP_NTZ", old, lambda: spark.sql(f"{replace} (id INT, t TIMESTAMP_NTZ) PARTITIONED BY (id)"))
    kept(spark, "a collation", "no collations", old, lambda: spark.sql(f"{replace} (id INT, v STRING COLLATE UTF8_LCASE) PARTITIONED BY (id)"))
    kept(spark, "a collation by default", "no collations", old,
         lambda: spark.sql(f"{replace} (id INT, v STRING) PARTITIONED BY (id) DEFAULT COLLATION UTF8_LCASE"))
    kept(spark, "saveAsTable", "needs a partition key", old, lambda: spark.range(1).write.mode("overwrite").saveAsTable(old))
    expect("a query with a collation", rows(spark.sql(f"SELECT id FROM {old} WHERE v = 'A' COLLATE UTF8_LCASE")), [(1,)])
    spark.sql(f"{replace} (id INT, c CHAR(3)) PARTITIONED BY (id)")
    expect("the table in its place", spark.table(old).columns, ["id", "c"])
    spark.range(2).write.mode("overwrite").partitionBy("id").saveAsTable(old)
    expect("a table by saveAsTable", rows(spark.table(old)), [(0,), (1,)])
    spark.conf.unset("spark.overdrive.confirm.truncate")


def check_push_downs(spark):
    """What Cassandra does for Spark must be in the plan, and the rows those that Spark finds by itself."""
    more = f"cass.{keyspace}_more"
    large = spark.range(4000).selectExpr("'a' AS id", "int(id) AS at", "int(id % 10) AS n", "array(concat('t', id % 50)) AS tags",
                                         "map('k', int(id % 20)) AS levels", "repeat('x', 1000) AS padding")
    small = spark.range(90).selectExpr("concat('b', id % 3) AS id", "int(id) AS at", "int(id % 10) AS n", "array('t3', 't4') AS tags",
                                       "map('j', 2) AS levels", "'y' AS padding")
    large.union(small).writeTo(f"{more}.sensors").append()
    spark.range(900).selectExpr("int(id % 7) AS p", "concat('q', id % 11) AS q", "concat(IF(id % 2 = 0, 'ab', 'ac'), id) AS name",
                                "int(id) AS n").writeTo(f"{more}.names").append()

    def expect_same(what, query, parts=(), ordered=False):
        plan = spark.sql("EXPLAIN " + query).collect()[0][0]
        for part in parts:
            expect(f"{what}: {part} in the plan", part in plan, True)
        alone = query.replace(" WITH (", " WITH (pushdown = 'false', ").replace("tokenBuckets = 5", "splitCount = 3")
        frames = spark.sql(query), spark.sql(alone)
        found, expected = [[tuple(row) for row in frame.collect()] if ordered else rows(frame) for frame in frames]
        expect(what, found, expected)
        expect(f"{what}: rows", len(found) > 0, True)
        return plan

    sensors = f"{more}.sensors WITH (splitMB = 1)"
    expect_same("the first rows", f"SELECT at FROM {sensors} ORDER BY at DESC LIMIT 7", ["PushedTopN: PER PARTITION LIMIT 7"], ordered=True)
    expect_same("the last rows", f"SELECT at FROM {sensors} WHERE id = 'b1' ORDER BY at LIMIT 7", ["PushedTopN: ORDER BY at ASC"], ordered=True)
    expect_same("an element", f"SELECT id, at FROM {sensors} WHERE array_contains(tags, 't3')", ["tags CONTAINS 't3'"])
    expect_same("an entry", f"SELECT id, at FROM {sensors} WHERE levels['k'] = 2", ["levels['k'] = 2"])
    expect_same("how text begins", f"SELECT * FROM {more}.names WITH (splitMB = 1) WHERE name LIKE 'ab%'", ["name >= 'ab' AND name < 'ac'"])
    expect_same("a count", f"SELECT count(*), max(n) FROM {sensors}", ["count(*)"])
    expect_same("a limit", f"SELECT count(*) FROM (SELECT * FROM {sensors} LIMIT 7)", ["PushedLimit: 7"])

    spark.conf.set("spark.sql.sources.v2.bucketing.enabled", "true")
    for name, key in ("sensors", "id"), ("names", "p, q"), ("names", "p"), ("names", "q"):
        table = f"{more}.{name} WITH (tokenBuckets = 5)"
        plan = expect_same(f"groups of {name} by {key}", f"SELECT {key}, count(*), max(n) FROM {table} GROUP BY {key}")
        expect("a plan without a shuffle", key != "id" or ("TokenBuckets: 5" in plan and "Exchange" not in plan), True)
        expect_same(f"groups of a part of {name} by {key}", f"SELECT {key}, count(*) FROM (SELECT {key}, n % 3 AS m FROM {table}) GROUP BY {key}")
    both = f"{more}.sensors WITH (tokenBuckets = 5, directJoin = 'off')"
    expect_same("a join by partition key", f"SELECT a.id, a.n, b.n FROM {both} a JOIN {both} b ON a.id = b.id AND a.n = b.n")
    both = f"{more}.names WITH (tokenBuckets = 5, directJoin = 'off')"
    expect_same("a join by a part of the key", f"SELECT a.p, count(*) FROM {both} a JOIN {both} b ON a.q = b.q GROUP BY a.p")
    if not kind:
        tasks = 1
        for _ in range(60):  # the node knows the size once it has written the rows to disk
            tasks = spark.sql(f"SELECT * FROM {sensors} WHERE id = 'a'").rdd.getNumPartitions()
            if tasks > 1:
                break
            time.sleep(1)
        expect("several tasks for one partition", tasks > 1, True)
    expect_same("the rows of a large partition", f"SELECT at, n FROM {sensors} WHERE id = 'a'")


if kind == "no-session":
    refused("a session with the extensions", lambda: SparkSession.builder.getOrCreate())
elif kind == "refused":
    check_refusals(SparkSession.builder.getOrCreate())
elif kind:
    check(SparkSession.builder.remote(kind).getOrCreate())
else:
    check(SparkSession.builder.getOrCreate())
