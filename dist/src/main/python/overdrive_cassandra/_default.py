"""The functions of the package, on a connection that is opened when it is needed."""

from __future__ import annotations

from typing import Any

from ._connection import Connection
from ._engine import IDLE_SECONDS, Engine

_connection = Connection(Engine(idle_seconds=IDLE_SECONDS), {})

read = _connection.read
scan = _connection.scan
write = _connection.write
lookup = _connection.lookup
count = _connection.count
copy = _connection.copy
load = _connection.load
unload = _connection.unload
diff = _connection.diff
verify = _connection.verify
execute = _connection.execute


def connect(**options: Any) -> Connection:
    """A connection: its options are those of all its calls, and its process is kept until it is closed.

    Nothing is started before the first call, which also finds out whether the options are right::

        with od.connect(host="10.0.0.1", user="etl", password=os.environ["ETL_PASSWORD"]) as c:
            c.count("shop.orders")

    Args:
        options: of the command line, with underscores, such as ``host``, ``profile``, ``local=True``; and ``progress``.
    """
    return Connection(Engine(), options)
