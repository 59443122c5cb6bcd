"""What calls return besides rows."""

from __future__ import annotations

import json
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ._arrow import need
from ._errors import OverdriveError
from ._figures import Course, Figures
from ._json import value_of
from ._temporary import remove

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from ._call import Call


_REASON = "reject_reason"


def _objects(lines: BinaryIO) -> Iterator[dict[str, Any]]:
    for line in lines:
        if line.strip():
            yield value_of(line)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


class Records:
    """Objects of JSON, a line each, on disk. They can be iterated several times."""

    _members: tuple[str, ...] = ()
    """Columns of a table of none."""

    def _files(self) -> list[BinaryIO]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for file in self._files():
            file.seek(0)
            yield from _objects(file)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow.Table; a member whose values have several types is its JSON as text."""
        pa = need("pyarrow", "a table of Arrow")
        records = list(self)
        columns: dict[str, Any] = {}
        for name in dict.fromkeys(name for record in records for name in record):
            values = [record.get(name) for record in records]
            try:
                columns[name] = pa.array(values)
            except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
                columns[name] = pa.array([None if value is None else json.dumps(value, default=str) for value in values], pa.string())
        return pa.table(columns or {name: pa.array([], pa.string()) for name in self._members})

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with nullable types."""
        pd = need("pandas", "a DataFrame")
        frame: pandas.DataFrame = self.to_arrow().to_pandas(types_mapper=pd.ArrowDtype)
        return frame


class Rejected(Records):
    """The rows that were not written. They are data: a row with a bad value is no failure.

    Of a ``write``, each has its columns and ``reject_reason``. Of files of CSV, each is the place and the reason: ``file``, ``line``, ``column``,
    ``value``, ``reason``; the records are in ``files``.

    Attributes:
        files: paths of the rejected records, which ``load`` takes again; next to them are the reasons.
        first: the first reason, as text, or None.
        directory: where the files are. If the caller has not named one (``rejects=``), it is deleted with this object.
    """

    _members = (_REASON,)

    def __init__(self, summary: dict[str, Any], directory: Path | None, is_ours: bool) -> None:
        self.files: list[Path] = [Path(file) for file in summary.get("rejectFiles") or []]
        self._reasons = [Path(file) for file in summary.get("reasonFiles") or []]
        self._count = int(summary.get("rowsRejected") or 0)
        self.first: str | None = summary.get("firstReject")
        self.directory = directory
        if is_ours and directory is not None:
            weakref.finalize(self, remove, directory)

    def __len__(self) -> int:
        return self._count

    def __bool__(self) -> bool:
        return self._count > 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for file, reasons in zip(self.files, self._reasons):
            with reasons.open("rb") as lines, file.open("rb") as records:
                for reason in _objects(lines):
                    if file.name.endswith(".jsonl.rejected"):
                        record = value_of(records.readline())
                        yield {**record, _REASON: reason.get("reason")}
                    else:
                        yield reason

    def __repr__(self) -> str:
        return _counted(self._count, "rejected row") + (f", the first: {self.first}" if self.first else "")


class Result(Figures):
    """What a run has done.

    Attributes:
        summary: all figures, as with ``--json``; command-line.md explains them.
        rows_read, rows_written, rows_rejected: numbers of rows.
        seconds: of the run, without the connection.
        rejected: the rows that were not written: data, see :class:`Rejected`.
        messages: what the command line prints to standard error besides.
    """

    def __init__(self, command: str, call: Call, directory: Path | None = None, is_ours: bool = False) -> None:
        self.command = command
        self.summary: dict[str, Any] = call.summary or {}
        self.messages: list[str] = call.messages
        self._course = call.course
        self.rejected: Rejected = Rejected(self.summary, directory, is_ours)

    def _of_run(self) -> tuple[dict[str, Any] | None, Course]:
        return self.summary, self._course

    @property
    def rows_read(self) -> int:
        return int(self.summary.get("rowsRead") or 0)

    @property
    def rows_written(self) -> int:
        return int(self.summary.get("rowsWritten") or 0)

    @property
    def rows_rejected(self) -> int:
        return int(self.summary.get("rowsRejected") or 0)

    @property
    def seconds(self) -> float:
        return float(self.summary.get("seconds") or 0.0)

    def __repr__(self) -> str:
        if self.summary.get("dryRun"):
            return f"{self.command}: a dry run: nothing was written; summary has the estimate"
        rate = f", {self.rows_written / self.seconds:,.0f} rows/s" if self.seconds else ""
        lines = [f"{self.command}: {self.rows_written:,} rows written, {self.rows_rejected:,} rejected in {self.seconds:.1f} s{rate}"]
        if self.limited_by is not None:
            lines.append(f"  limited by {self.limited_by!r}")
        if self.rejected.first:
            lines.append(f"  first rejected: {self.rejected.first}")
        return "\n".join(lines)


class Count(int, Figures):
    """A number of rows, with the figures of the run: ``summary`` as with ``--json``, also the parts of ``by=``."""

    summary: dict[str, Any]

    _course: Course

    def __new__(cls, call: Call) -> Count:
        summary = call.summary or {}
        if "rows" not in summary:
            raise OverdriveError("the engine has not said how many rows it has counted", "crashed")
        count = super().__new__(cls, int(summary["rows"]))
        count.summary = summary
        count._course = call.course
        return count

    def _of_run(self) -> tuple[dict[str, Any] | None, Course]:
        return self.summary, self._course


class Differences(Records, Figures):
    """Differences of two tables, or of files and a table: objects with ``kind``, ``key`` and, for different rows, ``columns``.

    Attributes:
        equal: True if there is none, and everything was compared.
        summary: all figures, as with ``--json``.
    """

    _members = ("kind", "key", "columns")

    def __init__(self, command: str, call: Call) -> None:
        self.command = command
        self._lines = call.output()
        weakref.finalize(self, self._lines.close)
        self.equal: bool = call.exit_code == 0
        self.summary: dict[str, Any] = call.summary or {}
        self._course = call.course

    def _of_run(self) -> tuple[dict[str, Any] | None, Course]:
        return self.summary, self._course

    def _files(self) -> list[BinaryIO]:
        return [self._lines]

    def __repr__(self) -> str:
        return f"{self.command}: equal" if self.equal else f"{self.command}: {_counted(len(self), 'difference')}"
