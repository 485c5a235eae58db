"""Use a recorded run as the agent: repeat its edits and judge them again."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from envwright.agents.base import AgentFailed, Answer, Task
from envwright.errors import EnvwrightError
from envwright.sandbox import tree
from envwright.schema.recording import Recording


@dataclass(frozen=True)
class ReplayAgent:
    """Gives the recorded answers, turn by turn."""

    recording: Recording
    name: str = field(default="replay", init=False)
    patient: bool = field(default=False, init=False)

    def ask(self, task: Task) -> Answer:
        if task.number > len(self.recording.turns):
            raise AgentFailed(f"the recording ends after {len(self.recording.turns)} turns")
        turn = self.recording.turns[task.number - 1]
        if turn.purpose != task.title:
            raise AgentFailed(
                f"turn {task.number} was recorded as {turn.purpose!r}, but the run now asks for "
                f"{task.title!r}: the run took another course"
            )
        for path, text in turn.files.items():
            try:
                _write(task.workspace, path, text)
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                raise EnvwrightError(f"the recording cannot write {path!r}: {reason}") from error
        return Answer(turn.status, turn.reason, turn.text, turn.usage, turn.seconds)

    def describe(self) -> dict[str, str]:
        about = {str(k): str(v) for k, v in self.recording.about.items()}
        return {"kind": "replay", **{f"recorded {k}": v for k, v in about.items()}}


def _write(workspace: Path, path: str, text: str | None) -> None:
    if text is None:
        tree.unlink(workspace, path)
    else:
        tree.write(workspace, path, text.encode())
