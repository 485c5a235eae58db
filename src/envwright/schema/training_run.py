"""`run.json`: what decides a training run, stored in its folder."""

from __future__ import annotations

from pathlib import Path

import msgspec

from envwright.core.files import write_json
from envwright.errors import EnvwrightError, SchemaError
from envwright.schema.json_records import as_json, read_record

RUN = "run.json"


class TrainingRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Simulator, settings of PPO by name, and seeds."""

    simulator: str
    config: dict[str, bool | int | float | str]
    seeds: tuple[int, ...]

    def save(self, folder: Path) -> Path:
        """Write it into a folder."""
        return write_json(folder / RUN, as_json(self))


def load_training_run(folder: Path) -> TrainingRun:
    """Load the run in a folder. Raises `EnvwrightError` if there is none."""
    if not (folder / RUN).exists():
        raise EnvwrightError(f"there is no run in {folder}; train into it first")
    try:
        return read_record(folder / RUN, TrainingRun, "a training run")
    except SchemaError as error:
        raise unusable(folder, error.reason) from error


def unusable(folder: Path, reason: str) -> EnvwrightError:
    """Return the error to raise for a run that cannot be continued."""
    return EnvwrightError(f"{folder / RUN} cannot be read; train into another folder ({reason})")
