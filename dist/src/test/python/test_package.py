"""Tests of the package against a double of the engine: faults, ends, threads, forks, options. They need pyarrow, pandas and polars, and no cluster."""

import functools
import gc
import io
import json
import logging
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import unittest
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from unittest import mock
from uuid import UUID

import duckdb
import nanoarrow
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import tqdm

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parents[1] / "main" / "python"
sys.path.insert(0, str(SOURCES))

import overdrive_cassandra as od  # noqa: E402
from overdrive_cassandra import _arrow, _engine, _options, _progress  # noqa: E402
from overdrive_cassandra._connection import Connection  # noqa: E402
from overdrive_cassandra._engine import Engine  # noqa: E402
from overdrive_cassandra._figures import Course  # noqa: E402
from overdrive_cassandra._results import Differences, Rejected  # noqa: E402

FAKE = [sys.executable, str(HERE / "fake_engine.py")]
TABLE = pa.table({"id": pa.array([1, 2, None], pa.int64()), "name": ["a", "", None]})


def stream_of(table):
    """The bytes of a table as a stream, and how many of them are the schema."""
    out = io.BytesIO()
    writer = pa.ipc.new_stream(out, table.schema)
    schema_bytes = out.tell()
    writer.write_table(table)
    writer.close()
    return out.getvalue(), schema_bytes


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # before, or while it is read
        return False
    except NotADirectoryError:
        os.kill(pid, 0)
        return True


def wait_until(condition, what, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s until {what}")
        time.sleep(0.01)


class EngineCase(unittest.TestCase):
    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()) if hasattr(self, "enterContext") else tempfile.mkdtemp())
        self.log = self.directory / "log"
        self.written = self.directory / "written"
        rows, schema_bytes = stream_of(TABLE)
        variables = {"FAKE_LOG": self.log, "FAKE_WRITTEN": self.written, "FAKE_ROWS": self.directory / "rows", "FAKE_SCHEMA_BYTES": schema_bytes}
        patch = mock.patch.dict(os.environ, {name: str(value) for name, value in variables.items()})
        patch.start()
        self.addCleanup(patch.stop)
        self.rows_are(TABLE)
        logging.getLogger("overdrive_cassandra").setLevel(logging.CRITICAL)
        self.engine = Engine(FAKE)
        self.connection = Connection(self.engine, {"progress": False})
        self.addCleanup(self.connection.close)

    def rows_are(self, table):
        rows, schema_bytes = stream_of(table)
        (self.directory / "rows").write_bytes(rows)
        os.environ["FAKE_SCHEMA_BYTES"] = str(schema_bytes)

    def logged(self):
        return self.log.read_text().splitlines() if self.log.exists() else []

    def is_freed(self):
        """Whether the engine has seen that nobody reads, by its connection or by the request that follows it."""
        return not {"reader gone", "cancelled"}.isdisjoint(self.logged())

    def written_table(self):
        return pa.ipc.open_stream(self.written.read_bytes()).read_all()

    def pids(self):
        return [child.pid for child in self.engine._children]


class ReadingTest(EngineCase):
    def test_rows_go_into_each_library(self):
        c = self.connection
        self.assertEqual(c.read("ks.t").to_arrow(), TABLE)
        self.assertEqual(pa.table(c.read("ks.t")), TABLE)
        self.assertEqual(c.read("ks.t").to_polars().to_dicts(), TABLE.to_pylist())
        self.assertEqual(pl.DataFrame(c.read("ks.t")).to_dicts(), TABLE.to_pylist())
        self.assertEqual([batch.num_rows for batch in c.read("ks.t")], [3])
        self.assertEqual(len(self.pids()), 1, "one process serves all calls")

    def test_a_null_is_never_nan(self):
        self.rows_are(pa.table({"i": pa.array([1, None], pa.int32()), "f": pa.array([float("nan"), None]), "b": [True, None]}))
        for backend in ("pyarrow", "numpy_nullable"):
            frame = self.connection.read("ks.t").to_pandas(backend)
            self.assertEqual(frame["i"].tolist(), [1, pd.NA])
            self.assertIs(frame["f"].array[1], pd.NA)
            self.assertEqual(frame["i"].sum(), 1)
            self.assertEqual(frame["b"].isna().tolist(), [False, True])
        rows = self.connection.read("ks.t")
        with self.assertRaisesRegex(ValueError, "dtype_backend is 'numpy'"):
            rows.to_pandas("numpy")
        self.assertEqual(len(rows.to_pandas()), 2, "the rows are not lost")

    def test_decimals_are_exact_and_timestamps_in_utc(self):
        at = datetime(2026, 3, 29, 1, 30, tzinfo=timezone.utc)
        fields = [
            pa.field("d", pa.string(), metadata={"cql.type": "decimal"}),
            pa.field("v", pa.string(), metadata={"cql.type": "varint"}),
            pa.field("t", pa.timestamp("ms", "UTC")),
        ]
        self.rows_are(pa.table([["1.10", None], [str(2**100), None], [at, None]], pa.schema(fields)))
        frame = self.connection.read("ks.t").to_pandas()
        self.assertEqual(str(frame["d"][0]), "1.10")
        self.assertEqual(frame["v"].tolist(), [2**100, None])
        self.assertEqual(frame["t"][0], pd.Timestamp(at))
        self.assertIs(frame["t"].array[1], pd.NA)

    def test_durations_are_refused_for_polars_before_the_rows_are_read(self):
        self.rows_are(pa.table({"d": pa.array([(1, 2, 3)], pa.month_day_nano_interval())}))
        with self.assertRaisesRegex(od.OverdriveError, "no type for durations: leave out d"):
            self.connection.read("ks.t").to_polars()

    def test_the_figures_are_there_after_the_end(self):
        rows = self.connection.read("ks.t")
        rows.to_arrow()
        self.assertEqual(rows.summary["rowsWritten"], 10)
        self.assertEqual(rows.limited_by, "cluster")
        self.assertIn("80%", repr(rows.limited_by))
        self.assertEqual(rows.messages, ["plan: 4 splits"])
        self.assertEqual(repr(rows), "Rows(id: int64, name: string; complete)")
        rows = self.connection.read("ks.endless")
        rows.close()
        self.assertEqual(repr(rows), "Rows(id: int64, name: string; closed)")

    def test_what_is_no_stream_of_rows_is_refused(self):
        for option in ({"format": "csv"}, {"dry_run": True}):
            with self.subTest(option=option), self.assertRaisesRegex(ValueError, "is no option of rows that are read"):
                self.connection.read("ks.t", **option)

    def test_the_plan_and_the_course_are_there(self):
        rows = self.connection.read("ks.t")
        rows.to_arrow()
        self.assertEqual(rows.plan["reads"]["splits"], 4)
        self.assertEqual(repr(rows.plan), "reads ks.t\n  nodes: 127.0.0.1\n  splits: 4")
        plan = od.Plan({"writes": {"table": "ks.t", "cluster": "my_own", "inFlightControl": "round_trips", "gathersSingles": False, "batchBytes": 4096, "nodes": []}})
        self.assertEqual(repr(plan), "writes ks.t\n  cluster: my_own\n  in flight control: round trips\n  gathers singles: no\n  batch bytes: 4,096")
        self.assertEqual(rows.course, [{"rows": 10, "rowsPerSecond": 100, "done": 0.5, "limitedBy": "cluster", "seconds": 0.5}])
        with mock.patch.dict(sys.modules, {"matplotlib": None, "matplotlib.pyplot": None}):
            with self.assertRaisesRegex(od.OverdriveError, "a plot needs matplotlib: pip install matplotlib"):
                rows.plot()
        axes = mock.Mock()
        self.assertIs(rows.plot(axes), axes)
        axes.plot.assert_called_once_with([0.5], [100.0], label="rows/s")
        axes.set_title.assert_called_once_with("limited by cluster (80% of the time)", fontsize="medium")

    def test_a_course_is_thinned(self):
        course = Course()
        for second in range(5000):
            course.add({"event": "progress", "seconds": second})
        self.assertEqual([point["seconds"] for point in course.points], list(range(0, 5000, 8)))

    def test_rows_are_read_once(self):
        rows = self.connection.read("ks.t")
        rows.to_arrow()
        with self.assertRaisesRegex(ValueError, "read already"):
            rows.to_pandas()

    def test_an_error_of_the_engine_is_raised_at_the_call(self):
        with self.assertRaises(od.OverdriveError) as raised:
            self.connection.read("ks.missing")
        error = raised.exception
        self.assertLess(len(traceback.extract_tb(error.__traceback__)), 6, "a notebook shows all of it")
        self.assertEqual((str(error), error.kind, error.exit_code), ('keyspace "ks" has no table "missing"', "schema", 1))
        self.assertEqual(str(pickle.loads(pickle.dumps(error))), str(error))
        self.assertEqual(self.connection.read("ks.t").to_arrow().num_rows, 3)

    def test_rows_that_are_not_complete_are_an_error_in_each_library(self):
        expected = {
            "crash": "SIGKILL.*OutOfMemoryError",
            "truncated": "without their end mark",
            "no_end": "without their end mark",
            "failed_later": "split 3: no node has answered",
            "no_arrow": "without their end mark",
            "garbage": "do not understand each other: .*JAVA_TOOL_OPTIONS",
        }
        for table, sentence in expected.items():
            for way in ("to_arrow", "to_pandas", "to_polars"):
                with self.subTest(table=table, way=way), self.assertRaisesRegex(od.OverdriveError, sentence):
                    getattr(self.connection.read("ks." + table), way)()
        def by_duckdb(rows):
            return duckdb.sql("SELECT count(*) FROM rows").fetchall()

        for table in ("crash", "no_end", "failed_later"):
            for library in (pl.DataFrame, pa.table, by_duckdb, lambda rows: nanoarrow.Array(nanoarrow.ArrayStream(rows))):
                with self.subTest(table=table, library=library), self.assertRaisesRegex(Exception, expected[table]):
                    library(self.connection.read("ks." + table))
            with self.subTest(table=table), self.assertRaisesRegex(od.OverdriveError, expected[table]):
                for _ in self.connection.read("ks." + table):
                    pass

    def test_bytes_that_look_like_the_end_mark_are_data(self):
        table = pa.table({"i": pa.array([-1, 0] * 20, pa.int32())})
        self.rows_are(pa.Table.from_batches(table.to_batches(max_chunksize=2)))
        self.assertEqual(self.connection.read("ks.t").to_arrow(), table)

    def test_a_reader_that_stops_early_frees_the_call(self):
        with self.connection.read("ks.endless") as rows:
            next(iter(rows))
        self.assertTrue(self.is_freed())
        self.assertEqual(self.connection.read("ks.t").to_arrow().num_rows, 3)
        self.assertEqual(len(self.pids()), 1, "the process serves on")
        self.assertEqual(list(Path(tempfile.gettempdir()).glob("overdrive-keys-*")), [])

    def test_rows_that_are_forgotten_free_the_call(self):
        rows = self.connection.read("ks.endless")
        next(iter(rows))
        del rows
        gc.collect()
        wait_until(self.is_freed, "the engine sees that nobody reads")

    def test_rows_that_are_collected_amid_everything_do_not_block(self):
        rows = self.connection.read("ks.endless")
        rows.itself = rows
        with self.engine._children.copy().pop()._lock:
            del rows
            gc.collect()
        wait_until(self.is_freed, "the engine sees that nobody reads")

    def test_memory_is_bounded_as_the_engine_waits_for_the_reader(self):
        rows = self.connection.read("ks.slow")
        rows.close()
        rows.close()
        with self.assertRaises(ValueError):
            rows.to_arrow()

    def test_keys_are_in_a_private_file_that_is_deleted(self):
        rows = self.connection.lookup(pd.DataFrame({"id": [1, 2]}), "ks.t")
        self.assertEqual(rows.to_arrow().num_rows, 3)
        self.assertRegex(self.logged()[0], "keys [1-9]")
        with self.assertRaises(TypeError):
            self.connection.lookup(5, "ks.t")

    def test_only_warnings_are_logged_as_warnings(self):
        call = self.connection._call("count", ["ks.t"], {})
        call.wait()
        logging.getLogger("overdrive_cassandra").setLevel(logging.INFO)
        texts = {"overdrive: 1,000 keys in a/keys.arrows; 1 record repeats one": "INFO", "overdrive: NO KEYS in a": "WARNING", "plan": "INFO"}
        with self.assertLogs("overdrive_cassandra") as logs:
            for text in texts:
                call.event({"event": "text", "text": text})
        self.assertEqual([record.levelname for record in logs.records], list(texts.values()))

    def test_nanoarrow_is_enough(self):
        import nanoarrow.ipc as ipc

        with mock.patch.object(_arrow, "library", lambda: ipc):
            self.assertEqual(pl.DataFrame(self.connection.read("ks.t")).to_dicts(), TABLE.to_pylist())
            self.assertEqual(sum(len(batch) for batch in self.connection.read("ks.t")), 3)
            with self.assertRaisesRegex(od.OverdriveError, "without their end mark"):
                self.connection.read("ks.no_end").to_polars()
            with self.assertRaisesRegex(ValueError, "has objects of Python"):
                self.connection.write(pl.DataFrame({"v": pl.Series([object()], dtype=pl.Object)}), "ks.t")
            self.connection.write(TABLE, "ks.t")
        self.assertEqual(self.written_table(), TABLE)

    def test_a_missing_library_is_named_with_its_extra(self):
        with mock.patch.object(_arrow, "module", lambda name: None):
            with self.assertRaisesRegex(od.OverdriveError, r'pip install "overdrive-cassandra\[arrow\]"'):
                self.connection.read("ks.t")


class WritingTest(EngineCase):
    def test_rows_come_from_each_library(self):
        batches = TABLE.to_batches()
        relation = duckdb.from_arrow(TABLE)
        sources = [
            TABLE, batches[0], pa.RecordBatchReader.from_batches(TABLE.schema, batches), iter(batches), TABLE.to_pandas(types_mapper=pd.ArrowDtype),
            pl.from_arrow(TABLE), pl.from_arrow(TABLE).lazy(), relation, TABLE.to_pydict(),
        ]  # fmt: skip
        for data in sources:
            with self.subTest(type=type(data)):
                result = self.connection.write(data, "ks.t")
                self.assertEqual(self.written_table().to_pylist(), TABLE.to_pylist())
                self.assertEqual((result.rows_written, result.rows_rejected), (3, 0))
        self.assertEqual(repr(result).splitlines()[0], "write: 3 rows written, 0 rejected in 2.0 s, 2 rows/s")

    def test_what_is_no_rows_is_refused(self):
        for data in (5, "file.csv", None):
            with self.subTest(data=data), self.assertRaisesRegex(TypeError, "the rows are of type (str|int|NoneType): give"):
                self.connection.write(data, "ks.t")
        with self.assertRaisesRegex(ValueError, "has no batch"):
            self.connection.write(iter([]), "ks.t")
        with self.assertRaisesRegex(ValueError, "batch 2 has other columns than the first: b instead of a$"):
            self.connection.write(iter([{"a": [1]}, {"b": [1]}]), "ks.t")
        never_null = pa.Table.from_arrays([pa.array([2])], schema=pa.schema([pa.field("a", pa.int64(), nullable=False)]))
        self.connection.write(iter([{"a": [1]}, never_null, {"a": [None]}]), "ks.t")
        self.assertEqual(self.written_table().to_pydict(), {"a": [1, 2, None]})
        with self.assertRaisesRegex(ValueError, "batch 2 has other columns than the first: m is struct<y: int64> instead of struct<x: int64>$"):
            self.connection.write(iter([{"id": [1], "m": [{"x": 1}]}, {"id": [1], "m": [{"y": 1}]}]), "ks.t")
        self.assertEqual(self.connection.write(TABLE, "ks.t").rows_written, 3)

    def test_a_batch_of_an_iterator_may_have_nulls_only_in_a_column(self):
        items = [{"id": [1], "u": [UUID(int=1)], "l": [[1]]}, {"id": [2], "u": [None], "l": [None]}, pd.DataFrame({"id": [3], "u": [None], "l": [[2]]})]
        self.connection.write(iter(items), "ks.t")
        self.assertEqual(self.written_table().to_pydict(), {"id": [1, 2, 3], "u": [UUID(int=1), None, None], "l": [[1], None, [2]]})
        for other in ({"id": [2], "u": [None]}, {"u": [None], "id": [2], "l": [None]}, {"id": [2], "u": ["a"], "l": [None]}):
            with self.subTest(other=other), self.assertRaisesRegex(ValueError, "batch 2 has other columns"):
                self.connection.write(iter([items[0], other]), "ks.t")

    def test_values_of_pandas_are_kept(self):
        frame = pd.DataFrame(
            {
                "n": [1.5, float("nan")],
                "c": pd.Categorical(["x", None]),
                "big": [2**100, None],
                "dec": [Decimal("1.10"), None],
                "u": [UUID(int=1), None],
                "t": pd.to_datetime(["2026-03-29T01:30:00Z", None]),
            },
            index=pd.Index([7, 8], name="id"),
        )
        self.connection.write(frame, "ks.t")
        written = self.written_table()
        self.assertEqual(written.column_names, ["id", "n", "c", "big", "dec", "u", "t"])
        self.assertEqual([column.null_count for column in written.columns], [0, 1, 1, 1, 1, 1, 1])
        self.assertEqual(written.column("big")[0].as_py(), str(2**100))
        self.assertEqual(written.column("c").to_pylist(), ["x", None])
        self.assertEqual(written.column("u")[0].as_py(), UUID(int=1))
        with self.assertRaisesRegex(ValueError, "column 'm' has values of several types"):
            self.connection.write(pd.DataFrame({"m": [1, "a"]}), "ks.t")

    def test_levels_of_an_index_that_have_names_are_columns(self):
        index = pd.MultiIndex.from_tuples([(1, "x", True), (2, "y", False)], names=["id", None, "flag"])
        self.connection.write(pd.DataFrame({"v": [5, 6]}, index=index), "ks.t")
        self.assertEqual(self.written_table().to_pydict(), {"id": [1, 2], "flag": [True, False], "v": [5, 6]})
        self.connection.write(pd.DataFrame({"id": [5, 6]}, index=pd.Index([1, 2], name="id")), "ks.t")
        self.assertEqual(self.written_table().column_names, ["id", "id"], "the engine says that both go to one column")

    def test_a_dict_has_values_as_a_dataframe(self):
        columns = {
            "list": [1.5, float("nan")], "numpy": np.array([1.5, np.nan]), "big": [2**100, None], "dec": [Decimal("1.10"), 2],
            "u": (UUID(int=1), None), "series": pd.Series([1, None], dtype="Int64"), "polars": pl.Series(["a", None], dtype=pl.Categorical),
            "arrow": pa.chunked_array([[1], [None]]),
        }  # fmt: skip
        self.connection.write(columns, "ks.t")
        written = self.written_table()
        self.assertEqual([column.null_count for column in written.columns], [0, 1, 1, 0, 1, 1, 1, 1])
        self.assertEqual(written.column("big")[0].as_py(), str(2**100))
        self.assertEqual(written.column("dec").to_pylist(), ["1.10", "2"])
        self.assertEqual(written.column("u")[0].as_py(), UUID(int=1))
        self.assertEqual(written.column("polars").to_pylist(), ["a", None])
        for values in ("abc", b"abc", 5, {"a": 1}):
            with self.subTest(values=values), self.assertRaisesRegex(TypeError, "column 'id' of a dict is .*: give the list of its values"):
                self.connection.write([{"id": values}], "ks.t")
        with self.assertRaisesRegex(ValueError, "different numbers of values: {'a': 1, 'b': 2}"):
            self.connection.write({"a": [1], "b": [1, 2]}, "ks.t")

    def test_dicts_with_other_keys_than_texts_are_maps(self):
        nan = float("nan")
        frame = pd.DataFrame({"m": [{1: "x"}, {}, None, {2: "y", 3: None, 4: nan}], "u": [{UUID(int=1): {2: Decimal("1.10")}}, None, nan, {}]})
        for data in (frame, {"m": [{1: "x"}, {}, None, {2: "y", 3: None, 4: pd.NA}], "u": frame["u"]}):
            self.connection.write(data, "ks.t")
            self.assertEqual(
                self.written_table().to_pydict(), {"m": [[(1, "x")], [], None, [(2, "y")]], "u": [[(UUID(int=1), [(2, "1.10")])], None, None, []]}
            )
        with self.assertRaisesRegex(ValueError, "column 'm' has values of several types"):
            self.connection.write({"m": [{1: "x", "a": "y"}]}, "ks.t")

    def test_lists_and_dicts_may_have_objects(self):
        one, two = UUID(int=1), UUID(int=2)
        frame = pd.DataFrame(
            {"u": [[one, two], [], None], "s": [{one}, frozenset([two]), float("nan")], "big": [[2**80, 1], [None], None], "m": [{"a": one}, {"b": two}, {}]}
        )
        self.connection.write(frame, "ks.t")
        written = self.written_table()
        self.assertEqual(
            written.to_pydict(),
            {"u": [[one, two], [], None], "s": [[one], [two], None], "big": [[str(2**80), "1"], [None], None], "m": [[("a", one)], [("b", two)], []]},
        )
        self.assertEqual(written.field("big").metadata, {b"cql.type": b"list<varint>"})
        self.connection.write({"l": [[{"a": one}, {"b": two}], []]}, "ks.t")
        self.assertEqual(self.written_table().to_pydict(), {"l": [[[("a", one)], [("b", two)]], []]})

    def test_a_column_without_a_name_has_none(self):
        self.connection.write(pd.DataFrame([[1, 2]], columns=["id", None]), "ks.t")
        self.assertEqual(self.written_table().column_names, ["id", ""])

    def test_sparse_columns_are_their_values(self):
        self.connection.write(pd.DataFrame({"v": pd.arrays.SparseArray([0, 1]), "w": pd.arrays.SparseArray([0.0, float("nan")])}), "ks.t")
        self.assertEqual(self.written_table().to_pydict(), {"v": [0, 1], "w": [0.0, None]})

    def test_dicts_with_texts_are_maps_if_they_have_many_keys(self):
        for count, kind in ((_arrow.MAX_FIELDS, pa.types.is_struct), (_arrow.MAX_FIELDS + 1, pa.types.is_map)):
            self.connection.write({"m": [{str(i): i} for i in range(count)]}, "ks.t")
            column = self.written_table().column("m")
            self.assertTrue(kind(column.type), column.type)
            self.assertEqual([dict(each)["5"] for each in column.to_pylist()[5:6]], [5])
        self.connection.write({"m": [{str(i): i if i % 2 else str(i)} for i in range(100)]}, "ks.t")
        self.assertTrue(pa.types.is_struct(self.written_table().column("m").type), "a map has values of one type")

    def test_objects_keep_their_nanoseconds(self):
        stamps, spans = [pd.Timestamp("2026-01-01T00:00:00.000000001"), None], [pd.Timedelta(1, "ns"), pd.NaT]
        zoned = [pd.Timestamp("2026-01-01T00:00:00.000000001", tz="Europe/Berlin"), pd.Timestamp("2026-01-01", tz="UTC")]
        frame = pd.DataFrame({"stamps": stamps, "spans": spans, "zoned": zoned, "far": [pd.Timestamp("0001-01-01"), datetime(2026, 1, 1)]}, dtype=object)
        for data in (frame, frame.to_dict("list")):
            self.connection.write(data, "ks.t")
            written = self.written_table()
            self.assertEqual(written.schema.types, [pa.timestamp("ns"), pa.duration("ns"), pa.timestamp("ns", "Europe/Berlin"), pa.timestamp("us")])
            self.assertEqual(written.column("stamps").cast(pa.int64()).to_pylist(), [stamps[0].value, None])
            self.assertEqual(written.column("spans").cast(pa.int64()).to_pylist(), [1, None])
            self.assertEqual(written.column("zoned").cast(pa.int64()).to_pylist(), [zoned[0].value, zoned[1].value])

    def test_nan_among_objects_is_missing_in_any_float_of_numpy(self):
        self.connection.write(pd.DataFrame({"v": [Decimal("NaN"), Decimal("1.10")]}), "ks.t")
        self.assertEqual(self.written_table().to_pydict(), {"v": [None, "1.10"]})
        values = [np.float32("nan"), np.float16("nan"), np.float64("nan"), float("nan"), np.float32(1)]
        self.connection.write(pd.DataFrame({"v": pd.Series(values, dtype=object)}), "ks.t")
        self.assertEqual(self.written_table().to_pydict(), {"v": [None] * 4 + [1.0]})

    def test_ints_of_thousands_of_digits_are_exact(self):
        self.connection.write({"v": [10**5000 + 1, 2]}, "ks.t")
        text = self.written_table()["v"][0].as_py()
        self.assertEqual((len(text), text[0], text[-1]), (5001, "1", "1"))
        self.rows_are(pa.table([[text]], pa.schema([pa.field("v", pa.string(), metadata={"cql.type": "varint"})])))
        self.assertEqual(self.connection.read("ks.t").to_pandas()["v"][0], 10**5000 + 1)

    def test_what_would_be_other_values_is_refused(self):
        day, time_of_day = date(2026, 1, 1), datetime(2026, 1, 1, 5)
        refused = {
            "column 'a' has dates and times": pd.DataFrame({"a": [day, time_of_day]}),
            "column 'b' has dates and times": {"b": [day, None, pd.Timestamp(time_of_day)]},
            "column 'c' has dates and times": {"c": [[day], [time_of_day]]},
            "column 'g' has integers and values of other types": pd.DataFrame({"g": [1, UUID(int=2)]}),
            "column 'h' has integers and values of other types": {"h": [{"a": [1]}, {"a": [UUID(int=2)]}]},
            "column 'd' has times of day with a zone": pd.DataFrame({"d": [time_of_day.replace(tzinfo=timezone.utc).timetz()]}),
            "column 'e' has times of day with a zone": {"e": [[None, time_of_day.replace(tzinfo=timezone.utc).timetz()]]},
            "column 'f' has times that are too far": pd.DataFrame({"f": pd.Series([pd.Timestamp(1, unit="ns"), datetime(1, 1, 1)], dtype=object)}),
            "'v' has objects of Python": pl.DataFrame({"v": pl.Series([object()], dtype=pl.Object)}),
            "'p' has periods": pd.DataFrame({"p": pd.period_range("2026-01", periods=1, freq="M")}),
            "of a type that Arrow does not know": pl.DataFrame({"v": pl.Series([1], dtype=pl.Int128)}),
            "column 'v' has values of several types": pd.DataFrame({"v": pd.Series(["\ud800"], dtype=object)}),
        }
        for sentence, frame in refused.items():
            with self.subTest(sentence=sentence), self.assertRaisesRegex(ValueError, sentence):
                self.connection.write(frame, "ks.t")
        for series in (pd.Series([1], name="id"), pl.Series("id", [1])):
            with self.assertRaisesRegex(TypeError, "to_frame"):
                self.connection.write(series, "ks.t")

    def test_categories_of_polars_are_their_values(self):
        self.connection.write(pl.DataFrame({"c": pl.Series(["a", "b", None, "a"], dtype=pl.Categorical)}), "ks.t")
        self.assertEqual(self.written_table().to_pydict(), {"c": ["a", "b", None, "a"]})

    def test_batches_are_small(self):
        self.connection.write({"i": list(range(200_000))}, "ks.t")
        sizes = [batch.num_rows for batch in pa.ipc.open_stream(self.written.read_bytes())]
        self.assertEqual(sizes, [65_536, 65_536, 65_536, 3_392])
        self.connection.write({"t": ["x" * (1 << 20)] * 10}, "ks.t")
        self.assertGreater(len(list(pa.ipc.open_stream(self.written.read_bytes()))), 2)

    def test_rejected_rows_are_data(self):
        result = self.connection.write({"id": [1, 2, 3]}, "ks.rejects")
        self.assertEqual((result.rows_written, result.rows_rejected, len(result.rejected)), (1, 2, 2))
        self.assertEqual(result.rejected.to_pandas()["reject_reason"].tolist(), ["bad", "worse"])
        self.assertEqual(result.rejected.to_pandas()["d"].tolist(), ['"0.10000000000000000001"', "0.5"], "exact, though of two types")
        self.assertIn("first rejected: batch 1 row 1: bad", repr(result))
        directory = result.rejected.directory
        self.assertEqual(directory.stat().st_mode & 0o777, 0o700)
        del result
        gc.collect()
        self.assertFalse(directory.exists())

    def test_rejected_rows_stay_when_a_fork_ends(self):
        result = self.connection.write({"id": [1, 2, 3]}, "ks.rejects")
        pid = os.fork()
        if pid == 0:
            del result
            gc.collect()
            os._exit(0)
        os.waitpid(pid, 0)
        self.assertEqual(len(result.rejected.to_pandas()), 2)

    def test_a_dry_run_does_not_look_like_a_write(self):
        from overdrive_cassandra._results import Result

        self.assertEqual(repr(Result("load", mock.Mock(summary={"dryRun": True, "rowsWritten": 3}))), "load: a dry run: nothing was written; summary has the estimate")

    def test_rejected_rows_stay_where_the_caller_wants_them(self):
        result = self.connection.write({"id": [1]}, "ks.rejects", rejects=self.directory)
        files = result.rejected.files
        del result
        gc.collect()
        self.assertTrue(files[0].exists())

    def test_a_refusal_in_the_middle_has_the_figures(self):
        with self.assertRaisesRegex(od.OverdriveError, "more than 100 records") as raised:
            self.connection.write({"id": range(3_000_000)} | {"id": pa.array(range(1_000_000))}, "ks.refuses")
        self.assertEqual(raised.exception.result.rows_rejected, 101)

    def test_a_crash_in_the_middle_is_an_error(self):
        with self.assertRaisesRegex(od.OverdriveError, "SIGKILL"):
            self.connection.write({"id": pa.array(range(1_000_000))}, "ks.crash")
        self.assertEqual(self.connection.write(TABLE, "ks.t").rows_written, 3)

    def test_a_source_that_fails_does_not_look_complete(self):
        def batches():
            yield {"id": [1]}
            raise RuntimeError("the source is broken")

        with self.assertRaisesRegex(RuntimeError, "the source is broken"):
            self.connection.write(batches(), "ks.t")
        gc.collect()
        self.assertFalse(self.written.exists())


class OtherCallsTest(EngineCase):
    def test_count_is_a_number(self):
        count = self.connection.count("ks.t")
        self.assertEqual(count + 1, 1235)
        self.assertEqual(count.summary["seconds"], 0.1)

    def test_differences_are_objects(self):
        for found in (self.connection.diff("ks.a", "ks.b"), self.connection.verify(TABLE, "ks.t"), self.connection.verify("a.csv", "ks.t")):
            self.assertFalse(found.equal)
            self.assertEqual([each["kind"] for each in found], ["missing-right", "different"])
            self.assertEqual(found.to_pandas()["columns"][1][0], "born")
        self.assertEqual(repr(found), "verify: 2 differences")

    def test_files_are_arguments(self):
        result = self.connection.load([Path("-a.csv"), "@b.csv"], "ks.t", max_rejects="1%")
        self.assertEqual(result.summary["args"], ["load", "--json", "--max-rejects=1%", "./-a.csv", "./@b.csv", "ks.t"])
        self.assertEqual(self.connection.unload("ks.t", Path("out/")).summary["args"][-1], "out")
        for wrong in (lambda: self.connection.load("-", "ks.t"), lambda: self.connection.unload("ks.t", "-")):
            with self.assertRaises(ValueError):
                wrong()

    def test_names_are_no_options(self):
        for name in ("--help", "@prod", ""):
            with self.subTest(name=name), self.assertRaises(ValueError):
                self.connection.read(name)
        with self.assertRaises(TypeError):
            self.connection.count(5)

    def test_an_unknown_option_has_the_error_of_the_command_line(self):
        with self.assertRaisesRegex(od.OverdriveError, "Unknown option: '--no-such=1'") as raised:
            self.connection.count("ks.t", no_such=1)
        self.assertEqual((raised.exception.kind, raised.exception.exit_code), ("usage", 2))

    def test_two_columns_of_the_same_name_are_no_dict(self):
        with self.assertRaisesRegex(od.OverdriveError, 'two columns have the name "p", which a dict cannot distinguish'):
            self.connection.execute("SELECT p, c AS p")

    def test_numbers_that_no_float_holds_are_decimals(self):
        [row] = self.connection.execute("SELECT numbers")
        expected = {"d": Decimal("12345678901234567890.123"), "large": Decimal("1E+100000"), "small": Decimal("-1E-100000"), "f": 0.1, "least": 5e-324, "double": 1e23}
        self.assertEqual(row, expected)
        self.assertEqual([type(value) for value in row.values()], [type(value) for value in expected.values()])

    def test_a_connection_is_printed_without_its_secrets(self):
        self.assertEqual(repr(od.connect(host="a", user="etl", password="secret")), "Connection(host='a', user='etl', password=…)")

    def test_a_password_is_in_the_environment_only(self):
        with mock.patch.dict(os.environ, {"OVERDRIVE_HOST": "10.0.0.1"}):
            [seen] = self.connection.execute("SELECT 1", user="etl", password=lambda: "secret", to_password="other")
        self.assertNotIn("secret", json.dumps(seen["args"]))
        self.assertEqual(seen["environment"]["OVERDRIVE_PASSWORD"], "secret")
        self.assertEqual(seen["environment"]["OVERDRIVE_TO_PASSWORD"], "other")
        self.assertEqual(seen["environment"]["OVERDRIVE_HOST"], "10.0.0.1")
        self.assertNotIn("OVERDRIVE_HOST", self.connection.execute("SELECT 1")[0]["environment"])
        for pid in self.pids():
            self.assertNotIn("secret", Path(f"/proc/{pid}/cmdline").read_text() if Path("/proc").exists() else "")

    def test_paths_belong_to_the_working_directory(self):
        first = self.connection.execute("x")[0]["directory"]
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.directory)
        self.assertEqual(self.connection.execute("x")[0]["directory"], os.path.realpath(self.directory))
        os.chdir(before)
        self.assertEqual(self.connection.execute("x")[0]["directory"], first)
        self.assertEqual(len(self.pids()), 2)

    def test_a_working_directory_that_is_deleted_is_named(self):
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        deleted = self.directory / "deleted"
        deleted.mkdir()
        os.chdir(deleted)
        deleted.rmdir()
        with self.assertRaisesRegex(od.OverdriveError, "the working directory was deleted: change to another one with os.chdir"):
            self.connection.count("ks.t")

    def test_options_may_be_of_numpy_and_pandas(self):
        options = {"columns": pd.DataFrame({"id": [1], "Total": [2]}).columns, "page_rows": np.int64(10), "rate": np.float64(0.5), "tls": np.bool_(True), "json": np.bool_(False)}
        self.assertEqual(_options.arguments(options), ['--columns="id","Total"', "--page-rows=10", "--rate=0.5", "--tls"])

    def test_text_that_is_no_unicode_is_refused(self):
        for call in (lambda: self.connection.read("ks.t", where="name = '\udcff'"), lambda: self.connection.execute("\ud800"), lambda: self.connection.load("a\udcff.csv", "ks.t"),
                     lambda: self.connection.count("ks.t", password="\udcff")):  # fmt: skip
            with self.assertRaisesRegex(ValueError, r"has the character U\+D[8C][0F][0F], which is half of one"):
                call()
        self.assertEqual(self.pids(), [])

    def test_the_cursor_has_the_names_of_adbc(self):
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT * FROM ks.t;")
            self.assertEqual([column[0] for column in cursor.description], ["id", "name"])
            self.assertEqual(cursor.fetchone(), (1, "a"))
            self.assertEqual(cursor.fetchmany(5), [(2, ""), (None, None)])
            self.assertEqual(cursor.fetchall(), [])
            self.assertEqual(cursor.execute("/* all */ select * FROM ks.t").fetch_arrow_table(), TABLE)
            self.assertEqual(pa.table(cursor.execute("SELECT 1").fetch_record_batch()), TABLE)
            self.assertEqual(cursor.adbc_ingest("t", TABLE, mode="append", db_schema_name="ks"), 3)
            with self.assertRaisesRegex(od.OverdriveError, "2 rejected rows"):
                cursor.adbc_ingest("ks.rejects", TABLE, mode="append")
            with self.assertRaises(ValueError):
                cursor.execute("SELECT 1", [1])
            cursor.execute("TRUNCATE ks.t")
            with self.assertRaisesRegex(ValueError, "there are no rows"):
                cursor.fetchall()
        self.assertEqual(pl.read_database("SELECT * FROM ks.t", self.connection).to_dicts(), TABLE.to_pylist())


class RecordsTest(unittest.TestCase):
    def test_none_are_a_table_with_the_columns_of_some(self):
        equal = Differences("diff", mock.Mock(output=io.BytesIO, exit_code=0, summary={}))
        self.assertEqual(equal.to_pandas().columns.tolist(), ["kind", "key", "columns"])
        self.assertEqual(equal.to_arrow().num_rows, 0)
        self.assertEqual(Rejected({}, None, False).to_pandas().columns.tolist(), ["reject_reason"])

    def test_one_is_in_the_singular(self):
        self.assertEqual(repr(Rejected({"rowsRejected": 1}, None, False)), "1 rejected row")
        self.assertEqual(repr(Rejected({"rowsRejected": 1200}, None, False)), "1,200 rejected rows")
        one = Differences("diff", mock.Mock(output=lambda: io.BytesIO(b'{"kind":"missing-right","key":{"id":1}}\n'), exit_code=3, summary={}))
        self.assertEqual(repr(one), "diff: 1 difference")


class OptionsTest(unittest.TestCase):
    def test_values_become_text(self):
        options = {
            "page_rows": 1000, "tls": True, "json": False, "host": ["a", "b:9043"], "set": ["x = 1", "y = 2"], "columns": ["id", "Total", "from", 'a"b', '"C"'],
            "patience": timedelta(minutes=5), "ttl": timedelta(seconds=1.5), "timestamp": datetime(1970, 1, 1, 0, 0, 1, 5, timezone.utc),
            "epoch": datetime(2026, 1, 1), "rejects": Path("a b"), "where": "day > '2026-01-01'", "key": None, "max_rejects": "1%", "on": date(2026, 1, 2),
        }  # fmt: skip
        self.assertEqual(
            _options.arguments(options),
            ["--page-rows=1000", "--tls", "--host=a,b:9043", "--set=x = 1", "--set=y = 2", '--columns="id","Total","from","a""b","C"', "--patience=300",
             "--ttl=1.5", "--timestamp=1000005", "--epoch=2026-01-01T00:00:00Z", "--rejects=a b", "--where=day > '2026-01-01'",
             "--max-rejects=1%", "--on=2026-01-02"],
        )  # fmt: skip
        with self.assertRaisesRegex(TypeError, "option host is .*: give a text"):
            _options.arguments({"host": object()})

    def test_progress_is_a_line_or_nothing(self):
        figures = {"rows": 1204000, "rowsPerSecond": 118210, "done": 0.412, "limitedBy": "one_slow_node", "rejected": 2}
        self.assertEqual(
            _progress.line("load", figures), "load: 1,204,000 rows, 118,210 rows/s, 2 rejected, 41%, limited by one slow node"
        )
        self.assertEqual(type(_progress.progress("auto", "load")), _progress.Progress)
        with self.assertRaisesRegex(ValueError, "progress is 'yes'"):
            _progress.progress("yes", "load")

    def test_progress_is_shown(self):
        for module in (None, tqdm):
            with mock.patch.dict(sys.modules, {} if module else {"tqdm": None, "tqdm.auto": None}), mock.patch("sys.stderr", io.StringIO()) as err:
                shown = _progress.progress(True, "load")
                shown.show({"rows": 10, "done": 0.5, "rowsPerSecond": 5})
                shown.clear()
                shown.end(12)
                self.assertIn("load", err.getvalue())
                if module:
                    self.assertIn("12.0/12.0", err.getvalue().rpartition("\r")[2], "the rows of the summary, not those of the last event or a guess")


    def test_the_rate_of_a_bar_counts_the_time_before_its_first_event(self):
        with mock.patch("tqdm.std.time", return_value=1000.0), mock.patch("sys.stderr", io.StringIO()) as err:
            shown = _progress.progress(True, "load")
            shown.show({"rows": 10, "done": 0.5, "seconds": 2})
            self.assertIn("10.0/20.0 [00:02<00:02, 5.00 rows/s]", err.getvalue())

    def test_a_bar_that_the_user_has_switched_off_shows_nothing(self):
        off = functools.partial(tqdm.tqdm, disable=True)
        shown = _progress._Bar("load", off)
        with mock.patch("sys.stderr", io.StringIO()) as err:
            shown.show({"rows": 10, "done": 0.5, "seconds": 2, "limitedBy": "cluster"})
            shown.clear()
            shown.end(12)
        self.assertEqual(err.getvalue(), "")


class ProcessTest(EngineCase):
    def test_the_rows_at_the_end_are_those_of_the_summary(self):
        shown = mock.Mock()
        with mock.patch.object(_engine, "progress", return_value=shown):
            self.connection.read("ks.t").to_arrow()
            self.connection.count("ks.t")
            with self.assertRaises(od.OverdriveError):
                self.connection.read("ks.missing")
        self.assertEqual([call.args for call in shown.end.call_args_list], [(10,), (1234,), (None,)])

    def test_progress_has_the_name_of_the_function(self):
        calls = {
            "read": lambda: self.connection.read("ks.t").to_arrow(), "write": lambda: self.connection.write(TABLE, "ks.t"),
            "lookup": lambda: self.connection.lookup(TABLE, "ks.t").to_arrow(), "count": lambda: self.connection.count("ks.t"),
        }  # fmt: skip
        for name, call in calls.items():
            wrapped = mock.patch.object(_engine, "progress", wraps=_progress.progress)
            with self.subTest(name=name), mock.patch.dict(os.environ, OVERDRIVE_ANY="x"), wrapped as shown:
                call()
                self.assertEqual(shown.call_args.args[1], name)

    def test_rows_that_nobody_reads_begin_no_progress(self):
        shown = mock.Mock()
        with mock.patch.object(_engine, "progress", return_value=shown):
            rows = self.connection.read("ks.endless")
        call = rows._call
        shown.show.reset_mock()
        call.event({"event": "progress", "rows": 0})
        shown.show.assert_not_called()
        self.assertEqual(rows.course[-1]["rows"], 0)
        next(iter(rows))
        call.event({"event": "progress", "rows": 9})
        self.assertEqual(shown.show.call_args.args[0]["rows"], 9)
        rows.close()

    def test_rows_that_nobody_has_read_are_freed_after_their_call(self):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            rows = self.connection.read("ks.t")
            wait_until(lambda: rows._call.has_ended, "the call has ended")
            del rows
            gc.collect()
        self.assertEqual([str(each.message) for each in warned if each.category is ResourceWarning], [])

    def test_closing_ends_the_process(self):
        self.connection.count("ks.t")
        [pid] = self.pids()
        self.connection.close()
        self.assertFalse(is_running(pid))
        self.assertEqual(self.logged()[-1], "ended")
        self.connection.close()
        with self.assertRaisesRegex(ValueError, "this connection is closed"):
            self.connection.count("ks.t")

    def test_a_process_without_a_call_is_not_killed_if_its_end_takes_long(self):
        hold = self.directory / "hold"
        hold.touch()
        with mock.patch.dict(os.environ, {"FAKE_HOLD": str(hold)}):
            self.connection.count("ks.t")
        [child] = self.engine._children
        child.close(0.1)
        self.assertTrue(is_running(child.pid))
        hold.unlink()
        wait_until(lambda: not is_running(child.pid), "it has ended")
        self.assertEqual(self.logged()[-1], "ended")

    def test_closing_does_not_wait_for_a_reader_that_does_not_read(self):
        rows, batches = self.connection.read("ks.endless"), self.connection.read("ks.endless")
        next(iter(batches))
        [pid, other] = self.pids()
        self.connection.close()
        self.assertEqual(sum(self.logged().count(freed) for freed in ("reader gone", "cancelled")), 2)
        self.assertFalse(is_running(pid) or is_running(other))
        with self.assertRaisesRegex(od.OverdriveError, "before (its|their) end|reader .* has ended"):
            rows.to_arrow()

    def test_a_process_that_dies_idle_is_replaced(self):
        self.connection.count("ks.t")
        [pid] = self.pids()
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not is_running(pid), "it is gone, and no zombie")
        wait_until(lambda: all(child.is_dead for child in self.engine._children), "that is seen")
        self.assertEqual(self.connection.count("ks.t"), 1234)

    def test_an_idle_process_ends(self):
        engine = Engine(FAKE, idle_seconds=0.05)
        self.addCleanup(engine.close)
        connection = Connection(engine, {})
        connection.count("ks.t")
        [pid] = [child.pid for child in engine._children]
        wait_until(lambda: not is_running(pid), "it has ended")
        self.assertEqual(connection.count("ks.t"), 1234)

    def test_a_launcher_that_fails_is_quoted(self):
        with mock.patch.dict(os.environ, {"FAKE_START": "no java"}), self.assertRaisesRegex(od.OverdriveError, "^there is no Java 17 or newer$"):
            self.connection.count("ks.t")
        with mock.patch.dict(os.environ, {"FAKE_PROTOCOL": "9"}), self.assertRaisesRegex(od.OverdriveError, "protocol 9"):
            self.connection.count("ks.t")
        missing = Connection(Engine(["/no/such/overdrive"]), {})
        with self.assertRaisesRegex(od.OverdriveError, "the engine was not started: /no/such/overdrive") as raised:
            missing.count("ks.t")
        self.assertEqual(raised.exception.kind, "missing")

    def test_threads_have_a_process_each(self):
        barrier = threading.Barrier(4)

        def read(_):
            with self.connection.read("ks.endless") as rows:
                barrier.wait(20)
                return next(iter(rows)).num_rows

        with ThreadPoolExecutor(4) as pool:
            self.assertEqual(list(pool.map(read, range(4))), [3] * 4)
        self.assertEqual(len(self.pids()), 4)

    def test_too_many_open_calls_are_an_error(self):
        with mock.patch.object(_engine, "MAX_CALLS", 2):
            open_rows = [self.connection.read("ks.endless") for _ in range(2)]
            with self.assertRaisesRegex(od.OverdriveError, "2 calls are open"):
                self.connection.count("ks.t")
            for rows in open_rows:
                rows.close()
            self.assertEqual(self.connection.count("ks.t"), 1234)

    def script(self, text):
        process = subprocess.Popen(
            [sys.executable, "-c", "import os, sys, time\n" + text, str(SOURCES), *FAKE],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)  # if the test fails
        return process

    def wait_for_call(self):
        wait_until(lambda: "waits" in self.logged(), "the engine has the call")
        time.sleep(0.3)  # and Python waits for it

    START = """
import polars, pyarrow
sys.path.insert(0, sys.argv[1])
import overdrive_cassandra as od
from overdrive_cassandra._connection import Connection
from overdrive_cassandra._engine import Engine
c = Connection(Engine(sys.argv[2:]), {})
c.count("ks.t")
def pids(): return " ".join(str(child.pid) for child in c._engine._children)
"""

    def test_no_directory_is_left_when_python_ends_while_a_thread_writes_or_looks_up(self):
        for call in ('c.write(endless(), "ks.t")', 'c.lookup({"id": [1]}, "ks.slow").to_arrow()'):
            with self.subTest(call=call), tempfile.TemporaryDirectory() as directory, mock.patch.dict(os.environ, {"TMPDIR": directory}):
                self.log.write_text("")
                process = self.script(self.START + f"""
import threading
def endless():
    yield {{"id": [1]}}
    time.sleep(99)
threading.Thread(target=lambda: {call}, daemon=True).start()
while not any(name.startswith(("overdrive-rejects-", "overdrive-keys-")) for name in os.listdir({directory!r})): time.sleep(0.01)
while "waits" not in open(os.environ["FAKE_LOG"]).read(): time.sleep(0.01)
""")
                process.communicate(timeout=30)
                self.assertEqual((process.returncode, os.listdir(directory)), (0, []))

    def test_control_c_ends_the_call_and_is_raised(self):
        for call in ('c.count("ks.waits")', 'c.read("ks.slow").to_arrow()', 'c.read("ks.slow").to_polars()', 'c.write(iter(endless()), "ks.t")'):
            with self.subTest(call=call):
                self.log.write_text("")
                process = self.script(self.START + f"""
def endless():
    while True:
        yield {{"id": [1] * 1000}}
print(pids(), flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", c.count("ks.t"), pids(), flush=True)
""")
                pid = process.stdout.readline().strip()
                self.wait_for_call()
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=20)
                self.assertEqual(out.split(), ["interrupted", "1234", pid], err)
                self.assertEqual(err, "")

    def test_an_engine_that_does_not_end_is_killed(self):
        process = self.script(self.START + """
import overdrive_cassandra._call as call
call.CANCEL_SECONDS = 0.2
print(pids(), flush=True)
try:
    c.count("ks.hangs")
except KeyboardInterrupt:
    print("interrupted", c.count("ks.t"), flush=True)
""")
        pid = int(process.stdout.readline())
        self.wait_for_call()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        self.assertEqual(out.split(), ["interrupted", "1234"], err)
        self.assertFalse(is_running(pid))

    def test_a_python_that_ends_or_is_killed_leaves_no_process(self):
        ends = ['c.read("ks.endless")\nr = c.read("ks.endless"); next(iter(r))', 'os.kill(os.getpid(), 9)', "os._exit(0)", 'r = c.read("ks.endless")\nos.kill(os.getpid(), 9)', "1 / 0"]
        for end in ends:
            with self.subTest(end=end):
                process = self.script(self.START + "print(pids(), flush=True)\n" + end)
                out, _ = process.communicate(timeout=20)
                wait_until(lambda: not any(is_running(int(pid)) for pid in out.split()), "no process is left")

    def test_a_fork_starts_its_own_and_leaves_that_of_the_parent(self):
        rows = self.connection.read("ks.t")
        before = self.pids()
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                text = f"{self.connection.count('ks.t')} {self.pids()}"
                try:
                    rows.to_arrow()
                except Exception as e:
                    text += " " + str(e)
                self.connection.close()
                os.write(write, text.encode())
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read) as file:
            said = file.read()
        os.waitpid(pid, 0)
        self.assertTrue(said.startswith("1234 "), said)
        self.assertIn("belong to the process that has begun to read them", said)
        self.assertFalse(any(str(each) in said for each in before))
        self.assertEqual(rows.to_arrow(), TABLE)
        self.assertEqual(self.connection.count("ks.t"), 1234)
        self.assertEqual(self.pids(), before)

    def test_a_fork_does_not_keep_the_process_of_a_parent_that_ends(self):
        process = self.script(self.START + """
if os.fork() == 0:
    sys.stdin.close()
    os.close(1); os.close(2)
    time.sleep(8)
    os._exit(0)
print(pids(), flush=True)
os.kill(os.getpid(), 9)
""")
        pid = int(process.stdout.readline())
        wait_until(lambda: not is_running(pid), "it ends with the parent", 6)
        process.communicate()

    def test_multiprocessing_works_both_ways(self):
        for method in ("fork", "spawn"):
            with self.subTest(method=method):
                context = multiprocessing.get_context(method)
                self.connection.count("ks.t")
                with ThreadPoolExecutor(1), context.Pool(1) as pool:
                    self.assertEqual(pool.map(count_in_process, [FAKE] * 2), [1234] * 2)


def count_in_process(command):
    connection = Connection(Engine(command), {})
    try:
        return int(connection.count("ks.t"))
    finally:
        connection.close()


class ArgumentsTest(EngineCase):
    def test_wrong_arguments_are_errors_that_a_notebook_shows_without_the_steps_here(self):
        c = self.connection
        for call, kind, sentence in (
            (lambda: c.read(), ValueError, "give a table, such as 'shop.orders', or query="),
            (lambda: c.read("ks.t", query="SELECT"), ValueError, "give a table or query=, not both"),
            (lambda: c.read(5), TypeError, "the table is 5, of type int: give a text, such as 'shop.orders'"),
            (lambda: c.read("ks.t", format="csv"), ValueError, "format is no option"),
            (lambda: c.read("ks.t", columns=[]), ValueError, "option columns is an empty list: leave it out"),
            (lambda: c.count("ks.t", where=[{}]), TypeError, "option where is {}, of type dict: give a text"),
            (lambda: c.write("file.csv", "ks.t"), TypeError, "the rows are of type str: give .*, or use load for files"),
            (lambda: c.write([{"id": 1}], "ks.t"), TypeError, "column 'id' of a dict is 1, of type int: give the list of its values.* pyarrow.Table.from_pylist"),
            (lambda: c.load(TABLE, "ks.t"), TypeError, "^the files are of type pyarrow.lib.Table: give a path, or a list of paths; rows are written by write"),
            (lambda: c.read("ks.t").to_pandas("numpy"), ValueError, "dtype_backend is 'numpy'"),
            (lambda: c.cursor().fetchall(), ValueError, "there are no rows"),
            (lambda: c.scan("ks.t").partitions(0), ValueError, "the number of partitions is 0"),
            (lambda: c.count("ks.t", progress="yes"), ValueError, "progress is 'yes'"),
        ):  # fmt: skip
            with self.subTest(sentence=sentence):
                with self.assertRaisesRegex(kind, sentence) as raised:
                    call()
                self.assertTrue(hasattr(raised.exception, "_render_traceback_"))
                self.assertEqual(str(pickle.loads(pickle.dumps(raised.exception))), str(raised.exception))


class ModuleTest(unittest.TestCase):
    def test_all_names_are_there_and_described(self):
        for name in od.__all__:
            self.assertTrue(getattr(od, name).__doc__, name)
        with self.assertRaises(AttributeError) as raised:
            od.reed
        self.assertEqual((raised.exception.name, raised.exception.obj), ("reed", od), "Python then names the similar one")
        self.assertTrue((SOURCES / "overdrive_cassandra" / "py.typed").exists())

    def test_the_command_line_imports_nothing_of_the_rest(self):
        code = f"import sys; sys.path.insert(0, {str(SOURCES)!r}); import overdrive_cassandra as o; o.main; print([n for n in sys.modules if n.startswith('overdrive_cassandra.')])"
        self.assertEqual(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout, "[]\n")


if __name__ == "__main__":
    unittest.main()
