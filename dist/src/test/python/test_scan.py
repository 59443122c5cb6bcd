"""Tests of scans against a double of the engine: parts, pickles, and what polars asks of them."""

import datetime as dt
import json
import multiprocessing
import os
import pickle
import sys
import unittest
from unittest import mock

import polars as pl
import pyarrow as pa
from polars.testing import assert_frame_equal
from test_package import FAKE, TABLE, EngineCase

import overdrive_cassandra as od
from overdrive_cassandra import _child, _default
from overdrive_cassandra._connection import Connection
from overdrive_cassandra._engine import Engine

UTC = dt.timezone.utc
COLUMNS = pa.schema(
    [
        pa.field("id", pa.int64()),
        pa.field("small", pa.int8()),
        pa.field("Name", pa.string()),
        pa.field("day", pa.date32()),
        pa.field("at", pa.timestamp("ms", "UTC")),
        pa.field("flag", pa.bool_()),
        pa.field("total", pa.float64()),
        pa.field("price", pa.string(), metadata={"cql.type": "decimal"}),
    ]
)
ROWS = pa.Table.from_pylist(
    [
        {"id": 1, "small": 1, "Name": "it's", "day": dt.date(2026, 1, 1), "at": dt.datetime(2026, 1, 1, tzinfo=UTC), "flag": True, "total": 1.5, "price": "1"},
        {"id": 2, "small": None, "Name": "", "day": None, "at": None, "flag": None, "total": None, "price": None},
        {"id": 3, "small": -5, "Name": "b", "day": dt.date(1969, 1, 1), "at": dt.datetime(1969, 1, 1, tzinfo=UTC), "flag": False, "total": -0.0, "price": "2"},
    ],
    COLUMNS,
)


def read_rows(scan):
    return scan.to_arrow().num_rows


class ScanCase(EngineCase):
    def commands(self, name):
        """The options of calls, without those of each call."""
        calls = [json.loads(line.removeprefix("args ")) for line in self.logged() if line.startswith("args ")]
        self.log.unlink(missing_ok=True)
        kept = [[word for word in words if word.startswith("--") and word not in ("--json", "--format=arrow")] for words in calls]
        return [words for words, call in zip(kept, calls) if (call[-1] == "-") == (name == "unload")]


class ScanTest(ScanCase):
    def test_a_scan_is_read_each_time_and_starts_nothing_before(self):
        scan = self.connection.scan("ks.t", columns=["id", "Name"], where="id > 1")
        self.assertEqual((self.pids(), repr(scan)), ([], "Scan(ks.t, columns=['id', 'Name'], where='id > 1')"))
        self.assertEqual(scan.to_arrow(), TABLE)
        self.assertEqual(pa.table(scan), TABLE)
        self.assertEqual(pl.DataFrame(scan).to_dicts(), TABLE.to_pylist())
        self.assertEqual([batch.num_rows for batch in scan], [3])
        self.assertEqual(len(scan.to_pandas()), 3)
        self.assertEqual(scan.schema.names, ["id", "name"])
        self.assertEqual(self.commands("unload"), [['--columns="id","Name"', "--where=id > 1"]] * 6)

    def test_partitions_have_the_ranges_of_the_command_line(self):
        scan = self.connection.scan("ks.t", where="id > 1", columns=["id"])
        parts = scan.partitions(3)
        self.assertEqual(self.commands("splits"), [["--where=id > 1", "--splits=3"]])
        self.assertEqual([read_rows(part) for part in parts], [3, 3, 3])
        ranges = [[word for word in words if word.startswith("--token-range")] for words in self.commands("unload")]
        expected = [["-9223372036854775808,-5"], ["-5,7", "9,12"], ["7,9", "12,9223372036854775807"]]
        self.assertEqual(ranges, [["--token-range=" + each for each in of] for of in expected])
        self.assertEqual([part.partitions() for part in parts], [[part] for part in parts])

    def test_what_cannot_be_cut_is_one_part_or_refused(self):
        scan = self.connection.scan("ks.one")
        self.assertEqual(scan.partitions(), [scan])
        with self.assertRaisesRegex(od.OverdriveError, "leave out from_sstables"):
            self.connection.scan("ks.t", from_sstables="snapshots").partitions()
        for wrong in (0, -1, True, 1.5, "2"):
            with self.assertRaisesRegex(ValueError, "number of partitions"):
                scan.partitions(wrong)

    def test_a_pickle_has_the_options_and_no_password(self):
        connection = Connection(Engine(FAKE), {"host": "10.0.0.1", "password": "secret", "user": "me"})
        pickled = pickle.dumps(connection.scan("ks.t", columns=["id"]))
        self.assertNotIn(b"secret", pickled)
        with mock.patch.object(_child, "launcher", lambda: FAKE), mock.patch.object(_default, "default", self.connection):
            self.assertEqual(read_rows(pickle.loads(pickled)), 3)
        options = ["--progress", "--host=10.0.0.1", "--user=me", '--columns="id"']
        self.assertEqual(self.commands("unload"), [[each for each in options if each != "--progress"]])
        connection = Connection(Engine(FAKE), {"password": password})
        self.assertIs(pickle.loads(pickle.dumps(connection.scan("ks.t")))._options["password"], password)

    def test_workers_read_the_parts(self):
        bin = self.directory / "bin"
        bin.mkdir()
        (bin / "overdrive").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE[1]}"\n')
        (bin / "overdrive").chmod(0o755)
        with mock.patch.dict(os.environ, {"PATH": f"{bin}:{os.environ['PATH']}"}):
            for method in ("fork", "spawn"):
                with multiprocessing.get_context(method).Pool(2) as pool:
                    self.assertEqual(pool.map(read_rows, self.connection.scan("ks.t").partitions()), [3, 3, 3])
                    pool.close()
                    pool.join()


    def test_the_names_of_adbc_have_parts(self):
        with self.connection.cursor() as cursor:
            parts, schema = cursor.adbc_execute_partitions("SELECT id FROM ks.t;", consistency="ONE")
            self.assertEqual((len(parts), schema.names), (3, ["id", "name"]))
            self.commands("unload")
            cursor.adbc_read_partition(parts[1])
            self.assertEqual(cursor.fetch_arrow_table(), TABLE)
            options = ["--query=SELECT id FROM ks.t", "--consistency=ONE", "--token-range=-5,7", "--token-range=9,12"]
            self.assertEqual([sorted(each) for each in self.commands("unload")], [sorted(options)])
            with self.assertRaisesRegex(ValueError, "give a SELECT"):
                cursor.adbc_execute_partitions("TRUNCATE ks.t")


def password():
    return "secret"


class LazyTest(ScanCase):
    def setUp(self):
        super().setUp()
        self.rows_are(ROWS)
        self.lazy = self.connection.scan("ks.t").lazy()
        self.rows = pl.DataFrame(ROWS)
        self.commands("unload")

    def pushed(self, *conditions):
        """The condition that the engine gets. What polars returns must be what it finds in the rows by itself."""
        assert_frame_equal(self.lazy.filter(*conditions).collect(), self.rows.filter(*conditions))
        [options] = self.commands("unload")
        return next((each.removeprefix("--where=") for each in options if each.startswith("--where=")), None)

    def test_conditions_filter_in_the_cluster(self):
        c = pl.col
        self.assertEqual(self.pushed(c("id") > 1), '"id" > 1')
        self.assertEqual(self.pushed(1 < c("id")), '"id" > 1')
        self.assertEqual(self.pushed(c("Name") == "it's"), "\"Name\" = 'it''s'")
        self.assertEqual(self.pushed(c("day") <= dt.date(1969, 1, 1)), "\"day\" <= '1969-01-01'")
        self.assertEqual(self.pushed(c("at") >= dt.datetime(2026, 1, 1, tzinfo=UTC)), '"at" >= 1767225600000')
        self.assertEqual(self.pushed(c("flag")), '"flag" = true')
        self.assertEqual(self.pushed(~c("flag")), '"flag" = false')
        self.assertEqual(self.pushed(c("id").is_between(1, 3, closed="left"), c("small") < 3), '"id" >= 1 AND "id" < 3 AND "small" < 3')
        self.assertEqual(self.pushed(c("id") > 0, c("total") > 1), '"id" > 0')

    def test_cql_gets_one_bound_of_a_column_or_a_value(self):
        c = pl.col
        self.assertEqual(self.pushed(c("id") > 0, c("id") > 1, c("id") < 9), '"id" > 0 AND "id" < 9')
        self.assertEqual(self.pushed(c("id") > 0, c("id") == 1, c("id") < 9), '"id" = 1')

    def test_other_conditions_stay_here(self):
        c = pl.col
        for condition in (
            c("total") == 0.0,  # -0.0 is another value for Cassandra
            c("price") == "1",  # a decimal
            c("Name") == "",  # no key of Cassandra's
            (c("id") == 1) | (c("flag")),
            c("id").is_in([1, 2]),
            c("id") + 1 == 2,
            c("small") > 200,
            c("id").is_null(),
            c("id") == c("small"),
        ):
            self.assertIsNone(self.pushed(condition), condition)

    def test_columns_that_are_not_needed_are_not_read(self):
        assert_frame_equal(self.lazy.select("Name").collect(), self.rows.select("Name"))
        self.assertEqual(self.commands("unload"), [['--columns="Name"']])
        self.assertEqual(self.lazy.select(pl.len()).collect().item(), 3)
        self.assertEqual(len(self.commands("unload")[0]), 1, "a column is enough to count")
        self.assertEqual(self.lazy.filter(pl.col("total") > 1).select("Name").collect()["Name"].to_list(), ["it's"])
        self.assertEqual(self.commands("unload"), [['--columns="Name","total"']])

    def test_conditions_of_the_user_are_kept(self):
        for options in ({"where": "id > 0"}, {"columns": "id, total"}, {"from_sstables": "snapshots"}):
            lazy = self.connection.scan("ks.t", **options).lazy()
            self.assertEqual(lazy.filter(pl.col("id") > 1).collect().height, 2)
            where = [each for each in self.commands("unload")[-1] if each.startswith("--where")]
            self.assertEqual(where, ["--where=id > 0"] if "where" in options else [])
        for variable in ("OVERDRIVE_WHERE", "OVERDRIVE_QUERY"):  # or the configuration file
            with mock.patch.dict(os.environ, {variable: "a condition"}):
                lazy = self.connection.scan("ks.t").lazy()
                self.commands("unload")
                self.assertEqual(lazy.filter(pl.col("id") > 1).collect().height, 2)
                self.assertEqual(self.commands("unload"), [[]])

    def test_the_largest_rows_and_the_first_ones(self):
        self.assertEqual(self.lazy.filter(pl.col("id") > 0).top_k(1, by="id").collect()["id"].to_list(), [3])
        self.assertEqual(self.lazy.sort("id", descending=True).head(1).collect()["id"].to_list(), [3])
        self.assertEqual(self.lazy.head(2).collect().height, 2)
        self.assertEqual(self.lazy.head(0).collect().height, 0)

    def test_a_failure_is_a_failure_of_polars(self):
        self.rows_are(ROWS)
        lazy = self.connection.scan("ks.failed_later").lazy()
        with self.assertRaisesRegex(Exception, "no node has answered"):
            lazy.collect()

    def test_durations_are_refused(self):
        self.rows_are(pa.table({"d": pa.array([None], pa.month_day_nano_interval())}))
        with self.assertRaisesRegex(od.OverdriveError, "no type for durations: leave out d"):
            self.connection.scan("ks.t").lazy()


if __name__ == "__main__":
    unittest.main()
