"""The functions of the package, on a connection that is opened when it is needed."""

from __future__ import annotations

from typing import Any

from ._connection import Connection
from ._engine import IDLE_SECONDS, Engine

default = Connection(Engine(idle_seconds=IDLE_SECONDS), {})

read = default.read
scan = default.scan
write = default.write
lookup = default.lookup
count = default.count
copy = default.copy
load = default.load
unload = default.unload
diff = default.diff
verify = default.verify
execute = default.execute


def connect(**options: Any) -> Connection:
    """A connection: its options are those of all its calls, and its process is kept until it is closed.

    Nothing is started before the first call, which also finds out whether the options are right::

        with od.connect(host="10.0.0.1", user="etl", password=os.environ["ETL_PASSWORD"]) as c:
            c.count("shop.orders")

    Args:
        options: of the command line, with underscores, such as ``host``, ``profile``, ``local=True``; and ``progress``.
    """
    return Connection(Engine(), options)
