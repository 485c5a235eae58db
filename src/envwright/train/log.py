"""The log of a run: a line of JSON for each chunk, and TensorBoard's files."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import msgspec

from envwright.core.files import LARGEST_RUN, read_text, write_text
from envwright.errors import EnvwrightError
from envwright.schema.json_records import parse_json
from envwright.train.runners import Metrics

METRICS, TENSORBOARD = "metrics.jsonl", "tensorboard"


class Line(msgspec.Struct):
    """The fields of every line, beside a list for each loss."""

    update: int
    steps: int
    seconds: float
    steps_per_second: float
    episodes: list[float | None]
    returns: list[float | None] = msgspec.field(name="return")
    length: list[float | None]


class Progress(msgspec.Struct):
    """The progress of the log that a checkpoint keeps."""

    seconds: float
    curve: list[dict[str, Any]]


class RunLog:
    """Appends to `metrics.jsonl` and `tensorboard/` of a run's folder.

    Opened at update 0 it begins anew; opened at a later one it first removes what was logged after
    that, since those updates are repeated.
    """

    def __init__(self, folder: Path, update: int = 0) -> None:
        from tensorboardX import SummaryWriter

        self.path = folder / METRICS
        kept = [line for line in read_log(folder) if line["update"] <= update]
        write_text(self.path, "".join(json.dumps(line) + "\n" for line in kept))
        self._file = open(self.path, "a", encoding="utf-8")  # noqa: SIM115  closed by close
        # A kill loses what TensorBoard's writer has not yet written, so all is logged again, and
        # older files are hidden. Their names contain only seconds, and must differ.
        self._board = SummaryWriter(
            str(folder / TENSORBOARD), purge_step=1, filename_suffix=f".{update:010d}"
        )
        for line in kept:
            self._show(line)

    def write(self, line: dict[str, Any]) -> None:
        """Log one chunk."""
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()
        self._show(line)

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        self._board.close()

    def _show(self, line: dict[str, Any]) -> None:
        for name, value in line.items():
            if isinstance(value, list):
                self._show_seeds(name, value, line["steps"])
            elif name == "steps_per_second":
                self._board.add_scalar("speed/steps_per_second", value, line["steps"])

    def _show_seeds(self, name: str, values: list[float | None], steps: int) -> None:
        known = [value for value in values if value is not None]
        group = "episode" if name in ("return", "length", "episodes") else "learning"
        if known:
            self._board.add_scalar(f"{group}/{name}", sum(known) / len(known), steps)
        if name == "return" and len(values) > 1:
            for seed, value in enumerate(values):
                if value is not None:
                    self._board.add_scalar(f"seeds/{name}_{seed}", value, steps)


def as_line(
    update: int, steps: int, seconds: float, steps_per_second: float, metrics: Metrics
) -> dict[str, Any]:
    """Return a line of `metrics.jsonl`; lists have a value per seed, null without episodes."""
    lists = {
        "episodes": metrics.episodes,
        "return": metrics.returns,
        "length": metrics.lengths,
        **metrics.losses,
    }
    return {
        "update": update,
        "steps": steps,
        "seconds": round(seconds, 4),
        "steps_per_second": round(steps_per_second, 1),
        **{name: [_number(x) for x in values.tolist()] for name, values in lists.items()},
    }


def read_log(folder: Path) -> list[dict[str, Any]]:
    """Return all complete lines; a last line that was cut off by a kill is left out.

    Raises `EnvwrightError` for a line that does not belong to a log.
    """
    path = folder / METRICS
    if not path.exists():
        return []
    try:
        *whole, _ = read_text(path, LARGEST_RUN).split("\n")
        return [check_line(parse_json(text)) for text in whole]
    except ValueError as error:
        raise EnvwrightError(
            f"{path} is not the log of a training run: {error}; move it away to begin a new log"
        ) from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise EnvwrightError(f"{path} cannot be read: {reason}") from error


def check_line(data: Any) -> dict[str, Any]:
    """Return the data of a line. Raises `ValueError` if it lacks or misuses a field."""
    msgspec.convert(data, Line)
    msgspec.convert(data, dict[str, float | list[float | None]])
    return data


def read_progress(data: Any) -> tuple[list[dict[str, Any]], float]:
    """Return the lines so far and the seconds that a checkpoint states. Raises `ValueError`."""
    progress = msgspec.convert(data, Progress)
    return [check_line(line) for line in progress.curve], progress.seconds


def _number(x: float) -> float | None:
    return x if math.isfinite(x) else None
