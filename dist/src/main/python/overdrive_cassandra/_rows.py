"""Rows that come from the engine."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from ._arrow import need, stream
from ._call import ArrowInput, Call
from ._errors import DONE, DONE_WITH_REMARKS, OverdriveError, WrongValue
from ._figures import Course, Figures

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Backend = Literal["pyarrow", "numpy_nullable"]


class Rows(Figures):
    """Rows of a table, a query or a lookup, as a stream of Arrow. It is read once, by one of its methods or by another library.

    Everything that takes an object with ``__arrow_c_stream__`` takes it: ``polars.DataFrame(rows)``, ``pyarrow.table(rows)``,
    ``duckdb.sql("SELECT … FROM rows")``. Iterated, it gives record batches of up to 65,536 rows or about 4 MB, and the engine is never more
    than some batches ahead, so a table may be larger than the memory::

        with od.read("shop.orders") as rows:
            for batch in rows:
                ...

    A reader that stops early closes it (``with``, or ``close``), which ends the reading in the cluster, too.

    Rows are complete, or there is an error: a failure in the middle raises OverdriveError. Libraries that read the stream by themselves
    report it as their own error, with the same sentence.

    Attributes:
        schema: of pyarrow or nanoarrow. Metadata of a column has the CQL type as ``cql.type`` if Arrow's type does not show it.
    """

    def __init__(self, call: Call) -> None:
        self._call = call
        self._input = ArrowInput(call)
        self._is_read = False
        try:
            self._stream: Any = stream(self._input)
        except BaseException as e:
            call.close()
            self._raise_failure()
            if isinstance(e, (OverdriveError, KeyboardInterrupt)):
                raise
            raise OverdriveError(f"the engine has sent what is no stream of Arrow: {e}", "crashed") from e
        self.schema: Any = self._stream.schema
        call.shows_progress = False  # until they are read: a notebook would show it below another cell

    def _raise_failure(self) -> None:
        """Raises the failure of the call in place of an error of a library that has read from it, without the steps in between, which fill a
        notebook."""
        failure = self._input.failure
        if failure is not None:
            raise failure.with_traceback(None) from None

    def _take(self) -> Any:
        if self._is_read:
            raise WrongValue("these rows are read already: read the table again, or keep them, as with to_arrow()")
        self._is_read = True
        self._call.shows_progress = True
        return self._stream

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The stream for other libraries (the Arrow PyCapsule interface)."""
        return self._take().__arrow_c_stream__(requested_schema)

    def __iter__(self) -> Iterator[Any]:
        batches = iter(self._take())
        while True:
            try:
                batch = next(batches)
            except StopIteration:
                return
            except (Exception, KeyboardInterrupt):
                self.close()
                self._raise_failure()
                raise
            yield batch

    def to_arrow(self) -> pyarrow.Table:
        """All rows as a pyarrow.Table.

        Raises:
            OverdriveError: the reading has failed.
        """
        pa = need("pyarrow", "a table of Arrow")
        if not hasattr(self._stream, "read_all"):  # by nanoarrow
            return self._collected(pa.table)
        batches = list(self)
        return pa.Table.from_batches(batches, self.schema)

    def to_pandas(self, dtype_backend: Backend = "pyarrow") -> pandas.DataFrame:
        """All rows as a DataFrame.

        Types are pandas' Arrow types by default: integers stay integers next to nulls, timestamps are in UTC with milliseconds, collections
        and user-defined types are nested, and a null is ``pd.NA``, which no value is: NaN is a value of a float. With ``numpy_nullable``,
        ints, booleans and texts have pandas' own nullable types, which more of its functions take. Other types are as before: pandas' nullable
        floats make a null of NaN.
        Columns of decimal and varint have ``decimal.Decimal`` and ``int`` of Python, exact, with None for null.

        Raises:
            OverdriveError: the reading has failed, or pandas or pyarrow is missing.
        """
        pd = need("pandas", "a DataFrame")
        pa = need("pyarrow", "a DataFrame of pandas")
        if dtype_backend not in ("pyarrow", "numpy_nullable"):
            raise WrongValue(f"dtype_backend is {dtype_backend!r}: give 'pyarrow' or 'numpy_nullable'")
        table = self.to_arrow()
        mapped: Any = pd.ArrowDtype
        if dtype_backend == "numpy_nullable":
            nullable = _nullable(pd, pa)
            mapped = lambda kind: nullable.get(kind) or pd.ArrowDtype(kind)  # noqa: E731
        frame: pandas.DataFrame = table.to_pandas(types_mapper=mapped)
        for i, field in enumerate(table.schema):
            number = _number(field)
            if number is not None and pa.types.is_string(field.type):
                values = [None if text is None else number(text) for text in table.column(i).to_pylist()]
                frame.isetitem(i, pd.Series(values, index=frame.index, dtype=object))
        return frame

    def to_polars(self) -> polars.DataFrame:
        """All rows as a DataFrame of polars. Decimals of any size and varints are texts, unless ``decimal=`` gives a size.

        Raises:
            OverdriveError: the reading has failed, polars is missing, or a column is a duration, for which it has no type.
        """
        pl = need("polars", "a DataFrame of polars")
        try:
            check_for_polars(self.schema)
        except OverdriveError:
            self.close()
            raise
        frame: polars.DataFrame = self._collected(pl.DataFrame)
        return frame

    def _fields(self) -> list[Any]:
        return fields(self.schema)

    def _collected(self, collect: Any) -> Any:
        try:
            return collect(self)
        except BaseException:
            self.close()
            self._raise_failure()
            raise

    @property
    def summary(self) -> dict[str, Any] | None:
        """All figures of the run, as with ``--json``; None before its end."""
        return self._call.summary

    def _of_run(self) -> tuple[dict[str, Any] | None, Course]:
        return self._call.summary, self._call.course

    @property
    def messages(self) -> list[str]:
        """What the command line prints to standard error besides, such as its plan."""
        return self._call.messages

    def close(self) -> None:
        """Ends the reading if it has not ended, also in the cluster. A second one does nothing."""
        self._is_read = True
        self._input.close()
        self._call.close()

    def __enter__(self) -> Rows:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "complete" if self._call.exit_code in (DONE, DONE_WITH_REMARKS) else "closed" if self._input.closed else "open"
        names = ", ".join(f"{field.name}: {field.type}" for field in self._fields())
        return f"Rows({names}; {state})"


def fields(schema: Any) -> list[Any]:
    """The fields of a schema of pyarrow or nanoarrow."""
    return list(getattr(schema, "fields", schema))


def check_for_polars(schema: Any) -> None:
    """Refuses columns for which polars has no type."""
    durations = [field.name for field in fields(schema) if "interval" in str(field.type)]
    if durations:
        raise OverdriveError(f"polars has no type for durations: leave out {', '.join(durations)} with columns=, or use to_arrow()")


def _number(field: Any) -> Any:
    """The class for a column of numbers that are sent as text; None for others."""
    kind = (field.metadata or {}).get(b"cql.type", b"")
    return {b"decimal": Decimal, b"varint": _int}.get(kind)


def _int(text: str) -> int:
    return int(text) if len(text) <= 4000 else int(Decimal(text))  # Python limits the digits of an int as text


def _nullable(pd: Any, pa: Any) -> dict[Any, Any]:
    return {
        pa.int8(): pd.Int8Dtype(),
        pa.int16(): pd.Int16Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.string(): pd.StringDtype(),
    }
