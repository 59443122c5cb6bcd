"""A kept process of the engine, which makes one call at a time.

It is ``overdrive calls``: requests are lines of JSON on its standard input, events are lines of JSON on its standard output. A thread reads
these events. The data of a call goes over Unix domain sockets: see ``_call``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._errors import FAILED, OverdriveError
from ._java import java_environment

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._call import Call

PROTOCOL = 1
END_SECONDS = 12
"""How long a process may take to end a call or itself; it gives itself 10 seconds for that."""


def launcher() -> list[str]:
    """The command that starts the engine: of this package, or else ``overdrive`` on the path."""
    own = Path(__file__).resolve().parent / "home" / "bin" / "overdrive"
    return ["/bin/sh", str(own)] if own.exists() else ["overdrive"]


def _environment() -> dict[str, str]:
    """Variables that hold for all calls; each call has the others with it."""
    kept = ("OVERDRIVE_HOME", "OVERDRIVE_STATE", "OVERDRIVE_JAVA_OPTIONS")
    return {name: value for name, value in java_environment().items() if name in kept or not name.startswith("OVERDRIVE_")}


class Child:
    """Thread-safe by a lock, but one call at a time, which its owner sees to. The lock may be taken again, as the collector of garbage ends calls
    amid everything."""

    def __init__(self, command: list[str], released: Callable[[Child], None]) -> None:
        self.directory = os.getcwd()
        self._released = released
        self._lock = threading.RLock()
        self._call: Call | None = None
        self._errors: deque[str] = deque(maxlen=40)
        self._garbage: str | None = None
        self.is_dead = False
        if os.name != "posix":
            raise OverdriveError("the engine needs Linux or macOS: on Windows, use it in WSL", "missing")
        try:
            # its own session: Ctrl-C at a terminal is for Python, which passes it on
            self._process = subprocess.Popen(
                [*command, "calls"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=_environment(),
                start_new_session=True,
            )
        except OSError as e:
            raise OverdriveError(
                f"the engine was not started: {command[0]}: {e.strerror}; install the wheel of overdrive-cassandra, or put overdrive on"
                " the path",
                "missing",
            ) from e
        self._stderr_reader = threading.Thread(target=self._read_errors, name="overdrive-errors", daemon=True)
        self._reader = threading.Thread(target=self._read_events, name="overdrive-events", daemon=True)
        self._stderr_reader.start()
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_running(self) -> bool:
        """Whether it takes calls; it may have been killed a moment ago."""
        return not self.is_dead and self._process.poll() is None

    def start(self, call: Call, request: dict[str, Any]) -> None:
        """Sends a request; the call is notified of its end also if that fails."""
        with self._lock:
            self._call = call
        self._send(request)
        if self.is_dead:  # and its reader may have ended before it saw this call
            self._end_of_call(lambda call: call.failed(self._crash()))

    def cancel(self, call: Call) -> None:
        with self._lock:  # also for sending: the next call must not be ended
            if self._call is call:
                self._send({"cancel": True})

    def _send(self, message: dict[str, Any]) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        rest = memoryview(json.dumps(message).encode() + b"\n")
        try:
            while rest:
                rest = rest[stdin.write(rest) :]
        except (OSError, ValueError):
            pass  # it has ended, or was closed, which its reader reports

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stderr:
            for line in _lines(stderr):
                self._errors.append(line.decode(errors="replace").rstrip())

    def _read_events(self) -> None:
        assert self._process.stdout is not None
        try:
            for line in _lines(self._process.stdout):
                event = _event(line)
                if event is None:
                    self._garbage = line[:200].decode(errors="replace").strip()
                    break
                if not self._handle(event):
                    break
        except (OSError, ValueError):
            pass  # closed by this side
        self.is_dead = True
        self._end()
        self._stderr_reader.join(timeout=1)
        self._process.stdout.close()
        error = self._crash()
        self._end_of_call(lambda call: call.failed(error))

    def _handle(self, event: dict[str, Any]) -> bool:
        kind = event["event"]
        if kind == "ready":
            if event.get("protocol") != PROTOCOL:
                self._garbage = f"protocol {event.get('protocol')} of version {event.get('version')}"
                return False
        elif kind == "done":
            self._end_of_call(lambda call: call.done(event))
        else:
            with self._lock:
                call = self._call
            if call is not None:
                call.event(event)
        return True

    def _end_of_call(self, end: Callable[[Call], None]) -> None:
        with self._lock:
            call, self._call = self._call, None
        if call is not None:
            if not self.is_dead:
                self._released(self)  # first, so that the next call of a user who waits for this one finds it
            end(call)

    def _crash(self) -> OverdriveError:
        if self._garbage is not None:
            return OverdriveError(
                f"the engine and this package do not understand each other: it has sent {self._garbage!r}; is overdrive on the path of"
                " the same version as this package?",
                "crashed",
            )
        code = self._process.poll()
        lines = [line for line in self._errors if line.strip()]
        said = next((line for line in lines if line.startswith("overdrive: ")), lines[-1] if lines else "")
        if said.startswith("overdrive: ") and code in (1, 2):
            return OverdriveError(said.removeprefix("overdrive: "), exit_code=code)  # of the launcher, such as: no Java
        return OverdriveError(
            f"the process of the engine has ended ({_how(code)})" + (f"; its last words: {said}" if said else ""), "crashed", FAILED
        )

    def close(self, seconds: float = END_SECONDS) -> None:
        """Ends the process: if it makes a call, as by Ctrl-C, and after some seconds in any case. Without a call it is never killed, as the first
        process with a Java writes a cache of classes at its end, which may take long on a slow machine."""
        self.close_input()
        self._end(seconds)

    def close_input(self) -> None:
        """Lets the process end."""
        self.is_dead = True
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
        except OSError:
            pass

    def _end(self, seconds: float = END_SECONDS) -> None:
        self.close_input()
        with self._lock:
            is_idle = self._call is None and self._garbage is None
        if self._garbage is not None:
            seconds = 0.5
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            if not is_idle:  # else it ends by itself, after it has written its cache of classes, and its reader waits for that
                self.kill()

    def kill(self) -> None:
        self.is_dead = True
        try:
            os.killpg(self._process.pid, signal.SIGKILL)  # also a Java that its shell has started
        except ProcessLookupError:
            pass
        self._process.wait()

    def forget(self) -> None:
        """In a fork of this process: lets go of the process, which belongs to the parent."""
        self.is_dead = True
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None and not stream.closed:
                os.dup2(null, stream.fileno(), inheritable=False)  # the stream keeps its number, and may close it
        os.close(null)
        self._process.returncode = 0


def _lines(stream: Any) -> Any:
    """Lines of a stream without a buffer, which a reader in another thread would lock."""
    rest = b""
    while piece := stream.read(65536):
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
    if rest:
        yield rest


def _event(line: bytes) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and isinstance(event.get("event"), str) else None


def _how(code: int | None) -> str:
    if code is None:
        return "and is not gone yet"
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
