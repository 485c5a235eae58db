"""Commands in a jail: one that is run to its end, or one that is asked questions."""

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
    """A command that lives in a jail. Its pipes are binary; leaving the context ends it."""

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
        """The limit at which the jail ended it. Known before its pipes close."""
        return self._keeper.stopped

    @property
    def seconds(self) -> float:
        """How long it lived; known at the end."""
        return self._keeper.seconds

    @property
    def errors(self) -> str:
        """What it has written to stderr so far."""
        return self._stderr.text

    def wait(self, timeout: float | None = None) -> int | None:
        """Its exit code once all of the jail is gone; None if that takes longer."""
        self._keeper.over.wait(timeout)
        if self._keeper.failure is not None:
            raise self._keeper.failure
        return self._keeper.code

    def close(self) -> None:
        """End it, and wait until nothing of it is left."""
        self._keeper.finish()
        self._stderr.join(FLUSH)
        for pipe in self._pipes:
            with suppress(OSError):  # what it did not read is lost
                pipe.close()

    def answer(self, question: bytes) -> tuple[int, str]:
        """Its exit code and all that it prints, given all that it will ever be told."""
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
    """Reads a pipe to its end, and keeps a bounded part."""

    def __init__(self, pipe: IO[bytes], limit: int, overflow: Callable[[], None]) -> None:
        super().__init__(name="jail output", daemon=True)
        self._pipe, self._limit, self._overflow = pipe, limit, overflow
        self._kept = bytearray()
        self._cut = False
        self.start()

    def run(self) -> None:
        """What the thread does."""
        with self._pipe:
            while chunk := self._pipe.read1(CHUNK):  # type: ignore[attr-defined]
                room = self._limit - len(self._kept)
                self._kept += chunk[:room]
                if len(chunk) > room and not self._cut:
                    self._cut = True
                    self._overflow()

    @property
    def text(self) -> str:
        """What has been read; the last line says so if there was more."""
        text = bytes(self._kept).decode(errors="replace")
        return text + f"\n[cut after {self._limit // MB} MB]\n" if self._cut else text


def start(command: Sequence[str], jail: Jail, *, cwd: Path | None = None) -> Child:
    """A long-living command. The working directory is the first writable folder unless given."""
    return Child(command, jail, cwd)


def run(
    command: Sequence[str], jail: Jail, *, stdin: str | bytes = b"", cwd: Path | None = None
) -> Finished:
    """Run a command to its end, or to a limit; afterwards nothing of it is left."""
    with start(command, jail, cwd=cwd) as child:
        code, output = child.answer(stdin.encode() if isinstance(stdin, str) else stdin)
    return Finished(code, output, child.errors, child.seconds, child.stopped)


def _feed(pipe: IO[bytes], text: bytes) -> None:
    with suppress(OSError), pipe:  # it may end without reading
        pipe.write(text)


def _first_folder(jail: Jail) -> Path:
    return next(iter((*jail.writable, *([jail.home] if jail.home else []))), Path("/tmp"))
