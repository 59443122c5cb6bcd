"""Tests of the package against a node, whose address is in the variable NODE. The engine is ``overdrive`` on the path.

All CQL types go out of a table and into another one through each library, and the two tables must have the same bytes. Random tables go in
and out. The examples of the page about Python are run in sequence.
"""

import os
import re
import sys
import tempfile
import unittest
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "dist" / "src" / "main" / "python"))

import overdrive_cassandra as od  # noqa: E402

NODE = os.environ["NODE"]
ZOO = {
    "ascii": ["'plain'", "''", "'~ !\"#$%&()*'"],
    "text": ["'Zoë'", "''", "'two\nlines, \"quoted\"'", "'NULL'", "'[1, 2]'"],
    "tinyint": ["-128", "0", "127"],
    "smallint": ["-32768", "32767"],
    "int": ["-2147483648", "2147483647"],
    "bigint": ["-9223372036854775808", "9223372036854775807", "9007199254740993"],
    "varint": ["-170141183460469231731687303715884105729", "0"],
    "decimal": ["1.10", "-0.000000000000000000000000000000000000000000001", "1.5", "12345678901234567890123456789012345678901234567890"],
    "float": ["1.5", "NaN", "-Infinity", "-0.0"],
    "double": ["0.1", "NaN", "Infinity", "-0.0"],
    "boolean": ["true", "false"],
    "blob": ["0x", "0x00ff"],
    "uuid": ["00000000-0000-4000-8000-000000000001"],
    "timeuuid": ["a4a70900-24e1-11df-8924-001ff3591711"],
    "timestamp": ["'1969-12-31T23:59:59.999Z'", "'2026-03-29T01:30:00.001Z'", "'0001-01-01T00:00:00Z'"],
    "date": ["'1969-12-31'", "'2026-02-28'"],
    "time": ["'00:00:00'", "'23:59:59.999999'"],
    "inet": ["'127.0.0.1'", "'2001:db8::1'"],
    "list<int>": ["[1, 2, 1]"],
    "set<text>": ["{'a', 'b'}"],
    "map<text, int>": ["{'a': 1, 'b': 2}"],
    "tuple<int, text>": ["(1, 'a')", "(null, 'b')"],
    "frozen<creature>": ["{name: 'cat', legs: 4}", "{name: null, legs: 8}"],
    "frozen<map<int, frozen<list<text>>>>": ["{1: ['a', 'b']}"],
    "vector<float, 3>": ["[1.5, -2.0, 0.0]"],
}  # fmt: skip
DURATIONS = {"duration": ["1mo2d3h", "-5ns"], "time": ["'23:59:59.999999999'"]}


def setUpModule():
    global connection
    connection = od.connect(host=NODE, progress=False)
    connection.execute("DROP KEYSPACE IF EXISTS python")
    connection.execute("CREATE KEYSPACE python WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")


def tearDownModule():
    connection.close()


class TypesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        connection.execute("CREATE TYPE python.creature (name text, legs int)")
        cls.zoo("zoo", ZOO)
        cls.zoo("durations", DURATIONS)

    @classmethod
    def zoo(cls, table, types):
        columns = {f"c{i}": (cql.replace("creature", "python.creature"), values) for i, (cql, values) in enumerate(types.items())}
        for name in (table, table + "2"):
            fields = ", ".join(f"{column} {cql}" for column, (cql, _) in columns.items())
            connection.execute(f"CREATE TABLE python.{name} (id int PRIMARY KEY, {fields})")
        for row in range(max(len(values) for values in types.values()) + 1):  # the last row has nulls only
            given = {column: values[row] for column, (_, values) in columns.items() if row < len(values)}
            names, values = ", ".join(["id", *given]), ", ".join([str(row), *given.values()])
            connection.execute(f"INSERT INTO python.{table} ({names}) VALUES ({values})")

    def assert_same(self, table, through):
        connection.execute(f"TRUNCATE python.{table}2")
        result = connection.write(through(connection.read("python." + table)), f"python.{table}2")
        self.assertEqual(list(result.rejected), [])
        self.assertEqual(list(connection.diff("python." + table, f"python.{table}2")), [])

    def test_through_pyarrow(self):
        self.assert_same("zoo", lambda rows: rows.to_arrow())
        self.assert_same("zoo", lambda rows: rows)
        self.assert_same("zoo", iter)
        self.assert_same("durations", lambda rows: rows.to_arrow())

    def test_through_pandas(self):
        self.assert_same("zoo", lambda rows: rows.to_pandas())
        self.assert_same("durations", lambda rows: rows.to_pandas())

    def test_through_nullable_types_of_pandas(self):
        self.assert_same("zoo", lambda rows: rows.to_pandas("numpy_nullable"))

    def test_through_polars(self):
        self.assert_same("zoo", lambda rows: rows.to_polars())

    def test_through_duckdb(self):
        def through(rows):
            return duckdb.sql("SELECT * FROM rows")

        self.assert_same("zoo", through)


class StatementsTest(unittest.TestCase):
    def test_each_statement_of_a_process_has_its_rows(self):
        connection.execute("CREATE TABLE python.exact (id int PRIMARY KEY, d decimal)")
        connection.execute("INSERT INTO python.exact (id, d) VALUES (1, 12345678901234567890.123)")
        for _ in range(3):
            self.assertEqual(connection.execute("SELECT * FROM python.exact"), [{"id": 1, "d": Decimal("12345678901234567890.123")}])
            self.assertEqual(len(connection.scan("python.exact").partitions(1)), 1)

    def test_two_columns_of_the_same_name_are_refused(self):
        connection.execute("CREATE TABLE python.twice (p int PRIMARY KEY, c text)")
        connection.execute("INSERT INTO python.twice (p, c) VALUES (1, 'a')")
        query = "SELECT p, c AS p FROM python.twice"
        cursor = connection.cursor()
        for read in (connection.execute, cursor.execute, lambda query: connection.read(query=query), lambda query: pl.read_database(query, connection)):
            with self.assertRaisesRegex(od.OverdriveError, 'two columns have the name "p".*: give one of them another name in the query, with AS'):
                read(query)

    def test_the_limit_of_rejected_rows_says_why_the_first_one_was(self):
        connection.execute("CREATE TABLE python.limited (p int PRIMARY KEY)")
        with self.assertRaisesRegex(od.OverdriveError, 'than the limit of 1 .*; of the rejected rows, the first one is .*row 1: column "p" is int, got "x"'):
            connection.write({"p": ["x", "y"]}, "python.limited", max_rejects=1)

    def test_messages_name_options_as_they_are_in_python(self):
        connection.execute("CREATE TABLE python.worded (p int PRIMARY KEY, t text)")
        sentences = {
            'field "zz" has no column of its name; map it with map=, leave it out with map= .* all such fields with allow_extra_fields=True; the columns are p, t$':
                lambda: connection.write({"zz": [1]}, "python.worded"),
            'field "p;t" has no column': lambda: connection.write({"p;t": [1]}, "python.worded"),
            "there are no columns$": lambda: connection.write(pd.DataFrame(), "python.worded"),
            "Map fields of other names with keys_map=$": lambda: connection.lookup({"zz": [1]}, "python.worded"),
            "text, got a JSON object; json_text=True keeps it": lambda: connection.write({"p": [1], "t": [{"a": 1}]}, "python.worded", max_rejects=0),
        }  # fmt: skip
        for sentence, call in sentences.items():
            with self.subTest(sentence=sentence), self.assertRaisesRegex(od.OverdriveError, sentence):
                call()

    def test_names_in_lists_may_be_reserved_words(self):
        connection.execute('CREATE TABLE python.words (id int PRIMARY KEY, "from" int, "Select" text)')
        connection.write({"id": [1], "from": [2], "Select": ["x"]}, "python.words")
        self.assertEqual(connection.read("python.words", columns=["from", "Select"]).to_arrow().to_pylist(), [{"from": 2, "Select": "x"}])
        self.assertEqual(connection.scan("python.words").lazy().select("from").collect().to_dicts(), [{"from": 2}])


class DictsTest(unittest.TestCase):
    def test_dicts_with_different_keys_go_into_maps(self):
        connection.execute("CREATE TYPE python.pack (n int, m frozen<map<text, int>>)")
        connection.execute(
            "CREATE TABLE python.dicts (id int PRIMARY KEY, m map<text, int>, i map<int, text>, l list<frozen<map<text, int>>>, p pack,"
            " mm map<text, frozen<map<text, int>>>, t tuple<int, frozen<map<text, int>>>, j text)"
        )
        values = {
            "m": [{"a": 1}, {"b": 2}, {}], "i": [{1: "x"}, {2: "y"}, {}], "l": [[{"a": 1}, {"b": 2}], [{"c": 3}], [{}]],
            "p": [{"n": 1, "m": {"x": 1}}, {"m": {"y": 2}}, {"n": 3, "m": {}}], "mm": [{"a": {"x": 1}}, {"b": {"y": 2}}, {}],
            "t": [{"0": 1, "1": {"x": 1}}, {"1": {"y": 2}}, {"0": 3}], "j": [{"a": 1}, {"b": [2]}, {}],
        }  # fmt: skip
        expected = {
            "m": [{"a": 1}, {"b": 2}, None], "i": [{"1": "x"}, {"2": "y"}, None], "l": [[{"a": 1}, {"b": 2}], [{"c": 3}], [{}]],
            "p": [{"n": 1, "m": {"x": 1}}, {"n": None, "m": {"y": 2}}, {"n": 3, "m": {}}], "mm": [{"a": {"x": 1}}, {"b": {"y": 2}}, None],
            "t": [[1, {"x": 1}], [None, {"y": 2}], [3, None]], "j": ['{"a":1}', '{"b":[2]}', "{}"],
        }  # fmt: skip
        frame = pd.DataFrame({"id": [0, 1, 2], **values})
        of_polars = pl.from_arrow(pa.Table.from_pandas(frame.drop(columns="i")))
        for data in (frame, {"id": [0, 1, 2], **values}, of_polars):
            connection.execute("TRUNCATE python.dicts")
            result = connection.write(data, "python.dicts", json_text=True)
            self.assertEqual(list(result.rejected), [])
            found = sorted(connection.execute("SELECT * FROM python.dicts"), key=lambda row: row["id"])
            for name in set(values) & set(data.columns if isinstance(data, pl.DataFrame) else data):
                self.assertEqual([row[name] for row in found], expected[name], name)
            self.assertTrue(connection.verify(data, "python.dicts", json_text=True).equal)

    def test_rejected_rows_with_dicts_load_again(self):
        connection.execute("CREATE TABLE python.again (id int PRIMARY KEY, m map<text, int>, n int)")
        with tempfile.TemporaryDirectory() as directory:
            result = connection.write({"id": [0, 1], "m": [{"a": 1}, {"b": 2}], "n": ["x", "y"]}, "python.again", rejects=directory)
            [row, _] = list(result.rejected)
            self.assertEqual(row["m"], {"a": 1})
            self.assertRegex(row["reject_reason"], 'column "n" is int, got "x"')
            connection.load(result.rejected.files, "python.again", set="n = 7")
        self.assertEqual(
            sorted(connection.execute("SELECT * FROM python.again"), key=lambda row: row["id"]),
            [{"id": 0, "m": {"a": 1}, "n": 7}, {"id": 1, "m": {"b": 2}, "n": 7}],
        )

    def test_keys_and_values_that_are_of_other_types_reject_their_rows(self):
        connection.execute("CREATE TABLE python.numbered (id int PRIMARY KEY, m map<int, int>)")
        result = connection.write({"id": [0, 1, 2], "m": [{"1": "1"}, {"q": "2"}, {"3": "x"}]}, "python.numbered")
        self.assertEqual(result.rows_written, 1)
        reasons = [row["reject_reason"] for row in result.rejected]
        self.assertEqual(reasons, ['column "m" key is int, got "q"', 'column "m" value of key "3" is int, got "x"'])


FOLDED = re.compile("[A-Za-z][A-Za-z0-9_]*")  # a new table has such names in lower case, as CQL without quotes
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=10).filter(
    lambda name: name.strip() == name and name != "id" and (name.islower() or not FOLDED.fullmatch(name))
)
INSTANTS = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)).map(lambda t: t.replace(microsecond=t.microsecond // 1000 * 1000, tzinfo=timezone.utc))
VALUES = {
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.string(): st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    pa.float64(): st.floats(allow_nan=False),
    pa.bool_(): st.booleans(),
    pa.binary(): st.binary(max_size=20),
    pa.timestamp("ms", "UTC"): INSTANTS,
    pa.list_(pa.int32()): st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=4),
    pa.uuid(): st.uuids().map(lambda value: value.bytes),
}


@st.composite
def tables(draw):
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique_by=str.lower))
    rows = draw(st.integers(0, 20))
    columns = {"id": pa.array(range(rows), pa.int64())}
    for name in names:
        kind = draw(st.sampled_from(list(VALUES)))
        values = draw(st.lists(st.none() | VALUES[kind], min_size=rows, max_size=rows))
        storage = pa.array(values, pa.binary(16) if kind == pa.uuid() else kind)
        columns[name] = pa.ExtensionArray.from_storage(kind, storage) if kind == pa.uuid() else storage
    return pa.table(columns)


class RandomTablesTest(unittest.TestCase):
    @settings(max_examples=int(os.environ.get("EXAMPLES", "15")), deadline=None, derandomize=True, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(table=tables(), library=st.sampled_from(["pyarrow", "pandas", "polars"]))
    def test_what_is_written_is_read(self, table, library):
        assume(library != "polars" or pa.uuid() not in table.schema.types)  # polars has no UUIDs: their columns become blobs
        connection.execute("DROP TABLE IF EXISTS python.random")
        data = {"pyarrow": lambda: table, "pandas": lambda: table.to_pandas(types_mapper=pd.ArrowDtype), "polars": lambda: pl.from_arrow(table)}[library]()
        result = connection.write(data, "python.random", create=True, key="id")
        self.assertEqual((result.rows_written, list(result.rejected)), (table.num_rows, []))
        read = connection.read("python.random", columns=table.column_names).to_arrow().sort_by("id")
        self.assertEqual(read.to_pylist(), table.to_pylist())


TEXTS = ["", "a", "it's", "Zoë", "~", "a\x00b"]
DAYS = [date(1, 1, 1), date(1969, 12, 31), date(2026, 2, 28), date(9999, 12, 31)]
TIMES = [datetime(1969, 12, 31, 23, 59, 59, 999000, tzinfo=timezone.utc), datetime(2026, 1, 1, tzinfo=timezone.utc)]
OF_COLUMNS = {
    "id": st.integers(-3, 8),
    "Clustering": st.sampled_from(TEXTS),
    "s": st.integers(-(2**63), 2**63 - 1) | st.integers(-1, 3),
    "day": st.sampled_from(DAYS),
    "at": st.sampled_from(TIMES),
    "total": st.sampled_from([0.0, -0.0, 1.5, float("nan"), float("inf")]),
    "small": st.integers(-129, 128),
    "price": st.sampled_from(["1", "1.0", "2"]),
}


@st.composite
def conditions(draw):
    found = []
    for _ in range(draw(st.integers(1, 4))):
        name = draw(st.sampled_from([*OF_COLUMNS, "flag"]))
        column = pl.col(name)
        if name == "flag":
            found.append(draw(st.sampled_from([column, ~column, column == True, column.is_null()])))  # noqa: E712
            continue
        value, other = draw(OF_COLUMNS[name]), draw(OF_COLUMNS[name])
        compared = [column == value, column < value, column <= value, column > value, value >= column, column != value, column.is_between(value, other)]
        found.append(draw(st.sampled_from([*compared, column.is_in([value, other]), (column == value) | (column == other)])))
    return found


class ScansTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        connection.execute(
            'CREATE TABLE python.wide (id int, "Clustering" text, s bigint static, day date, at timestamp, flag boolean, total double, small tinyint,'
            ' price decimal, PRIMARY KEY (id, "Clustering")) WITH CLUSTERING ORDER BY ("Clustering" DESC)'
        )
        rows = [
            {"id": i, "Clustering": text, "s": i - 1, "day": DAYS[(i + j) % 4], "at": TIMES[(i + j) % 2], "flag": [True, False, None][(i + j) % 3],
             "total": [0.0, -0.0, 1.5, float("nan"), None][(i + 2 * j) % 5], "small": None if j == 3 else j * 40 - 100, "price": str(i)}
            for i in range(6) for j, text in enumerate(TEXTS)
        ]  # fmt: skip
        connection.write(pl.DataFrame(rows), "python.wide")
        connection.execute("INSERT INTO python.wide (id, s) VALUES (7, 7)")
        cls.scan = connection.scan("python.wide")
        cls.rows = cls.scan.to_polars()

    @settings(max_examples=int(os.environ.get("EXAMPLES", "40")), deadline=None, derandomize=True, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(wanted=conditions())
    def test_polars_finds_the_rows_that_it_finds_here(self, wanted):
        found, expected = self.scan.lazy().filter(*wanted).collect(), self.rows.filter(*wanted)
        assert_frame_equal(found, expected, check_row_order=False)

    def test_each_row_is_in_one_part(self):
        for scan in (self.scan, connection.scan("python.wide", where="small > -60", columns=["id", "s"]), connection.scan(query="SELECT id, s FROM python.wide")):
            for number in (None, 1, 2, 7, 100):
                parts = [part.to_polars() for part in scan.partitions(number)]
                assert_frame_equal(pl.concat(parts), scan.to_polars(), check_row_order=False)


class PageTest(unittest.TestCase):
    def test_the_examples_of_the_page_run(self):
        frame = pd.DataFrame({"id": range(100), "total": [1.5, float("nan")] * 50, "name": ["x", None] * 50})
        connection.execute("DROP KEYSPACE IF EXISTS shop")
        connection.write(frame, "shop.orders", create=True, key="id")
        page = (ROOT / "docs" / "guides" / "python.md").read_text(encoding="utf-8")
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        with tempfile.TemporaryDirectory() as directory:
            os.chdir(directory)
            names: dict = {}
            for code in re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE):
                exec(code.replace("10.0.0.1", NODE).replace(', user="etl", password=lambda: os.environ["ETL_PASSWORD"]', ""), names)
            os.chdir(before)


if __name__ == "__main__":
    unittest.main()
