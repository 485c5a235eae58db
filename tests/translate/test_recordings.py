"""The recorded translations in `recordings/` still pass every wall, and replay to their end."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from envwright.errors import EnvwrightError
from envwright.schema.names import join_options
from envwright.sim.program.tracer import Tracer
from envwright.translate.allowed import forbidden
from envwright.translate.jailed import last_module
from envwright.translate.spec import TranslationSpec, load_spec

ROOT = Path(__file__).parents[2]
NAMES = sorted(path.parent.name for path in (ROOT / "recordings").glob("*/recording.json"))
JAX = [n for n in NAMES if load_spec(ROOT / "recordings" / n).target.backend == "jax"]
QUICK = ("bazaar", "halfcheetah", "tcgpocket-blows")  # to compile


@pytest.fixture
def spec(request, tmp_path, monkeypatch) -> TranslationSpec:
    """A recording's specification, with the code that it ends with importable."""
    folder = ROOT / "recordings" / request.param
    files: dict[str, str | None] = {}
    for turn in json.loads((folder / "recording.json").read_text())["turns"]:
        files |= turn["files"]
    for name, text in files.items():
        if name.startswith("src/") and text is not None:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path / "src")
    return load_spec(folder)


def test_there_are_seven():
    assert len(NAMES) == 7 and len(JAX) == 6


@pytest.mark.parametrize(
    "spec",
    [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in JAX],
    indirect=True,
)
def test_its_code_passes_the_walls_and_describes_itself(spec, tmp_path):
    package = spec.target.package
    assert forbidden(tmp_path / "src" / package, package) == []
    entry = f"python:{package}.{last_module(spec)}"
    for check in spec.checks:
        name = join_options(entry, check.options)
        tracer = Tracer(name, package, own_batches=False, restarts=spec.target.restarts)
        about, _ = tracer.on_about()
        assert about["state"]


@pytest.mark.parametrize(
    ("spec", "restarts", "reason"),
    [
        ("pong-jax", False, "Pong restarts by itself, which is not what .target. of the spec"),
        ("ferry", True, "Ferry does not restart, which is not what .target. of the specification"),
    ],
    indirect=["spec"],
)
def test_restarts_are_those_of_the_specification(spec, restarts, reason):
    package = spec.target.package
    name = join_options(f"python:{package}.{last_module(spec)}", spec.checks[0].options)
    with pytest.raises(EnvwrightError, match=reason):
        Tracer(name, package, own_batches=False, restarts=restarts).on_about()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_it_replays_to_its_end(name, tmp_path):
    folder = shutil.copytree(
        ROOT / "recordings" / name, tmp_path / name, ignore=shutil.ignore_patterns("runs")
    )
    command = [sys.executable, "-m", "envwright", "translate", str(folder)]
    done = subprocess.run(
        [*command, "--agent", "replay", "--trust"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "verified" in done.stdout + done.stderr
