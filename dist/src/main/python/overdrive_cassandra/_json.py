"""Values that the engine sends as JSON."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, BinaryIO


def value_of(text: str | bytes) -> Any:
    """A value, with floats, and Decimals in place of those that would be other numbers: JSON of a column of decimal has all digits."""
    return json.loads(text, parse_float=_number)


def _number(text: str) -> float | Decimal:
    number, exact = float(text), Decimal(text)
    is_same = exact in (Decimal(repr(number)), Decimal(f"{number:.1e}"))  # Java writes two digits of the least doubles
    return number if is_same else exact


def lines_of(file: BinaryIO) -> list[Any]:
    """The values of a file with a line of JSON for each. It is closed."""
    with file:
        file.seek(0)
        return [value_of(line) for line in file if line.strip()]
