"""How far a call is, on a terminal."""

from __future__ import annotations

import sys
from typing import Any, Literal, Union

from ._errors import WrongValue

ProgressOption = Union[bool, Literal["auto"]]


class Progress:
    """Shows nothing. Used by the thread that reads the events of a call."""

    def show(self, figures: dict[str, Any]) -> None:
        """Shows the figures of an event, as of ``--progress json``."""

    def clear(self) -> None:
        """Makes room for a message."""

    def end(self, rows: int | None) -> None:
        """Shows the end of the call: the number of its rows, or None if it has failed or nobody knows it."""


class _Line(Progress):
    """A line that is updated in place."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._width = 0

    def show(self, figures: dict[str, Any]) -> None:
        self._write(line(self._command, figures))

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def clear(self) -> None:
        if self._width:
            self._write("")
            sys.stderr.write("\r")
            self._width = 0

    def end(self, rows: int | None) -> None:
        if self._width:
            sys.stderr.write("\n")
            self._width = 0


class _Bar(Progress):
    """A bar of tqdm, which a notebook shows as its own widget."""

    def __init__(self, command: str, tqdm: Any) -> None:
        self._command = command
        self._tqdm = tqdm
        self._bar: Any = None

    def show(self, figures: dict[str, Any]) -> None:
        rows, done = int(figures.get("rows", 0)), figures.get("done")
        if self._bar is None:
            self._bar = self._tqdm(desc=self._command, unit=" rows", unit_scale=True, dynamic_ncols=True)
            if not self._bar.disable:
                self._bar.start_t -= float(figures.get("seconds", 0))  # the first event comes when there are rows
        if figures.get("waiting"):
            self._bar.set_postfix_str("waits: " + str(figures["waiting"]), refresh=False)
        elif figures.get("limitedBy"):
            self._bar.set_postfix_str("limited by " + str(figures["limitedBy"]).replace("_", " "), refresh=False)
        self._show(rows, max(rows, round(rows / done)) if done else None)

    def _show(self, rows: int, total: int | None) -> None:
        self._bar.n = rows
        self._bar.total = total
        widget = getattr(self._bar, "container", None)
        if widget is not None and total:  # of a notebook, which otherwise keeps the form for an unknown total
            bar = widget.children[1]
            bar.max, bar.bar_style, bar.layout.width = total, "", None
        self._bar.refresh()

    def clear(self) -> None:
        if self._bar is not None:
            self._bar.clear()

    def end(self, rows: int | None) -> None:
        if self._bar is not None:
            if rows is not None:
                self._show(rows, rows)
            self._bar.close()
            self._bar = None


def line(command: str, figures: dict[str, Any]) -> str:
    """The figures as text: ``read: 1,204,000 rows, 118,210 rows/s, 41%, limited by the cluster``."""
    parts = [f"{int(figures.get('rows', 0)):,} rows", f"{int(figures.get('rowsPerSecond', 0)):,} rows/s"]
    if figures.get("rejected"):
        parts.append(f"{int(figures['rejected']):,} rejected")
    if figures.get("done") is not None:
        parts.append(f"{100 * float(figures['done']):.0f}%")
    if figures.get("waiting"):
        parts.append("waits: " + str(figures["waiting"]))
    elif figures.get("limitedBy"):
        parts.append("limited by " + str(figures["limitedBy"]).replace("_", " "))
    return f"{command}: " + ", ".join(parts)


def _is_notebook() -> bool:
    return "ipykernel" in sys.modules


def progress(option: ProgressOption, command: str) -> Progress:
    """As the option says; ``auto`` shows it on a terminal and in a notebook."""
    if option not in (True, False, "auto"):
        raise WrongValue(f"progress is {option!r}: give True, False or 'auto'")
    if option is False or option == "auto" and not (sys.stderr is not None and sys.stderr.isatty() or _is_notebook()):
        return Progress()
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Line(command)
    return _Bar(command, tqdm)
