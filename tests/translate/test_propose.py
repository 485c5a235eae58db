"""`envwright init`: what is proposed can be loaded, recorded and asked of an agent."""

from __future__ import annotations

import ast
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
import typer
from msgspec import structs
from typer.testing import CliRunner

from envwright.cli.init import init
from envwright.core.bridge import Columns
from envwright.errors import EnvwrightError
from envwright.schema.translation import Check, Module
from envwright.sim.resolve import open_simulator
from envwright.translate import goldens, prompts
from envwright.translate.goldens import Recording
from envwright.translate.names import package_of
from envwright.translate.proposal import document, played, rehearsal
from envwright.translate.propose import write_proposal
from envwright.translate.sources import excerpts
from envwright.translate.spec import TranslationSpec, load_spec
from envwright.verify import sampling
from envwright.verify.golden import load_golden

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMAND = f"command:{sys.executable} {EXAMPLES / 'command_simulator.py'}"
NAMES = [
    "gymnasium:CartPole-v1",
    "gymnasium:MountainCar-v0",
    "gymnasium:MountainCarContinuous-v0",
    "gymnasium:Acrobot-v1",
    "gymnasium:Pendulum-v1",
    "gymnasium:FrozenLake-v1",
    "gymnasium:FrozenLake-v1?is_slippery=false",
    "gymnasium:CliffWalking-v1",
    "gymnasium:Taxi-v4",
    "gymnasium:Blackjack-v1",
    "python:ferry:FerryEnv",
    COMMAND,
]


@pytest.fixture(scope="module", autouse=True)
def small():
    """Less of everything, and the ferry's folder on the path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLES / "ferry"))
        patch.setattr(goldens, "FUZZED", 10)
        patch.setattr(goldens, "BOUNDARY", 1)
        patch.setattr(goldens, "EPISODES", 1)
        patch.setattr(sampling, "LONGEST", 200)
        patch.setattr(played, "STEPS", 600)
        patch.setattr(rehearsal, "EPISODES", 4)
        patch.setattr(rehearsal, "FUZZED", 60)
        patch.setattr(rehearsal, "BOUNDARY", 4)
        yield


@pytest.fixture(scope="module")
def proposed(tmp_path_factory: pytest.TempPathFactory):
    """The proposal for a simulator, made once."""
    made: dict[str, TranslationSpec] = {}

    def proposal(name: str) -> TranslationSpec:
        if name not in made:
            folder = tmp_path_factory.mktemp("proposal")
            write_proposal(name, folder, "jax")
            made[name] = load_spec(folder)
        return made[name]

    return proposal


def text_of(spec: TranslationSpec) -> str:
    return spec.path.read_text(encoding="utf-8")


def module(spec: TranslationSpec, name: str) -> Module:
    return next(m for m in spec.modules if m.name == name)


def outputs(spec: TranslationSpec, ours: str) -> tuple[str, ...]:
    return next(g.outputs for m in spec.modules for g in m.golden if g.ours == ours)


def test_the_checks_that_are_written_are_those_that_are_read(monkeypatch, tmp_path: Path) -> None:
    written: list[Check] = []
    make = document.checks

    def recorded(*given):
        made = make(*given)
        written.extend(check for _, check in made)
        return made

    monkeypatch.setattr(document, "checks", recorded)
    write_proposal("gymnasium:CartPole-v1", tmp_path, "jax")
    plain = {"listed_bridge": None, "include_terminal": False}  # the same in all of them
    read = [structs.replace(check, **plain) for check in load_spec(tmp_path).checks]
    assert read == written and len(read) > 1


# --- all of them ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_proposal_is_recorded_and_asked_for(name: str, proposed, tmp_path: Path) -> None:
    spec = proposed(name)
    recordings: list[Recording] = goldens.record(spec, tmp_path)
    asked = [prompts.translate_module(spec, i, recordings) for i in range(len(spec.modules))]
    assert spec.modules[-1].name == "env"
    assert spec.target.package == package_of(name)
    assert spec.reference.simulator == name
    for recording in recordings:
        inputs, _ = load_golden(recording.shown)
        prompt = asked[spec.modules.index(recording.module)]
        contract = recording.module.contract
        assert f"`{recording.golden.ours}(inputs: dict) -> dict`" in contract
        for key in inputs:
            assert f'inputs["{key}"]' in contract
        for key in recording.golden.outputs:
            assert f'"{key}"' in contract
        assert contract in prompt
    assert f"`{spec.target.entry}(dtype=" in spec.modules[-1].contract


@pytest.mark.parametrize("name", NAMES)
def test_checks_open_the_reference_and_name_its_fields(name: str, proposed) -> None:
    spec = proposed(name)
    assert [c.label for c in spec.checks[:2]] == ["float64", "float32"]
    for check in spec.checks:
        with open_simulator(check.reference or name) as simulator:
            record = simulator.reset(0)
            record |= simulator.step(0 if not simulator.action_space.shape else np.zeros(1, "f4"))
            assert set(check.tolerances.fields) <= set(record)
            if isinstance(check.bridge, Columns):
                twin = check.bridge.to_twin(simulator.state())
                back = check.bridge.to_reference(twin)
                assert back.keys() == simulator.state().keys()


def test_comments_fit_a_screen_and_every_choice_has_one(proposed) -> None:
    for name in NAMES[:4]:
        lines = text_of(proposed(name)).splitlines()
        assert not [line for line in lines if len(line) > 120 and line.startswith("#")][1:]
        for header in ("[reference]", "[target]", "[l3]", "[budget]"):
            assert lines[lines.index(header) - 1].startswith("#")
        assert "# [l4]" in lines


# --- states and golden pairs --------------------------------------------------------------------


def test_names_that_the_source_unpacks_become_fields(proposed) -> None:
    spec = proposed("gymnasium:CartPole-v1")
    names = ("x", "x_dot", "theta", "theta_dot")
    assert isinstance(spec.checks[0].bridge, Columns)
    assert spec.checks[0].bridge.pairs == {"state": names, "time": "time"}
    assert (
        "`x`, `x_dot`, `theta`, `theta_dot` (float), `time` (int32)" in spec.target.constraints[1]
    )
    continuous = proposed("gymnasium:MountainCarContinuous-v0")  # position = self.state[0]
    assert isinstance(continuous.checks[0].bridge, Columns)
    assert continuous.checks[0].bridge.pairs["state"] == ("position", "velocity")


def test_what_the_last_digit_decides_is_left_out(proposed) -> None:
    spec = proposed("gymnasium:CartPole-v1")
    assert outputs(spec, "golden_step") == ("self.state", "result.1")
    assert "result.2 left out: near a threshold" in text_of(spec).replace("\n# ", " ")
    assert outputs(proposed("gymnasium:Acrobot-v1"), "golden_step") == ("self.state",)
    whole = ("self.s", "result.1", "result.2")
    assert outputs(proposed("gymnasium:CliffWalking-v1"), "golden_step") == whole
    assert "result.2" in outputs(proposed("gymnasium:Pendulum-v1"), "golden_step")


def test_pure_helpers_are_tested_by_themselves(proposed) -> None:
    spec = proposed("gymnasium:Acrobot-v1")
    assert [m.name for m in spec.modules] == ["dsdt", "dynamics", "env"]
    assert module(spec, "dsdt").source == ("AcrobotEnv._dsdt",)
    assert "self.LINK_MASS_1 = 1.0" in module(spec, "dsdt").notes
    small = {g.ours for g in module(spec, "dynamics").golden}
    assert {"golden_terminal", "golden_get_ob", "golden_step"} <= small
    assert outputs(spec, "golden_terminal") == ("result",)
    ferry = proposed("python:ferry:FerryEnv")
    assert [m.name for m in ferry.modules] == ["sail", "dynamics", "env"]
    assert [g.ours for g in ferry.modules[0].golden] == ["golden_current", "golden_sail"]


def test_tables_made_once_are_shown_with_what_makes_them(proposed) -> None:
    spec = proposed("gymnasium:CliffWalking-v1")
    source = module(spec, "dynamics").source
    assert "CliffWalkingEnv.__init__" in source
    assert "CliffWalkingEnv._limit_coordinates" in source
    assert "`self.P`" in module(spec, "dynamics").notes


def test_the_package_is_pinned(proposed) -> None:
    import gymnasium

    spec = proposed("gymnasium:CartPole-v1")
    assert spec.reference.package == f"gymnasium=={gymnasium.__version__}"
    assert proposed("python:ferry:FerryEnv").reference.package == ""


# --- closeness ----------------------------------------------------------------------------------


def test_whole_numbers_are_exact_and_floats_are_not(proposed) -> None:
    grid = proposed("gymnasium:Taxi-v4")
    assert all(check.tolerances.exact for check in grid.checks)
    pole = proposed("gymnasium:CartPole-v1")
    double, single = (check.tolerances.of("state.state") for check in pole.checks[:2])
    assert 0 < double.atol < 1e-12 < 1e-8 < single.atol < 1e-3
    assert "float64" in double.why
    assert "float32" in single.why
    assert pole.checks[0].tolerances.of("reward").exact


def test_a_reference_in_float32_is_not_asked_for_more(proposed) -> None:
    check = proposed("gymnasium:MountainCarContinuous-v0").checks[0]
    assert check.tolerances.of("state.state").atol > 1e-8
    assert "the reference itself computes in float32" in check.tolerances.of("state.state").why


def test_steps_after_the_end_are_compared_where_they_make_sense(proposed) -> None:
    assert proposed("gymnasium:CartPole-v1").checks[0].include_terminal
    assert not proposed("gymnasium:Pendulum-v1").checks[0].include_terminal  # has no end
    # Its errors run away in states that cannot be.
    assert not proposed("gymnasium:Acrobot-v1").checks[0].include_terminal


# --- options ------------------------------------------------------------------------------------


def test_options_that_matter_are_translated_and_checked(proposed) -> None:
    spec = proposed("gymnasium:Pendulum-v1")
    check = spec.checks[2]
    assert check.options == {"dtype": "float64", "g": 15.0}
    assert check.reference == "gymnasium:Pendulum-v1?g=15.0"
    assert "`advance(state, action, g)" in module(spec, "dynamics").contract


def test_options_that_change_the_kind_of_game_stay_as_they_are(proposed) -> None:
    spec = proposed("gymnasium:FrozenLake-v1")
    assert [c.label for c in spec.checks] == ["float64", "float32", "success_rate"]
    assert "is_slippery stays True: it decides whether steps are random" in text_of(spec)
    taxi = text_of(proposed("gymnasium:Taxi-v4"))
    assert "fickle_passenger stays False: it changes what is drawn" in taxi


def test_an_option_of_the_name_is_in_force(proposed) -> None:
    spec = proposed("gymnasium:FrozenLake-v1?is_slippery=false")
    assert outputs(spec, "golden_step") == ("self.s", "result.1", "result.2")
    assert spec.checks[0].bridge is None
    assert not (spec.folder / "bridge.py").exists()


# --- chance --------------------------------------------------------------------------------------


def test_draws_become_noise_in_plain_arrays(proposed) -> None:
    spec = proposed("gymnasium:FrozenLake-v1")
    assert spec.checks[0].bridge == "python:bridge:BRIDGE"
    contract = spec.modules[-1].contract
    assert "`random`: float[1], `random()`, drawn once" in contract
    bridge = runpy.run_path(str(spec.folder / "bridge.py"))["BRIDGE"]
    with open_simulator(spec.reference.simulator) as simulator:
        simulator.reset(3)
        drawn = simulator.draws()
        noise = bridge.start_noise(drawn)
        assert noise["random"].tolist() == [float(drawn[0].value)]
        simulator.step(1)
        assert bridge.step_noise(simulator.draws())["random"].shape == (1,)


def test_lists_become_arrays_with_a_count_and_back(proposed) -> None:
    spec = proposed("gymnasium:Blackjack-v1")
    assert "`dealer_count` (int32)" in spec.target.constraints[1]
    names = runpy.run_path(str(spec.folder / "bridge.py"))
    bridge, places = names["BRIDGE"], names["PLACES"]
    with open_simulator(spec.reference.simulator) as simulator:
        for seed in range(20):
            simulator.reset(seed)
            assert bridge.start_noise(simulator.draws())["choice"].shape == (4,)  # texts are none
            simulator.step(0)
            assert bridge.step_noise(simulator.draws())["choice"].shape == (
                names["STEP"]["choice"][1],
            )
            state = simulator.state()
            twin = bridge.to_twin(state)
            assert twin["dealer"].shape == (places["dealer"],)
            back = bridge.to_reference(twin)
            assert back.keys() == state.keys()
            assert all(np.array_equal(back[k], v) for k, v in state.items())
    with pytest.raises(ValueError, match="raise PLACES"):
        bridge.to_twin(state | {"dealer": np.zeros(99)})
    table = {name: np.stack([value, value]) for name, value in twin.items()}
    assert np.array_equal(bridge.to_reference(table)["dealer"], np.stack([state["dealer"]] * 2))
    with pytest.raises(ValueError, match="several lengths"):
        bridge.to_reference(table | {"dealer_count": np.array([1, 2])})


def test_draws_that_decide_nothing_are_left_out(proposed) -> None:
    spec = proposed("gymnasium:CliffWalking-v1")
    assert "nothing depends on it" in module(spec, "dynamics").contract


# --- programs, and what is refused --------------------------------------------------------------


def test_a_program_shows_only_spaces_and_states(proposed) -> None:
    spec = proposed(COMMAND)
    assert [m.name for m in spec.modules] == ["env"]
    assert not spec.modules[0].golden
    assert spec.reference.source == ""
    assert "there are no golden pairs" in text_of(spec)
    assert "`Discrete(3)`" in spec.modules[0].contract


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "translation.toml").write_text("mine")
    with pytest.raises(EnvwrightError, match="already exists"):
        write_proposal("gymnasium:CartPole-v1", tmp_path)
    assert (tmp_path / "translation.toml").read_text() == "mine"


def test_nothing_is_written_for_what_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(EnvwrightError, match="Nope"):
        write_proposal("gymnasium:Nope-v1", tmp_path / "x")
    with pytest.raises(EnvwrightError, match="jax or rust"):
        write_proposal("gymnasium:CartPole-v1", tmp_path / "x", "fortran")
    assert not (tmp_path / "x").exists()


def test_rust_has_the_same_modules_in_its_own_words(tmp_path: Path) -> None:
    write_proposal("gymnasium:MountainCar-v0", tmp_path, "rust")
    spec = load_spec(tmp_path)
    assert [m.file for m in spec.modules] == ["dynamics.rs", "env.rs"]
    assert "`position`, `velocity` (f64), `time` (i64)" in spec.target.constraints[0]
    assert "pub fn golden_step(inputs: &Fields) -> Fields" in spec.modules[0].contract
    assert [(c.label, c.options) for c in spec.checks] == [("float64", {})]
    assert "dtype" not in "".join((spec.modules[1].contract, *spec.target.constraints))


def test_rust_draws_what_the_reference_draws(tmp_path: Path) -> None:
    write_proposal("gymnasium:FrozenLake-v1", tmp_path, "rust")
    spec = load_spec(tmp_path)
    contract = " ".join(spec.modules[-1].contract.split())
    assert "write `random_step`, and `step` as `unreachable!()`" in contract
    assert "The reference draws `random()`." in contract and "noise" not in contract
    assert not (tmp_path / "bridge.py").exists()


# --- other people's environments -----------------------------------------------------------------

ODD = '''
import gymnasium
import numpy as np


class Bag:
    pass


class Odd(gymnasium.Env):
    """Observes in a dict, keeps a bool and words that Python keeps for itself."""

    def __init__(self, size=3):
        self.size = size
        self.bag = Bag()
        self.action_space = gymnasium.spaces.Discrete(2)
        box = gymnasium.spaces.Box(-9.0, 9.0, (2,), np.float32)
        self.observation_space = gymnasium.spaces.Dict({"a": box})

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = np.zeros(2)
        self.lit = bool(self.np_random.integers(2))
        setattr(self, "class", 0)
        return self._look(), {}

    def _look(self):
        return {"a": self.place.astype(np.float32)}

    def step(self, action):
        self.lit = not self.lit
        self.place = self.place + (1.0 if action else -0.5) * self.size / 7
        setattr(self, "class", (getattr(self, "class") + 1) % 4)
        return self._look(), float(self.place.sum()), bool(self.place[0] > 4), False, {}
'''


def test_an_environment_in_a_file_with_dicts_and_odd_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "odd_world.py").write_text(ODD)
    monkeypatch.syspath_prepend(str(tmp_path))
    write_proposal("python:odd_world:Odd?size=5", tmp_path / "odd", "jax")
    spec = load_spec(tmp_path / "odd")
    assert spec.id == "odd"
    assert "`class_` (int32)" in spec.target.constraints[1]
    assert isinstance(spec.checks[0].bridge, Columns)
    assert spec.checks[0].bridge.pairs["class"] == "class_"
    # The observation is no data, so that the reward is the first result.
    assert "result.0" in outputs(spec, "golden_step")
    assert '"result.0"` (float64, the reward)' in module(spec, "dynamics").contract.replace(
        "\n  ", " "
    )
    goldens.record(spec, tmp_path / "golden")


COURSE = '''
import gymnasium
import numpy as np


class Base(gymnasium.Env):
    """A fixed start and random steps."""

    def __init__(self, env_id=3):
        self.env_id = env_id
        self.action_space = gymnasium.spaces.Discrete(2)
        self.observation_space = gymnasium.spaces.Box(-99.0, 99.0, (2,), np.float64)

    def worth(self, value):
        return value * 0.5 + self.x

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.t = 1.0, 0
        return np.array([self.x, self.t]), {}

    def step(self, action):
        self.x = 0.9 * self.x + self.np_random.normal() * self.env_id
        self.t += 1
        return np.array([self.x, self.t]), self.worth(float(action)), self.t >= 40, False, {}


class Course(Base):
    def worth(self, value):
        return super().worth(value) - 1.0
'''


def test_a_course_project_is_proposed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "course_world.py").write_text(COURSE)
    monkeypatch.syspath_prepend(str(tmp_path))
    write_proposal("python:course_world:Course?env_id=2", tmp_path / "course", "jax")
    spec = load_spec(tmp_path / "course")
    golden = {g.ours: g.target for m in spec.modules for g in m.golden}
    assert golden == {
        "golden_worth": "course_world:Course.worth",
        "golden_worth_of_base": "course_world:Base.worth",
    }
    names = runpy.run_path(str(spec.folder / "bridge.py"))
    assert names["START"] == {} and names["STEP"] == {"normal": ("normal", 1, (), "float64")}


def test_the_bridge_is_python_that_reads_well(proposed) -> None:
    for name in ("gymnasium:FrozenLake-v1", "gymnasium:Blackjack-v1"):
        text = (proposed(name).folder / "bridge.py").read_text(encoding="utf-8")
        ast.parse(text)
        assert max(map(len, text.splitlines())) <= 100


# --- the command ------------------------------------------------------------------------------


def test_the_command_says_what_it_wrote(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command("init")(init)
    folder = tmp_path / "lake"
    done = CliRunner().invoke(app, ["gymnasium:FrozenLake-v1", str(folder)])
    assert done.exit_code == 0, done.output
    assert (folder / "translation.toml").is_file()
    assert "bridge.py" in done.output
    assert "envwright translate" in done.output


PLAIN = """
import gymnasium


class Plain(gymnasium.Env):
    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Discrete(9)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = 4
        return self.at, {}

    def step(self, action):
        self.at += 1 if action else -1
        return self.at, float(self.at == 8), self.at in (0, 8), False, {}
"""


def test_a_class_without_a_constructor_has_the_source_that_it_has(tmp_path: Path) -> None:
    (tmp_path / "plain_world.py").write_text(PLAIN)
    write_proposal(f"python:{tmp_path}/plain_world.py:Plain", tmp_path / "plain", "jax")
    spec = load_spec(tmp_path / "plain")
    assert list(spec.modules[-1].source) == ["Plain.reset", "Plain.step"]
    assert all(excerpts(spec, module) for module in spec.modules)


def test_a_proposal_that_cannot_be_read_is_not_written(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(
        "envwright.translate.propose.document", lambda *_: "[environment]\nid = 7\n"
    )
    with pytest.raises(EnvwrightError, match=r"cannot read itself \(.*:2: .*please report it"):
        write_proposal("python:ferry:FerryEnv", tmp_path / "out")
    assert not (tmp_path / "out").exists()
