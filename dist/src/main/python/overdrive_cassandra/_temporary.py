"""Directories for a call, which are gone at the end of Python, also if a thread is still in the call."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from shutil import rmtree

_left: set[tuple[Path, int]] = set()
"""Directories, and the process that has made each: a fork of it leaves them alone."""


def directory(prefix: str) -> Path:
    """A private directory."""
    made = Path(tempfile.mkdtemp(prefix=prefix))
    _left.add((made, os.getpid()))
    return made


def remove(made: Path) -> None:
    """Removes a directory, unless another process has made it. A second time does nothing."""
    key = (made, os.getpid())
    if key in _left:
        rmtree(made, ignore_errors=True)
        _left.discard(key)


def remove_all() -> None:
    """Removes what is left of this process."""
    for made, _ in list(_left):
        remove(made)
