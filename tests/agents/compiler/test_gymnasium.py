"""Gymnasium's small environments: every step exactly the reference's, in float64, on its draws."""

import runpy
from collections import Counter

import jax
import numpy as np
import pytest
from tests.agents.compiler.workbench import differences, imported

from envwright.agents.base import AgentFailed, Answer, Task, TaskKind
from envwright.agents.chain import ChainAgent
from envwright.agents.compiler import CompilerAgent
from envwright.agents.compiler.compile import Compiled
from envwright.agents.compiler.emit.goldens import Goldens
from envwright.agents.compiler.emit.modules import Writer
from envwright.agents.compiler.facts import gather_facts
from envwright.core.bridge import Columns, SameNames
from envwright.sim.actions import draw_action
from envwright.sim.functional import EnvwrightSimulator
from envwright.sim.records import is_over
from envwright.translate.goldens import record
from envwright.translate.job import job_of
from envwright.translate.propose import write_proposal
from envwright.translate.spec import load_spec
from envwright.verify.stats import same_law

EXACT = [
    "CartPole-v1",
    "MountainCar-v0",
    "MountainCarContinuous-v0",
    "Acrobot-v1",
    "Pendulum-v1",
    "FrozenLake-v1",
    'FrozenLake-v1?desc=["SFH","FFF","HFG"]',
    "FrozenLake-v1?is_slippery=false",
    "CliffWalking-v1",
    "Taxi-v4",
    "Blackjack-v1",
]


@pytest.fixture(scope="module")
def translations(tmp_path_factory):
    """Environments by the name of their reference, each translated once."""
    made = {}

    def translation(name):
        if name not in made:
            made[name] = translated(f"gymnasium:{name}", tmp_path_factory.mktemp("translated"))
        return made[name]

    with pytest.MonkeyPatch.context() as patch:
        for most in ("EPISODES", "FUZZED", "BOUNDARY"):  # golden pairs are judged elsewhere
            patch.setattr(f"envwright.translate.goldens.{most}", 2)
        yield translation
    for _, facts in made.values():
        facts.simulator.close()


def translated(name, folder):
    """The environment that the compiler writes for a simulator, and what it knew of it."""
    write_proposal(name, folder / "spec", "jax")
    spec = load_spec(folder / "spec")
    golden = folder / "golden"
    golden.mkdir()
    record(spec, golden)
    facts = gather_facts(job_of(spec))
    module = imported(written(facts, golden), facts.job.package, folder)
    return getattr(module, facts.job.entry), facts


def written(facts, golden, standing=None):
    """All modules as the compiler writes them, one by one as the recipe asks for them."""
    modules = facts.job.modules
    made = {m.file: Writer(Compiled(facts), standing) for m in modules}
    return {m.file: made[m.file].file(m, Goldens(golden)) for m in modules}


def bridge_of(facts):
    """What stands in bridge.py, or what the specification says of names."""
    path = facts.job.folder / "bridge.py"
    if path.is_file():
        return runpy.run_path(str(path))["BRIDGE"]
    return Columns(facts.job.pairs) if facts.job.pairs else SameNames()


@pytest.mark.parametrize("name", EXACT)
def test_every_step_is_exactly_the_reference_s(name, translations):
    env, facts = translations(name)
    found = differences(env("float64"), facts.simulator, bridge_of(facts), facts.step, steps=60)
    assert found == []


def test_one_process_makes_it_in_both_precisions(translations):
    env, _ = translations("FrozenLake-v1")
    for dtype in ("float64", "float32"):
        simulator = EnvwrightSimulator(env(dtype), x64=dtype == "float64")
        assert {"obs", "state.s"} <= simulator.reset(0).keys() & simulator.step(1).keys()


@pytest.mark.parametrize("name", EXACT)
def test_every_draw_has_the_law_of_the_reference_s(name, translations):
    """Kolmogorov-Smirnov for floats, chi-square for whole numbers, draw by draw."""
    env, facts = translations(name)
    theirs, ours = reference_draws(facts), own_draws(env("float32"), facts)
    assert ours
    told = {w: same_law(theirs[w], ours[w]) for w in ours if w in theirs}
    assert {w[:2] for w in told} == {w[:2] for w in ours}  # no kind of draw was left out
    assert all(p > 1e-4 for p in told.values()), told


DRAWN = 2000


def reference_draws(facts):
    """What the reference drew, by when, how, and as which number of its kind in that step."""
    simulator, rng, found = facts.simulator, np.random.default_rng(0), {}
    for seed in range(DRAWN):
        simulator.reset(seed)
        note(found, "start", simulator.draws())
        for _ in range(2):
            record = simulator.step(draw_action(rng, simulator.action_space))
            note(found, "step", simulator.draws())
            if is_over(record):
                break
    return {where: np.array(v) for where, v in found.items() if len(v) >= DRAWN // 4}


def note(found, when, draws):
    """One number of each draw; of an array, every element is one."""
    counts = Counter()
    for draw in draws:
        for place, value in enumerate(np.ravel(draw.value)):
            where = when, draw.method, counts[draw.method], place
            found.setdefault(where, []).append(value)
        counts[draw.method] += 1


def own_draws(env, facts):
    """What the translation draws for itself, in the same words."""
    params = env.default_params
    keys = jax.random.split(jax.random.key(1), DRAWN)
    starts = jax.vmap(lambda key: env.draw_start(key, params))(keys)
    methods = {c.name: c.method for c in (*(facts.start or ()), *facts.step)}
    found = columns("start", starts, methods)
    if facts.step:
        state = env.start(env.draw_start(keys[0], params), params)
        steps = jax.vmap(lambda key: env.draw(key, state, 0, params))(keys)
        found |= columns("step", steps, methods)
    return found


def columns(when, noise, methods):
    """Arrays `[draws, places, …]` as one column for each number."""
    found = {}
    for name, values in noise.items():
        flat = np.asarray(values).reshape(DRAWN, values.shape[1], -1)
        for number, place in np.ndindex(flat.shape[1:]):
            found[when, methods.get(name, name), number, place] = flat[:, number, place]
    return found


def test_helpers_with_a_module_of_their_own_are_called_from_there(translations):
    _, facts = translations("Acrobot-v1")
    texts = written(facts, facts.job.folder.parent / "golden")
    step = texts["dynamics.py"].partition("def advance(")[2].partition("\n\n\n")[0]
    assert "from fast_acrobot.dsdt import dsdt\n" in texts["dynamics.py"]
    assert "k1 = jnp.array(dsdt(s_augmented), float)" in step and step.count("dsdt(") == 4
    assert step.count("wrap(") == step.count("bound(") == 2 and "wrap(ns[0], -PI, PI)" in step
    assert "return get_ob(state.state)" in texts["env.py"]


def test_a_module_that_another_agent_wrote_is_not_relied_upon(translations):
    _, facts = translations("Acrobot-v1")
    golden = facts.job.folder.parent / "golden"
    texts = written(facts, golden, lambda module: "def dsdt(of_another_form): ...")
    assert "import dsdt" not in texts["dynamics.py"] and "def dsdt(s_aug" in texts["dynamics.py"]
    assert "def get_ob(state):" in texts["env.py"]


def test_options_of_the_constructor_change_what_the_reference_s_change(translations):
    env, _ = translations("CartPole-v1")
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
    write_proposal("gymnasium:CartPole-v1", tmp_path / "spec", "jax")
    job = job_of(load_spec(tmp_path / "spec"))
    told = Told()
    chain = ChainAgent([CompilerAgent(job), told])
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    chain.ask(
        Task(1, TaskKind.TRANSLATE, "translate env", "write it", workspace, tmp_path, module="env")
    )
    assert not told.tasks and (workspace / "src" / job.package / "env.py").is_file()
    chain.ask(Task(2, TaskKind.REPAIR, "repair level 1", "repair it", workspace, tmp_path))
    assert told.tasks[0].prompt.startswith(
        "repair it\n\n## Asked before you\n- the compiler cannot"
    )


def test_the_kind_of_a_task_decides_not_its_title(tmp_path):
    write_proposal("gymnasium:CartPole-v1", tmp_path / "spec", "jax")
    agent = CompilerAgent(job_of(load_spec(tmp_path / "spec")))
    with pytest.raises(AgentFailed, match="--agent compiler,gemini"):
        agent.ask(Task(1, TaskKind.REPAIR, "translate env", "", tmp_path, tmp_path, module="env"))
    assert agent.ask(Task(2, TaskKind.INTERACTIONS, "any", "", tmp_path, tmp_path)).status == "ok"
