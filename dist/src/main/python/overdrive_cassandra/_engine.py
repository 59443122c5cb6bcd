"""The processes of the engine that this process keeps."""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

from ._call import Call
from ._child import END_SECONDS, Child, launcher
from ._errors import OverdriveError, WrongValue
from ._options import arguments, check_text, environment
from ._progress import ProgressOption, progress
from ._temporary import remove_all

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_CALLS = 8
"""Calls at the same time; each has a process."""
IDLE_SECONDS = 300.0
"""How long the process of the functions of this module is kept without a call."""


class Engine:
    """Thread-safe by a lock. In a fork of its process it begins again, and leaves the processes of the parent alone.

    Each call has a process to itself, which is kept for the next one. A process belongs to the working directory in which it was started,
    because a path in an option may be relative.
    """

    def __init__(self, command: list[str] | None = None, idle_seconds: float | None = None) -> None:
        self._command = command
        self._idle_seconds = idle_seconds
        self._timer: threading.Timer | None = None
        self._is_closed = False
        self._reset()
        _engines.add(self)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._children: set[Child] = set()
        self._idle: list[tuple[Child, float]] = []
        self._calls: weakref.WeakSet[Call] = weakref.WeakSet()

    def call(
        self,
        command: str,
        words: list[str],
        options: Mapping[str, Any],
        *,
        name: str | None = None,
        show: ProgressOption = "auto",
        has_input: bool = False,
        has_output: bool = False,
    ) -> Call:
        """Begins a call. ``options`` are those of the command line in Python's form; ``name`` is shown with its progress, if the function that
        the user has called is not named as the command."""
        args = [command, *arguments(options), *words]
        variables = environment(options)
        for text in args:
            check_text(f"the argument {ascii(text):.100}", text)
        for variable, text in variables.items():
            check_text(variable, text)
        shown = progress(show, name or command)
        child = self._acquire()
        try:
            call = Call(child, shown, has_input, has_output)
        except BaseException:
            self._released(child)
            raise
        self._calls.add(call)
        try:
            call.start(args, variables)
        except BaseException:  # of a signal: nobody has the call
            call.interrupt()
            raise
        return call

    def _acquire(self) -> Child:
        try:
            directory = os.getcwd()
        except FileNotFoundError as e:
            raise OverdriveError("the working directory was deleted: change to another one with os.chdir") from e
        with self._lock:
            if self._is_closed:
                raise WrongValue("this connection is closed: open another one with connect")
            for i, (child, _) in enumerate(self._idle):
                if child.directory == directory and child.is_running():
                    del self._idle[i]
                    return child
            self._children = {child for child in self._children if child.is_running()}
            self._idle = [(child, since) for child, since in self._idle if child in self._children]
            idle = [child for child, _ in self._idle]
            if len(self._children) - len(idle) >= MAX_CALLS:
                raise OverdriveError(
                    f"{MAX_CALLS} calls are open on this connection: read the rows of one of them to the end, or close them"
                )
            if len(self._children) >= MAX_CALLS and idle:  # of other directories
                self._idle.clear()
                for child in idle:
                    child.close_input()
            child = Child(self._command or launcher(), self._released)
            self._children.add(child)
            return child

    def _released(self, child: Child) -> None:
        with self._lock:
            if not self._is_closed and not child.is_dead:
                self._idle.append((child, time.monotonic()))
                self._watch_idle()
                return
        child.close_input()

    def _watch_idle(self) -> None:
        if self._idle_seconds is not None and self._timer is None:
            self._timer = threading.Timer(self._idle_seconds, self._end_idle)
            self._timer.daemon = True
            self._timer.start()

    def _end_idle(self) -> None:
        assert self._idle_seconds is not None
        before = time.monotonic() - self._idle_seconds
        with self._lock:
            ended = [child for child, since in self._idle if since <= before]
            self._idle = [(child, since) for child, since in self._idle if since > before]
            self._timer = None
            if self._idle:
                self._watch_idle()
        for child in ended:
            child.close()

    def close(self) -> None:
        """Ends the calls and the processes. A second one does nothing."""
        with self._lock:
            self._is_closed = True
            children, self._children = self._children, set()
            calls = list(self._calls)
            self._idle.clear()
            if self._timer is not None:
                self._timer.cancel()
        for call in calls:
            call.abandon()  # a job that waits for its reader would end late
        for child in children:
            child.close_input()  # all at the same time
        deadline = time.monotonic() + END_SECONDS
        for child in children:
            child.close(max(0.1, deadline - time.monotonic()))

    def forget(self) -> None:
        """In a fork of the process."""
        children, calls = self._children, self._calls
        self._timer = None
        self._reset()
        for child in children:
            child.forget()
        for call in calls:
            call.forget()


_engines: weakref.WeakSet[Engine] = weakref.WeakSet()


def _forget_all() -> None:
    for engine in _engines:
        engine.forget()


def _close_all() -> None:
    for engine in list(_engines):
        engine.close()
    remove_all()  # of calls in threads that Python does not wait for


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
atexit.register(_close_all)
