"""The exceptions of the package."""

from __future__ import annotations

import importlib
import os
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._results import Result

DONE = 0
FAILED = 1
USAGE = 2
DONE_WITH_REMARKS = 3
"""Done, but rows were rejected, differences were found, or keys have no row: data, and no failure."""
INTERRUPTED = 130
READER_GONE = 141

_KINDS = {USAGE: "usage", INTERRUPTED: "interrupted", READER_GONE: "closed"}


class _ShortInNotebooks(Exception):
    """An error that IPython shows by the lines of the caller and its sentence, without the steps in this package, which fill a notebook."""

    def _render_traceback_(self) -> list[str]:
        shown = importlib.import_module("IPython").get_ipython().InteractiveTB
        lines: list[str] = shown.structured_traceback(type(self), self, _of_caller(self.__traceback__), tb_offset=shown.tb_offset)
        return lines


class WrongValue(_ShortInNotebooks, ValueError):
    """A ValueError about an argument."""


class WrongType(_ShortInNotebooks, TypeError):
    """A TypeError about an argument."""


def type_name(value: object) -> str:
    """The type of a value, for a message."""
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


class OverdriveError(_ShortInNotebooks):
    """A call that has failed. ``str(error)`` is one sentence that says where, what, and the way out.

    Attributes:
        sentence: the sentence.
        kind: ``usage`` (a wrong option or value), ``interrupted``, ``closed`` (its reader ended before the data), ``crashed`` (the process
            of the engine ended, or broke the protocol), ``missing`` (a part is not installed), or a kind that the engine names, else
            ``failed``.
        exit_code: as of the command line: 1 failed, 2 wrong usage, 130 interrupted, 141 closed.
        summary: figures of the run as with ``--json``, if it came that far, else None.
        result: of a write or a load, the same as an object with its rejected rows, else None.
    """

    def __init__(
        self, sentence: str, kind: str | None = None, exit_code: int = FAILED, summary: dict[str, Any] | None = None
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.exit_code = exit_code
        self.kind: str = kind or _KINDS.get(exit_code, "failed")
        self.summary = summary
        self.result: Result | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return OverdriveError, (self.sentence, self.kind, self.exit_code, self.summary)


def _of_caller(steps: TracebackType | None) -> TracebackType | None:
    """The steps before those in this package."""
    if steps is None or os.path.dirname(steps.tb_frame.f_code.co_filename) == os.path.dirname(__file__):
        return None
    return TracebackType(_of_caller(steps.tb_next), steps.tb_frame, steps.tb_lasti, steps.tb_lineno)
