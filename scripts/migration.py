#!/usr/bin/env python3
"""Moves a keyspace to another cluster while its users write to it, and compares every cell: as docs/guides/keyspaces.md describes it, with
processes that are killed at random and resumed. Ends with 1 if a row is missing in the target, a cell is older there than in the source, or,
after the repair, a value, a write time, a time to live or a part of the schema differs.

Usage: scripts/migration.py [-v VERSIONS] [-k KILLS] [-r ROWS] [-w RATE] [-s SEED] [-d DIRECTORY] [-p PORT]
  -v VERSIONS   of Cassandra that the keyspace is moved from, each in turn, to 5.0; default "4.0 5.0". 4.0 and 4.1 need Java 11, as for
                overdrive local
  -k KILLS      of the first copy; default 5
  -r ROWS       that are written before; default 100000
  -w RATE       statements a second, by an open-loop load: each is sent when it is due, whether or not those before it have ended; default 300
  -s SEED       of rows, statements and kills; default: of the time, and printed
  -d DIRECTORY  of nodes, runs and files; default below that for temporary files. It is deleted if all is right
  -p PORT       of the first node; the second has the next; default 9442
The keyspace has all kinds of tables: wide ones with static columns, frozen and other collections, UDTs, counters, lists, rows with a default
time to live, rows of a key only, odd names, keys of all forms in both orders, types in types, functions, an aggregate, indexes, and a view.
Statements insert, update and delete rows, ranges, partitions and values, and a part of them has a time to live, often shorter than a copy.
Counters and lists are copied when nothing writes to them any more, and so are collections of a source before 5.0, from a snapshot.
OVERDRIVE may name the program to run; the default is that of the checkout. It needs cassandra-driver for Python.
"""
import argparse
import collections
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid

from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile
from cassandra.policies import WhiteListRoundRobinPolicy
from cassandra.protocol import _ProtocolHandler
from cassandra.query import tuple_factory

ROOT = pathlib.Path(__file__).resolve().parent.parent
OVERDRIVE = os.environ.get("OVERDRIVE", str(ROOT / "overdrive"))
KEYS = 20_000
AT_ONCE = 128
SHORT_TTL = 90
TTL_TOLERANCE = 10
LATER = ["hits", "lists"]
COLLECTIONS = ["lists", "multi"]
NODETOOL_OPTIONS = [
    f"{option}=ALL-UNNAMED"
    for option in (
        "--add-exports=java.base/jdk.internal.misc",
        "--add-exports=java.base/jdk.internal.ref",
        "--add-exports=java.base/sun.nio.ch",
        "--add-exports=java.rmi/sun.rmi.registry",
        "--add-exports=java.rmi/sun.rmi.server",
        "--add-exports=java.rmi/sun.rmi.transport.tcp",
        "--add-opens=java.base/java.lang",
        "--add-opens=java.base/sun.nio.ch",
    )
]
SCHEMA = '''
CREATE KEYSPACE mig WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1} AND durable_writes = false
CREATE TYPE mig.phone (country int, number text)
CREATE TYPE mig.address (street text, zip int, phones frozen<list<frozen<phone>>>)
CREATE TYPE mig."Odd Type" ("a b" int, "select" text)
CREATE FUNCTION mig.plus(a int, b int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return a == null ? b : b == null ? a : Integer.valueOf(a + b);'
CREATE AGGREGATE mig.total(int) SFUNC plus STYPE int INITCOND 0
CREATE TABLE mig.plain (id int PRIMARY KEY, a text, b int, c bigint, d double, e blob, f uuid, h inet, i decimal, j varint, k timestamp, l date, m time, n duration, o boolean, p smallint, q tinyint, r float, s ascii) WITH comment = 'it''s plain' AND gc_grace_seconds = 3600 AND caching = {'keys': 'NONE', 'rows_per_partition': '10'} AND speculative_retry = '50ms'
CREATE TABLE mig.wide (p int, q text, c1 int, c2 text, st text static, st2 int static, v1 text, v2 blob, PRIMARY KEY ((p, q), c1, c2)) WITH CLUSTERING ORDER BY (c1 DESC, c2 ASC) AND compaction = {'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': '60'} AND compression = {'class': 'DeflateCompressor', 'chunk_length_in_kb': '32'}
CREATE TABLE mig.frozen_types (id int PRIMARY KEY, l frozen<list<int>>, s frozen<set<text>>, m frozen<map<text, int>>, t tuple<int, text>, a frozen<address>, o frozen<"Odd Type">, nested frozen<map<int, frozen<list<text>>>>)
CREATE TABLE mig.multi (id int, c int, v text, s set<text>, m map<text, int>, a address, PRIMARY KEY (id, c))
CREATE TABLE mig.lists (id int PRIMARY KEY, v int, l list<int>)
CREATE TABLE mig.hits (page text, day date, n counter, m counter, PRIMARY KEY (page, day))
CREATE TABLE mig.ttl_default (id int, c int, v text, w int, PRIMARY KEY (id, c)) WITH default_time_to_live = 864000 AND compaction = {'class': 'TimeWindowCompactionStrategy'}
CREATE TABLE mig.keys_only (p int, c int, PRIMARY KEY (p, c))
CREATE TABLE mig."OddNames" ("Key One" int PRIMARY KEY, "select" text, "with ""quotes""" text, "Ünï" int)
CREATE TABLE mig.indexed (id int PRIMARY KEY, email text, tags frozen<set<text>>)
CREATE TABLE mig.deep (a frozen<address>, b tuple<int, int>, c1 blob, c2 decimal, c3 boolean, v text, PRIMARY KEY ((a, b), c1, c2, c3)) WITH CLUSTERING ORDER BY (c1 DESC, c2 DESC, c3 ASC)
CREATE INDEX by_email_2i ON mig.indexed (email)
CREATE INDEX tags_full ON mig.indexed (FULL(tags))
CREATE MATERIALIZED VIEW mig.by_c2 AS SELECT p, q, c1, c2, v1 FROM mig.wide WHERE p IS NOT NULL AND q IS NOT NULL AND c1 IS NOT NULL AND c2 IS NOT NULL PRIMARY KEY (c2, p, q, c1) WITH CLUSTERING ORDER BY (p DESC, q ASC, c1 ASC) AND comment = 'view'
'''


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ", 1)[1], add_help=False)
    parser.add_argument("-v", default="4.0 5.0")
    parser.add_argument("-k", type=int, default=5)
    parser.add_argument("-r", type=int, default=100_000)
    parser.add_argument("-w", type=float, default=300)
    parser.add_argument("-s", type=int, default=int(time.time()))
    parser.add_argument("-d", default=os.path.join(tempfile.gettempdir(), "overdrive-migration"))
    parser.add_argument("-p", type=int, default=9442)
    return parser.parse_args()


def connect(port):
    """A session whose decimals keep their scale and whose rows are tuples."""
    only = WhiteListRoundRobinPolicy(["127.0.0.1"])
    profile = ExecutionProfile(load_balancing_policy=only, row_factory=tuple_factory, request_timeout=120)
    cluster = Cluster(["127.0.0.1"], port=port, execution_profiles={EXEC_PROFILE_DEFAULT: profile}, connect_timeout=60, control_connection_timeout=60)
    session = cluster.connect()
    session.client_protocol_handler = _ProtocolHandler
    return session


# ---- values as CQL, and statements


def literal(text):
    return "'" + text.replace("'", "''") + "'"


def text(r):
    return literal(r.choice(["", "x", "ä€𝄞", "line\nbreak", "q'uote", f"w{r.randrange(1000)}"]))


def small(r):
    return str(r.randrange(-9, 9))


def blob(r):
    return "0x" + r.randbytes(r.choice([0, 0, 1, 20])).hex()


def decimal(r):
    return r.choice(["1.0", "1.00", "-5e10", "0", "0.000", "12345678901234567890.5"])


def decimal_of_key(r):
    """No two are equal with other bytes, which are one key for the server, so that diff cannot replace one by the other."""
    return r.choice(["1.00", "-5e10", "0.000", "12345678901234567890.5"])


def address(r):
    phones = ", ".join(f"{{country: {r.randrange(100)}, number: {text(r)}}}" for _ in range(r.randrange(3)))
    return f"{{street: {text(r)}, zip: {r.randrange(9)}, phones: [{phones}]}}"


def set_of_texts(r):
    return "{%s}" % ", ".join(text(r) for _ in range(r.randrange(3)))


def list_of_numbers(r):
    return str([r.randrange(9) for _ in range(r.randrange(4))])


def one_of(*values):
    return lambda r: r.choice(values)


PLAIN = {
    "a": text,
    "b": small,
    "c": lambda r: str(r.randrange(-(2**62), 2**62)),
    "d": one_of("NaN", "Infinity", "0.1", "-0.0"),
    "e": blob,
    "f": lambda r: str(uuid.UUID(int=r.getrandbits(128), version=4)),
    "h": one_of("'::1'", "'10.0.0.1'"),
    "i": decimal,
    "j": lambda r: str(r.randrange(-(10**30), 10**30)),
    "k": lambda r: str(r.randrange(-(10**12), 10**13)),
    "l": one_of("'1969-12-31'", "'2026-02-28'"),
    "m": lambda r: str(r.randrange(86400 * 10**9)),
    "n": one_of("1mo2d3ns", "-4h"),
    "o": one_of("true", "false"),
    "p": small,
    "q": small,
    "r": one_of("1.5"),
    "s": lambda r: literal(f"as{r.randrange(9)}"),
}
FROZEN = {
    "l": list_of_numbers,
    "s": set_of_texts,
    "m": lambda r: f"{{'a': {r.randrange(9)}}}",
    "t": lambda r: f"({r.choice(['1', 'null'])}, {text(r)})",
    "a": address,
    "o": lambda r: f'{{"a b": {r.randrange(9)}, "select": null}}',
    "nested": one_of("{1: ['x'], 2: []}"),
}
MULTI = {"v": text, "s": one_of("{'a', 'b', ''}", "{'c'}", "{}"), "m": one_of("{'k': 1, 'l': 2}", "{}"), "a": address}
ODD = {'"select"': text, '"with ""quotes"""': text, '"Ünï"': small}
INDEXED = {"email": lambda r: literal(f"e{r.randrange(50)}"), "tags": set_of_texts}
WIDE = {"v1": text, "v2": blob}


def using_ttl(r):
    kind = r.random()
    return "" if kind < 0.6 else f" USING TTL {r.randrange(100_000, 900_000) if kind < 0.9 else r.randrange(5, SHORT_TTL)}"


def of_row(r, table, key, values, is_first):
    """Inserts, updates or deletes a row of which the key is given, by names."""
    where = " AND ".join(f"{name} = {value}" for name, value in key.items())
    kind = r.random()
    if is_first or kind < 0.4:
        row = key | {name: value(r) for name, value in values.items() if r.random() < 0.7}
        return f"INSERT INTO mig.{table} ({', '.join(row)}) VALUES ({', '.join(row.values())}){using_ttl(r)}"
    if kind < 0.7:
        names = r.sample(list(values), r.randrange(1, min(3, len(values)) + 1))
        changes = ", ".join(f"{name} = {values[name](r)}" for name in names)
        return f"UPDATE mig.{table}{using_ttl(r)} SET {changes} WHERE {where}"
    return f"DELETE {r.choice(list(values)) if kind < 0.85 else ''} FROM mig.{table} WHERE {where}"


def of_wide(r, key, c, is_first):
    partition = {"p": str(key // 20), "q": literal(f"q{key % 2}")}
    where = " AND ".join(f"{name} = {value}" for name, value in partition.items())
    kind = 1 if is_first else r.random()
    if kind < 0.1:
        change = r.choice([f"st = 's{r.randrange(99)}'", f"st2 = {r.randrange(9)}", "st = null"])
        return f"UPDATE mig.wide{using_ttl(r)} SET {change} WHERE {where}"
    for limit, start, rest in [(0.12, "DELETE", ""), (0.15, "DELETE", f" AND c1 >= {c} AND c1 < {c + 3}"), (0.17, "DELETE", f" AND c1 = {c}"), (0.2, "DELETE st2", "")]:
        if kind < limit:
            return f"{start} FROM mig.wide WHERE {where}{rest}"
    return of_row(r, "wide", partition | {"c1": str(c), "c2": literal(r.choice(["", "a", "b", "ö"]))}, WIDE, is_first)


def statement(r, is_first=False):
    """A statement about one of the tables; the first ones only insert, and add to counters."""
    key, c = r.randrange(KEYS), r.randrange(10)
    of_key = random.Random(key)
    partition = {"id": str(key // 10), "c": str(c)}
    rows = {
        "plain": ({"id": str(key)}, PLAIN),
        "frozen_types": ({"id": str(key)}, FROZEN),
        '"OddNames"': ({'"Key One"': str(key)}, ODD),
        "indexed": ({"id": str(key)}, INDEXED),
        "lists": ({"id": str(key)}, {"v": small, "l": list_of_numbers}),
        "ttl_default": (partition, {"v": text, "w": small}),
        "multi": (partition, MULTI),
        "deep": ({"a": address(of_key), "b": f"({key}, 2)", "c1": blob(r), "c2": decimal_of_key(r), "c3": "true"}, {"v": text}),
    }
    table = r.choice([*rows, "wide", "wide", "hits", "keys_only"])
    if table == "wide":
        return of_wide(r, key, c, is_first)
    if table == "hits":
        return f"UPDATE mig.hits SET n = n + {r.randrange(9)}, m = m - 1 WHERE page = 'p{key // 10}' AND day = '2026-01-0{1 + c % 9}'"
    if table == "keys_only" and (is_first or r.random() < 0.6):
        return f"INSERT INTO mig.keys_only (p, c) VALUES ({key // 10}, {c}){using_ttl(r)}"
    if table == "keys_only":
        return f"DELETE FROM mig.keys_only WHERE p = {key // 10}{r.choice([f' AND c = {c}', '', f' AND c > {c} AND c < 8'])}"
    return of_row(r, table, *rows[table], is_first)


def fill(session, rows, seed):
    for each in SCHEMA.strip().splitlines():
        session.execute(each)
    r, gate, failures = random.Random(seed), threading.Semaphore(AT_ONCE), []

    def failed(failure):
        failures.append(failure)
        gate.release()

    for _ in range(rows):
        gate.acquire()
        session.execute_async(statement(r, is_first=True)).add_callbacks(lambda _: gate.release(), failed)
    for _ in range(AT_ONCE):
        gate.acquire()
    if failures:
        sys.exit(f"{len(failures)} rows could not be written: {failures[0]}")


class Users:
    """The users of the source: an open-loop load in a thread."""

    def __init__(self, port, rate, seed):
        self.session, self.rate, self.random = connect(port), rate, random.Random(seed)
        self.lock, self.pending, self.seconds, self.failures, self.is_over = threading.Lock(), 0, [], [], False
        self.thread = threading.Thread(target=self.write, daemon=True)
        self.thread.start()

    def write(self):
        start, count = time.time(), 0
        while not self.is_over:
            due = start + count / self.rate
            time.sleep(max(0.0, due - time.time()))
            count += 1
            with self.lock:
                self.pending += 1
            self.session.execute_async(statement(self.random)).add_callbacks(lambda _, due=due: self.ended(due), lambda e, due=due: self.ended(due, e))

    def ended(self, due, failure=None):
        with self.lock:
            self.pending -= 1
            self.seconds.append(time.time() - due)
            if failure:
                self.failures.append(failure)

    def stop(self):
        self.is_over = True
        self.thread.join()
        while self.pending:
            time.sleep(0.1)
        self.session.cluster.shutdown()
        times = sorted(self.seconds)
        return f"{len(times)} statements, {len(self.failures)} failed, p50 {times[len(times) // 2] * 1e3:.0f} ms, p99 {times[len(times) * 99 // 100] * 1e3:.0f} ms"


# ---- the move


class Move:
    def __init__(self, options, version):
        self.options, self.version, self.random = options, version, random.Random(options.s)
        self.directory = pathlib.Path(options.d) / version
        self.source, self.target = options.p, options.p + 1
        self.is_old = version.startswith("4")
        self.start, self.failures = time.time(), []
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)

    def say(self, words):
        print(f"{time.time() - self.start:6.0f} s  {self.version}  {words}", flush=True)

    def fail(self, words):
        self.failures.append(words)
        self.say("FAILED: " + words)

    def begin(self, *words):
        return subprocess.Popen(
            [OVERDRIVE, *map(str, words)],
            env=os.environ | {"OVERDRIVE_STATE": str(self.directory / "state")},
            cwd=self.directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )

    def overdrive(self, *words, codes=(0,)):
        process = self.begin(*words)
        out, err = process.communicate()
        if process.returncode not in codes:
            self.fail(f"exit code {process.returncode} of {' '.join(map(str, words))}\n{out[-2000:]}{err[-3000:]}")
        return out, err

    def node(self, name, port, version):
        self.overdrive("local", "start", "--cassandra", version, "--directory", self.directory / name, "--port", port, "--heap-mb", 1024)

    def clusters(self):
        return ["--host", f"127.0.0.1:{self.source}", "--to-host", f"127.0.0.1:{self.target}"]

    def run(self):
        """Returns whether all is right."""
        self.node("source", self.source, self.version)
        self.node("target", self.target, "5.0")
        try:
            self.migrate()
        finally:
            for name in ("source", "target"):
                self.overdrive("local", "stop", "--directory", self.directory / name)
        return not self.failures

    def migrate(self):
        a, b = connect(self.source), connect(self.target)
        fill(a, self.options.r, self.options.s)
        self.say(f"{self.options.r} rows are written")
        users = Users(self.source, self.options.w, self.options.s + 1)
        later = sorted({*LATER, *(COLLECTIONS if self.is_old else [])})
        copy = ["copy", "mig", *self.clusters(), "--keep-times", "--except", ",".join(later)]
        self.copy_with_kills([*copy, "--create"])
        for _ in range(2):
            self.catch_up(copy)
        self.say("users stop: " + users.stop())
        stopped = time.time()
        self.catch_up(copy)
        self.last_tables(later)
        time.sleep(max(0.0, stopped + SHORT_TTL + TTL_TOLERANCE - time.time()))  # so that nothing expires while cells are compared
        self.compare(a, b, "before the repair", is_repaired=False)
        self.repair(later)
        self.compare(a, b, "after the repair", is_repaired=True)
        self.compare_schemas(a, b)
        for each in (a, b):
            each.cluster.shutdown()

    def copy_with_kills(self, command):
        """Kills the first copy, and each process that resumes it, at random moments after it has begun to copy."""
        kills = 0
        while True:
            process = self.begin(*command)
            if kills < self.options.k:
                self.await_run(process)
                try:
                    process.wait(self.random.uniform(0.1, 3))
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.communicate()
                    kills += 1
                    command = self.resume()
                    continue
            out, err = process.communicate()
            if process.returncode:
                self.fail(f"exit code {process.returncode} of {' '.join(command)}\n{out[-2000:]}{err[-3000:]}")
            self.say(f"copied, after {kills} kills: {out.splitlines()[0] if out else ''}")
            return

    def await_run(self, process):
        began = time.time()
        state = self.directory / "state"
        while process.poll() is None and not any(each.is_file() and each.stat().st_mtime > began for each in state.rglob("*")):
            time.sleep(0.05)

    def resume(self):
        runs, _ = self.overdrive("runs")
        return ["resume", re.search(r"^(\d\S*)", runs, re.MULTILINE).group(1)]

    def catch_up(self, copy):
        out, _ = self.overdrive(*copy, "--written-after", "last")
        self.say("caught up: " + "; ".join(each.strip() for each in out.splitlines() if each.startswith("mig:") or "  next " in each))

    def last_tables(self, later):
        """Tables that cannot follow a source that is written to."""
        self.overdrive("copy", "mig", *self.clusters(), "--schema-only")
        for each in later:
            if self.is_old and each in COLLECTIONS:
                self.from_snapshot(each)
            else:
                times = ["--keep-times"] if each == "lists" else []
                self.overdrive("copy", "mig." + each, *self.clusters(), "--allow-non-idempotent", *times)
        self.say("copied at last: " + ", ".join(later))

    def from_snapshot(self, table):
        properties = (self.directory / "source" / "cluster.properties").read_text()
        jmx = re.search(r"node1\.jmxPort=(\d+)", properties).group(1)
        caches = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "overdrive"
        libraries = next(caches.glob("cassandra-5.*/lib"))
        nodetool = ["java", *NODETOOL_OPTIONS, "-cp", f"{libraries}/*", "org.apache.cassandra.tools.NodeTool", "-p", jmx]
        subprocess.run([*nodetool, "snapshot", "-t", "switch", "-kt", "mig." + table], check=True, stdout=subprocess.DEVNULL)
        data = self.directory / "source" / "node1" / "data"
        for snapshot in data.glob(f"**/mig/{table}-*/snapshots/switch"):
            self.overdrive("copy", "mig." + table, "--from-sstables", snapshot, "--to-host", f"127.0.0.1:{self.target}", "--keep-times", "--allow-non-idempotent")

    def repair(self, later):
        """Values come with their times; what was deleted in the source has none, and is deleted with the time of the second run."""
        self.overdrive("diff", "mig", *self.clusters(), "--except", ",".join(later), "--repair", "missing,different", "--keep-times", codes=(0, 3))
        self.overdrive("diff", "mig", *self.clusters(), "--except", "hits", "--repair", "different,extra", codes=(0, 3))
        out, err = self.overdrive("diff", "mig", *self.clusters(), "--except", ",".join(later), "--compare-times", codes=(0, 3))
        if out:
            self.fail(f"{len(out.splitlines())} differences after the repair, the first: {out.splitlines()[0]}\n{err[-1000:]}")

    # ---- the comparison, by the driver for Python

    def cells(self, session, table):
        """Rows by their keys, as text; each cell has its value, its write time, and when it expires."""
        columns = [
            (quoted(name), type_of, kind)
            for name, type_of, kind in session.execute("SELECT column_name, type, kind FROM system_schema.columns WHERE keyspace_name = 'mig' AND table_name = %s", (table,))
        ]
        of = lambda *kinds: sorted(name for name, _, kind in columns if kind in kinds)
        partition, clustering, statics, regulars = of("partition_key"), of("clustering"), of("static"), of("regular")
        types = {name: type_of for name, type_of, _ in columns}
        has_times = lambda name: types[name] != "counter" and not (self.is_old and (types[name].startswith(("list<", "set<", "map<")) or types[name] == "address"))
        functions = [f"{function}({name})" for function in ("writetime", "ttl") for name in statics + regulars if has_times(name)]
        selected = partition + clustering + statics + regulars + functions
        rows = {}
        for now, row in timed_rows(session, f"SELECT {', '.join(selected)} FROM mig.{quoted(table)}"):
            found = dict(zip(selected, row))
            expiry = lambda name: flat(found.get(f"ttl({name})"), lambda ttl: now + ttl)
            cell = lambda name: (repr(found[name]), flat(found.get(f"writetime({name})"), int), expiry(name))
            if statics:  # a partition may have nothing else
                rows[repr([found[key] for key in partition])] = {name: cell(name) for name in statics}
            if not clustering or found[clustering[0]] is not None:
                rows[repr([found[key] for key in partition + clustering])] = {name: cell(name) for name in regulars}
        return rows

    def compare(self, a, b, when, is_repaired):
        """Before the repair, the target may have what was deleted in the source, and lack rows whose cells have expired."""
        tables = sorted(name for (name,) in a.execute("SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'mig'"))
        total = collections.Counter()
        for table in tables:
            left, right = self.cells(a, table), self.cells(b, table)
            found = collections.Counter()
            for key in left.keys() | right.keys():
                found.update(differences(left.get(key), right.get(key)))
            total.update(rows=len(left), cells=sum(map(len, left.values())))
            allowed = set() if is_repaired else {"extra", "key only"}
            wrong = {kind: count for kind, count in found.items() if kind not in allowed}
            if wrong:
                self.fail(f"{when}: {table}: {wrong}")
            total.update(found)
        self.say(f"{when}: {dict(total)}")

    def compare_schemas(self, a, b):
        for what, columns in {
            "tables": "table_name, comment, default_time_to_live, gc_grace_seconds, speculative_retry",
            "columns": "table_name, column_name, type, kind, position, clustering_order",
            "types": "type_name, field_names, field_types",
            "functions": "function_name, argument_types, body",
            "aggregates": "aggregate_name, argument_types, state_func",
            "indexes": "table_name, index_name, kind, options",
            "views": "view_name, base_table_name, where_clause, comment",
        }.items():
            left, right = (sorted(map(repr, each.execute(f"SELECT {columns} FROM system_schema.{what} WHERE keyspace_name = 'mig'"))) for each in (a, b))
            if left != right:
                self.fail(f"{what} differ: {set(left) ^ set(right)}")
        views = [sorted(map(repr, each.execute("SELECT c2, p, q, c1, v1 FROM mig.by_c2"))) for each in (a, b)]
        if views[0] != views[1]:
            self.fail("the rows of the view differ")
        self.say(f"schema: compared, with {len(views[0])} rows of the view")


def timed_rows(session, query):
    """Rows with the time at which their page was requested: times to live count from there."""
    now = time.time()
    page = session.execute(query)
    while True:
        for row in page.current_rows:
            yield now, row
        if not page.has_more_pages:
            return
        now = time.time()
        page.fetch_next_page()


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def flat(times, change):
    """A time, or those of the elements of a collection, which are a set in the source and in the target."""
    return sorted({change(each) for each in times if each is not None}) if isinstance(times, (list, tuple)) else None if times is None else change(times)


def differences(left, right):
    """The kinds of differences between two rows; null for none."""
    if left is None:
        return ["extra"]
    if right is None:
        return ["key only" if all(value == "None" for value, _, _ in left.values()) else "missing"]
    kinds = []
    for name, (value, written, expires) in left.items():
        other, other_written, other_expires = right[name]
        if value != other:
            is_older = other == "None" or isinstance(written, int) and isinstance(other_written, int) and other_written < written
            kinds.append("extra" if value == "None" else "older" if is_older else "different")
        elif written != other_written:
            kinds.append("write time")
        elif (expires is None) != (other_expires is None) or isinstance(expires, float) and abs(expires - other_expires) > TTL_TOLERANCE:
            kinds.append("time to live")
    return kinds


def main():
    options = arguments()
    print(f"seed {options.s}", flush=True)
    results = [Move(options, version).run() for version in options.v.split()]
    if not all(results):
        sys.exit(f"FAILED, with seed {options.s}; files are left in {options.d}")
    shutil.rmtree(options.d)


if __name__ == "__main__":
    main()
