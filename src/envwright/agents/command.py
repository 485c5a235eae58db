"""Use any program as an agent: it reads the prompt, changes files, and exits.

The program receives the prompt on standard input and in `TASK.md`; its working directory is the
workspace. Exit code 0 means done. Its output becomes the answer's text.
"""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from envwright.agents.base import Answer, Status, Task
from envwright.agents.turn_folder import keep_output, temporary_home
from envwright.errors import EnvwrightError
from envwright.sandbox import Finished, Jail, Limits, finished_rooms, run, tools


@dataclass(frozen=True)
class CommandAgent:
    """Runs a command for every turn."""

    command: str
    readable: tuple[Path, ...] = ()
    confined: bool = True
    name: str = "command"
    patient: bool = False
    _words: list[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise EnvwrightError(f"--command {self.command!r}: {error}") from error
        found = shutil.which(words[0]) if words else None
        if found is None:
            raise EnvwrightError(f"--command: program {words[0] if words else ''!r} not found")
        # The working directory will differ.
        files = [str(Path(w).resolve()) if Path(w).is_file() else w for w in words[1:]]
        object.__setattr__(self, "_words", [str(Path(found).absolute()), *files])

    def ask(self, task: Task) -> Answer:
        with temporary_home(task.folder) as home:
            jail = Jail(
                writable=(task.workspace,),
                readable=(*tools(), *self._files(), *self.readable),
                hidden=finished_rooms(),
                home=home,
                limits=Limits(seconds=task.allowance.seconds),
                confined=self.confined,
            )
            done = run(self._words, jail, stdin=task.prompt, cwd=task.workspace)
        keep_output(task.folder, "output.txt", done.stdout + done.stderr)
        return _answer(done)

    def describe(self) -> dict[str, str]:
        return {"kind": "command", "command": self.command, "costs": "none are counted"}

    def _files(self) -> tuple[Path, ...]:
        """Return the program and its file arguments, which it must be able to read."""
        return tuple(Path(w).resolve() for w in self._words if Path(w).is_file())


def _answer(done: Finished) -> Answer:
    status: Status = "ok" if done.code == 0 else "crash"
    reason = ""
    if done.stopped == "time":
        status, reason = "timeout", "the command took too long"
    elif done.stopped:
        status, reason = "crash", f"the command was stopped: too much {done.stopped}"
    elif status == "crash":
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1][:300]
        reason = f"the command ended with code {done.code}: {last}"
    return Answer(status, reason, done.stdout.strip()[-4000:], seconds=done.seconds)
