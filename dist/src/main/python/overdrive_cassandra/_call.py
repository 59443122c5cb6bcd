"""One call of the engine: its data, its events and its end."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import selectors
import shutil
import socket
import tempfile
import threading
import time
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, cast

from ._errors import DONE, DONE_WITH_REMARKS, INTERRUPTED, READER_GONE, OverdriveError
from ._figures import Course

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._child import Child
    from ._progress import Progress

log = logging.getLogger("overdrive_cassandra")

END_MARK = b"\xff\xff\xff\xff\0\0\0\0"
"""The end of an Arrow stream."""
BUFFER_BYTES = 1 << 20
PIECE_BYTES = 64 << 20
CLOSE_SECONDS = 0.2
CANCEL_SECONDS = 12
SIGNAL_SECONDS = 0.2
"""How long Ctrl-C may wait for a thread that waits: libraries such as polars install handlers of signals that do not end a wait."""
_FOREVER_SECONDS = 1_000_000.0
_OUTPUT_IN_MEMORY = 8 << 20
_PREFIX = "overdrive: "
_SENTENCES = {
    INTERRUPTED: "the call was cancelled before its end: it was interrupted, or its connection was closed",
    READER_GONE: "the rows were closed before their end",
}
_NOTE = re.compile(_PREFIX + r"[\d,]+ keys? in ")
"""What a lookup always says."""


def _private_directory() -> str:
    """A directory of this user only, with a path that is short enough for the addresses of sockets."""
    for parent in (None, "/tmp"):
        directory = tempfile.mkdtemp(prefix="overdrive-", dir=parent)
        if len(directory) < 90:
            return directory
        os.rmdir(directory)
    raise OverdriveError(f"the path of {tempfile.gettempdir()} is too long for a socket: set TMPDIR to a shorter one", "missing")


class Call:
    """Its methods may be used by one thread at a time, but for those that the child calls. Immutable after its end, but for being closed."""

    def __init__(self, child: Child, progress: Progress, has_input: bool, has_output: bool) -> None:
        self._child = child
        self._progress = progress
        self._pid = os.getpid()
        self._ended = threading.Event()
        self._wake, self._waker = socket.socketpair()
        self._directory = _private_directory() if has_input or has_output else None
        self._listeners: dict[str, socket.socket] = {}
        self._data: dict[str, socket.socket] = {}
        for name, is_used in (("input", has_input), ("output", has_output)):
            if is_used:
                self._listeners[name] = self._listen(name)
        self.error: OverdriveError | None = None
        self.exit_code: int | None = None
        self.summary: dict[str, Any] | None = None
        self.messages: list[str] = []
        self.course = Course()
        self.shows_progress = True
        self._after: list[Callable[[], None]] = []
        self._written: BinaryIO | None = None

    def _listen(self, name: str) -> socket.socket:
        assert self._directory is not None
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(os.path.join(self._directory, name))
        listener.listen(1)
        return listener

    def start(self, args: list[str], environment: dict[str, str]) -> None:
        request: dict[str, Any] = {"args": args, "environment": environment}
        for name in self._listeners:
            request[name] = os.path.join(cast(str, self._directory), name)
        self._child.start(self, request)

    # events, from the thread that reads them

    def event(self, event: dict[str, Any]) -> None:
        kind, text = event["event"], str(event.get("text", ""))
        if kind == "output":
            if self._written is None:
                self._written = cast(BinaryIO, tempfile.SpooledTemporaryFile(max_size=_OUTPUT_IN_MEMORY))
            self._written.write(text.encode())
        elif kind == "text":
            self.messages.append(text)
            self._progress.clear()
            is_warning = text.startswith(_PREFIX) and not _NOTE.match(text)
            log.log(logging.WARNING if is_warning else logging.INFO, "%s", text.removeprefix(_PREFIX))
        elif kind == "progress":
            self.course.add(event)
            if self.shows_progress:
                self._progress.show(event)

    def done(self, event: dict[str, Any]) -> None:
        self.exit_code = int(event.get("exit", 1))
        summary = event.get("summary")
        self.summary = summary if isinstance(summary, dict) else None
        if self.exit_code not in (DONE, DONE_WITH_REMARKS):
            sentence = event.get("error") or _SENTENCES.get(self.exit_code, f"the call has ended with exit code {self.exit_code}")
            first = (self.summary or {}).get("firstReject")
            if first:
                sentence = f"{sentence}; of the rejected rows, the first one is {first}"
            self.error = OverdriveError(str(sentence), event.get("kind"), self.exit_code, self.summary)
        self._end()

    def failed(self, error: OverdriveError) -> None:
        self.error = error
        self.exit_code = error.exit_code
        self._end()

    def at_end(self, action: Callable[[], None]) -> None:
        """Has an action run when the call ends; at once if it has ended."""
        self._after.append(action)
        if self.has_ended:
            action()

    def _end(self) -> None:
        self._progress.end(self._rows() if self.error is None else None)
        for each in self._after:
            each()
        self._ended.set()
        with contextlib.suppress(OSError):
            self._waker.close()  # wakes the thread that waits for a connection

    def _rows(self) -> int | None:
        """The number of rows in the summary."""
        found = [(self.summary or {}).get(name) for name in ("rows", "rowsRead", "rowsWritten")]
        return next((rows for rows in found if isinstance(rows, int)), None)

    # data

    def connection(self, name: str) -> socket.socket | None:
        """The child's connection for ``input`` or ``output``; None if the call has ended without it."""
        self._check_process()
        if name in self._data:
            return self._data[name]
        listener = self._listeners.get(name)
        if listener is None:
            return None
        with selectors.DefaultSelector() as selector:
            selector.register(listener, selectors.EVENT_READ)
            selector.register(self._wake, selectors.EVENT_READ)
            ready = [key.fileobj for key, _ in selector.select()]
        if listener not in ready:
            with selectors.DefaultSelector() as selector:  # it may have connected before it ended
                selector.register(listener, selectors.EVENT_READ)
                if not selector.select(0):
                    return None
        data, _ = listener.accept()
        for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
            data.setsockopt(socket.SOL_SOCKET, option, BUFFER_BYTES)
        data.settimeout(_FOREVER_SECONDS)  # with one, Python waits in a way that each signal ends
        self._data[name] = data
        del self._listeners[name]
        listener.close()
        if not self._listeners:
            self._remove_directory()
        return data

    def _check_process(self) -> None:
        if os.getpid() != self._pid:
            raise RuntimeError("these rows belong to the process that has begun to read them: read them there, or call read here")

    def output(self) -> BinaryIO:
        """The text that the call has written."""
        return self._written or io.BytesIO()

    # its end

    @property
    def has_ended(self) -> bool:
        return self._ended.is_set()

    def wait(self) -> None:
        """Waits for the end, and raises the failure of the call."""
        self._check_process()
        try:
            while not self._ended.wait(SIGNAL_SECONDS):
                pass
        except KeyboardInterrupt:
            self.interrupt()
            raise
        self.release()
        if self.error is not None:
            raise self.error

    def interrupt(self) -> None:
        """Ends the call as Ctrl-C does, and waits for that, but not for long."""
        self._child.cancel(self)
        self._close_data()
        self._wait_or_kill()

    def close(self) -> None:
        """Ends the call if it has not ended: the reader is gone."""
        if os.getpid() == self._pid:
            self._close_data()
            if not self._ended.wait(CLOSE_SECONDS):  # it writes nothing, so it does not see that
                self._child.cancel(self)
            self._wait_or_kill()

    def _wait_or_kill(self) -> None:
        try:
            deadline = time.monotonic() + CANCEL_SECONDS
            while not (has_ended := self._ended.wait(SIGNAL_SECONDS)) and time.monotonic() < deadline:
                pass
        except KeyboardInterrupt:  # a second one
            self._child.kill()
            self.release()
            raise
        if not has_ended:
            self._child.kill()
        self.release()

    def abandon(self) -> None:
        """Ends the call without a wait."""
        if os.getpid() == self._pid and not self.has_ended:
            self._after.append(self.release)
            self._close_data()
            self._child.cancel(self)

    def collected(self) -> None:
        """Ends the call without a wait, or frees what an ended one has, when the object that reads it is collected."""
        if os.getpid() == self._pid and self.has_ended:
            self.release()
        else:
            self.abandon()

    def _close_data(self) -> None:
        for each in [*self._data.values(), *self._listeners.values()]:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)  # also for a thread that reads it
            each.close()
        self._listeners.clear()
        self._remove_directory()

    def release(self) -> None:
        """Frees what an ended call has."""
        self._close_data()
        self._wake.close()
        self._waker.close()

    def _remove_directory(self) -> None:
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)
            self._directory = None

    def forget(self) -> None:
        """In a fork of this process: closes its copies of the sockets, and leaves the rest to the parent."""
        for each in [*self._data.values(), *self._listeners.values(), self._wake, self._waker]:
            each.close()


class ArrowInput:
    """The data of a call as a file, for a reader of Arrow streams. It ends well only if the call does. Confined."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._last = b""
        self._is_complete = False
        self.failure: BaseException | None = None
        self.closed = False

    def readable(self) -> bool:
        return True

    def read(self, size: int) -> bytearray:
        buffer = bytearray(min(size, PIECE_BYTES))
        count = self.readinto(buffer)
        while 0 < count < size:  # a size that is wrong must not take the memory
            piece = bytearray(min(size - count, PIECE_BYTES))
            count += self.readinto(piece)
            buffer += piece
        return buffer if count else bytearray()

    def readinto(self, buffer: Any) -> int:
        """Fills the buffer. Less than that is an error, except behind the end mark."""
        if self._is_complete:
            return 0
        try:
            return self._fill(memoryview(buffer).cast("B"))
        except BaseException as e:
            self.failure = e
            if isinstance(e, KeyboardInterrupt):
                self._call.interrupt()
            raise

    def _fill(self, view: memoryview) -> int:
        if self.closed:
            raise OverdriveError("the rows were closed before their end", "closed", READER_GONE)
        data = self._call.connection("output")
        if data is None:
            self._ended_early()
        count = 0
        while count < len(view):
            try:
                received = data.recv_into(view[count:])
            except OSError:  # closed by another thread, or by the child's death
                received = 0
            if received == 0:
                self._ended_early()
            count += received
        self._check_end(data, view)
        return count

    def _check_end(self, data: socket.socket, view: memoryview) -> None:
        """The end mark is passed on only after the call has ended well. Bytes of a batch that look like it have others behind them."""
        if len(view) > len(END_MARK):
            self._last = b""
            return
        self._last = (self._last + bytes(view))[-len(END_MARK) :]
        if self._last == END_MARK and not data.recv(1, socket.MSG_PEEK):
            self._call.wait()
            self._is_complete = True

    def _ended_early(self) -> NoReturn:
        self._call.wait()
        raise OverdriveError("the engine has ended the rows without their end mark: they are not complete", "crashed")

    def close(self) -> None:
        self.closed = True

    def __del__(self) -> None:
        self._call.collected()


class ArrowOutput:
    """The rows for a call as a file, for a writer of Arrow streams. Confined."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._is_given_up = False
        self.closed = False

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        connection = None if self._is_given_up else self._call.connection("input")
        if connection is None:
            raise BrokenPipeError("the call has ended before it has read all rows")
        connection.sendall(view)
        return len(view)

    def flush(self) -> None:
        pass

    def give_up(self) -> None:
        """Lets nothing follow, and no end mark, so that the rows do not look complete."""
        self._is_given_up = True

    def finish(self) -> None:
        """The end of the input."""
        connection = self._call.connection("input")
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self.closed = True
