"""The import contracts of pyproject.toml hold, and each of them notices a violation."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from envwright.core.registry import rooms

ROOT = Path(__file__).parents[2]
PACKAGE = Path("src/envwright")
LINT = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
RUFF = [sys.executable, "-m", "ruff", "check", "--no-cache"]
CONTRACTS = {
    contract["id"]: contract
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
}


class Linted(NamedTuple):
    code: int
    broken: set[str]
    text: str


def lint(root: Path) -> Linted:
    """Run the contracts on a source tree; the ids of those that are broken."""
    done = subprocess.run(
        [sys.executable, "-c", LINT],
        cwd=root,
        env={"PYTHONPATH": str(root / "src"), "PATH": "/usr/bin:/bin", "COLUMNS": "300"},
        capture_output=True,
        text=True,
    )
    broken = {key for key, each in CONTRACTS.items() if f"{each['name']} BROKEN" in done.stdout}
    return Linted(done.returncode, broken, done.stdout + done.stderr)


@pytest.fixture(scope="module")
def copied(tmp_path_factory) -> Path:
    """A copy of the tree that may be spoilt."""
    root = tmp_path_factory.mktemp("copied")
    shutil.copy(ROOT / "pyproject.toml", root)
    only_python = shutil.ignore_patterns("*.so", "__pycache__", "data", "*.json", "*.npz")
    shutil.copytree(ROOT / PACKAGE, root / PACKAGE, ignore=only_python)
    return root


def test_the_tree_keeps_every_contract():
    found = lint(ROOT)
    assert (found.code, found.broken) == (0, set()), found.text
    assert f"Contracts: {len(CONTRACTS)} kept, 0 broken" in found.text


# Each adds a module with one import, which breaks one contract and no other.
SEEDED = {
    "a lower layer": ("layers", "core/seeded.py", "import envwright.sim.tape"),
    "a lower layer, in a function": (
        "layers",
        "verify/seeded.py",
        "def show():\n    from envwright.report import page\n    return page",
    ),
    "a lower layer, for types only": (
        "layers",
        "sim/seeded.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import envwright.adapters.brax",
    ),
    "a layer names a room": ("zoo", "cli/seeded.py", "from envwright.zoo.pong import rules"),
    "a layer imports the zoo": ("zoo", "train/seeded.py", "import envwright.zoo"),
    "a layer imports the package": ("zoo", "report/seeded.py", "from envwright import make"),
    "a room imports another": ("rooms", "zoo/pong/seeded.py", "import envwright.zoo.cartpole.env"),
    "a game imports its checks": (
        "plug-ins",
        "zoo/gameboy/seeded.py",
        "import envwright.zoo.gameboy.checks.workloads",
    ),
    "a game imports verify": ("verify", "zoo/pong/seeded.py", "import envwright.verify.stats"),
    "a benchmark imports verify": (
        "verify",
        "zoo/pong/bench/seeded.py",
        "import envwright.verify.stats",
    ),
    "a game imports bench": ("bench", "zoo/pong/seeded.py", "import envwright.bench.machine"),
    "a game imports train": ("train", "zoo/planar/seeded.py", "import envwright.train.config"),
    "checks import the command line": (
        "top",
        "zoo/pokemon/checks/seeded.py",
        "import envwright.cli.show",
    ),
    "checks import the assertions for users": (
        "top",
        "zoo/gameboy/checks/seeded.py",
        "import envwright.testing",
    ),
}


@pytest.mark.parametrize(("contract", "file", "code"), SEEDED.values(), ids=SEEDED)
def test_a_seeded_violation_breaks_its_contract_alone(contract, file, code, copied):
    seeded = copied / PACKAGE / file
    seeded.write_text(code)
    try:
        found = lint(copied)
    finally:
        seeded.unlink()
    assert found.code == 1, found.text
    assert found.broken == {contract}


def test_every_contract_has_a_seeded_violation():
    assert {contract for contract, *_ in SEEDED.values()} == set(CONTRACTS)


def test_contracts_are_about_every_room_and_ignore_nothing():
    listed = CONTRACTS["rooms"]["modules"]
    assert listed == [f"envwright.zoo.{room.id}" for room in rooms()]
    assert not any("ignore_imports" in contract for contract in CONTRACTS.values())


def test_make_lint_runs_the_contracts():
    lint = re.search(r"^lint:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert lint and "lint-imports" in lint[1] and "ruff check" in lint[1]


@pytest.mark.parametrize(
    ("file", "is_allowed"), [("zoo/pong/native.py", True), ("core/native.py", False)]
)
def test_only_rooms_import_the_rust_module(file, is_allowed):
    """ruff's rule, since import-linter does not see extension modules."""
    done = subprocess.run(
        [*RUFF, "--select", "TID251", "--stdin-filename", str(PACKAGE / file), "-"],
        cwd=ROOT,
        input="from envwright._native import PongVecEnv\n",
        capture_output=True,
        text=True,
    )
    assert (done.returncode == 0) == is_allowed, done.stdout
    assert is_allowed or "Only rooms import the Rust module" in done.stdout
