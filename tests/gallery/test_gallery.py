"""Public ports of Gymnasium's environments: the bugs that were found in them, and the sound ones.

Every claim of docs/gallery.md is asserted here, with less effort than its commands spend; the
slow tests spend the same. Gymnasium 1.3.0 and gymnax 1.0.1.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from envwright.errors import EnvwrightError, Exit, IncompatiblePair
from envwright.schema.divergence import Divergence, load_divergence
from envwright.schema.tolerance import Tol, Tolerances
from envwright.sim.resolve import open_simulator
from envwright.verify.known_bridges import CliffWalkingCells
from envwright.verify.l1_properties import compare_start_laws
from envwright.verify.laws import LawReport, compare_transition_laws
from envwright.verify.pair import Pair, PairSpec, Playthrough
from envwright.verify.replay import replay
from envwright.verify.results import VerifyReport
from envwright.verify.run import Effort, verify_pair
from envwright.verify.vector.check import verify_vector

needs_gymnax = pytest.mark.skipif(
    importlib.util.find_spec("gymnax") is None,
    reason="gymnax is not installed; pip install 'envwright[peers]'",
)
needs_flax = pytest.mark.skipif(
    importlib.util.find_spec("flax") is None,
    reason="Gymnasium's JAX environments import flax; pip install 'envwright[peers]'",
)


@pytest.fixture(scope="module", autouse=True)
def compiled_once(tmp_path_factory):
    """Every opening of a JAX environment compiles it anew; here, what was compiled is kept."""
    import jax
    from jax.experimental.compilation_cache import compilation_cache

    kept = {
        "jax_compilation_cache_dir": str(tmp_path_factory.mktemp("compiled")),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    before = {name: getattr(jax.config, name) for name in kept}
    for settings in (kept, before):
        for name, value in settings.items():
            jax.config.update(name, value)
        compilation_cache.reset_cache()
        if settings is kept:
            yield


BRIEF = Effort(episodes=4, visited=3, fuzzed=200, boundary=20, starts=1000, examples=4)
WHOLE = Effort()  # what the commands of docs/gallery.md spend

# --- tolerances, each with its reason ------------------------------------------------------

FLOAT32 = Tolerances(Tol(1e-5, why="float32 against float64"))
CAR = Tolerances(Tol(1e-6, why="float32 against float64; speeds are a thousandth of a unit"))
ANGLES = Tolerances(
    Tol(1e-4, why="float32 lies 3e-5 apart at the 320 rad that fuzzing reaches"),
    {"reward": Tol(1e-3, why="the square of the angle multiplies that by up to 2 pi")},
)
ACROBOT = Tolerances(Tol(1e-4, why="float32 against float64, four stages of Runge-Kutta"))
ROUNDED = Tolerances(
    Tol(1e-9, why="float64 on both sides, summed in another order"),
    {"obs": Tol(2e-6, why="the reference rounds its observation to float32, up to 28.3")},
)
TORQUE32 = Tolerances(Tol(1e-6, why="the reference multiplies its torque in float32"))


# --- helpers --------------------------------------------------------------------------------


def verify(reference, twin, tolerances, effort, **more) -> VerifyReport:
    return verify_pair(PairSpec(reference, twin, tolerances=tolerances, **more), 0, effort)


def found_by(report: VerifyReport, level: int, kind: str = "steps") -> Divergence:
    (result,) = [r for r in report.levels if r.level == level]
    return next(d for d in result.divergences if d.kind == kind)


def shows_again(divergence: Divergence, folder: Path) -> bool:
    saved = divergence.save(folder)
    return replay(load_divergence(Path(saved.path))).shows


def assert_sound(report: VerifyReport) -> None:
    assert [str(d) for d in report.divergences] == []
    assert report.exit_code == Exit.EQUAL, [level.inconclusive for level in report.levels]


# --- Gymnasium phys2d/CartPole-v1 -----------------------------------------------------------


@needs_flax
def test_gymnasium_jax_cartpole_pushes_its_cart_too_hard(tmp_path):
    """`polemass_length = masspole + length`: 0.6 where 0.05 is meant."""
    effort = replace(BRIEF, levels=(1, 3), starts=0)
    report = verify("gymnasium:CartPole-v1", "gymnasium:phys2d/CartPole-v1", FLOAT32, effort)
    for level in (1, 3):
        found = found_by(report, level)
        assert found.field == "obs[1]"
        assert found.step == 0
        assert found.twin_value / found.reference_value == pytest.approx(1.75, abs=1e-3)
    assert found.start is not None and not found.start["state"].any()  # from rest, upright
    assert shows_again(found, tmp_path)


@needs_flax
def test_gymnasium_jax_cartpole_is_sound_once_mass_and_length_are_multiplied(monkeypatch):
    from gymnasium.envs.phys2d.cartpole import CartPoleParams

    monkeypatch.setattr(
        CartPoleParams, "polemass_length", CartPoleParams.masspole * CartPoleParams.length
    )
    assert_sound(verify("gymnasium:CartPole-v1", "gymnasium:phys2d/CartPole-v1", FLOAT32, BRIEF))


# --- Gymnasium's functional vector wrapper --------------------------------------------------


@pytest.fixture(scope="module")
def jax_cartpoles() -> VerifyReport:
    """CartPoleJaxVectorEnv, checked once for two findings."""
    pytest.importorskip("flax", reason="Gymnasium's JAX environments import flax")
    spec = PairSpec("gymnasium:CartPole-v1", "gymnasium:phys2d/CartPole-v1", tolerances=FLOAT32)
    return verify_vector(spec, lanes=2, episodes=20)


@pytest.mark.slow
def test_gymnasium_jax_vector_loses_the_transitions_of_lanes_beside_a_reset(
    jax_cartpoles, tmp_path
):
    """`next_state = self.state.at[to_reset]…`: what the other lanes did is thrown away."""
    found = found_by(jax_cartpoles, 2, "vector")
    assert found.field.startswith("obs")
    assert "the lane's transition was lost" in found.hint
    assert f"when lane {found.lane} started over" not in found.hint
    assert shows_again(found, tmp_path)


@pytest.mark.slow
def test_gymnasium_jax_vector_remembers_ended_lanes_over_a_reset(jax_cartpoles, tmp_path):
    """`reset` does not clear `prev_done`: lanes that ended before it start over a second time."""
    (found,) = [d for d in jax_cartpoles.levels[0].divergences if d.resets]
    assert found.field.startswith("obs")
    assert found.step == 0
    assert shows_again(found, tmp_path)


@pytest.mark.slow
@needs_flax
@pytest.mark.filterwarnings("ignore:.*missing AutoresetMode metadata")
def test_gymnasium_jax_vector_pays_for_the_step_that_starts_over(tmp_path):
    """Next-step reset pays 0 for that step, in SyncVectorEnv too; this wrapper forgets to."""
    spec = PairSpec(
        "gymnasium:Pendulum-v1?max_episode_steps=2",
        "gymnasium:phys2d/Pendulum-v0?max_episode_steps=2",
        tolerances=ANGLES,
    )
    found = found_by(verify_vector(spec, lanes=3, episodes=6), 2, "vector")
    assert (found.field, found.step, found.reference_value) == ("reward", 2, 0.0)
    assert found.twin_value < 0
    assert shows_again(found, tmp_path)


# --- gymnax MountainCarContinuous-v0 --------------------------------------------------------


@pytest.fixture(scope="module")
def hill() -> Pair:
    pytest.importorskip("gymnax", reason="gymnax is not installed")
    name = "MountainCarContinuous-v0"
    pair = PairSpec(f"gymnasium:{name}", f"gymnax:{name}", tolerances=FLOAT32).open()
    yield pair
    pair.close()


@needs_gymnax
def test_gymnax_mountain_car_keeps_its_speed_in_the_left_wall(tmp_path):
    """The velocity is zeroed at the goal (`position >= goal_position`), not at the wall."""
    effort = replace(BRIEF, levels=(3,))
    name = "MountainCarContinuous-v0"
    report = verify(f"gymnasium:{name}", f"gymnax:{name}", FLOAT32, effort)
    found = found_by(report, 3)
    assert found.field in ("obs[1]", "state.state[1]")
    assert found.reference_value == 0.0
    assert found.twin_value < -1e-3
    assert found.start is not None and found.start["state"][0] < -1.1  # beside the wall
    assert shows_again(found, tmp_path)


def test_gymnax_mountain_car_rewards_rolling_back_over_the_goal(hill):
    """The other half of the same line, from a state that no default game reaches."""
    start = {"state": np.array([0.6, -0.02], np.float32), "time": np.array(0)}
    found = hill.run(Playthrough([np.array([0.5], np.float32)], start=start))
    assert found.mismatch.field == "reward"
    assert found.mismatch.twin - found.mismatch.reference == pytest.approx(100.0, abs=1e-3)


def test_gymnax_mountain_car_is_right_between_the_walls(hill):
    for position, velocity, push in [(-0.5, 0.0, 1.0), (-1.0, 0.03, -1.0), (0.3, 0.05, 0.2)]:
        start = {"state": np.array([position, velocity], np.float32), "time": np.array(0)}
        assert hill.run(Playthrough([np.array([push], np.float32)], start=start)) is None


# --- sound ports ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Sound:
    """A port, and how near it must be; `brief`: also compared where time is short."""

    reference: str
    twin: str
    tolerances: Tolerances = Tolerances()
    levels: tuple[int, ...] = (1, 2, 3)
    brief: bool = True


SOUND = [
    Sound("gymnasium:CartPole-v1", "gymnax:CartPole-v1", FLOAT32),
    Sound("gymnasium:MountainCar-v0", "gymnax:MountainCar-v0", CAR),
    Sound("gymnasium:Pendulum-v1", "gymnax:Pendulum-v1", ANGLES, brief=False),
    # Fuzzed states spin so fast that rounding grows a thousandfold in one step: the rules are
    # compared in float64, and float32 along episodes only.
    Sound("gymnasium:Acrobot-v1", "gymnax:Acrobot-v1", ACROBOT, levels=(3,), brief=False),
    Sound("gymnasium:CartPole-v1", "gymnax:CartPole-v1?dtype=float64", ROUNDED, brief=False),
    Sound("gymnasium:MountainCar-v0", "gymnax:MountainCar-v0?dtype=float64", ROUNDED, brief=False),
    Sound("gymnasium:Acrobot-v1", "gymnax:Acrobot-v1?dtype=float64", ROUNDED, brief=False),
    Sound(
        "gymnasium:Acrobot-v1?max_episode_steps=60",
        "gymnax:Acrobot-v1?dtype=float64&max_steps_in_episode=60",
        ROUNDED,
        brief=False,
    ),
    Sound("gymnasium:Pendulum-v1", "gymnax:Pendulum-v1?dtype=float64", TORQUE32),
    Sound("gymnasium:Pendulum-v1", "gymnasium:phys2d/Pendulum-v0", ANGLES),
    Sound(
        "gymnasium:FrozenLake-v1?is_slippery=false",
        "gymnax:FrozenLake-misc?is_slippery=false",
    ),
    Sound(
        "gymnasium:FrozenLake8x8-v1?is_slippery=false",
        "gymnax:FrozenLake-misc?is_slippery=false&map_name=8x8",
        brief=False,
    ),
]


def marked(port: Sound, *, slow: bool):
    needed = needs_gymnax if port.twin.startswith("gymnax:") else needs_flax
    return pytest.param(port, id=port.twin, marks=[needed, *([pytest.mark.slow] if slow else [])])


@pytest.mark.parametrize("port", [marked(p, slow=False) for p in SOUND if p.brief])
def test_port_plays_the_game_of_its_reference(port):
    effort = replace(BRIEF, levels=port.levels)
    assert_sound(verify(port.reference, port.twin, port.tolerances, effort))


@pytest.mark.parametrize("port", [marked(p, slow=True) for p in SOUND])
def test_port_plays_a_hundred_episodes_of_its_reference(port):
    effort = replace(WHOLE, levels=port.levels)
    assert_sound(verify(port.reference, port.twin, port.tolerances, effort))


SOUND_VECTORS = [
    # A short time limit, so that lanes are truncated as well as terminated.
    Sound(
        "gymnasium:CartPole-v1?max_episode_steps=10",
        "gymnax:CartPole-v1?max_steps_in_episode=10",
        FLOAT32,
    ),
    Sound("gymnasium:CartPole-v1", "gymnax:CartPole-v1", FLOAT32, brief=False),
    # No lane ends in the first 120 steps; the check plays on until they do.
    Sound("gymnasium:MountainCar-v0", "gymnax:MountainCar-v0", CAR, brief=False),
    Sound("gymnasium:Pendulum-v1", "gymnax:Pendulum-v1", ANGLES, brief=False),
    Sound("gymnasium:Acrobot-v1", "gymnax:Acrobot-v1", ACROBOT, brief=False),
]


@pytest.mark.parametrize("port", [marked(p, slow=not p.brief) for p in SOUND_VECTORS])
def test_lanes_of_gymnax_start_over_as_it_declares(port):
    spec = PairSpec(port.reference, port.twin, tolerances=port.tolerances)
    report = verify_vector(spec, lanes=3, episodes=6)
    assert_sound(report)
    assert all(level.tally.episodes >= 6 for level in report.levels)


@pytest.mark.parametrize(
    "name",
    [
        "gymnasium:CartPole-v1",  # CartPoleVectorEnv
        "gymnasium:CartPole-v1?max_episode_steps=10",
        # SyncVectorEnv; starts come back by rights.
        pytest.param("gymnasium:Taxi-v4?max_episode_steps=20", marks=pytest.mark.slow),
    ],
)
def test_gymnasium_vector_plays_its_own_single_form_exactly(name):
    assert_sound(verify_vector(PairSpec(name, name), episodes=20))


# --- finite games: every state and every action ---------------------------------------------


class OneNumber(gymnasium.Wrapper):
    """tabular/CliffWalking-v0 takes and shows arrays of one number; here they are numbers."""

    def __init__(self) -> None:
        super().__init__(gymnasium.make("tabular/CliffWalking-v0", disable_env_checker=True))
        self.action_space = gymnasium.spaces.Discrete(4)
        self.observation_space = gymnasium.spaces.Discrete(48)

    def reset(self, **options):
        obs, info = self.env.reset(**options)
        return int(obs[0]), info

    def step(self, action):
        obs, *rest = self.env.step(np.array([action], np.int32))
        return int(obs[0]), *rest


@needs_flax
def test_gymnasium_jax_cliffwalking_is_not_compared_as_it_is():
    with pytest.raises(IncompatiblePair, match="actions differ"):
        PairSpec("gymnasium:CliffWalking-v1", "gymnasium:tabular/CliffWalking-v0").open()


@needs_flax
def test_gymnasium_jax_cliffwalking_has_all_its_148_transitions_right():
    pair = PairSpec("gymnasium:CliffWalking-v1", OneNumber, CliffWalkingCells()).open()
    standing = [*range(37)]  # three rows and the start; nobody stands on the cliff or the goal
    for cell in standing:
        for action in range(4):
            assert pair.run(Playthrough([action], start={"s": np.array(cell)})) is None, cell


# --- games of chance: the law of every transition -------------------------------------------

LAKE = [s for s in range(16) if s not in (5, 7, 11, 12, 15)]  # neither a hole nor the goal


def lake_laws(options: str = "", cells: Sequence[int] = LAKE) -> LawReport:
    pair = PairSpec("gymnasium:FrozenLake-v1", f"gymnax:FrozenLake-misc{options}").open()
    states = [{"s": np.array(s), "time": np.array(0)} for s in cells]
    return compare_transition_laws(pair, states, repeats=500)


@pytest.mark.slow
@needs_gymnax
def test_gymnax_frozen_lake_slips_with_the_law_of_gymnasium():
    report = lake_laws()
    assert report.transitions == 44
    assert report.detects() < 0.25
    assert report.differences == []


@pytest.mark.slow
@needs_gymnax
def test_a_lake_that_slips_too_rarely_has_another_law():
    report = lake_laws("?success_rate=0.8", cells=[6, 9])
    assert len(report.differences) == report.transitions == 8
    assert all(d.p < report.threshold for d in report.differences)
    assert "reward 0" in str(report.differences[0])


def hands(dealer: list[int], player: list[int]) -> dict[str, np.ndarray]:
    return {"dealer": np.array(dealer), "player": np.array(player)}


BLACKJACK = [
    hands([6, 10], [10, 2]),  # the dealer draws; a hit busts four times in thirteen
    hands([2, 2], [1, 6]),  # both draw on; the ace is usable until it is not
    hands([1, 6], [5, 5]),  # a dealer's soft 17 stands
    hands([1, 10], [1, 10]),  # two naturals
    hands([10, 7], [10, 1]),  # a natural against a stiff hand
    hands([4, 7, 10], [10, 1]),  # a natural beats 21 in three cards
    hands([1, 10], [10, 9, 2]),  # 21 in three cards does not lose to a natural
]


@pytest.fixture(scope="module")
def blackjack() -> Pair:
    pytest.importorskip("flax", reason="Gymnasium's JAX environments import flax")
    pair = PairSpec("gymnasium:Blackjack-v1", "gymnasium:tabular/Blackjack-v0").open()
    yield pair
    pair.close()


@pytest.mark.slow
def test_gymnasium_jax_blackjack_pays_with_the_law_of_its_reference(blackjack):
    report = compare_transition_laws(blackjack, BLACKJACK, repeats=300)
    assert report.transitions == 14
    assert report.detects() < 0.3
    assert report.differences == []


def test_gymnasium_jax_blackjack_deals_with_the_law_of_its_reference(blackjack):
    assert compare_start_laws(blackjack, 0, 3000) == []


def test_gymnasium_jax_blackjack_cannot_be_bust_by_a_22nd_card(blackjack):
    """Its hand has 21 places, and JAX drops what is written beyond them: 21 aces stay 21."""
    report = compare_transition_laws(blackjack, [hands([10, 9], [1] * 21)], [1], repeats=50)
    (found,) = report.differences
    assert (found.reference, found.twin) == ("0 of 50", "50 of 50")
    assert found.what.startswith("obs 21 10 0, reward 0, terminated 0")


# --- what cannot be compared is said, not guessed -------------------------------------------


@needs_flax
def test_gymnasium_jax_blackjack_does_not_take_its_documented_options():
    with pytest.raises(EnvwrightError, match="unexpected keyword argument 'natural'"):
        open_simulator("gymnasium:tabular/Blackjack-v0?natural=true")


@needs_gymnax
def test_lanes_of_a_game_of_chance_are_not_judged_by_a_copy():
    spec = PairSpec("gymnasium:FrozenLake-v1", "gymnax:FrozenLake-misc")
    report = verify_vector(spec, lanes=3, episodes=6)
    assert report.exit_code == Exit.INCONCLUSIVE
    assert "gives several answers to one state and action" in report.levels[0].inconclusive


def test_as_many_lanes_as_the_state_has_numbers_are_refused():
    spec = PairSpec("gymnasium:CartPole-v1", "gymnasium:CartPole-v1")
    with pytest.raises(EnvwrightError, match="choose another --lanes"):
        verify_vector(spec, lanes=4)


@needs_gymnax
@pytest.mark.filterwarnings("ignore:.*already returned terminated")
def test_cartpole_differs_after_the_end_only_if_it_is_put_there():
    """Gymnasium remembers that it ended, gymnax looks at its state; games that play on agree."""
    effort = replace(BRIEF, levels=(1,), starts=0)
    names = "gymnasium:CartPole-v1", "gymnax:CartPole-v1"
    found = found_by(verify(*names, FLOAT32, effort, include_terminal=True), 1)
    assert (found.field, found.reference_value, found.twin_value) == ("reward", 1.0, 0.0)

    pair = PairSpec(*names, tolerances=FLOAT32).open()
    pair.start(0)
    paid = [(pair.reference.step(1), pair.twin.step(1)) for _ in range(15)]
    rewards = [(float(a["reward"]), float(b["reward"])) for a, b in paid]
    assert all(a == b for a, b in rewards)
    assert (0.0, 0.0) in rewards
