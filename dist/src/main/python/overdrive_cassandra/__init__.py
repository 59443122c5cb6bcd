"""Overdrive moves data in and out of Apache Cassandra.

Rows are Arrow: of pandas, polars, pyarrow, DuckDB, and everything else that knows ``__arrow_c_stream__``::

    import overdrive_cassandra as od

    df = od.read("shop.orders", host="10.0.0.1").to_pandas()
    od.write(df, "shop.orders_copy", create=True, key="(customer, day), id")

The functions here are those of a :class:`Connection` whose process is started by the first call, and kept until five minutes without one.
With many calls, or the same options, use :func:`connect`. The package also has the command line and the connector for Spark 4.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._connection import Connection
    from ._cursor import Cursor
    from ._default import connect, copy, count, diff, execute, load, lookup, read, scan, unload, verify, write
    from ._errors import OverdriveError
    from ._figures import LimitedBy, Plan
    from ._results import Count, Differences, Rejected, Result
    from ._rows import Rows
    from ._scan import Scan

__all__ = [
    "Connection",
    "Count",
    "Cursor",
    "Differences",
    "LimitedBy",
    "OverdriveError",
    "Plan",
    "Rejected",
    "Result",
    "Rows",
    "Scan",
    "connect",
    "copy",
    "count",
    "diff",
    "execute",
    "load",
    "lookup",
    "main",
    "overdrive_spark_jar",
    "read",
    "scan",
    "unload",
    "verify",
    "write",
]

_PACKAGE = Path(__file__).resolve().parent
_MODULES = {
    "Connection": "_connection",
    "Cursor": "_cursor",
    "OverdriveError": "_errors",
    "Rows": "_rows",
    "Scan": "_scan",
    **dict.fromkeys(["LimitedBy", "Plan"], "_figures"),
    **dict.fromkeys(["Count", "Differences", "Rejected", "Result"], "_results"),
}


def __getattr__(name: str) -> Any:
    """Imports a name when it is used: the command line, which is in this package, too, starts without."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    value = getattr(importlib.import_module("." + _MODULES.get(name, "_default"), __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


def overdrive_spark_jar() -> str:
    """The path of the connector for Spark 4: SparkSession.builder.config("spark.jars", overdrive_spark_jar())."""
    return str(_PACKAGE / "spark" / "overdrive-spark-bundle.jar")


def main() -> None:
    """Replaces this process by the command line, with the same arguments. Its launcher finds Java; that of the extra ``java`` comes first."""
    if os.name != "posix":
        sys.exit("overdrive: the command line needs a POSIX shell: use it on Linux or macOS, or in WSL")
    from ._java import java_environment

    launcher = _PACKAGE / "home" / "bin" / "overdrive"
    os.execve("/bin/sh", ["/bin/sh", str(launcher), *sys.argv[1:]], java_environment())
