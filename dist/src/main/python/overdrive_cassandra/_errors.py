"""The one exception of the package."""

from __future__ import annotations

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


class OverdriveError(Exception):
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
        self.kind = kind or _KINDS.get(exit_code, "failed")
        self.summary = summary
        self.result: Result | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return OverdriveError, (self.sentence, self.kind, self.exit_code, self.summary)
