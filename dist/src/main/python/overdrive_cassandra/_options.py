"""Options of Python as options of the command line."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta, timezone
from typing import Any

from ._errors import WrongType, WrongValue, type_name

_REPEATED = frozenset({"set", "token_range"})
"""Options that the command line takes once for each value; others take their values with commas between them."""
_NAMES = frozenset({"columns", "partition_by"})
"""Options whose values are names of columns: in a list, they are exact, as DataFrames have them."""
_QUOTED = re.compile('".*"', re.DOTALL)
_HALF = re.compile("[\ud800-\udfff]")


def quoted(name: str) -> str:
    """The name of a column for CQL: in quotes, as it may be a reserved word, unless it has them."""
    return name if _QUOTED.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def check_text(what: str, text: str) -> None:
    """Refuses what is no Unicode, such as a name of a file in another encoding, of which a question mark would be sent."""
    half = _HALF.search(text)
    if half is not None:
        raise WrongValue(f"{what} has the character U+{ord(half[0]):04X}, which is half of one")


def _text(name: str, value: Any) -> str:
    if isinstance(value, datetime):
        zoned = value if value.tzinfo else value.replace(tzinfo=timezone.utc)
        if name.endswith("timestamp"):  # microseconds since 1970, exactly
            return str((zoned - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1))
        return zoned.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        seconds = value.total_seconds()
        return str(int(seconds)) if seconds == int(seconds) else repr(seconds)
    if isinstance(value, (str, os.PathLike)):
        path: str | bytes = os.fspath(value)
        if isinstance(path, str):
            return path
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value)
    raise WrongType(
        f"option {name} is {value!r}, of type {type_name(value)}: give a text, a number, True, a path, a date, a time, a timedelta, or a"
        " list of these"
    )


def _values(name: str, value: Any) -> list[str]:
    if value is True:
        return [""]
    if not isinstance(value, (list, tuple)):
        return ["=" + _text(name, value)]
    texts = [_text(name, each) for each in value]
    if name in _REPEATED:
        return ["=" + text for text in texts]
    if not texts:
        raise WrongValue(f"option {name} is an empty list: leave it out, or name something")
    return ["=" + ",".join(map(quoted, texts) if name in _NAMES else texts)]


def arguments(options: Mapping[str, Any]) -> list[str]:
    """Arguments of the command line, without secrets: ``{"page_rows": 10}`` is ``--page-rows=10``."""
    result = []
    for name, value in options.items():
        if hasattr(value, "tolist"):  # of NumPy, or an index of pandas
            value = value.tolist()
        if value is None or value is False or is_secret(name):
            continue
        result += ["--" + name.strip("_").replace("_", "-") + each for each in _values(name, value)]
    return result


def is_secret(name: str) -> bool:
    return name.endswith("password")


def without_secrets(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options without passwords that are texts; functions that return one are no secrets."""
    return {name: value for name, value in options.items() if callable(value) or not is_secret(name)}


def environment(options: Mapping[str, Any]) -> dict[str, str]:
    """Variables for a call: those of Overdrive at this moment, and passwords, which are never arguments. A password may be a function."""
    result = {name: value for name, value in os.environ.items() if name.startswith("OVERDRIVE_")}
    for name, value in options.items():
        if is_secret(name) and value is not None:
            result["OVERDRIVE_" + name.upper()] = str(value() if callable(value) else value)
    return result


def word(what: str, value: Any) -> str:
    """A table, or another argument without a name: a text that is not read as an option or a profile."""
    if not isinstance(value, str):
        raise WrongType(f"{what} is {value!r}, of type {type_name(value)}: give a text, such as 'shop.orders'")
    if not value or value.startswith(("-", "@")):
        raise WrongValue(f"{what} is {value!r}: give it as 'shop.orders'")
    return value


def path(value: str | os.PathLike[str]) -> str:
    """The path of a file as an argument: not read as an option or a profile."""
    text = os.fspath(value)
    return "./" + text if text.startswith(("-", "@")) else text
