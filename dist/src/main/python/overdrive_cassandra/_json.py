"""Values that the engine sends as JSON."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any, BinaryIO

from ._errors import USAGE, OverdriveError

if TYPE_CHECKING:
    from collections.abc import Callable


def value_of(text: str | bytes, members: Callable[[list[tuple[str, Any]]], dict[str, Any]] = dict) -> Any:
    """A value, with floats, and Decimals in place of those that would be other numbers: JSON of a column of decimal has all digits.

    Args:
        members: makes an object of its names and values.
    """
    return json.loads(text, parse_float=_number, object_pairs_hook=members)


def _number(text: str) -> float | Decimal:
    number, exact = float(text), Decimal(text)
    is_same = exact in (Decimal(repr(number)), Decimal(f"{number:.1e}"))  # Java writes two digits of the least doubles
    return number if is_same else exact


def lines_of(file: BinaryIO) -> list[Any]:
    """The values of a file with a line of JSON for each. It is closed.

    Raises:
        OverdriveError: two members have the same name.
    """
    with file:
        file.seek(0)
        return [value_of(line, _different) for line in file if line.strip()]


def _different(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise OverdriveError(
            f'two columns have the name "{twice}", which a dict cannot distinguish: give one of them another name in the query, with AS', "usage", USAGE
        )
    return members
