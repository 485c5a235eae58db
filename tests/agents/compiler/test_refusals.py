"""What the compiler says if it cannot go on, and what options do to chance."""

import re

import jax
import numpy as np
import pytest
from tests.agents.compiler import toys
from tests.agents.compiler.language.game import Game
from tests.agents.compiler.workbench import ENV, compiled, imported, integers

from envwright.agents.base import AgentFailed, Task, TaskKind
from envwright.agents.compiler import facts
from envwright.agents.compiler.agent import TRACEBACK, CompilerAgent
from envwright.agents.compiler.interpreter.machine import Machine
from envwright.agents.compiler.job import Job
from envwright.sim.gymnasium_env import GymnasiumSimulator


class Demand(Game):
    """An option is the parameter of a distribution, at the start and in steps."""

    def __init__(self, demand_rate=3.0):
        self.demand_rate = demand_rate

    def begin(self):
        self.x, self.y = int(self.np_random.poisson(self.demand_rate)), 0

    def play(self, action):
        self.x = int(self.np_random.poisson(self.demand_rate))
        return self.x


def asked(cls, folder, monkeypatch):
    """What the agent says when it is to translate a class."""
    simulator = GymnasiumSimulator(cls(), cls.__name__)
    monkeypatch.setattr(facts, "open_simulator", lambda name: simulator)
    job = Job(cls.__name__, "fast_game", "Fast", "fast", 1, (ENV,), folder)
    task = Task(
        1, TaskKind.TRANSLATE, "translate env", "", folder / "work", folder / "turn", module="env"
    )
    with pytest.raises(AgentFailed) as told:
        CompilerAgent(job).ask(task)
    return str(told.value)


def test_an_error_of_the_compiler_is_a_refusal_with_a_line_and_a_traceback(tmp_path, monkeypatch):
    def broken(machine, e, names):
        return [][1]

    monkeypatch.setattr(Machine, "_on_BinOp", broken)
    said = asked(toys.EarlyReturns, tmp_path, monkeypatch)
    assert re.search(r"cannot translate env: toys\.py:\d+: an error of the compiler itself", said)
    assert "IndexError: list index out of range" in said and TRACEBACK in said
    kept = (tmp_path / "turn" / TRACEBACK).read_text()
    assert "Traceback" in kept and "in broken" in kept


def test_a_reference_that_fails_while_it_is_watched_is_a_refusal_too(tmp_path, monkeypatch):
    def failing(job):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("envwright.agents.compiler.facts.gather_facts", failing)
    said = asked(toys.Hand, tmp_path, monkeypatch)
    assert "cannot translate env: an error of the compiler itself (ZeroDivisionError" in said


def test_an_option_is_the_parameter_of_a_distribution(tmp_path):
    channels = [type(integers(1))("poisson", "poisson", (), "i", 1)]
    text, _ = compiled(Demand, tmp_path, {}, channels, channels, kept={"demand_rate": 3.0})
    fast = imported({"env.py": text}, "fast_demand", tmp_path).Fast
    for rate in (0.5, 60.0):
        env, params = fast(demand_rate=rate), fast.default_params
        keys = jax.random.split(jax.random.key(0), 400)
        starts = jax.vmap(lambda key: env.draw_start(key, params)["poisson"][0])(keys)  # noqa: B023
        state = env.start(env.draw_start(keys[0], params), params)
        steps = jax.vmap(lambda key: env.draw(key, state, 0, params)["poisson"][0])(keys)  # noqa: B023
        assert abs(np.mean(starts) - rate) < 0.2 * rate and abs(np.mean(steps) - rate) < 0.2 * rate
