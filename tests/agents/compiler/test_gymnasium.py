"""Gymnasium's small environments: every step exactly the reference's, in float64, on its draws."""

import runpy

import jax
import numpy as np
import pytest
from workbench import differences, imported

from envwright.agents.base import AgentFailed, Answer, Task
from envwright.agents.chain import ChainAgent
from envwright.agents.compiler import CompilerAgent
from envwright.agents.compiler.compile import Compiled
from envwright.agents.compiler.emit.goldens import Goldens
from envwright.agents.compiler.emit.modules import Writer
from envwright.agents.compiler.facts import look
from envwright.core.bridge import Columns, SameNames
from envwright.translate.goldens import record
from envwright.translate.job import job_of
from envwright.translate.propose import write_proposal
from envwright.translate.spec import load_spec

EXACT = [
    "CartPole-v1",
    "MountainCar-v0",
    "FrozenLake-v1",
    'FrozenLake-v1?desc=["SFH","FFF","HFG"]',
    "FrozenLake-v1?is_slippery=false",
    "CliffWalking-v1",
    "Taxi-v4",
    "Blackjack-v1",
]


def translated(name, folder):
    """The environment that the compiler writes for a simulator, and what it knew of it."""
    write_proposal(name, folder / "spec")
    spec = load_spec(folder / "spec")
    golden = folder / "golden"
    golden.mkdir()
    record(spec, golden)
    job = job_of(spec)
    facts = look(job)
    writer = Writer(Compiled(facts))
    texts = {m.file: writer.file(m, Goldens(golden)) for m in job.modules}
    module = imported(texts, job.package, folder)
    return getattr(module, job.entry), facts, spec


def bridge_of(facts):
    """What stands in bridge.py, or what the specification says of names."""
    path = facts.job.folder / "bridge.py"
    if path.is_file():
        return runpy.run_path(str(path))["BRIDGE"]
    return Columns(facts.job.pairs) if facts.job.pairs else SameNames()


@pytest.mark.parametrize("name", EXACT)
def test_every_step_is_exactly_the_reference_s(name, tmp_path):
    env, facts, _ = translated(f"gymnasium:{name}", tmp_path)
    found = differences(env("float64"), facts.simulator, bridge_of(facts), facts.step, steps=60)
    assert found == []


def test_pendulum_is_exact_but_for_the_last_digit_of_a_square(tmp_path):
    """Its reward squares an angle with the system's `pow`, which may round otherwise than x * x."""
    env, facts, _ = translated("gymnasium:Pendulum-v1", tmp_path)
    found = differences(env("float64"), facts.simulator, bridge_of(facts), steps=60)
    assert {name for _, _, name, *_ in found} <= {"reward"}
    assert all(abs(a - b) <= np.spacing(abs(a)) for *_, a, b in found)


def test_acrobot_differs_by_no_more_than_its_cosine(tmp_path):
    """NumPy's cosine and XLA's may differ in the last digit, and four of them follow each other."""
    env, facts, _ = translated("gymnasium:Acrobot-v1", tmp_path)
    found = differences(env("float64"), facts.simulator, bridge_of(facts), episodes=4)
    assert all(np.allclose(a, b, rtol=1e-13, atol=1e-13) for *_, a, b in found)


def test_mountain_car_continuous_is_exact_but_for_the_first_step(tmp_path):
    """Its reset leaves float64, its steps float32: what a state was is not part of it."""
    env, facts, _ = translated("gymnasium:MountainCarContinuous-v0", tmp_path)
    found = differences(env("float64"), facts.simulator, bridge_of(facts), steps=60, skip=1)
    assert found == []


def test_options_of_the_constructor_change_what_the_reference_s_change(tmp_path):
    env, _, _ = translated("gymnasium:CartPole-v1", tmp_path)
    rewards = set()
    for option in (False, True):
        made = env("float32", sutton_barto_reward=option)
        params = made.default_params
        state = made.start(made.draw_start(jax.random.key(0), params), params)
        rewards.add(float(made.transition(state, 1, None, params)[1]))
    assert rewards == {0.0, 1.0}


class Told:
    """An agent that remembers what it is asked."""

    name, patient = "told", False

    def __init__(self):
        self.tasks = []

    def ask(self, task):
        self.tasks.append(task)
        return Answer("ok")

    def describe(self):
        return {"kind": "told"}


def test_exactly_the_module_that_it_cannot_write_goes_to_the_next_agent(tmp_path):
    write_proposal("gymnasium:CartPole-v1", tmp_path / "spec")
    job = job_of(load_spec(tmp_path / "spec"))
    told = Told()
    chain = ChainAgent([CompilerAgent(job), told])
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    chain.ask(Task(1, "translate env", "write it", workspace, tmp_path))
    assert not told.tasks and (workspace / "src" / job.package / "env.py").is_file()
    chain.ask(Task(2, "repair level 1", "repair it", workspace, tmp_path))
    assert told.tasks[0].prompt.startswith(
        "repair it\n\n## Asked before you\n- the compiler cannot"
    )


def test_alone_it_says_what_it_cannot_do(tmp_path):
    write_proposal("gymnasium:CartPole-v1", tmp_path / "spec")
    agent = CompilerAgent(job_of(load_spec(tmp_path / "spec")))
    with pytest.raises(AgentFailed, match="--agent compiler,gemini"):
        agent.ask(Task(1, "repair level 3", "", tmp_path, tmp_path))
