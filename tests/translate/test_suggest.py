"""`envwright suggest-target`: JAX or Rust, and why."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from envwright.cli.init import suggest_target
from envwright.errors import EnvwrightError
from envwright.translate import suggest as suggesting
from envwright.translate.suggest import Criterion, Suggestion, suggest

EXAMPLES = Path(__file__).parents[2] / "examples"
WORLDS = '''
import gymnasium
import numpy as np


class World(gymnasium.Env):
    def __init__(self):
        self.action_space = gymnasium.spaces.Discrete(2)
        self.observation_space = gymnasium.spaces.Box(0, 255, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.restart()
        return self.look(), {}

    def look(self):
        return np.zeros(1, np.float32)


class Machine:
    """An emulator behind an object: registers, and a stack that grows."""

    def __init__(self):
        self.stack, self.counter = [1], 0

    def run(self, action):
        while self.counter % 7:
            self.counter += 1
        self.counter += action + 1
        self.stack.append(self.counter)


class Emulator(World):
    def restart(self):
        self.machine = Machine()
        self.ticks = 0

    def step(self, action):
        self.machine.run(action)
        self.ticks += 1
        return self.look(), 1.0, self.ticks > 40, False, {}


class Tree(World):
    """Grows a list far, and searches it by calling itself."""

    def restart(self):
        self.nodes = [0]

    def depth(self, node):
        return 0 if node == 0 else 1 + self.depth((node - 1) // 2)

    def step(self, action):
        for _ in range(10):
            self.nodes.append(len(self.nodes) + action)
        self.depth(self.nodes[-1])
        return self.look(), 0.0, len(self.nodes) > 200, False, {}


class Grid(World):
    def restart(self):
        self.row = self.column = 0

    def step(self, action):
        if action == 0 and self.row < 3:
            self.row += 1
        elif self.column < 3:
            self.column += 1
        over = self.row == 3 and self.column == 3
        return self.look(), 1.0 if over else 0.0, over, False, {}
'''


@pytest.fixture(scope="module", autouse=True)
def worlds(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("worlds")
    (folder / "suggested_worlds.py").write_text(WORLDS)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setattr(suggesting, "TIMED", 0.02)
        yield


def of(name: str, hardware: str = "gpu") -> tuple[Suggestion, dict[str, Criterion]]:
    found = suggest(name, hardware)
    return found, {criterion.name: criterion for criterion in found.criteria}


def test_fixed_arrays_and_conditions_point_to_jax() -> None:
    found, seen = of("python:suggested_worlds:Grid")
    assert (found.backend, found.confidence) == ("jax", "clear")
    assert seen["state"].points_to == "jax"
    assert "row int64, column int64" in seen["state"].seen
    assert seen["branching"].seen.startswith("5 conditions")
    assert seen["loops"].points_to == "jax"


def test_an_emulator_behind_an_object_points_to_rust() -> None:
    found, seen = of("python:suggested_worlds:Emulator", "cpu")
    assert found.backend == "rust"
    assert "Machine (suggested_worlds)" in seen["state"].seen
    assert "while in run" in seen["loops"].seen
    assert "run makes a list longer" in seen["loops"].seen


def test_the_hardware_is_a_criterion() -> None:
    found, seen = of("python:suggested_worlds:Grid", "cpu")
    assert seen["hardware"].points_to == "rust"
    assert found.confidence == "likely, with reasons on the other side"
    assert of("python:suggested_worlds:Grid", "tpu")[1]["hardware"].points_to == "jax"
    with pytest.raises(EnvwrightError, match="unknown hardware 'fpga'; use cpu, gpu, tpu"):
        suggest("python:suggested_worlds:Grid", "fpga")


def test_growth_and_recursion_point_to_rust() -> None:
    found, seen = of("python:suggested_worlds:Tree", "cpu")
    assert found.backend == "rust"
    assert "nodes of a size that varies widely" in seen["state"].seen
    assert "depth calls itself" in seen["branching"].seen


def test_short_lists_do_not_decide() -> None:
    found, seen = of("gymnasium:Blackjack-v1")
    assert found.backend == "jax"
    assert seen["state"].points_to == "either"
    assert "while in step" in seen["loops"].seen


def test_steps_at_random_are_followed_in_either() -> None:
    _, seen = of("gymnasium:FrozenLake-v1")
    assert seen["chance"].points_to == "either"
    assert "draws alike" in seen["chance"].seen


def test_of_a_program_little_can_be_said() -> None:
    found, seen = of(f"command:{sys.executable} {EXAMPLES / 'command_simulator.py'}", "cpu")
    assert seen["branching"].points_to == "either"
    assert "another program" in seen["implementation"].seen
    assert found.confidence != "clear"


def test_a_step_has_its_price() -> None:
    _, seen = of("gymnasium:CartPole-v1")
    assert seen["cost of a step"].points_to == "either"
    micros = float(seen["cost of a step"].seen.split(" µs")[0].replace(",", ""))
    assert 0 < micros < 1e5


@pytest.mark.parametrize(
    ("jax", "rust", "backend", "word"),
    [
        (0, 0, "jax", "a guess"),
        (2, 2, "jax", "a close call"),
        (2, 3, "rust", "a close call"),
        (5, 3, "jax", "likely"),
        (0, 5, "rust", "clear"),
    ],
)
def test_confidence_follows_the_weights(jax: int, rust: int, backend: str, word: str) -> None:
    criteria = [Criterion("a", "b", "jax", jax)] * bool(jax)
    criteria += [Criterion("c", "d", "rust", rust)] * bool(rust)
    found = Suggestion("x", (*criteria, Criterion("e", "f", "either", 9)))
    assert found.backend == backend
    assert found.confidence.startswith(word)
    assert found.sentence.endswith(".")


def test_the_command_prints_a_table_and_writes_json(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(suggest_target)
    file = tmp_path / "target.json"
    done = CliRunner().invoke(
        app, ["python:suggested_worlds:Grid", "--hardware", "gpu", "--json", str(file)]
    )
    assert done.exit_code == 0, done.output
    assert "JAX: clear" in done.output
    assert "what was seen" in done.output
    data = json.loads(file.read_text())
    assert data["backend"] == "jax"
    assert {c["name"] for c in data["criteria"]} >= {"state", "branching", "parallelism", "chance"}
