#!/usr/bin/env python3
"""Compares the Python package with drivers for Python, in turns, on one node: the tables about Python in PERFORMANCE.md.

Usage: scripts/python-rates.py [-n ROWS] [-r REPEATS] [-c CASES] [-p PEERS] --host HOST:PORT
  -n ROWS       of the table W1, in partitions of 100 rows; default 1000000
  -r REPEATS    of each measurement; the median is printed, with minimum and maximum; default 3
  -c CASES      of: arrow pandas polars batches files write shuffled lookup small; default all
  -p PEERS      of: overdrive command driver acsylla scyllapy; default all
Each measurement is a process of its own. Seconds begin before the connection and end with the result. CPU is that of the process and of its
children. Memory is the largest resident set of Python and of the engine. In the case "small", 10,000 rows are read over a connection that
has read them before, ten times. The keyspace python_rates is created, and dropped at the end. It needs pyarrow, pandas, polars and overdrive
with its package; peers need cassandra-driver, acsylla and scyllapy, and are left out if they are not installed. The driver's NumPy reader is
not among them: with NumPy 2, it returns no row of a query that has a number.
"""
import argparse
import asyncio
import importlib.util
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

KEYSPACE = "python_rates"
COLUMNS = ["host", "bucket_time", "service", "time", "metric", "state"]
KEY = COLUMNS[:4]
CREATE = (
    f"CREATE TABLE {KEYSPACE}.%s (host text, bucket_time timestamp, service text, time timestamp, metric double, state text,"
    " PRIMARY KEY ((host, bucket_time, service), time)) WITH CLUSTERING ORDER BY (time DESC)"
)
SELECT = f"SELECT {', '.join(COLUMNS)} FROM {KEYSPACE}.%s"
INSERT = f"INSERT INTO {KEYSPACE}.%s ({', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?)"
LOOKUP = SELECT % "w1" + " WHERE host = ? AND bucket_time = ? AND service = ? AND time = ?"
SMALL_ROWS = 10_000
LOOKUPS = 100_000
READS = {"arrow", "pandas", "polars", "batches", "files"}
PEERS = {
    "overdrive": READS - {"files"} | {"write", "shuffled", "lookup", "small"},
    "command": {"files"},
    "driver": {"arrow", "pandas", "write", "shuffled", "lookup", "small"},
    "acsylla": {"arrow", "write", "shuffled", "lookup", "small"},
    "scyllapy": {"arrow", "small"},
}
MODULES = {"driver": "cassandra", "acsylla": "acsylla", "scyllapy": "scyllapy"}


def w1(rows, shuffled):
    """W1 as a DataFrame."""
    import pandas as pd
    import pyarrow as pa

    draw, states = random.Random(42), ["ok", "warn", "crit", "unknown"]
    columns = [[], [], [], [], [], []]
    for partition in range(max(1, rows // 100)):
        bucket = 1700000000000 + partition % 7 * 3600000
        for i in range(min(rows, 100)):
            row = (f"host-{partition // 10:05d}.example.net", bucket, f"service-{partition % 10:02d}", bucket + i * 36000 + draw.randrange(1000))
            for column, value in zip(columns, (*row, draw.gauss(50, 20), draw.choice(states))):
                column.append(value)
    time_type, text = pa.timestamp("ms", "UTC"), pa.string()
    types = [text, time_type, text, time_type, pa.float64(), text]
    table = pa.table([pa.array(values, kind) for values, kind in zip(columns, types)], COLUMNS)
    frame = table.to_pandas(types_mapper=pd.ArrowDtype)
    return frame.sample(frac=1, random_state=7).reset_index(drop=True) if shuffled else frame


def plain(frame):
    """The rows as tuples with objects of Python, as drivers take them."""
    import pyarrow as pa

    return list(zip(*(column.to_pylist() for column in pa.Table.from_pandas(frame, preserve_index=False).columns)))


def overdrive(case, host, table, prepared):
    import overdrive_cassandra as od

    connection = od.connect(host=host, progress=False)

    def run():
        if case in ("write", "shuffled"):
            return connection.write(prepared, table).rows_written
        if case == "lookup":
            return connection.lookup(prepared, table).to_arrow().num_rows
        rows = connection.read(table)
        if case == "batches":
            return sum(batch.num_rows for batch in rows)
        if case == "pandas":
            return len(rows.to_pandas())
        return len(rows.to_polars()) if case == "polars" else rows.to_arrow().num_rows

    return run, connection.close


def command(case, host, table, prepared):
    directory = tempfile.mkdtemp(prefix="overdrive-rates-")

    def run():
        subprocess.run(
            ["overdrive", "unload", table, os.path.join(directory, f"out-{time.time()}.arrows"), "--host", host, "--progress", "none"],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        import pyarrow.ipc

        file = os.path.join(directory, os.listdir(directory)[0])
        return sum(batch.num_rows for batch in pyarrow.ipc.open_stream(file))

    return run, lambda: shutil.rmtree(directory)


def driver(case, host, table, prepared):
    import pandas as pd
    import pyarrow as pa
    from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile
    from cassandra.concurrent import execute_concurrent_with_args
    from cassandra.query import tuple_factory

    address, port = host.split(":")
    profile = ExecutionProfile(row_factory=tuple_factory, request_timeout=60)
    cluster = Cluster([address], port=int(port), execution_profiles={EXEC_PROFILE_DEFAULT: profile})
    session = cluster.connect()

    def run():
        if case in ("write", "shuffled"):
            results = execute_concurrent_with_args(session, session.prepare(INSERT % table.split(".")[1]), prepared, concurrency=128)
            return sum(1 for succeeded, _ in results if succeeded)
        if case == "lookup":
            results = execute_concurrent_with_args(session, session.prepare(LOOKUP), prepared, concurrency=128)
            return len(arrow([row for _, found in results for row in found]))
        rows = list(session.execute(SELECT % table.split(".")[1]))
        return len(pd.DataFrame(rows, columns=COLUMNS)) if case == "pandas" else len(arrow(rows))

    def arrow(rows):
        return pa.table([pa.array(column) for column in zip(*rows)], COLUMNS)

    return run, cluster.shutdown


def acsylla(case, host, table, prepared):
    import acsylla
    import pyarrow as pa

    loop = asyncio.new_event_loop()
    address, port = host.split(":")

    async def connected():
        return await acsylla.create_cluster([address], port=int(port), request_timeout=60).create_session()

    session = loop.run_until_complete(connected())

    async def each(statement, values, keep):
        found, todo, prepared_statement = [], iter(values), await session.create_prepared(statement)

        async def worker():
            for row in todo:
                bound = prepared_statement.bind()
                bound.bind_list(list(row))
                result = await session.execute(bound)
                found.append([r.as_tuple() for r in result] if keep else 1)

        await asyncio.gather(*(worker() for _ in range(128)))
        return found

    async def pages():
        statement = acsylla.create_statement(SELECT % table.split(".")[1], page_size=5000)
        rows = []
        while True:
            result = await session.execute(statement)
            rows += [row.as_tuple() for row in result]
            if not result.has_more_pages():
                return rows
            statement.set_page_state(result.page_state())

    def run():
        if case in ("write", "shuffled"):
            return len(loop.run_until_complete(each(INSERT % table.split(".")[1], prepared, False)))
        if case == "lookup":
            rows = [row for found in loop.run_until_complete(each(LOOKUP, prepared, True)) for row in found]
        else:
            rows = loop.run_until_complete(pages())
        return len(pa.table([pa.array(column) for column in zip(*rows)], COLUMNS))

    return run, lambda: loop.run_until_complete(session.close())


def scyllapy(case, host, table, prepared):
    import pyarrow as pa
    import scyllapy

    loop = asyncio.new_event_loop()
    scylla = scyllapy.Scylla([host])

    async def connect():
        await scylla.startup()

    async def close():
        await scylla.shutdown()

    async def rows():
        return (await scylla.execute(SELECT % table.split(".")[1])).all()  # its pages are ten times slower

    def run():
        return pa.Table.from_pylist(loop.run_until_complete(rows())).num_rows

    loop.run_until_complete(connect())
    return run, lambda: loop.run_until_complete(close())


def one(case, peer, host, rows):
    """A measurement, in a process of its own."""
    prepared, table = None, f"{KEYSPACE}.{'small' if case == 'small' else 'w1'}"
    if case in ("write", "shuffled", "lookup"):
        frame = w1(rows, case != "write")
        if case == "lookup":
            frame = frame[:LOOKUPS][KEY]
        else:
            table = f"{KEYSPACE}.target"
        prepared = frame if peer == "overdrive" else plain(frame)
        rows = len(frame)
    cpu, began = cpu_seconds(), time.perf_counter()
    run, close = globals()[peer](case, host, table, prepared)
    if case == "small":
        rows = SMALL_ROWS
        seconds = statistics.median(timed(run, rows) for _ in range(11))
    else:
        check(run(), rows)
        seconds = time.perf_counter() - began
    close()
    memory = [own_memory(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024]
    print(json.dumps({"seconds": seconds, "cpu": cpu_seconds() - cpu, "python": memory[0], "engine": memory[1]}))


def own_memory():
    """In MB. The figure of getrusage is at least that of the process that has started this one."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))


def timed(run, rows):
    began = time.perf_counter()
    check(run(), rows)
    return time.perf_counter() - began


def check(found, rows):
    if found != rows:
        raise SystemExit(f"{found} rows instead of {rows}")


def cpu_seconds():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ", 1)[1])
    parser.add_argument("--host", required=True)
    parser.add_argument("-n", type=int, default=1_000_000)
    parser.add_argument("-r", type=int, default=3)
    parser.add_argument("-c", default="arrow pandas polars batches files write shuffled lookup small")
    parser.add_argument("-p", default=" ".join(PEERS))
    parser.add_argument("--one", nargs=2)
    options = parser.parse_args()
    if options.one:
        one(*options.one, options.host, options.n)
        return
    import overdrive_cassandra as od

    peers = [peer for peer in options.p.split() if importlib.util.find_spec(MODULES.get(peer, "json"))]
    with od.connect(host=options.host, progress=False) as connection:
        connection.execute(f"DROP KEYSPACE IF EXISTS {KEYSPACE}")
        connection.execute(f"CREATE KEYSPACE {KEYSPACE} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}")
        for name in ("w1", "small", "target"):
            connection.execute(CREATE % name)
        connection.write(w1(options.n, False), f"{KEYSPACE}.w1")
        connection.write(w1(SMALL_ROWS, False), f"{KEYSPACE}.small")
        try:
            for case in options.c.split():
                compare(case, [peer for peer in peers if case in PEERS[peer]], options, connection)
        finally:
            connection.execute(f"DROP KEYSPACE {KEYSPACE}")


def compare(case, peers, options, connection):
    found = {peer: [] for peer in peers}
    for _ in range(options.r):
        for peer in peers:
            if case in ("write", "shuffled"):
                connection.execute(f"TRUNCATE {KEYSPACE}.target")
            args = [sys.executable, __file__, "--one", case, peer, "--host", options.host, "-n", str(options.n)]
            result = subprocess.run(args, stdout=subprocess.PIPE, text=True)
            if result.returncode:
                print(f"{case} {peer} has failed", file=sys.stderr)
            else:
                found[peer].append(json.loads(result.stdout))
    rows = {"small": SMALL_ROWS, "lookup": min(LOOKUPS, options.n)}.get(case, options.n)
    for peer, runs in found.items():
        if runs:
            seconds = sorted(run["seconds"] for run in runs)
            middle, cpu = statistics.median(seconds), statistics.median(run["cpu"] for run in runs)
            memory = " + ".join(str(max(run[process] for run in runs)) for process in ("python", "engine"))
            calls = rows * (11 if case == "small" else 1)
            print(
                f"| {case} | {peer} | {rows / middle:,.0f} | {middle:.3f} ({seconds[0]:.3f} to {seconds[-1]:.3f}) |"
                f" {cpu / calls * 1e6:.2f} | {memory} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
