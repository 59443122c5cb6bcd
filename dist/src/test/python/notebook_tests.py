"""Tests of the package in a notebook, with the real engine and a node, whose address is in the variable NODE: a kernel runs cells, and what they
show is in their outputs. The engine is ``overdrive`` on the path.
"""

import os
import re
import signal
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[4]
SOURCES = ROOT / "dist" / "src" / "main" / "python"
sys.path.insert(0, str(SOURCES))

import overdrive_cassandra as od  # noqa: E402

NODE = os.environ["NODE"]
ROWS = 50_000
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def setUpModule():
    with od.connect(host=NODE, progress=False) as c:
        c.execute("DROP KEYSPACE IF EXISTS notebook")
        c.execute("CREATE KEYSPACE notebook WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
        c.execute("CREATE TABLE notebook.target (id int PRIMARY KEY, name text)")
        c.write({"id": range(ROWS), "name": ["x"] * ROWS}, "notebook.big", create=True, key="id")


class NotebookTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(tempfile.TemporaryDirectory())
        variables = {**os.environ, "PYTHONPATH": str(SOURCES)}
        cls.notebook = nbformat.v4.new_notebook()
        manager = KernelManager(kernel_name="python3")
        cls.client = NotebookClient(cls.notebook, km=manager, timeout=120, allow_errors=True, coalesce_streams=True)
        cls.enterClassContext(cls.client.setup_kernel(env=variables))
        cls.run_cell(f"import overdrive_cassandra as od\nc = od.connect(host={NODE!r})\nc.execute('SELECT key FROM system.local')")

    @classmethod
    def run_cell(cls, source):
        """The outputs of a cell, by their kinds."""
        cell = nbformat.v4.new_code_cell(source)
        cls.notebook.cells.append(cell)
        cls.client.execute_cell(cell, len(cls.notebook.cells) - 1)
        return {each.output_type: each for each in cell.outputs}

    def data(self, source):
        outputs = self.run_cell(source)
        self.assertNotIn("error", outputs)
        return outputs["execute_result"].data

    def texts_of_bar(self, output):
        """The texts of the widget of a bar, and its share."""
        widgets = self.client.widget_state
        box = widgets[output.data["application/vnd.jupyter.widget-view+json"]["model_id"]]
        left, bar, right = [widgets[each.removeprefix("IPY_MODEL_")] for each in box["children"]]
        self.assertEqual(bar["bar_style"], "success")
        return left["value"] + right["value"].replace("\u2007", " "), bar["value"], bar["max"]

    def test_progress_is_a_bar_that_ends_with_the_number_of_rows(self):
        for command, source in (
            ("read", "c.read('notebook.big', rows_per_second=25_000).to_polars().height"),
            ("write", "c.write(({'id': range(n, n + 1000), 'name': ['y'] * 1000} for n in range(0, 50_000, 1000)), 'notebook.big', rows_per_second=25_000).rows_written"),
        ):  # fmt: skip
            with self.subTest(command=command):
                outputs = self.run_cell(source)
                self.assertEqual(outputs["execute_result"].data["text/plain"], str(ROWS))
                self.assertNotIn("stream", outputs)
                text, value, maximum = self.texts_of_bar(outputs["display_data"])
                self.assertRegex(text, f"^{command}.*100%.* 50.0k/50.0k ")
                self.assertEqual((value, maximum), (ROWS, ROWS))

    def test_progress_without_tqdm_is_a_line(self):
        outputs = self.run_cell(
            "import sys; from unittest import mock\n"
            "with mock.patch.dict(sys.modules, {'tqdm': None, 'tqdm.auto': None}):\n"
            "    n = c.read('notebook.big', rows_per_second=25_000).to_arrow().num_rows\nn"
        )
        self.assertEqual(outputs["execute_result"].data["text/plain"], str(ROWS))
        self.assertRegex(outputs["stream"].text, r"^read: [\d,]+ rows, [^\r\n]*\n$")

    def test_without_progress_nothing_is_shown(self):
        self.assertEqual(list(self.run_cell("n = c.read('notebook.big', rows_per_second=50_000, progress=False).to_polars()")), [])

    def test_an_error_is_the_line_of_the_cell_and_a_sentence(self):
        for source, sentence in (
            ("c.read('notebook.missing')", 'keyspace "notebook" has no table "missing"; its tables are big, target'),
            ("c.count('notebook.missing')", 'keyspace "notebook" has no table "missing"; its tables are big, target'),
            ("c.read('notebook.big', colums='id')", "Unknown option: '--colums=id'. Did you mean: --columns?"),
        ):
            with self.subTest(source=source):
                error = self.run_cell("a = 1\n" + source)["error"]
                lines = [line for line in COLOUR.sub("", "\n".join(error.traceback)).splitlines() if line]
                self.assertEqual((error.ename, error.evalue), ("OverdriveError", sentence))
                self.assertEqual(lines[-1], "OverdriveError: " + sentence)
                self.assertIn("----> 2 " + source, lines)
                self.assertNotIn("overdrive_cassandra", "\n".join(lines))
                self.assertLess(len(lines), 10, lines)

    def test_a_wrong_argument_is_the_line_of_the_cell_and_a_sentence(self):
        for source, name, sentence in (
            ("c.read('notebook.big').to_pandas('numpy')", "WrongValue", "dtype_backend is 'numpy': give 'pyarrow' or 'numpy_nullable'"),
            ("c.write({'id': 1}, 'notebook.big')", "WrongType", "column 'id' of a dict is 1, of type int: give the list of its values, or"),
            ("c.write({'id': [1, 'a']}, 'notebook.big')", "WrongValue", "column 'id' has values of several types, or of one that"),
        ):
            with self.subTest(source=source):
                error = self.run_cell("a = 1\n" + source)["error"]
                lines = [line for line in COLOUR.sub("", "\n".join(error.traceback)).splitlines() if line]
                self.assertEqual(error.ename, name)
                self.assertTrue(lines[-1].startswith(f"{name}: {sentence}"), lines)
                self.assertIn("----> 2 " + source, lines)
                self.assertNotIn("overdrive_cassandra", "\n".join(lines))
                self.assertLess(len(lines), 10, lines)

    def test_rejected_rows(self):
        shown = self.data("r = c.write({'id': ['1', 'a', '3']}, 'notebook.target')\nr")
        self.assertRegex(shown["text/plain"], r"^write: 2 rows written, 1 rejected in [\d.]+ s, .*\n(  limited by .*\n)?  first rejected: ")
        self.assertRegex(self.data("r.rejected")["text/plain"], "^1 rejected row, the first: ")
        self.assertIn("<th>reject_reason</th>", self.data("r.rejected.to_pandas()")["text/html"])

    def test_tables(self):
        self.assertIn("<th>name</th>", self.data("c.read('notebook.big').to_pandas()")["text/html"])
        self.assertIn("<th>name</th>", self.data("c.scan('notebook.big').to_polars()")["text/html"])
        self.assertEqual(self.data("c.read('notebook.big').to_arrow().schema")["text/plain"].splitlines()[:2], ["id: int64", "name: string"])
        self.assertEqual(self.data("c.count('notebook.big')")["text/plain"], str(ROWS))
        self.assertEqual(self.data("c.scan('notebook.big', where='id > 3')")["text/plain"], "Scan(notebook.big, where='id > 3')")
        self.assertEqual(self.data("rows = c.read('notebook.big')\nrows")["text/plain"], "Rows(id: int64, name: string; open)")
        self.assertEqual(self.data("rows.close()\nrows")["text/plain"], "Rows(id: int64, name: string; closed)")

    def test_plan_limit_and_plot(self):
        self.run_cell("%matplotlib inline\nw = c.read('notebook.big', rows_per_second=25_000)\nw.to_arrow();")
        self.assertRegex(self.data("w.plan")["text/plain"], r"^reads notebook\.big\n  \w+: ")
        self.assertRegex(self.data("w.limited_by")["text/plain"], r"^[a-z ]+ \(\d+% of the time\)(: .*)?$")
        outputs = self.run_cell("w.plot();")
        self.assertIn("image/png", outputs["display_data"].data)
        self.assertNotIn("stream", outputs)

    def test_interrupt_ends_the_run(self):
        for call in ("c.read('notebook.big', rows_per_second=1000).to_polars()", "c.unload('notebook.big', rows, rows_per_second=1000)"):
            with self.subTest(call=call), tempfile.TemporaryDirectory() as directory:
                begun = Path(directory) / "begun"
                interrupter = threading.Thread(target=self.interrupt_after, args=[begun])
                interrupter.start()
                outputs = self.run_cell(f"import pathlib\nrows = {directory + '/rows.csv'!r}\npathlib.Path({str(begun)!r}).touch()\n{call}")
                interrupter.join()
                self.assertEqual(outputs["error"].ename, "KeyboardInterrupt")
                self.assertEqual(self.data("c.count('notebook.target') >= 0")["text/plain"], "True")

    def interrupt_after(self, begun):
        """Interrupts the kernel two seconds after a file is there."""
        while not begun.exists():
            time.sleep(0.05)
        time.sleep(2)
        os.kill(self.client.km.provisioner.process.pid, signal.SIGINT)


if __name__ == "__main__":
    unittest.main()
