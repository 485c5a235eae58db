"""Commands in a jail: run one to its end, or exchange messages with one."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO

from envwright.sandbox.jail import MB, Finished, Jail, Stop
from envwright.sandbox.keeper import Keeper

CHUNK = 1 << 16
FLUSH = 5.0  # seconds for the last output; a process that escaped an unsafe run may hold it open


class Child:
    """A command running in a jail. Its pipes are binary; leaving the context ends it."""

    def __init__(self, command: Sequence[str], jail: Jail, cwd: Path | None = None) -> None:
        self._keeper = Keeper(command, jail, cwd or _first_folder(jail))
        weakref.finalize(self, self._keeper.stop)  # for callers who forget it
        self._limit = jail.limits.output_mb * MB
        try:
            self._keeper.start()
            process = self._keeper.begun.result()
            assert process.stdin and process.stdout and process.stderr
            self.stdin: IO[bytes] = process.stdin
            self.stdout: IO[bytes] = process.stdout
            self._pipes: list[IO[bytes]] = [self.stdin, self.stdout]  # to be closed here
            self._stderr = self._drained(process.stderr)
        except BaseException:  # Ctrl-C among them
            self._keeper.finish()
            raise

    @property
    def stopped(self) -> Stop:
        """The limit at which the jail ended it; set before its pipes close."""
        return self._keeper.stopped

    @property
    def seconds(self) -> float:
        """How long it ran; set at the end."""
        return self._keeper.seconds

    @property
    def errors(self) -> str:
        """Its output on stderr so far."""
        return self._stderr.text

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait until all of the jail has ended; return the exit code, or None after `timeout`."""
        self._keeper.over.wait(timeout)
        if self._keeper.failure is not None:
            raise self._keeper.failure
        return self._keeper.code

    def close(self) -> None:
        """End it and wait until all its processes are gone."""
        self._keeper.finish()
        self._stderr.join(FLUSH)
        for pipe in self._pipes:
            with suppress(OSError):  # unread input is lost
                pipe.close()

    def answer(self, question: bytes) -> tuple[int, str]:
        """Send all of its input; return the exit code and everything it prints."""
        self._pipes = []
        output = self._drained(self.stdout)
        threading.Thread(target=_feed, args=(self.stdin, question), daemon=True).start()
        code = self.wait()
        output.join(FLUSH)
        assert code is not None
        return code, output.text

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _drained(self, pipe: IO[bytes]) -> _Drain:
        return _Drain(pipe, self._limit, partial(self._keeper.stop, "output"))


class _Drain(threading.Thread):
    """Read a pipe to its end and keep a bounded part."""

    def __init__(self, pipe: IO[bytes], limit: int, overflow: Callable[[], None]) -> None:
        super().__init__(name="jail output", daemon=True)
        self._pipe, self._limit, self._overflow = pipe, limit, overflow
        self._kept = bytearray()
        self._cut = False
        self.start()

    def run(self) -> None:
        """Read until the pipe closes."""
        with self._pipe:
            while chunk := self._pipe.read1(CHUNK):  # type: ignore[attr-defined]
                room = self._limit - len(self._kept)
                self._kept += chunk[:room]
                if len(chunk) > room and not self._cut:
                    self._cut = True
                    self._overflow()

    @property
    def text(self) -> str:
        """The output read so far; the last line marks a cut."""
        text = bytes(self._kept).decode(errors="replace")
        return text + f"\n[cut after {self._limit // MB} MB]\n" if self._cut else text


def start(command: Sequence[str], jail: Jail, *, cwd: Path | None = None) -> Child:
    """Start a long-running command, by default in the first writable folder."""
    return Child(command, jail, cwd)


def run(
    command: Sequence[str], jail: Jail, *, stdin: str | bytes = b"", cwd: Path | None = None
) -> Finished:
    """Run a command to its end or to a limit, and leave no process behind."""
    with start(command, jail, cwd=cwd) as child:
        code, output = child.answer(stdin.encode() if isinstance(stdin, str) else stdin)
    return Finished(code, output, child.errors, child.seconds, child.stopped)


def _feed(pipe: IO[bytes], text: bytes) -> None:
    with suppress(OSError), pipe:  # it may end without reading
        pipe.write(text)


def _first_folder(jail: Jail) -> Path:
    return next(iter((*jail.writable, *([jail.home] if jail.home else []))), Path("/tmp"))
