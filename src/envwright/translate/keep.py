"""Makes a recording of a run: compact, and enough to do the whole loop again anywhere."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

from envwright.agents.replay import FILE
from envwright.core.files import write_json
from envwright.errors import EnvwrightError
from envwright.translate.journal import Journal, Store
from envwright.translate.start import Kept

KEPT = (".toml", ".py", ".md", ".txt", ".rs", ".c", ".h", ".js", ".ts", ".json")


def keep_recording(run: Kept, folder: Path, about: dict[str, str]) -> Path:
    """Write specification and turns of a run into a folder; `about` says who made it."""
    if (folder / FILE).exists():
        raise EnvwrightError(f"{folder} holds a recording already; choose another folder")
    store = Store(run.folder / "objects")
    begun = run.journal.of("begun")[0]
    known = {
        "made by": begun["agent"].get("who") or begun["agent"]["kind"],
        "made on": time.strftime("%Y-%m-%d", time.gmtime(begun.time)),
        "costs": _costs(begun["agent"]) if run.position.usage.tokens else "not known",
        "envwright": begun["envwright"],
        "ended": run.position.ended,
        "levels": ",".join(map(str, run.levels)),
        "seed": begun["seed"],
    }
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(run.spec.folder.iterdir()):  # the specification and what it may name
        if path.is_file() and path.suffix in KEPT and not path.name.startswith("."):
            shutil.copyfile(path, folder / path.name)
    turns = _turns(run.journal, store)
    return write_json(folder / FILE, {"about": {**known, **about}, "turns": turns})


def _costs(agent: dict[str, str]) -> str:
    """What the figures mean; of a replay, what they meant when it was recorded."""
    return agent.get("costs") or agent.get("recorded costs", "not known")


def _turns(journal: Journal, store: Store) -> list[dict[str, Any]]:
    """Every answer, as the agent gave it."""
    tasks = {event["turn"]: event["task"] for event in journal.of("asked")}
    turns: list[dict[str, Any]] = []
    for event in journal.of("answered", "edited"):
        files = {path: _text(store, name) for path, name in event["files"].items()}
        if event.kind == "edited":
            raise EnvwrightError(
                "a person changed the code of this run; a recording of it would claim too much"
            )
        kept = {name: event[name] for name in ("status", "reason", "text", "usage", "seconds")}
        turns.append({"purpose": tasks[event["turn"]], **kept, "files": files})
    return turns


def _text(store: Store, name: str | None) -> str | None:
    try:
        return None if name is None else store.get(name).decode()
    except UnicodeDecodeError as error:
        raise EnvwrightError("the agent wrote a file that is no text; it cannot be kept") from error
