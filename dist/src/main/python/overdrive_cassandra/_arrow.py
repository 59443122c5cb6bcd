"""Arrow by pyarrow, or else by nanoarrow. Both are optional."""

from __future__ import annotations

import importlib
import itertools
import numbers
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, time
from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Any
from uuid import UUID

from ._errors import OverdriveError, WrongType, WrongValue, type_name

if TYPE_CHECKING:
    from ._call import ArrowInput, ArrowOutput

BATCH_ROWS = 65_536
BATCH_BYTES = 4 << 20
"""A batch that is sent is about this large: the engine has some in memory."""
MAX_FIELDS = 64
"""Of a struct for dicts, which has a place for each key in each row. Dicts with more keys are maps."""


def module(name: str) -> Any:
    """A library, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def need(name: str, purpose: str) -> Any:
    """A library without which something is not possible."""
    found = module(name)
    if found is None:
        package = name.partition(".")[0]
        extra = {"pyarrow": "arrow", "pandas": "pandas", "polars": "polars"}.get(package)
        way = f"pip install {package}" if extra is None else f'pip install "overdrive-cassandra[{extra}]", or pip install {package}'
        raise OverdriveError(f"{purpose} needs {package}: {way}", "missing")
    return found


def library() -> Any:
    """The module pyarrow or nanoarrow."""
    found = module("pyarrow") or module("nanoarrow.ipc")
    if found is None:
        raise OverdriveError(
            'rows need an Arrow library: pip install "overdrive-cassandra[arrow]", which is pyarrow; nanoarrow will do, too', "missing"
        )
    return found


def stream(data: ArrowInput) -> Any:
    """A reader of the batches in the data: a pyarrow.RecordBatchReader, or a nanoarrow.ArrayStream. Both are Arrow streams."""
    found = library()
    if found.__name__ == "pyarrow":
        return importlib.import_module("pyarrow.ipc").open_stream(data)
    import nanoarrow

    return nanoarrow.ArrayStream(found.InputStream.from_readable(data))


Write = Callable[["ArrowOutput"], None]


def writer(data: Any) -> Write:
    """A function that writes all rows of an object, and the end mark. What is no rows is refused at once."""
    found = library()
    if found.__name__ == "pyarrow":
        return _writer_of_pyarrow(found, data)
    exporter = _exporter(data)
    if exporter is None:
        raise WrongType(_wrong(data))

    def write(output: ArrowOutput) -> None:
        try:
            with found.StreamWriter.from_writable(output) as to:
                to.write_stream(exporter)
        except BaseException:
            output.give_up()
            raise
        output.finish()

    return write


def _writer_of_pyarrow(pa: Any, data: Any) -> Write:
    schema, batches = source(pa, data)
    plain = _without_dictionaries(pa, schema)

    def write(output: ArrowOutput) -> None:
        to = importlib.import_module("pyarrow.ipc").new_stream(output, plain)
        try:
            for batch in batches:
                for piece in _pieces(_plain(pa, batch, plain)):
                    to.write_batch(piece)
        except BaseException:
            output.give_up()
            raise
        to.close()
        output.finish()

    return write


def _pieces(batch: Any) -> Iterator[Any]:
    if batch.num_rows == 0:
        return
    rows = max(1, min(BATCH_ROWS, BATCH_BYTES * batch.num_rows // max(1, batch.nbytes)))
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def _without_dictionaries(pa: Any, schema: Any) -> Any:
    """Categories as their values: batches of a source may have different dictionaries, for which a stream has no room."""
    return pa.schema(
        [field.with_type(_values(pa, field.type)) if pa.types.is_dictionary(field.type) else field for field in schema], schema.metadata
    )


def _values(pa: Any, dictionary: Any) -> Any:
    views = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    return views.get(dictionary.value_type, dictionary.value_type)


def _plain(pa: Any, batch: Any, schema: Any) -> Any:
    if batch.schema.equals(schema):
        return batch
    arrays = []
    for column, field in zip(batch.columns, schema):
        if pa.types.is_dictionary(column.type):
            column = column.dictionary.cast(field.type).take(column.indices)
        arrays.append(column)
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def source(pa: Any, data: Any) -> tuple[Any, Iterable[Any]]:
    """The schema and the batches of an object with rows."""
    pandas = module("pandas") if type(data).__module__.startswith("pandas") else None
    if pandas is not None and isinstance(data, pandas.DataFrame):
        table = _of_pandas(pa, data)
        return table.schema, table.to_batches()
    if isinstance(data, pa.Table):
        return data.schema, data.to_batches()
    if isinstance(data, pa.RecordBatch):
        return data.schema, [data]
    if isinstance(data, dict):
        table = _table(pa, [_column_of_dict(pa, str(name), values) for name, values in data.items()])
        return table.schema, table.to_batches()
    exporter = _exporter(data)
    if exporter is not None:
        try:
            reader = pa.RecordBatchReader.from_stream(exporter)
        except pa.ArrowInvalid as e:
            raise WrongValue(f"the rows have a column of a type that Arrow does not know: {e}; convert it, or leave it out") from None
        return reader.schema, reader
    if isinstance(data, Iterable) and not isinstance(data, (str, bytes)):
        return _of_iterator(pa, iter(data))
    raise WrongType(_wrong(data))


def _wrong(data: Any) -> str:
    way = ", or use load for files" if isinstance(data, str) else ""
    return (
        f"the rows are of type {type_name(data)}: give a DataFrame of pandas or polars, a table, batch or reader of pyarrow, a relation of"
        f" DuckDB, an object with __arrow_c_stream__, or an iterator of batches{way}"
    )


def _exporter(data: Any) -> Any:
    """The object itself, or what it makes, with ``__arrow_c_stream__``; None if it has none."""
    if hasattr(data, "collect") and hasattr(data, "collect_schema"):  # a LazyFrame of polars
        data = data.collect()
    if type(data).__name__ == "Series":
        raise WrongType("a Series is one column, and rows are given by several: make a DataFrame of it with to_frame()")
    if hasattr(data, "__arrow_c_stream__"):
        if type(data).__module__.startswith("polars"):
            _refuse_objects(data.schema.items())
        return data
    if hasattr(data, "fetch_arrow_reader"):  # a relation of an older DuckDB
        return data.fetch_arrow_reader()
    return None


def _refuse_objects(columns: Iterable[tuple[str, Any]]) -> None:
    """The type Object of polars becomes bytes in Arrow: addresses in the memory, which are no values."""
    for name, kind in columns:
        if str(kind) == "Object":
            raise WrongValue(f"column {name!r} has objects of Python, which polars does not pass on: cast it to a type of polars, or leave it out")
        inner = getattr(kind, "inner", None)
        fields = getattr(kind, "fields", None) or []
        _refuse_objects([(name, each) for each in [inner, *(field.dtype for field in fields)] if each is not None])


def _of_iterator(pa: Any, items: Iterator[Any]) -> tuple[Any, Iterable[Any]]:
    first = next(items, None)
    if first is None:
        raise WrongValue("the iterator has no batch, so nobody knows the columns: give a table without rows instead")
    schema, _ = source(pa, first)

    def batches() -> Iterator[Any]:
        for number, item in enumerate(itertools.chain([first], items), 1):
            found, its_batches = source(pa, item)
            difference = _difference(_with_types_for_nulls(pa, found, schema), schema)
            if difference:
                raise WrongValue(f"batch {number} has other columns than the first: {difference}")
            for batch in its_batches:
                columns = [pa.nulls(len(column), field.type) if pa.types.is_null(column.type) else column for column, field in zip(batch.columns, schema)]
                yield pa.RecordBatch.from_arrays(columns, schema=schema)

    return schema, batches()


def _difference(found: Any, first: Any) -> str:
    """Says how the columns differ by name or type; empty if they do not."""
    if found.names != first.names:
        return f"{', '.join(found.names)} instead of {', '.join(first.names)}"
    return "; ".join(f"{field.name} is {field.type} instead of {other.type}" for field, other in zip(found, first) if field.type != other.type)


def _with_types_for_nulls(pa: Any, found: Any, schema: Any) -> Any:
    """The columns that were found; those of nulls only, which show no type, with the type of the schema."""
    types = dict(zip(schema.names, schema.types))
    return pa.schema([field.with_type(types.get(field.name, field.type)) if pa.types.is_null(field.type) else field for field in found])


def _of_pandas(pa: Any, frame: Any) -> Any:
    """Levels of the index that have names are columns, too. Numbers that no type of Arrow holds are sent as text, which is exact."""
    levels = [frame.index.get_level_values(i).to_series() for i, name in enumerate(frame.index.names) if name is not None]
    columns = [*levels, *(frame.iloc[:, i] for i in range(frame.shape[1]))]
    names = ["" if series.name is None or series.name != series.name else str(series.name) for series in columns]  # NaN is no name
    return _table(pa, [_column(pa, name, series) for name, series in zip(names, columns)])


def _table(pa: Any, columns: list[tuple[Any, Any]]) -> Any:
    lengths = {field.name: len(array) for field, array in columns}
    if len(set(lengths.values())) > 1:
        raise WrongValue(f"the columns have different numbers of values: {lengths}")
    return pa.Table.from_arrays([array for _, array in columns], schema=pa.schema([field for field, _ in columns]))


def _column_of_dict(pa: Any, name: str, values: Any) -> tuple[Any, Any]:
    """As of a DataFrame: values of pandas and NumPy by their types, in which NaN is missing, and others as objects."""
    if type(values).__module__.startswith(("pandas", "numpy")):
        return _column(pa, name, values)
    if hasattr(values, "__arrow_c_stream__"):
        return _converted(pa, name, values, pa.chunked_array)
    if hasattr(values, "__arrow_c_array__"):
        return _converted(pa, name, values, pa.array)
    if isinstance(values, (str, bytes, dict)) or not isinstance(values, Iterable):
        raise WrongType(
            f"column {name!r} of a dict is {values!r:.100}, of type {type_name(values)}: give the list of its values, or make a table of dicts"
            " that are rows with pyarrow.Table.from_pylist"
        )
    return _of_objects(pa, name, _with_none(list(values)), pa.array)


def _column(pa: Any, name: str, series: Any) -> tuple[Any, Any]:
    """A field and its values."""
    kind: Any = getattr(series, "dtype", None)
    if type(kind).__name__ == "PeriodDtype":  # of which Arrow has the number only
        raise WrongValue(f"column {name!r} has periods, for which there is no CQL type: use dt.to_timestamp(), or astype(str)")
    if type(kind).__name__ == "SparseDtype":
        series = series.astype(kind.subtype)
    if kind == object:
        return _of_objects(pa, name, _with_none(list(series), is_nan_missing=True), pa.Array.from_pandas)
    return _converted(pa, name, series, pa.Array.from_pandas)


def _of_objects(pa: Any, name: str, values: list[Any], convert: Callable[..., Any]) -> tuple[Any, Any]:
    found = _objects(pa, name, values) or _map(pa, name, values, convert)
    if found is not None:
        return found
    try:
        field, array = _converted(pa, name, values, convert)
    except WrongValue:
        found = _list(pa, name, values, convert) or _map(pa, name, values, convert, may_be_struct=False)
        if found is None:
            raise
        return found
    kind = _with_nanoseconds(pa, array.type, values)
    if kind != array.type:
        try:
            array = pa.array(values, kind)
        except (OverflowError, pa.ArrowInvalid) as e:
            raise WrongValue(f"column {name!r} has times that are too far from 1970 for nanoseconds, which others of them have: {e}") from e
        return pa.field(name, kind), array
    _refuse_cut(pa, name, array.type, values)
    return field, array


def _with_nanoseconds(pa: Any, kind: Any, values: list[Any]) -> Any:
    """The type for objects of pandas, of which Arrow would take the microseconds."""
    if pa.types.is_timestamp(kind) and any(getattr(value, "nanosecond", 0) for value in values):
        return pa.timestamp("ns", kind.tz)
    if pa.types.is_duration(kind) and any(getattr(value, "nanoseconds", 0) for value in values):
        return pa.duration("ns")
    return kind


def _refuse_cut(pa: Any, name: str, kind: Any, values: Iterable[Any]) -> None:
    """Refuses objects of which Arrow would take a part, also in others."""
    if not (pa.types.is_integer(kind) or pa.types.is_temporal(kind) or pa.types.is_list(kind) or pa.types.is_struct(kind)):
        return
    values = [value for value in _with_none(list(values), is_nan_missing=True) if value is not None]
    problem = None
    if pa.types.is_date(kind) and any(isinstance(value, datetime) for value in values):
        problem = "dates and times: give dates only, or times only"
    elif pa.types.is_time(kind) and any(isinstance(value, time) and value.tzinfo is not None for value in values):
        problem = "times of day with a zone, for which there is no CQL type: give them without"
    elif pa.types.is_integer(kind) and not all(issubclass(each, numbers.Integral) for each in set(map(type, values))):
        problem = "integers and values of other types, of which Arrow would take the number"  # of a UUID or an address
    elif _with_nanoseconds(pa, kind, values) != kind:
        problem = "times with nanoseconds in other values, which Arrow would cut off: round them"
    if problem is not None:
        raise WrongValue(f"column {name!r} has {problem}")
    if pa.types.is_list(kind):
        _refuse_cut(pa, name, kind.value_type, itertools.chain.from_iterable(values))
    elif pa.types.is_struct(kind):
        for field in kind:
            _refuse_cut(pa, name, field.type, [value.get(field.name) for value in values if isinstance(value, dict)])


def _objects(pa: Any, name: str, values: list[Any]) -> tuple[Any, Any] | None:
    """Objects that Arrow would change, or has no type for, as text, with the CQL type of a new table; None for others."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int} and not all(value is None or -(2**63) <= value < 2**63 for value in values):
        kinds = {_Huge}
    if Decimal in kinds:
        kinds -= {int}
    for cql, types in _TEXTS.items():
        if kinds and kinds <= types:
            texts = [None if value is None else _text(value) for value in values]
            return pa.field(name, pa.string(), metadata={"cql.type": cql}), pa.array(texts, pa.string())
    if kinds == {UUID}:
        storage = pa.array([value and value.bytes for value in values], pa.binary(16))
        return pa.field(name, pa.uuid()), pa.ExtensionArray.from_storage(pa.uuid(), storage)
    return None


def _list(pa: Any, name: str, values: list[Any], convert: Callable[..., Any]) -> tuple[Any, Any] | None:
    """Lists, tuples and sets with objects for which Arrow alone finds no type, such as UUIDs; None for others."""
    if not all(value is None or isinstance(value, (list, tuple, set, frozenset)) for value in values):
        return None
    field, items = _of_objects(pa, name, _with_none([item for value in values for item in value or ()]), convert)
    array = pa.ListArray.from_arrays(_offsets(pa, values, range(len(items) + 1)), items)
    cql = (field.metadata or {}).get(b"cql.type", b"").decode()
    return pa.field(name, array.type, metadata={"cql.type": f"list<{cql}>"} if cql else None), array


def _offsets(pa: Any, values: list[Any], before: Sequence[int]) -> Any:
    """Where the items of each value begin.

    Args:
        before: how many items are kept before each item of all values, and in the end.
    """
    starts: list[int | None] = []
    count = 0
    for value in values:
        starts.append(None if value is None else before[count])
        count += len(value or ())
    return pa.array([*starts, before[-1]], pa.int32())


def _map(pa: Any, name: str, values: list[Any], convert: Callable[..., Any], may_be_struct: bool = True) -> tuple[Any, Any] | None:
    """Dicts as a map, if a struct, of which Arrow knows the fields, has no form for them, or too many fields: None for others."""
    if {type(value) for value in values if value is not None} != {dict}:
        return None
    keys = {key for value in values for key in value or ()}
    has_texts = all(isinstance(key, str) for key in keys)
    if has_texts and len(keys) <= MAX_FIELDS and may_be_struct:
        return None
    entries = [entry for value in values for entry in (value or {}).items()]
    try:
        _, names = _of_objects(pa, name, [key for key, _ in entries], pa.array)
        _, items = _of_objects(pa, name, _with_none([item for _, item in entries]), convert)
    except WrongValue:
        if has_texts and may_be_struct:
            return None
        raise
    found = items.is_valid()  # as of a struct: a map has no null
    before = list(itertools.accumulate(found.to_pylist(), initial=0))
    array = pa.MapArray.from_arrays(_offsets(pa, values, before), names.filter(found), items.filter(found))
    return pa.field(name, array.type), array


def _converted(pa: Any, name: str, values: Any, convert: Callable[[Any], Any]) -> tuple[Any, Any]:
    try:
        array = convert(values)
    except (OverflowError, UnicodeEncodeError, pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as e:
        raise WrongValue(f"column {name!r} has values of several types, or of one that Arrow does not know: {e}") from None
    return pa.field(name, array.type), array


def _text(value: Any) -> str:
    return str(Decimal(value) if isinstance(value, int) else value)  # Python limits the digits of an int


class _Huge:
    """Ints for which no integer of Arrow is large enough."""


_TEXTS: dict[str, set[type]] = {"decimal": {Decimal}, "varint": {_Huge}, "inet": {IPv4Address, IPv6Address}}


def _with_none(values: list[Any], is_nan_missing: bool = False) -> list[Any]:
    """Values, with None for those that pandas takes for missing. Their types are looked at once, and not for each value."""
    kinds = set(map(type, values))
    gone = {kind for kind in kinds if kind.__name__ in ("NAType", "NaTType")}
    reals = {kind for kind in kinds if is_nan_missing and issubclass(kind, (numbers.Real, Decimal))}
    if not gone and not reals:
        return values
    return [None if type(value) in gone or type(value) in reals and value != value else value for value in values]
