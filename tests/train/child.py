"""A training process of its own, which can be told where to die.

    python -m tests.train.child '{"simulator": …, "config": {…}, "folder": …, "die": [where, n]}'

`die` names a moment: the n-th time that something is about to happen, or has just happened.
`devices` divides the environments; `join` names coordinator, processes and process.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

MOMENTS = {
    "arrays being written": ("orbax.checkpoint:StandardCheckpointer.save", "after"),
    "arrays written": ("envwright.train.checkpoint:write_json", "before"),
    "no manifest yet": ("envwright.train.checkpoint:_digests", "before"),
    "complete but not named": ("pathlib:Path.rename", "before"),
    "named": ("pathlib:Path.rename", "after"),
    "an old one half removed": ("shutil:os.rmdir", "before"),
    "file drafted": ("envwright.core.files:os.replace", "before"),
    "line untold": ("envwright.train.log:RunLog.write", "before"),
    "line told": ("envwright.train.log:RunLog.write", "after"),
    "policies kept": ("envwright.train.policy:Policies.save", "after"),
    "log reopened": ("envwright.train.log:write_text", "after"),
    "checkpoint read": ("envwright.train.checkpoint:Checkpoints.newest", "after"),
}


KEEPERS = ("train/log.py", "train/checkpoint.py", "train/policy.py", "core/files.py", "shutil.py")


def main(told: dict[str, Any]) -> None:
    from envwright.train import Keeping, PPOConfig, RunSpec, train
    from envwright.train.devices import join_hosts, make_mesh

    if "join" in told:
        join_hosts(*told["join"])
    mesh = make_mesh(told["devices"]) if "devices" in told else None
    spec = RunSpec(told["simulator"], PPOConfig(**told["config"]), tuple(told.get("seeds", [0])))
    keeping = Keeping(Path(told["folder"]), resume=True, every_seconds=0)
    watch = arm(*told["die"]) if "die" in told else None
    train(spec, keeping, mesh=mesh, warn=print, **({"watch": watch} if watch else {}))


def arm(where: str, n: int) -> Any:
    """Arrange to die; what is returned watches the run."""
    if where == "torn line":
        tear_line(n)
    elif where == "line of code":
        return lambda line, updates: sys.gettrace() or sys.settrace(count_lines(n))
    else:
        path, when = MOMENTS[where]
        kill_at(path, when, n)
    return None


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at(path: str, when: str, n: int) -> None:
    owner, name = place_of(path)
    setattr(owner, name, fatal_at(getattr(owner, name), when, n))


def place_of(path: str) -> tuple[Any, str]:
    """What holds an attribute, and its name."""
    module, _, attribute = path.partition(":")
    owner: Any = importlib.import_module(module)
    *outer, name = attribute.split(".")
    for part in outer:
        owner = getattr(owner, part)
    return owner, name


def fatal_at(original: Any, when: str, n: int, die: Callable[[], None] = die) -> Any:
    """A function that dies before or after its n-th call."""
    calls = 0

    def fatal(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == n and when == "before":
            die()
        result = original(*args, **kwargs)
        if calls == n:
            die()
        return result

    return fatal


def tear_line(n: int) -> None:
    """Die in the middle of writing the n-th line of the log."""
    from envwright.train.log import RunLog

    told = 0

    def write(self: RunLog, line: dict[str, Any]) -> None:
        nonlocal told
        told += 1
        text = json.dumps(line) + "\n"
        self._file.write(text[: len(text) // 2] if told == n else text)
        self._file.flush()
        if told == n:
            die()

    RunLog.write = write  # type: ignore[method-assign]


def count_lines(n: int, keepers: tuple[str, ...] = KEEPERS) -> Any:
    """A tracer that dies at the n-th line of what keeps a run: loop, log, checkpoints, files."""
    left = n

    def line(frame: Any, event: str, _: Any) -> Any:
        nonlocal left
        left -= event == "line"
        if left <= 0:
            die()
        return line

    def call(frame: Any, event: str, _: Any) -> Any:
        return line if frame.f_code.co_filename.endswith(keepers) else None

    return call


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
