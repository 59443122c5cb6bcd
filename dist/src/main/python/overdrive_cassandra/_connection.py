"""The functions of the package, on a connection."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from ._arrow import Write, library, writer
from ._call import ArrowOutput, Call
from ._engine import Engine
from ._errors import OverdriveError, WrongType, WrongValue, type_name
from ._json import lines_of
from ._options import is_secret, path, word
from ._results import Count, Differences, Result
from ._rows import Rows
from ._scan import Scan
from ._temporary import directory as temporary_directory
from ._temporary import remove

if TYPE_CHECKING:
    from ._cursor import Cursor

Names = Union[str, Sequence[str], None]
Paths = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]


class Connection:
    """Calls with the same options, by processes of the engine that are kept until ``close``. :func:`connect` makes it. Thread-safe:
    calls at the same time have a process each. It can be used in a fork of its process, which starts its own.

    Options of all methods are those of the command line with underscores: ``page_rows=1000`` is ``--page-rows 1000``. True is an option without
    a value; None and False leave it out; a list is a text with commas, or the option several times (``set``). Paths, numbers, ``datetime``,
    ``date`` and ``timedelta`` (seconds) become text. ``password``, ``to_password``, ``keystore_password`` and the like, texts or functions, go to
    the engine by its environment, never by its command line. Profiles, the configuration file and variables ``OVERDRIVE_…`` hold as there.
    ``progress`` is True, False, or ``auto``, the default: on a terminal and in a notebook.

    All methods raise OverdriveError with the sentence of the command line if a call fails, and end the run before they pass a
    KeyboardInterrupt on.
    """

    def __init__(self, engine: Engine, options: dict[str, Any]) -> None:
        self._engine = engine
        self._options = options

    def _call(self, command: str, words: list[str], options: dict[str, Any], name: str | None = None, **data: bool) -> Call:
        everything = {**self._options, **options}
        show = everything.pop("progress", "auto")
        return self._engine.call(command, words, {"json": True, **everything}, name=name, show=show, **data)

    def read(
        self, table: str | None = None, *, columns: Names = None, where: str | None = None, query: str | None = None, **options: Any
    ) -> Rows:
        """Reads the rows of a table or of a query. It returns as soon as the first ones are there.

        Args:
            table: ``keyspace.table``, as in CQL; not with ``query``.
            columns: names, in this order; in a list exactly as in the table, in a text as in CQL. Default: all.
            where: a condition in CQL.
            query: a SELECT without markers, instead of a table.
            options: of ``overdrive unload``, such as ``from_sstables="snapshots/monday"``, ``decimal="38,9"``, ``consistency="ONE"``.

        Raises:
            OverdriveError: there is no such table or option, or no node answers.
        """
        return self._rows(*_what(table, query, {"columns": columns, "where": where, **options}))

    def scan(
        self, table: str | None = None, *, columns: Names = None, where: str | None = None, query: str | None = None, **options: Any
    ) -> Scan:
        """The rows of a table or of a query, which are read each time that they are used: by a library, in parts (``partitions``), or by polars as it
        needs them (``lazy``). Nothing is started before. Arguments are as of ``read``."""
        return Scan(self, *_what(table, query, {"columns": columns, "where": where, **options}))

    def _rows(self, words: list[str], options: dict[str, Any], name: str = "read") -> Rows:
        for option in ("format", "dry_run"):
            if options.get(option) is not None:
                raise WrongValue(f"{option} is no option of rows that are read, which are a stream of Arrow: use unload for it")
        library()  # before anything is started
        return Rows(self._call("unload", [*words, "-"], {"format": "arrow", **options}, name, has_output=True))

    def write(self, data: Any, table: str, *, create: bool = False, key: str | None = None, **options: Any) -> Result:
        """Writes rows into a table. Of rows with the same key, the last one wins.

        Columns go to those of the table by name; ``map`` changes that. A null is a missing value, which leaves an existing value alone, unless
        ``write_nulls=True``. A value that its column cannot have rejects its row.

        Args:
            data: a DataFrame of pandas (with the levels of its index that have names) or polars, a table, batch or reader of pyarrow, a relation
                of DuckDB, an object with ``__arrow_c_stream__``, a dict of lists, or an iterator of any of these, which is read while it is written.
                NaN in a column of NumPy's floats is a missing value, as in pandas.
            table: ``keyspace.table``, as in CQL.
            create: create the keyspace and the table, with types as in ``data``, if they are missing; needs ``key``.
            key: the primary key of the table to create, as in CQL: ``"(customer, day), id"``.
            options: of ``overdrive load``, such as ``ttl=timedelta(days=30)``, ``max_rejects="1%"``, ``rejects="rejected/"``.

        Raises:
            OverdriveError: the run has failed, or more rows were rejected than ``max_rejects`` (100 by default); its ``result`` has the rejected rows.
            TypeError, ValueError: ``data`` is not rows.
        """
        rows = writer(data)
        is_ours = options.get("rejects", self._options.get("rejects")) is None
        directory = temporary_directory("overdrive-rejects-") if is_ours else None
        words = ["-", word("the table", table)]
        given = {"create": create, "key": key, "format": "arrow", **options}
        if directory is not None:
            given["rejects"] = directory
        try:
            call = self._call("load", words, given, "write", has_input=True)
            return self._loaded("write", call, rows, directory)
        except BaseException as e:
            if directory is not None and getattr(e, "result", None) is None:
                remove(directory)
            raise

    def _loaded(self, name: str, call: Call, rows: Write, directory: Path | None) -> Result:
        try:
            _send(rows, call)
            call.wait()
        except OverdriveError as e:
            if e.summary is not None:
                e.result = Result(name, call, directory, directory is not None)
            raise
        return Result(name, call, directory, directory is not None)

    def lookup(self, keys: Any, table: str, *, columns: Names = None, **options: Any) -> Rows:
        """Reads the rows of many keys.

        Args:
            keys: rows as for ``write``, with columns named as the primary key: the whole partition key and, optionally, clustering columns from the
                first on. Other columns are left out.
            table: ``keyspace.table``, as in CQL.
            columns: as of ``read``.
            options: of ``overdrive unload``, such as ``keys_map``.

        Raises:
            OverdriveError: as of ``read``. Keys that no row has are no failure: the summary counts them.
        """
        directory = temporary_directory("overdrive-keys-")
        try:
            file = directory / "keys.arrows"
            with file.open("xb") as out:
                writer(keys)(_KeyFile(out))
            words = [word("the table", table)]
            rows = self._rows(words, {"columns": columns, **options, "keys": file}, "lookup")
        except BaseException:
            remove(directory)
            raise
        rows._call.at_end(lambda: remove(directory))
        return rows

    def count(self, table: str, **options: Any) -> Count:
        """Counts the rows of a table, on the servers. Options are those of ``overdrive count``, such as ``where`` and ``by="node"``.

        Returns:
            An int, with ``summary``, which has the parts of ``by``.
        """
        if options.get("dry_run"):
            raise WrongValue("a dry run counts nothing: leave dry_run out, or use overdrive count --dry-run")
        call = self._call("count", [word("the table", table)], options)
        call.wait()
        return Count(call)

    def _run(self, command: str, words: list[str], options: dict[str, Any]) -> Result:
        call = self._call(command, words, options)
        try:
            call.wait()
        except OverdriveError as e:
            if e.summary is not None:
                e.result = Result(command, call)
            raise
        return Result(command, call)

    def copy(self, source: str, target: str, **options: Any) -> Result:
        """Copies a table into another one. Options are those of ``overdrive copy``, such as ``create=True``, ``to_host`` and ``keep_times=True``."""
        return self._run("copy", [word("the source", source), word("the target", target)], options)

    def load(self, files: Paths, table: str | None = None, **options: Any) -> Result:
        """Loads files of CSV, JSON, Arrow or Parquet. Options are those of ``overdrive load``.

        Args:
            files: a path, a directory, a pattern such as ``export/*.csv.gz``, or a list of these.
            table: ``keyspace.table``, as in CQL; None with ``query=``.
        """
        words = _paths(files) + ([] if table is None else [word("the table", table)])
        return self._run("load", words, options)

    def unload(self, table: str | None, output: str | os.PathLike[str], **options: Any) -> Result:
        """Writes a table, or the rows of a query, into files. Options are those of ``overdrive unload``.

        Args:
            table: ``keyspace.table``, as in CQL; None with ``query=``.
            output: a directory (``out/``), or a file such as ``rows.parquet`` or ``rows.csv.gz``.
        """
        if os.fspath(output) == "-":
            raise WrongValue("the output is '-': give a directory or a file, or use read")
        words = ([] if table is None else [word("the table", table)]) + [path(output)]
        return self._run("unload", words, options)

    def diff(self, left: str, right: str, **options: Any) -> Differences:
        """Compares two tables value by value. Options are those of ``overdrive diff``, such as ``to_host`` and ``columns``.

        Returns:
            The differences: objects to iterate, or ``to_pandas()``. ``equal`` says whether there is none.
        """
        call = self._call("diff", [word("the left table", left), word("the right table", right)], options)
        call.wait()
        return Differences("diff", call)

    def verify(self, data: Any, table: str, **options: Any) -> Differences:
        """Says whether every row of files, or of ``data`` as for ``write``, is in a table with the same values. Options are those of
        ``overdrive verify``."""
        if _is_paths(data):
            call = self._call("verify", [*_paths(data), word("the table", table)], options)
        else:
            rows = writer(data)
            call = self._call("verify", ["-", word("the table", table)], {"format": "arrow", **options}, has_input=True)
            _send(rows, call)
        call.wait()
        return Differences("verify", call)

    def execute(self, statement: str, **options: Any) -> list[dict[str, Any]]:
        """Runs CQL, such as CREATE TABLE, and returns its rows, if it has some. For many rows, use ``read(query=…)``. Values have
        the types of JSON, and a number that no float holds, as of a decimal, is a ``Decimal``. Options are those of ``overdrive cql``."""
        if not isinstance(statement, str) or not statement.strip():
            raise WrongValue("the statement is empty: give CQL")
        call = self._call("cql", [" " + statement if statement.startswith(("-", "@")) else statement], options)
        call.wait()
        return lines_of(call.output())

    def cursor(self) -> Cursor:
        """A cursor with the names of DB-API and ADBC."""
        from ._cursor import Cursor

        return Cursor(self)

    def commit(self) -> None:
        """Does nothing: Cassandra has no transactions."""

    def close(self) -> None:
        """Ends the calls and the processes of this connection. A second one does nothing."""
        self._engine.close()

    def __repr__(self) -> str:
        return f"Connection({', '.join(f'{name}=…' if is_secret(name) else f'{name}={value!r}' for name, value in self._options.items())})"

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _KeyFile(ArrowOutput):
    """A file in place of a connection."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.closed = False

    def write(self, data: Any) -> int:
        return int(self._file.write(data))

    def give_up(self) -> None:
        pass

    def finish(self) -> None:
        pass


def _send(rows: Write, call: Call) -> None:
    """Sends all rows. If the call ends before it has read them, it has failed, and says why."""
    try:
        rows(ArrowOutput(call))
    except (BrokenPipeError, ConnectionResetError):
        call.wait()
        raise OverdriveError("the engine has ended the call before it has read all rows", "crashed") from None
    except BaseException:
        call.interrupt()
        raise


def _what(table: str | None, query: str | None, options: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    if table is None and query is None:
        raise WrongValue("nothing says what to read: give a table, such as 'shop.orders', or query=")
    if table is not None and query is not None:
        raise WrongValue("two things say what to read: give a table or query=, not both")
    words = [] if table is None else [word("the table", table)]
    return words, {"query": query, **options}


def _is_paths(data: Any) -> bool:
    if isinstance(data, (list, tuple)):
        return bool(data) and all(isinstance(each, (str, os.PathLike)) for each in data)
    return isinstance(data, (str, os.PathLike))


def _paths(files: Paths) -> list[str]:
    if not _is_paths(files):
        raise WrongType(f"the files are of type {type_name(files)}: give a path, or a list of paths; rows are written by write")
    several = [files] if isinstance(files, (str, os.PathLike)) else files
    if any(os.fspath(each) == "-" for each in several):
        raise WrongValue("the file is '-', and standard input is Python's: use write for rows")
    return [path(each) for each in several]
