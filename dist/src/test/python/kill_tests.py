"""Tests of the package with the real engine and a node, whose address is in the variable NODE: what is killed, interrupted or forgotten ends.

Each test sees whether rows that are not complete are an error, and whether processes, files or open descriptors are left. The engine is
``overdrive`` on the path. With NODE_DIRECTORY, the directory of the local node, the node is lost for a while, too.
"""

import asyncio
import atexit
import gc
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import duckdb
import nanoarrow
import polars as pl
import pyarrow as pa

ROOT = Path(__file__).resolve().parents[4]
SOURCES = ROOT / "dist" / "src" / "main" / "python"
sys.path.insert(0, str(SOURCES))

import overdrive_cassandra as od  # noqa: E402

NODE = os.environ["NODE"]
LOST_SECONDS = float(os.environ.get("LOST_SECONDS", "60"))
ROWS = 200_000
END_SECONDS = 20


def setUpModule():
    tempfile.tempdir = os.environ["TMPDIR"] = tempfile.mkdtemp()  # so that what is left can be seen
    atexit.register(shutil.rmtree, tempfile.tempdir, ignore_errors=True)
    with od.connect(host=NODE, progress=False) as c:
        c.execute("DROP KEYSPACE IF EXISTS kills")
        c.execute("CREATE KEYSPACE kills WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
        c.write(wide(ROWS), "kills.big", create=True, key="id")
        c.execute("CREATE TABLE kills.target (id bigint PRIMARY KEY, text text)")


def wide(rows):
    for first in range(0, rows, 10_000):
        yield {"id": range(first, first + 10_000), "text": ["x" * 200] * 10_000}


def processes():
    """The processes of this machine that have not ended: parent and command line, by number."""
    found = {}
    for each in Path("/proc").glob("[0-9]*"):
        try:
            fields = (each / "stat").read_text().rpartition(")")[2].split()
            state, parent, threads = fields[0], int(fields[1]), int(fields[17])
            if state != "Z" or threads > 1:  # the threads of a process that is killed end one after another
                found[int(each.name)] = (parent, (each / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            pass  # it has ended
    return found


def engines(parent):
    """The numbers of the engine's processes that a process has started."""
    all_processes = processes()
    return [pid for pid, (its_parent, command) in all_processes.items() if its_parent == parent and command.rstrip().endswith(" calls")]


def wait_until(condition, what, seconds=END_SECONDS):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s until {what}")
        time.sleep(0.02)


def is_gone(pid):
    return pid not in processes()


def kill(pid):
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: is_gone(pid), "it is killed")


def left_files():
    return list(Path(tempfile.gettempdir()).glob("overdrive-*"))


def open_files():
    return len(os.listdir("/proc/self/fd"))


def by_nanoarrow(rows):
    return nanoarrow.Array(nanoarrow.ArrayStream(rows))


READERS = {
    "to_arrow": lambda rows: rows.to_arrow(),
    "to_pandas": lambda rows: rows.to_pandas(),
    "to_polars": lambda rows: rows.to_polars(),
    "pyarrow": pa.table,
    "polars": pl.DataFrame,
    "duckdb": lambda rows: duckdb.sql("SELECT count(*), min(text) FROM rows").fetchall(),
    "nanoarrow": by_nanoarrow,
    "batches": list,
}


class KillCase(unittest.TestCase):
    def setUp(self):
        self.connection = od.connect(host=NODE, progress=False)
        self.addCleanup(self.assert_nothing_is_left)
        self.addCleanup(self.connection.close)

    def assert_nothing_is_left(self):
        gc.collect()
        wait_until(lambda: not engines(os.getpid()), "no engine is left")
        self.assertEqual(left_files(), [])

    def pid(self):
        [pid] = engines(os.getpid())
        return pid


class EngineKilledTest(KillCase):
    def test_in_the_middle_of_a_read_it_is_an_error_in_each_library(self):
        for name, read in READERS.items():
            with self.subTest(library=name):
                rows = self.connection.read("kills.big")
                pid = self.pid()
                kill(pid)
                with self.assertRaisesRegex(Exception, "SIGKILL"):
                    read(rows)
        self.assertEqual(self.connection.count("kills.big"), ROWS)

    def test_in_the_middle_of_a_write_it_is_an_error(self):
        def batches():
            for number, batch in enumerate(wide(100_000)):
                yield batch
                if number == 3:
                    kill(self.pid())

        with self.assertRaisesRegex(od.OverdriveError, "SIGKILL") as raised:
            self.connection.write(batches(), "kills.target")
        self.assertEqual(raised.exception.kind, "crashed")
        self.assertEqual(self.connection.count("kills.big"), ROWS)

    def test_between_calls_the_next_one_starts_another(self):
        for _ in range(2):
            self.connection.count("kills.target")
            kill(self.pid())
            self.connection.count("kills.target")


class PythonEndsTest(unittest.TestCase):
    START = """
import atexit, os, signal, sys, threading, time
sys.path.insert(0, sys.argv[1])
import overdrive_cassandra as od
c = od.connect(host=os.environ["NODE"], progress=False)
c.count("kills.target")
def endless(pause=0.0):
    print("begins", flush=True)
    n = 0
    while True:
        yield {"id": range(n, n + 1000), "text": ["x" * 200] * 1000}
        n += 1000
        time.sleep(pause)
"""

    def script(self, text):
        process = subprocess.Popen(
            [sys.executable, "-c", self.START + text, str(SOURCES)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def assert_ends(self, process, its_engines):
        out, err = process.communicate(timeout=30)
        wait_until(lambda: all(is_gone(pid) for pid in its_engines), "no engine is left")
        return out, err

    def test_killed_while_it_reads_or_writes(self):
        for call in ('r = c.read("kills.big"); next(iter(r)); print("begins", flush=True); time.sleep(99)', 'c.write(endless(), "kills.target")'):
            for end in (signal.SIGKILL, signal.SIGTERM):
                with self.subTest(call=call, end=end):
                    process = self.script(call)
                    self.assertEqual(process.stdout.readline(), "begins\n")
                    left = engines(process.pid)
                    self.assertEqual(len(left), 1)
                    process.send_signal(end)
                    self.assert_ends(process, left)

    def test_ends_without_closing(self):
        ends = [
            "", "1 / 0", "sys.exit(3)", "os._exit(0)", "threading.Thread(target=lambda: sys.exit(1)).start()",
            'threading.Thread(target=lambda: c.read("kills.big").to_arrow()).start()',
            'threading.Thread(target=lambda: c.read("kills.big").to_arrow(), daemon=True).start()',
            'threading.Thread(target=lambda: c.write(endless(), "kills.target"), daemon=True).start(); time.sleep(1)',
            'od.count("kills.target", host=os.environ["NODE"])',
        ]  # fmt: skip
        for end in ends:
            with self.subTest(end=end):
                process = self.script('r = c.read("kills.big"); it = iter(r); next(it); print("begins", flush=True); sys.stdin.readline()\n' + end)
                self.assertEqual(process.stdout.readline(), "begins\n")
                left = engines(process.pid)
                self.assertEqual(len(left), 1)
                _, err = self.assert_ends(process, left)
                self.assertNotIn("Fatal", err)
                if "daemon" not in end and "_exit" not in end:
                    self.assertEqual(left_files(), [])
                for each in left_files():
                    shutil.rmtree(each)

    def test_control_c_ends_each_step(self):
        calls = {
            "connecting": 'c.count("ks.t", host=f"127.0.0.1:{silent.getsockname()[1]}", connect_timeout=60)',
            "starting": 'd = od.connect(host=os.environ["NODE"]); d.count("kills.big")',
            "to_pandas": 'c.read("kills.big", rows_per_second=10_000).to_pandas()',
            "to_polars": 'c.read("kills.big", rows_per_second=10_000).to_polars()',
            "duckdb": 'r = c.read("kills.big", rows_per_second=10_000); print(duckdb.sql("SELECT count(*) FROM r"))',
            "polars": 'pl.DataFrame(c.read("kills.big", rows_per_second=10_000))',
            "pyarrow": 'pa.table(c.read("kills.big", rows_per_second=10_000))',
            "write": 'c.write(endless(0.01), "kills.target")',
            "unload": 'c.unload("kills.big", tempfile.mkdtemp() + "/rows.csv", rows_per_second=10_000)',
        }
        for name, call in calls.items():
            with self.subTest(step=name):
                process = self.script(f"""
import duckdb, pandas, polars as pl, pyarrow as pa, socket, tempfile
silent = socket.create_server(("127.0.0.1", 0))
print("now", flush=True)
try:
    {call}
except BaseException as e:
    print(type(e).__name__, flush=True)
print(c.count("kills.target") >= 0, flush=True)
""")
                self.assertEqual(process.stdout.readline(), "now\n")
                time.sleep(0.3 if name == "starting" else 2)
                start = time.monotonic()
                left = engines(process.pid)
                process.send_signal(signal.SIGINT)
                out, err = self.assert_ends(process, left)
                raised = "[A-Za-z]+" if name in ("duckdb", "polars", "pyarrow") else "KeyboardInterrupt"  # these have errors of their own
                self.assertRegex(out.replace("begins\n", ""), f"^{raised}\nTrue\n$", err)
                self.assertLess(time.monotonic() - start, END_SECONDS)
                self.assertNotIn("Traceback", err)
                self.assertEqual(left_files(), [])


class EarlyEndTest(KillCase):
    def test_a_reader_that_stops_frees_the_engine(self):
        def by_break(rows):
            for _ in rows:
                break

        def by_with(rows):
            with rows:
                next(iter(rows))

        def by_stream(rows):
            reader = pa.RecordBatchReader.from_stream(rows)
            reader.read_next_batch()

        def by_duckdb(rows):
            duckdb.sql("SELECT * FROM rows LIMIT 1").fetchall()

        def cycle(rows):
            next(iter(rows))
            rows.itself = rows

        for stop in (by_break, by_with, by_stream, by_duckdb, cycle, lambda rows: None):
            with self.subTest(stop=stop.__name__):
                stop(self.connection.read("kills.big"))
                gc.collect()
                wait_until(lambda: len(self.connection._engine._idle) == 1, "the engine is free")
                self.assertEqual(self.connection.count("kills.target") >= 0, True)
                self.assertEqual(len(engines(os.getpid())), 1)

    def test_closing_ends_what_is_open(self):
        rows = self.connection.read("kills.big")
        start = time.monotonic()
        self.connection.close()
        self.assertLess(time.monotonic() - start, 9, "the engine does not wait for the reader")
        with self.assertRaisesRegex(od.OverdriveError, "before (its|their) end"):
            rows.to_arrow()

    def test_two_hundred_calls_leave_nothing(self):
        self.connection.count("kills.target")
        self.connection.read("kills.target").to_arrow()
        before, threads = open_files(), threading.active_count()
        for number in range(40):
            self.connection.read("kills.target", where="id = 1").to_arrow()
            self.connection.write({"id": [number], "text": ["a"]}, "kills.target")
            self.connection.lookup({"id": [number]}, "kills.target").to_polars()
            self.connection.read("kills.big").close()
            with self.assertRaises(od.OverdriveError):
                self.connection.read("kills.missing")
        gc.collect()
        self.assertEqual((open_files(), threading.active_count()), (before, threads))
        self.assertEqual(left_files(), [])


class DiskFullTest(unittest.TestCase):
    def test_it_is_an_error(self):
        calls = {
            "keys": ('c.lookup({"id": range(100_000)}, "kills.target")', "File too large"),
            "rejects": ('c.write({"id": ["x" * 500] * 10_000, "text": ["y"] * 10_000}, "kills.target", max_rejects="unlimited")', "File too large|rejects|space"),
        }
        for name, (call, sentence) in calls.items():
            with self.subTest(call=name):
                process = subprocess.run(
                    [sys.executable, "-c", PythonEndsTest.START + f"""
import resource
c.close()
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
c = od.connect(host=os.environ["NODE"], progress=False)
try:
    print(repr({call}))
except Exception as e:
    print(type(e).__name__, e)
""", str(SOURCES)],
                    capture_output=True, text=True, timeout=60,
                )  # fmt: skip
                self.assertRegex(process.stdout, sentence, process.stderr)
                self.assertRegex(process.stdout, "^(OSError|OverdriveError) ")
                self.assertEqual(left_files(), [])


class ManyAtOnceTest(KillCase):
    def test_scans_are_read_in_turns(self):
        first, second = self.connection.read("kills.big"), self.connection.read("kills.big")
        counts = [0, 0]
        for a, b in zip(first, second):
            counts = [counts[0] + a.num_rows, counts[1] + b.num_rows]
        self.assertLessEqual(abs(ROWS - counts[0]), 70_000)
        self.assertGreater(counts[1], 0)
        second.close()
        first.close()

    def test_eight_threads(self):
        def work(number):
            if number % 2:
                return self.connection.read("kills.big", columns=["id"]).to_arrow().num_rows
            return self.connection.write(wide(20_000), "kills.target").rows_written

        with ThreadPoolExecutor(8) as pool:
            self.assertEqual(list(pool.map(work, range(8))), [20_000, ROWS] * 4)

    def test_more_than_eight_are_an_error(self):
        rows = []
        with self.assertRaisesRegex(od.OverdriveError, "8 calls are open on this connection"):
            for _ in range(9):
                rows.append(self.connection.read("kills.big"))
        for each in rows:
            each.close()
        self.assertEqual(self.connection.count("kills.big"), ROWS)

    def test_asyncio(self):
        async def run():
            tasks = [asyncio.to_thread(lambda: self.connection.read("kills.big", columns=["id"]).to_arrow().num_rows) for _ in range(3)]
            return await asyncio.gather(*tasks)

        self.assertEqual(asyncio.run(run()), [ROWS] * 3)


def count_in_process(node):
    with od.connect(host=node, progress=False) as c:
        return int(c.count("kills.big"))


def count_by_module(node):
    return int(od.count("kills.big", host=node, progress=False))


class ForkTest(KillCase):
    def test_a_fork_amid_a_read_leaves_the_rows_to_the_parent(self):
        rows = self.connection.read("kills.big")
        batches = iter(rows)
        count = next(batches).num_rows
        result = self.connection.write({"id": ["x"], "text": ["y"]}, "kills.target")
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                assert self.connection.count("kills.big") == ROWS
                del rows, batches, result
                gc.collect()
                self.connection.close()
                code = 0
            finally:
                os._exit(code)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        self.assertEqual(count + sum(batch.num_rows for batch in batches), ROWS)
        self.assertEqual(result.rejected.to_pandas()["id"].tolist(), ["x"])

    def test_pools_of_processes(self):
        od.count("kills.target", host=NODE, progress=False)
        for method in ("fork", "spawn", "forkserver"):
            for function in (count_in_process, count_by_module):
                with self.subTest(method=method, function=function.__name__):
                    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
                        self.assertEqual(list(pool.map(function, [NODE] * 2)), [ROWS] * 2)
        from overdrive_cassandra import _default

        _default.default._engine.close()
        _default.default._engine._is_closed = False


class ChangedBetweenCallsTest(KillCase):
    def test_a_table_that_was_created_anew(self):
        with od.connect(host=NODE, progress=False) as other:
            for columns, value, kind in (("v int", 1, pa.int32()), ("v text", "a", pa.string()), ("v double, w int", 1.5, pa.float64())):
                with self.subTest(columns=columns):
                    other.execute("DROP TABLE IF EXISTS kills.changing")
                    other.execute(f"CREATE TABLE kills.changing (id int PRIMARY KEY, {columns})")
                    self.assertEqual(self.connection.write({"id": [1], "v": [value]}, "kills.changing").rows_written, 1)
                    table = self.connection.read("kills.changing").to_arrow()
                    self.assertEqual(table.schema.field("v").type, kind)
                    self.assertEqual(table["v"].to_pylist(), [value])
                    self.assertEqual(table.num_columns, 2 + columns.count(","))
                    query = self.connection.read(query="SELECT * FROM kills.changing").to_arrow()
                    self.assertEqual(sorted(query.column_names), sorted(table.column_names))


@unittest.skipUnless("NODE_DIRECTORY" in os.environ, "needs NODE_DIRECTORY")
class NodeLostTest(KillCase):
    def setUp(self):
        super().setUp()
        mark = f"-Doverdrive.local.node={Path(os.environ['NODE_DIRECTORY']).resolve()}/"
        [self.node] = [pid for pid, (_, command) in processes().items() if mark in command]
        self.addCleanup(os.kill, self.node, signal.SIGCONT)

    def lose(self):
        os.kill(self.node, signal.SIGSTOP)
        threading.Timer(LOST_SECONDS, os.kill, [self.node, signal.SIGCONT]).start()

    def test_during_a_read(self):
        rows = self.connection.read("kills.big", page_rows=1000)
        batches = iter(rows)
        count = next(batches).num_rows
        self.lose()
        self.assertEqual(count + sum(batch.num_rows for batch in batches), ROWS)

    def test_during_a_write(self):
        def batches():
            for number, batch in enumerate(wide(100_000)):
                if number == 2:
                    self.lose()
                yield batch

        self.connection.execute("TRUNCATE kills.target")
        self.assertEqual(self.connection.write(batches(), "kills.target").rows_written, 100_000)
        self.assertEqual(self.connection.count("kills.target"), 100_000)

    def test_between_calls(self):
        self.connection.count("kills.target")
        os.kill(self.node, signal.SIGSTOP)
        threading.Timer(5, os.kill, [self.node, signal.SIGCONT]).start()
        self.assertEqual(self.connection.count("kills.big"), ROWS)


if __name__ == "__main__":
    unittest.main()
