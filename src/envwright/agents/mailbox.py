"""Use a person or another program as the agent, through files.

Each turn has a folder in the mailbox with `prompt.md`. The answerer works in the workspace that the
prompt names, then writes `answer.md` beside the prompt. A first line `tokens: 12345 in, 678 out`
reports usage.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from envwright.agents.base import Answer, Task, Usage
from envwright.core.files import read_bytes, write_text

LONGEST = 1 << 20  # bytes of an answer
_COUNT = r"([0-9][0-9,]{0,17})"
_TOKENS = re.compile(rf"^tokens: *{_COUNT} in, *{_COUNT} out *$", re.IGNORECASE)


@dataclass(frozen=True)
class MailboxAgent:
    """Waits for answers. `who` describes the answerer."""

    folder: Path
    who: str = "a person or a program, by hand"
    poll: float = 0.5  # seconds
    told: Callable[[str], None] = lambda text: None
    name: str = "mailbox"
    patient: bool = True

    def ask(self, task: Task) -> Answer:
        place = self.folder / f"{task.number:03d}"
        place.mkdir(parents=True, exist_ok=True)
        answer = place / "answer.md"
        if not (place / "prompt.md").exists():
            write_text(place / "prompt.md", _letter(task, answer))
        self.told(f"waiting for {answer}")
        began = time.monotonic()
        while not answer.exists():
            if time.monotonic() - began > task.allowance.seconds:
                missing = f"{answer} was not written in time"
                return Answer("timeout", missing, seconds=task.allowance.seconds)
            time.sleep(self.poll)
        seconds = time.monotonic() - began
        try:
            text = read_bytes(answer, LONGEST).decode("utf-8", "replace")
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            return Answer("crash", f"{answer} cannot be read: {reason}", seconds=seconds)
        return Answer("ok", text=text, usage=_usage(text), seconds=seconds)

    def describe(self) -> dict[str, str]:
        return {
            "kind": "mailbox",
            "who": self.who,
            "costs": "tokens as the answerer states them, no dollars",
        }


def _letter(task: Task, answer: Path) -> str:
    return (
        f"{task.prompt.rstrip()}\n\n---\n\nThe workspace is `{task.workspace}`. When you are done, "
        f"write what you did, in a sentence or two, to `{answer}`.\n"
    )


def _usage(text: str) -> Usage:
    found = _TOKENS.match(text.partition("\n")[0].strip())
    if found is None:
        return Usage()
    read, written = (int(n.replace(",", "")) for n in found.groups())
    return Usage(prompt=read, output=written)
