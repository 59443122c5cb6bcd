"""Readings that have not begun: they can be begun many times, in parts, and in other processes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ._arrow import need
from ._errors import OverdriveError, WrongValue
from ._json import lines_of
from ._options import arguments, is_secret, without_secrets
from ._rows import Backend, Rows, check_for_polars

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from ._connection import Connection


class Scan:
    """A reading of a table or of a query that has not begun. Each use of it, such as ``pl.DataFrame(scan)``, ``duckdb.sql("… FROM scan")``,
    ``pa.table(scan)`` or ``for batch in scan``, reads the rows as they are then.

    It can be pickled: workers of multiprocessing, Dask and Ray read with the options of its connection, by a process of their own. A password
    that was given as text is not in the pickle, unlike a function that returns it.

    Immutable, and thread-safe: each use has its own call.
    """

    def __init__(self, connection: Connection | None, words: list[str], options: dict[str, Any]) -> None:
        self._connection = connection
        self._words = words
        self._options = options

    def open(self) -> Rows:
        """Begins to read, and returns as soon as the first rows are there.

        Raises:
            OverdriveError: there is no such table or option, or no node answers.
        """
        return self._connected()._rows(self._words, self._options)

    def _connected(self) -> Connection:
        if self._connection is None:  # unpickled
            from ._default import default

            return default
        return self._connection

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A stream for other libraries (the Arrow PyCapsule interface)."""
        return self.open().__arrow_c_stream__(requested_schema)

    def __iter__(self) -> Iterator[Any]:
        with self.open() as rows:
            yield from rows

    @property
    def schema(self) -> Any:
        """The columns: of pyarrow or nanoarrow. It begins to read, and ends that."""
        with self.open() as rows:
            return rows.schema

    def to_arrow(self) -> pyarrow.Table:
        """As ``Rows.to_arrow``."""
        return self.open().to_arrow()

    def to_pandas(self, dtype_backend: Backend = "pyarrow") -> pandas.DataFrame:
        """As ``Rows.to_pandas``."""
        return self.open().to_pandas(dtype_backend)

    def to_polars(self) -> polars.DataFrame:
        """As ``Rows.to_polars``."""
        return self.open().to_polars()

    def partitions(self, number: int | None = None) -> list[Scan]:
        """Parts of the scan, which can be read independently of each other, in any process: each row is in exactly one of them, unless rows
        are written meanwhile. They have about the same number of bytes, and ranges of tokens with nodes in common where the cluster has such::

            with multiprocessing.Pool(4) as pool:
                pool.map(process, od.scan("shop.orders", host="10.0.0.1").partitions())

        Args:
            number: about how many; 1 or more. Default: as the size of the table and the number of nodes suggest.

        Returns:
            Scans; a query that cannot be split by tokens is one.

        Raises:
            OverdriveError: there is no such table or option, no node answers, or the rows are not of nodes (``from_sstables``).
        """
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
            raise WrongValue(f"the number of partitions is {number!r}: give 1 or more")
        if "token_range" in self._options or "sample" in self._options:
            return [self]
        if self._options.get("from_sstables") is not None:
            raise OverdriveError("files of Cassandra have no partitions to read independently: leave out from_sstables, or read them in one", "usage", 2)
        connection = self._connected()
        taken = {option["option"] for option in self._shown("splits", {})} | {"profile", "config"}
        given = {**connection._options, **self._options, "splits": number, "json": True}
        options = {name: value for name, value in given.items() if name.strip("_").replace("_", "-") in taken or is_secret(name)}
        call = connection._engine.call("splits", self._words, options, show=False)
        call.wait()
        [parts] = lines_of(call.output())
        if len(parts) == 1:
            return [self]
        return [Scan(self._connection, self._words, {**self._options, "token_range": part["token_ranges"]}) for part in parts]

    def lazy(self) -> polars.LazyFrame:
        """A LazyFrame of polars: columns that it does not need are not read, simple conditions (comparisons of integers, texts, dates, timestamps and
        booleans with a value) filter in the cluster, and ``head`` ends the reading early.

        Raises:
            OverdriveError: there is no such table or option, no node answers, polars is missing, or a column is a duration.
        """
        need("polars", "a LazyFrame")
        need("pyarrow", "a LazyFrame")
        from ._lazy import frame

        return frame(self)

    def _given(self) -> set[str]:
        """The options of the command line that have a value: from Python, the environment or the configuration file."""
        options = {**self._connected()._options, **self._options}
        return {option["option"] for option in self._shown("unload", options) if option["origin"] != "default"}

    def _shown(self, command: str, options: dict[str, Any]) -> list[dict[str, str]]:
        """The options of a command, and where their values are from."""
        call = self._connected()._engine.call("config", ["show", command, *arguments(options), "--json"], {}, show=False)
        call.wait()
        assert call.summary is not None
        shown: list[dict[str, str]] = call.summary["options"]
        return shown

    def _with(self, columns: list[str] | None, where: str | None) -> Scan:
        more: dict[str, Any] = {}
        if columns is not None:
            more["columns"] = columns
        if where is not None:
            more["where"] = where
        return Scan(self._connection, self._words, {**self._options, **more})

    def _arrow_schema_for_polars(self) -> Any:
        schema = self.schema
        check_for_polars(schema)
        return schema

    def __reduce__(self) -> tuple[Any, ...]:
        given = {} if self._connection is None else self._connection._options
        options = {"progress": False, **without_secrets({**given, **self._options})}
        return Scan, (None, self._words, options)

    def __repr__(self) -> str:
        shown = {name: value for name, value in without_secrets(self._options).items() if value is not None}
        what = [*self._words, *(f"{name}={_short(value)}" for name, value in shown.items())]
        return f"Scan({', '.join(what)})"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "…"
