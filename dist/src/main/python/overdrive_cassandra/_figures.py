"""How a run went: its figures, its plan, its course, and what has limited it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ._arrow import need

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_POINTS = 1000
"""Of a course. A longer one has every second point, every fourth one, and so on."""


class LimitedBy:
    """What has limited a run.

    Attributes:
        cause: a word such as ``cluster``, ``input`` or ``client_cpu``; the page about limits explains all.
        share: of the time of the run, 0 to 1.
        evidence: the measurement behind it, as text.
        shares: of all causes.
    """

    def __init__(self, members: dict[str, Any]) -> None:
        self.cause: str = str(members.get("cause", "unknown"))
        self.share: float = float(members.get("share", 0.0))
        self.evidence: str = str(members.get("evidence", ""))
        self.shares: dict[str, float] = dict(members.get("shares") or {})

    def __repr__(self) -> str:
        text = f"{self.cause.replace('_', ' ')} ({self.share:.0%} of the time)"
        return f"{text}: {self.evidence}" if self.evidence else text

    def __eq__(self, other: object) -> bool:
        return self.cause == other if isinstance(other, str) else self is other

    def __hash__(self) -> int:
        return hash(self.cause)


class Plan(dict[str, Any]):
    """What a run has been planned to do, by its parts, such as ``reads`` and ``writes``: the member ``plan`` of ``--json``."""

    def __repr__(self) -> str:
        lines = []
        for part, facts in self.items():
            table = f" {facts['table']}" if "table" in facts else ""
            lines.append(f"{part}{table}")
            lines += [f"  {_words(name)}: {_shown(name, value)}" for name, value in facts.items() if name != "table" and value not in ([], {}, None)]
        return "\n".join(lines)


_CHOICES = frozenset({"grouping", "inFlightControl", "way"})
"""Facts whose values are words with underscores; in others, these are part of a name."""


def _words(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: " " + letter[0].lower(), name)


def _shown(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name in _CHOICES:
        return str(value).replace("_", " ")
    if isinstance(value, list):
        return ", ".join(map(str, value[:5])) + (f" and {len(value) - 5} more" if len(value) > 5 else "")
    if isinstance(value, dict):
        return ", ".join(f"{name} {of}" for name, of in value.items())
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)


class Course:
    """Points of the progress of a run. Used by one thread at a time."""

    def __init__(self) -> None:
        self.points: list[dict[str, Any]] = []
        self._step = 1
        self._seen = 0

    def add(self, figures: dict[str, Any]) -> None:
        if self._seen % self._step == 0:
            self.points.append({name: value for name, value in figures.items() if name not in ("event", "run", "command")})
            if len(self.points) > MAX_POINTS:
                self.points = self.points[::2]
                self._step *= 2
        self._seen += 1


class Figures:
    """The figures of a run."""

    def _of_run(self) -> tuple[dict[str, Any] | None, Course]:
        """The summary, None before the end, and the course."""
        raise NotImplementedError

    @property
    def course(self) -> list[dict[str, Any]]:
        """The progress twice a second: dicts with ``seconds``, ``rows``, ``rowsPerSecond`` and others, as of ``--progress json``. Empty for a short run."""
        return self._of_run()[1].points

    @property
    def limited_by(self) -> LimitedBy | None:
        """What has limited the run; None before its end, or if that was too soon to say."""
        members = (self._of_run()[0] or {}).get("limitedBy")
        return LimitedBy(members) if isinstance(members, dict) else None

    @property
    def plan(self) -> Plan | None:
        """What the run was planned to do; None before its end."""
        plan = (self._of_run()[0] or {}).get("plan")
        return Plan(plan) if isinstance(plan, dict) else None

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws rows per second over the time of the run, with what limited it.

        Args:
            ax: axes of matplotlib; None for new ones.

        Raises:
            OverdriveError: matplotlib is missing.
        """
        axes: Axes = need("matplotlib.pyplot", "a plot").subplots(figsize=(7, 2.5))[1] if ax is None else ax
        seconds = [float(point.get("seconds", 0)) for point in self.course]
        axes.plot(seconds, [float(point.get("rowsPerSecond", 0)) for point in self.course], label="rows/s")
        axes.set_xlabel("seconds")
        axes.set_xlim(left=0)
        axes.set_ylabel("rows/s")
        axes.set_ylim(bottom=0)
        if self.limited_by is not None:
            axes.set_title(f"limited by {self.limited_by.cause.replace('_', ' ')} ({self.limited_by.share:.0%} of the time)", fontsize="medium")
        return axes
