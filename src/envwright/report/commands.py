"""The commands that make a result again, or for the first time."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

from envwright.report.results import Found, divergences_of
from envwright.schema.divergence import Divergence, PairDivergence, Vector
from envwright.schema.results import Bench, Training, Verification

USUAL_LEVELS = [1, 2, 3]
TARGETS = re.compile(r"make( [a-z][a-z0-9-]*)+")  # an option, or a variable, may be a program


def remake(found: Found[Any], env: str) -> str:
    """Return the command that writes this file again: as stored, or the usual one of its kind."""
    result, target = found.record, found.path
    if is_plain(result.command):
        return result.command
    if isinstance(result, Verification):
        return _verify(result, env, target)
    if isinstance(result, Training):
        return _train(result, env, target)
    if isinstance(result, Bench) and result.settings.get("kind", "random") != "random":
        return _joined(["bench", env, "--kind", str(result.settings["kind"])], target)
    return first(result.kind, env, target)


def is_plain(command: str) -> bool:
    """Return whether a stored command may be shown: one of ours, which a shell does not expand."""
    try:
        words = shlex.split(command)
    except ValueError:  # an open quote
        return False
    ours = words[:1] == ["envwright"] or TARGETS.fullmatch(command)
    return bool(ours) and shlex.join(words) == command


def first(kind: str, env: str, target: Path) -> str:
    """Return the command that makes a result of this kind for an environment of the zoo."""
    if kind == "play":
        run = f"runs/{env}"
        words = ["play", run, "-o", str(target.with_suffix(".webp"))]
        return f"envwright train {env} --checkpoint {run} && {_joined(words, target)}"
    words = {
        "verify": ["verify", env],
        "transfer": ["verify", env, "--levels", "4"],
        "mutation": ["mutate", env],
        "coverage": ["coverage", env],
        "bench": ["bench", env],
        "breakdown": ["bench", env, "--kind", "breakdown"],
        "training": ["train", env, "--seeds", "10"],
        "elo": ["elo", env],
        # The folder and the agent are not stored.
        "ablation": ["ablate", "FOLDER", "--agent", "AGENT"],
        "optimisation": ["optimise", "FOLDER", "--agent", "AGENT"],
        "update": ["update", env or "FOLDER", "--check"],
    }[kind]
    return _joined(words, target)


def _train(result: Training, env: str, target: Path) -> str:
    words = ["train", env, "--backend", result.backend, "--seeds", str(len(result.seeds))]
    if result.seeds and result.seeds[0]:
        words += ["--seed", str(result.seeds[0])]
    for option in ("steps", "network"):
        if isinstance(value := result.config.get(option), int | str):
            words += [f"--{option}", str(value)]
    return _joined(words, target)


def _verify(result: Verification, env: str, target: Path) -> str:
    words = ["verify"]
    if result.env:
        words += [env, *(["--backend", result.backend] if result.backend else [])]
    else:
        words += ["--reference", result.reference, "--twin", result.twin]
        words += _options_of_a_pair(divergences_of(result))
    levels = sorted(level.level for level in result.levels)
    if levels != USUAL_LEVELS and "--vector" not in words:
        words += ["--levels", ",".join(map(str, levels))]
    if result.seed:
        words += ["--seed", str(result.seed)]
    return _joined(words, target)


def _options_of_a_pair(divergences: list[Divergence]) -> list[str]:
    """Return bridge, tolerance and form from its divergences; unknown without any."""
    one = divergences[0] if divergences else None
    if not isinstance(one, PairDivergence):
        return []
    words = ["--bridge", one.bridge] if one.bridge else []
    for option in ("atol", "ulp"):
        default = one.tolerances.get("default", {}).get(option, 0)
        words += [f"--{option}", f"{default:g}"] if default else []
        for name, tol in one.tolerances.get("fields", {}).items():
            words += [f"--{option}", f"{name}={tol[option]:g}"] if tol.get(option) else []
    vector = any(isinstance(d, Vector) for d in divergences)
    return [*words, *(["--vector"] if vector else [])]


def _joined(words: list[str], target: Path) -> str:
    return shlex.join(["envwright", *words, "--json", str(target)])
