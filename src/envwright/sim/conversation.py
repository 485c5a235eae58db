"""Questions to a child process and its answers: one JSON object per line."""

from __future__ import annotations

import json
import os
import select
import shlex
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any, Protocol

from envwright.errors import EnvwrightError
from envwright.sim import bounds
from envwright.sim.encoding import decode, encode
from envwright.sim.simulator import TwinRaised

PATIENCE = 60.0  # seconds for one answer
# An exception of the other side, a process that has ended, and malformed answers.
NO_ANSWER = (TwinRaised, RuntimeError, LookupError, TypeError, ValueError, AttributeError)


class TooLate(RuntimeError):
    """A process did not answer in time."""


class Child(Protocol):
    """A running process with binary pipes."""

    @property
    def stdin(self) -> IO[bytes] | None: ...

    @property
    def stdout(self) -> IO[bytes] | None: ...

    @property
    def last_words(self) -> str:
        """Return why it ended, as far as that is known."""
        ...

    def close(self) -> None:
        """Stop it, gently if it responds."""
        ...


class ChildProcess(subprocess.Popen[bytes]):
    """An ordinary process."""

    last_words = ""

    def close(self) -> None:
        """Close its input, which ends it; kill it otherwise."""
        for pipe in (self.stdin, self.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        try:
            self.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self.kill()
            self.wait()


class Conversation:
    """Asks a program that `start` starts, and restarts it after it has ended.

    An answer `{"error": "…"}` is raised as `TwinRaised`; a process that ends, does not answer or
    sends malformed answers as `RuntimeError`.
    """

    def __init__(self, start: Callable[[], Child], patience: float | None = None) -> None:
        self._start = start
        self._patience = PATIENCE if patience is None else patience
        self._child: Child | None = None
        self._unread = b""
        self._asked = False  # the current child; one that cannot start reports it at once
        self.packed = False  # whether the program takes arrays as bytes

    @property
    def goes_on(self) -> bool:
        """Whether a program is running that can be asked."""
        return self._child is not None

    def ask(self, op: str, at_most: int | None = None, **more: Any) -> dict[str, Any]:
        """Ask, and return an answer of at most so many values (None: those of any first answer).

        A step needs what came before, so it starts nothing.
        """
        values = bounds.SPARE if at_most is None else at_most
        if self._child is None and op != "step":
            self._child = self._start()
        question = json.dumps({"op": op, **encode(more, self.packed)}).encode()
        line = self._answer(question, bounds.most_bytes(values))
        if not line:
            words = self.close()
            raise RuntimeError(f"the process ended: {words}" if words else "the process ended")
        try:
            answer = decode(bounds.parse(line, values))
        except bounds.TooMuch as error:
            self.close()
            raise RuntimeError(str(error)) from None
        except (ValueError, TypeError):
            answer = None
        if not isinstance(answer, dict):
            self.close()  # questions and answers are out of step
            raise RuntimeError(f"not a JSON object: {line.strip().decode(errors='replace')[:80]!r}")
        if "error" in answer:
            raise TwinRaised(str(answer["error"]))
        return answer

    def close(self) -> str:
        """Stop the program; return why it had ended already, if it had and that is known."""
        if self._child is None:
            return ""
        child, self._child, self._unread, self._asked = self._child, None, b"", False
        child.close()
        return child.last_words

    def _answer(self, question: bytes, longest: int) -> bytes:
        """Return the next line of the child; empty if it has ended."""
        if self._child is None:
            return b""
        assert self._child.stdin and self._child.stdout
        reader = self._child.stdout.fileno()
        if self._unread or (self._asked and select.select([reader], [], [], 0)[0]):
            heard = self._unread or os.read(reader, 100)
            self.close()
            if not heard:
                return b""
            raise RuntimeError(f"it answered without a question: {heard[:80]!r}")
        self._asked = True
        deadline = time.monotonic() + self._patience
        # A process that has ended may have reported why before.
        with suppress(BrokenPipeError, ValueError):
            self._say(self._child.stdin.fileno(), question + b"\n", deadline)
        parts, size = [b""], 0
        while b"\n" not in parts[-1]:
            if not select.select([reader], [], [], max(0.0, deadline - time.monotonic()))[0]:
                self._give_up()
            parts.append(os.read(reader, 1 << 20))
            size += len(parts[-1])
            if not parts[-1]:
                return b""
            if size > longest:
                self.close()
                raise RuntimeError(f"an answer of more than {longest:,} bytes")
        line, _, self._unread = b"".join(parts).partition(b"\n")
        return line

    def _say(self, writer: int, text: bytes, deadline: float) -> None:
        """Write the question, unless the process does not read it in time."""
        os.set_blocking(writer, False)
        rest = memoryview(text)
        while rest:
            if not select.select([], [writer], [], max(0.0, deadline - time.monotonic()))[1]:
                self._give_up()
            rest = rest[os.write(writer, rest[: 1 << 16]) :]

    def _give_up(self) -> None:
        self.close()
        raise TooLate(f"no answer within {self._patience:g} s")


def start_command(command: str) -> Child:
    """Start a program as an ordinary process."""
    try:
        return ChildProcess(
            shlex.split(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for us; the child ends with its input
        )
    except (OSError, ValueError, IndexError) as error:
        raise EnvwrightError(f"cannot start {command!r}: {error}") from error
