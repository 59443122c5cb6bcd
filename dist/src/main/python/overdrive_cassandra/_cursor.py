"""A cursor with the names of DB-API (PEP 249) and of ADBC, for libraries that read by these."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ._arrow import need
from ._errors import OverdriveError, WrongValue
from ._rows import Rows

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from ._connection import Connection

_SELECT = re.compile(r"\s*(--[^\n]*\n\s*|//[^\n]*\n\s*|/\*.*?\*/\s*)*select\b", re.IGNORECASE | re.DOTALL)


class Cursor:
    """Runs a query at a time. Confined.

    Attributes:
        description: name and type of each column as DB-API has them, the types as those of Arrow; None after a statement without rows.
        rowcount: -1, as it is not known before the end.
        arraysize: number of rows that ``fetchmany`` takes by default.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.arraysize = 1
        self.rowcount = -1
        self.description: list[tuple[Any, ...]] | None = None
        self._rows: Rows | None = None
        self._values: Iterator[tuple[Any, ...]] | None = None

    def execute(self, operation: str, parameters: Sequence[Any] | None = None, **options: Any) -> Cursor:
        """Runs a statement: a SELECT as ``read(query=…)``, another one as ``Connection.execute``.

        Raises:
            ValueError: there are parameters, which the engine does not take: write values into the statement.
        """
        if parameters:
            raise WrongValue("the engine takes no parameters: write the values into the statement as CQL")
        if _SELECT.match(operation):
            self._begin(self.connection.read(query=_query(operation), **options))
        else:
            self._end()
            self.connection.execute(operation, **options)
        return self

    def _begin(self, rows: Rows) -> None:
        self._end()
        self._rows = rows
        self.description = [(field.name, field.type, None, None, None, None, None) for field in rows._fields()]

    def _end(self) -> None:
        if self._rows is not None:
            self._rows.close()
        self._rows = self._values = self.description = None

    def _need_rows(self) -> Rows:
        if self._rows is None:
            raise WrongValue("there are no rows: execute a SELECT")
        return self._rows

    def fetch_record_batch(self) -> Rows:
        """The rows as a stream of Arrow."""
        return self._need_rows()

    def fetch_arrow(self) -> Rows:
        """The rows as a stream of Arrow."""
        return self._need_rows()

    def fetch_arrow_table(self) -> pyarrow.Table:
        """The rows as a pyarrow.Table."""
        return self._need_rows().to_arrow()

    def fetch_df(self) -> pandas.DataFrame:
        """The rows as a DataFrame of pandas."""
        return self._need_rows().to_pandas()

    def fetch_polars(self) -> polars.DataFrame:
        """The rows as a DataFrame of polars."""
        return self._need_rows().to_polars()

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        if self._values is None:
            self._values = _values(self._need_rows())
        return self._values

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row, or None."""
        return next(iter(self), None)

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        """The next rows, at most ``size``."""
        values = iter(self)
        return [row for _, row in zip(range(self.arraysize if size is None else size), values)]

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The remaining rows."""
        return list(self)

    def adbc_ingest(
        self,
        table_name: str,
        data: Any,
        mode: Literal["append", "create", "create_append"] = "create",
        *,
        key: str | None = None,
        db_schema_name: str | None = None,
        **options: Any,
    ) -> int:
        """Writes rows into a table, as ``Connection.write``, and returns their number.

        Args:
            mode: ``append`` to an existing table; ``create`` and ``create_append`` create it if it is missing, and need ``key``.
            key: the primary key of the table to create.
            db_schema_name: the keyspace, unless ``table_name`` has it.

        Raises:
            OverdriveError: also if a row was rejected, as ADBC knows no rejected rows; its ``result`` has them.
        """
        if mode not in ("append", "create", "create_append"):
            raise WrongValue(f"mode is {mode!r}: give append, create or create_append; a table is replaced by TRUNCATE and append")
        table = table_name if db_schema_name is None else f"{db_schema_name}.{table_name}"
        result = self.connection.write(data, table, create=mode != "append", key=key, **options)
        if result.rows_rejected:
            error = OverdriveError(f"{table}: {result.rejected!r}; {result.rows_written:,} rows were written", "rejected", 3, result.summary)
            error.result = result
            raise error
        return result.rows_written

    def adbc_execute_partitions(
        self, operation: str, parameters: Sequence[Any] | None = None, **options: Any
    ) -> tuple[list[bytes], Any]:
        """The parts of a SELECT, for ``adbc_read_partition`` of this or another process, and its schema.

        Raises:
            ValueError: there are parameters, or the statement is no SELECT.
        """
        if parameters or not _SELECT.match(operation):
            raise WrongValue("give a SELECT without parameters: write the values into it as CQL")
        scan = self.connection.scan(query=_query(operation), **options)
        parts = [{"query": _query(operation), **options, "token_range": part._options.get("token_range")} for part in scan.partitions()]
        return [json.dumps(part).encode() for part in parts], scan.schema

    def adbc_read_partition(self, partition: bytes) -> None:
        """Begins to read a part, whose rows the ``fetch`` methods return."""
        self._begin(self.connection.read(**json.loads(partition)))

    def close(self) -> None:
        """Ends the reading. A second one does nothing."""
        self._end()

    def __enter__(self) -> Cursor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _query(operation: str) -> str:
    return operation.strip().rstrip(";")


def _values(rows: Rows) -> Iterator[tuple[Any, ...]]:
    need("pyarrow", "rows as tuples")
    for batch in rows:
        yield from zip(*(column.to_pylist() for column in batch.columns))
