"""Scans as LazyFrames of polars."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import polars as pl
from polars.io.plugins import register_io_source


if TYPE_CHECKING:
    from ._scan import Scan

_TURNED = {"Lt": "Gt", "LtEq": "GtEq", "Gt": "Lt", "GtEq": "LtEq", "Eq": "Eq"}
_CQL = {"Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">=", "Eq": "="}
_INTEGERS = {"int8", "int16", "int32", "int64"}
_CHANGE_COLUMNS = {"query", "columns", "map", "set", "keep-times"}
"""Options after which a name may not be that of a column of the table."""
_CHOOSE_ROWS = {"where", "keys", "from-sstables"}
"""Options that go with no condition, or with no other one."""
_EPOCH = date(1970, 1, 1)
_MAX_TEXT = 1000


def frame(scan: Scan) -> pl.LazyFrame:
    """Each collection of the frame reads the scan again. Conditions that are sent to the cluster are applied here, too, so they only save work."""
    schema = scan._arrow_schema_for_polars()
    types = {field.name: field for field in schema}
    empty = pl.DataFrame(schema.empty_table())
    given = scan._given()
    if isinstance(scan._options.get("columns"), (list, tuple)):
        given.discard("columns")
    is_plain = not given & _CHANGE_COLUMNS
    takes_conditions = is_plain and not given & _CHOOSE_ROWS

    def source(with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None) -> Iterator[pl.DataFrame]:
        conditions = list(_conjuncts(predicate))
        names = None
        if with_columns is not None and is_plain:
            wanted = {*with_columns, *(name for condition, _ in conditions for name in condition.meta.root_names())}
            names = [name for name in types if name in wanted] or [next(iter(types))]
        where = _where([tree for _, tree in conditions], types) if takes_conditions else None
        left = n_rows
        with scan._with(names, where).open() as rows:
            for batch in rows:
                part = pl.DataFrame(batch)
                for condition, _ in conditions:
                    part = part.filter(condition)
                if with_columns is not None:
                    part = part.select(with_columns)
                if left is not None:
                    part = part.head(left)
                    left -= part.height
                yield part
                if left == 0:
                    return

    return register_io_source(source, schema=empty.schema, validate_schema=True)


def _conjuncts(predicate: pl.Expr | None) -> Iterator[tuple[pl.Expr, Any]]:
    """The conditions of which all must hold, each with its tree, which says what it is, but not each value: NaN is null there.

    Without hints that polars adds for the largest rows of a sort, which are no conditions, and which it cannot apply to a DataFrame.
    """
    if predicate is None:
        return
    tree = json.loads(predicate.meta.serialize(format="json"))
    if isinstance(tree, dict) and tree.get("BinaryExpr", {}).get("op") == "And":
        for part in reversed(predicate.meta.pop()):
            yield from _conjuncts(part)
    elif not _is_hint(tree):
        yield predicate, tree


def _is_hint(tree: Any) -> bool:
    shown = tree.get("Display") if isinstance(tree, dict) else None
    return isinstance(shown, dict) and str(shown.get("fmt_str", "")).startswith("dynamic_pred")


def _where(conditions: list[Any], types: dict[str, Any]) -> str | None:
    """A condition in CQL that each row fulfils which polars keeps: of the conditions, those that both see alike. CQL takes one bound of a column for
    each direction, or one value."""
    found: dict[tuple[str, str], str] = {}
    for condition in conditions:
        for name, op, value in _comparisons(condition):
            literal = _literal(types.get(name), value)
            direction = op.rstrip("=") or "="
            if literal is not None and not any((name, used) in found for used in (direction, "=")):
                if direction == "=":
                    found = {key: text for key, text in found.items() if key[0] != name}
                found[name, direction] = f"{_always_quoted(name)} {op} {literal}"
    return " AND ".join(found.values()) or None


def _always_quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _comparisons(tree: Any) -> Iterator[tuple[str, str, Any]]:
    """Column, operator of CQL, and literal of a comparison; nothing for another tree."""
    if not isinstance(tree, dict):
        return
    binary, function = tree.get("BinaryExpr"), tree.get("Function")
    if isinstance(tree.get("Column"), str):
        yield tree["Column"], "=", {"Boolean": True}
    elif binary is not None and binary["op"] in _CQL:
        left, op, right = binary["left"], binary["op"], binary["right"]
        if "Column" in right:
            left, op, right = right, _TURNED[op], left
        if "Column" in left and "Literal" in right:
            yield left["Column"], _CQL[op], _scalar(right)
    elif function is not None:
        yield from _of_function(function)


def _of_function(function: Any) -> Iterator[tuple[str, str, Any]]:
    kind, given = function.get("function"), function.get("input", [])
    boolean = kind.get("Boolean") if isinstance(kind, dict) else None
    if not given or "Column" not in given[0]:
        return
    name = given[0]["Column"]
    if boolean == "Not":
        yield name, "=", {"Boolean": False}
    elif isinstance(boolean, dict) and "IsBetween" in boolean and len(given) == 3:
        closed = boolean["IsBetween"].get("closed")
        yield name, ">=" if closed in ("Both", "Left") else ">", _scalar(given[1])
        yield name, "<=" if closed in ("Both", "Right") else "<", _scalar(given[2])


def _scalar(tree: Any) -> Any:
    """The literal as polars writes it: ``{"Int32": 5}``; None if it is none."""
    literal = tree.get("Literal") if isinstance(tree, dict) else None
    if not isinstance(literal, dict):
        return None
    return literal.get("Scalar") or literal.get("Dyn")


def _literal(field: Any, value: Any) -> str | None:
    """The literal in CQL, if the column has a type that Cassandra and polars compare alike, and the value one that Cassandra takes."""
    if field is None or not isinstance(value, dict) or len(value) != 1 or (field.metadata or {}).get(b"cql.type"):
        return None
    [(kind, of)] = value.items()
    column = str(field.type)
    if column in _INTEGERS and kind.startswith("Int") and isinstance(of, int) and not isinstance(of, bool):
        bits = int(column[3:])
        return str(of) if -(2 ** (bits - 1)) <= of < 2 ** (bits - 1) else None
    if column == "bool" and kind == "Boolean":
        return str(of).lower() if of is not None else None
    if column == "string" and kind.startswith("String") and isinstance(of, str) and 0 < len(of) <= _MAX_TEXT:
        return "'" + of.replace("'", "''") + "'"  # the empty text cannot be a key
    if column == "date32[day]" and kind == "Date" and isinstance(of, int):
        return _date(of)
    if column == "timestamp[ms, tz=UTC]" and kind == "Datetime" and isinstance(of, list) and of[1] == "Milliseconds":
        return str(of[0])
    return None


def _date(days: int) -> str | None:
    try:
        return f"'{(_EPOCH + timedelta(days)).isoformat()}'"
    except OverflowError:
        return None
