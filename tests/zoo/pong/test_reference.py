"""The live reference: its structs, its chance, its quirks, its refusals."""

from __future__ import annotations

import ast
import gc

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.zoo.pong.live import needs_reference

from envwright.errors import EnvwrightError
from envwright.sim.resolve import open_simulator
from envwright.sim.targets import open_target
from envwright.verify.character import is_stochastic, load_is_complete, require_reproducible
from envwright.zoo.pong.reference import PongReference, PongReferenceLanes, PufferPong
from envwright.zoo.pong.reference.binding import SETTINGS
from envwright.zoo.pong.reference.build import FLAGS
from envwright.zoo.pong.reference.fetch import sources
from envwright.zoo.pong.reference.libc import Stream, first_bits, libc
from envwright.zoo.pong.reference.register import LENGTH, from_words, shifted, to_words

pytestmark = needs_reference

NAME = "python:envwright.zoo.pong.reference:PongReference"


@pytest.fixture
def sim():
    with PongReference() as opened:
        yield opened


def play(pong, seed, steps=300):
    rng, rows = np.random.default_rng(seed), []
    with Stream():
        rows.append(pong.reset(seed).copy())
        for _ in range(steps):
            obs, reward, terminal, _ = pong.step(rng.integers(3, size=pong.num_envs))
            rows.append(np.column_stack([obs, reward, terminal]))
    return np.concatenate([row.ravel() for row in rows])


# --- it is what it says it is ------------------------------------------------------------


def test_settings_are_the_defaults_of_its_own_class():
    tree = ast.parse((sources() / "pufferlib/ocean/pong/pong.py").read_text())
    (pong,) = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Pong"]
    init = next(n for n in pong.body if isinstance(n, ast.FunctionDef) and n.name == "__init__")
    names = [argument.arg for argument in init.args.args[1:]]
    defaults = dict(zip(names, map(ast.literal_eval, init.args.defaults), strict=True))
    assert {name: defaults[name] for name in SETTINGS} == SETTINGS
    assert (defaults["frameskip"], defaults["continuous"]) == (1, False)


def test_flags_are_those_of_its_own_setup():
    text = (sources() / "setup.py").read_text()
    named = [flag for flag in FLAGS["plain"] if f"'{flag}'" in text]
    assert set(FLAGS["plain"]) - set(named) == {"-DNDEBUG", "-fPIC"}  # Python's own
    assert FLAGS["native"][: len(FLAGS["plain"])] == FLAGS["plain"]


def test_both_builds_play_the_same_discrete_game():
    plain, native = (PufferPong(5, 8, build=build) for build in ("plain", "native"))
    np.testing.assert_array_equal(play(plain, 1), play(native, 1))


# --- structs -----------------------------------------------------------------------------


def test_structs_are_what_c_reads_and_writes():
    pong = PufferPong(3)
    pong.reset(0)
    assert pong.structs["ball_x"].tolist() == [100, 100, 100]
    pong.structs["ball_x"] = [50, 200, 300]
    pong.structs["score_r"] = [20, 3, 0]
    pong.step([0, 1, 2])
    assert pong.structs["ball_x"].tolist() == [60, 210, 310]
    assert pong.structs["paddle_yr"].tolist() == [285, 293, 277]
    np.testing.assert_array_equal(pong.observations[:, 2], np.float32([60, 210, 310]) / 500)


def test_looking_at_structs_changes_nothing():
    seen, unseen = PufferPong(7), PufferPong(7)
    assert seen.structs.shape == (7,)
    np.testing.assert_array_equal(play(seen, 4), play(unseen, 4))


def test_closing_frees_once_and_forgetting_frees_too():
    pong = PufferPong(4)
    assert pong.structs["tick"].tolist() == [0, 0, 0, 0]
    pong.close()
    pong.close()
    with pytest.raises(EnvwrightError, match="closed; make new ones"):
        pong.step(np.zeros(4))
    for _ in range(200):
        assert PufferPong(50).structs["frameskip"].all()
    gc.collect()


def test_a_log_counts_the_steps_since_the_last_point_only():
    pong = PufferPong(1)
    assert pong.log() == {}
    pong.reset(0)
    pong.structs["score_l"] = 19
    steps = 0
    while not pong.terminals[0]:
        pong.step([1])
        steps += 1
    told = pong.log()
    assert (told["n"], told["score"], told["perf"]) == (1, -21, 0)
    assert told["episode_length"] < steps


# --- chance ------------------------------------------------------------------------------


def test_a_serve_is_a_fair_coin_over_seeds_and_along_the_stream():
    firsts = [first_bits(seed, 1) for seed in range(20_000)]
    assert chisquare(np.bincount(firsts)).pvalue > 1e-4
    libc().srand(7)
    bits = np.array([libc().rand() & 1 for _ in range(60_000)]).reshape(-1, 3)
    assert chisquare(np.bincount(bits @ [1, 2, 4])).pvalue > 1e-4


def test_a_register_shifts_by_its_polynomial():
    bits = list(np.random.default_rng(0).integers(2, size=LENGTH))
    register = sum(int(bit) << place for place, bit in enumerate(bits))
    for _ in range(500):
        bits.append(bits[-64] ^ bits[-63] ^ bits[-61] ^ bits[-60])
        register = shifted(register)
        assert [register >> place & 1 for place in range(LENGTH)] == bits[-LENGTH:]
        assert from_words(to_words(register)) == register


def test_a_reset_knows_the_serves_that_c_would_draw(sim):
    pong = PufferPong(1)
    for seed in (0, 1, 77):
        coming = from_words(sim.reset(seed)["state.serves"])
        with Stream():
            pong.reset(seed)
            assert pong.structs["ball_vy"][0] == sim.state()["ball_vy"]
            for _ in range(30):
                pong.structs["ball_x"], pong.structs["ball_y"] = 466, 600  # a point
                pong.structs["score_l"] = 0
                pong.step([0])
                assert pong.rewards[0] == -1
                assert pong.structs["ball_vy"][0] == (0 if coming & 1 else -1)
                coming >>= 1


def test_serves_follow_the_register_for_ever(sim):
    register = from_words(sim.reset(3)["state.serves"])
    for _ in range(3 * LENGTH):
        assert sim.step(2)["reward"] == 0  # nobody serves
        assert from_words(sim.state()["serves"]) == register
        sim.load(sim.state() | {"ball_x": 466, "ball_y": 600})
        record = sim.step(2)
        assert record["reward"] == -1
        assert record["state.ball_vy"] == (0 if register & 1 else -1)
        register = shifted(register)


def test_nobody_elses_draws_reach_a_step(sim):
    first = [sim.reset(5), *(sim.step(t % 3) for t in range(500))]
    again = [sim.reset(5)]
    for t in range(500):
        libc().srand(t)
        libc().rand()
        again.append(sim.step(t % 3))
    for a, b in zip(first, again, strict=True):
        assert all(np.array_equal(a[k], b[k]) for k in a)


@pytest.mark.parametrize("options", ["", "?frame_skip=8", "?frame_skip=8&continuous=true"])
def test_a_step_is_a_function_of_state_and_action(options):
    with open_simulator(NAME + options) as opened:
        assert not is_stochastic(opened, steps=500)
        assert load_is_complete(opened, steps=500)
        require_reproducible(opened, steps=2000)


# --- quirks ------------------------------------------------------------------------------


def test_after_a_point_the_observation_is_still_the_one_before(sim):
    record = sim.reset(0)
    while record.get("reward", 0) != -1:
        before, record = record["obs"], sim.step(1)
    np.testing.assert_array_equal(record["obs"], before)
    assert record["state.ball_x"] == 100 and before[2] > 0.9
    assert record["state.tick"] == 0 and not record["terminated"]
    assert sim.step(0)["obs"][2] == np.float32(110 / 500)


def test_a_game_that_is_over_is_followed_by_the_next_within_the_step(sim):
    sim.reset(0)
    sim.load(sim.state() | {"score_l": 20, "score_r": 7, "ball_x": 466, "ball_y": 600})
    record = sim.step(0)
    assert record["terminated"] and record["reward"] == -1
    assert (record["state.score_l"], record["state.score_r"]) == (0, 0)
    assert record["obs"][2] == np.float32(0.2)


def test_a_continuous_action_is_clipped_and_has_one_element():
    with open_simulator(f"{NAME}?continuous=true") as opened:
        assert opened.action_space.shape == (1,)
        opened.reset(0)
        assert opened.step(np.float32([7.0]))["state.paddle_yr"] == 293
        assert opened.step(np.float32([-0.5]))["state.paddle_yr"] == 289


def test_starts_are_those_of_single_resets(sim):
    table = sim.starts(10, 5)
    for row in range(5):
        record = sim.reset(10 + row)
        assert set(record) == set(table)
        assert all(np.array_equal(table[k][row], v) for k, v in record.items())


# --- training ----------------------------------------------------------------------------


def trace(lanes, seeds, steps=200):
    rng = np.random.default_rng(0)
    rows = [lanes.reset(seeds).obs.copy()]
    for _ in range(steps):
        rows.append(lanes.step(rng.integers(3, size=lanes.num_envs)).view.obs.copy())
    return np.stack(rows)


def test_the_reference_is_trained_on_in_lanes():
    lanes = open_target(f"{NAME}?frame_skip=8")(4)
    assert isinstance(lanes, PongReferenceLanes) and lanes.num_envs == 4
    assert lanes.pong.frame_skip == 8
    step = None
    lanes.reset([1, 2, 3, 4])
    for _ in range(400):
        step = lanes.step(np.ones(4, int))
        if step.terminated.any():
            break
    assert step is not None and step.terminated.any() and not step.truncated.any()
    assert step.reward.dtype == np.float32


def test_lanes_have_a_stream_of_their_own():
    alone = trace(PongReferenceLanes(4, 8), [5, 6, 7, 8])
    one, other = PongReferenceLanes(4, 8), PongReferenceLanes(4, 8)
    rng = np.random.default_rng(0)
    rows = [one.reset([5, 6, 7, 8]).obs.copy()]
    other.reset([0, 0, 0, 0])
    for _ in range(200):
        rows.append(one.step(rng.integers(3, size=4)).view.obs.copy())
        other.step(np.zeros(4))
    np.testing.assert_array_equal(np.stack(rows), alone)
    assert not np.array_equal(trace(other, [5, 6, 7, 9]), alone)


def test_lanes_go_on_from_a_snapshot():
    lanes, later = PongReferenceLanes(4, 8), PongReferenceLanes(4, 8)
    trace(lanes, [1, 2, 3, 4], steps=50)
    saved = lanes.snapshot()
    later.reset([9, 9, 9, 9])
    np.testing.assert_array_equal(later.restore(saved).obs, lanes.pong.observations)
    rng = np.random.default_rng(2)
    for _ in range(200):
        actions = rng.integers(3, size=4)
        a, b = lanes.step(actions), later.step(actions)
        np.testing.assert_array_equal(a.view.obs, b.view.obs)
        np.testing.assert_array_equal(a.reward, b.reward)
    assert lanes.snapshot() == later.snapshot()


# --- refusals ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"num_envs": 0}, "num_envs is 0; choose one from 1 to 1048576"),
        ({"num_envs": 2.5}, "num_envs is a whole number, not 2.5"),
        ({"frame_skip": 0}, "frame_skip is 0; choose one from 1 to 1000"),
        ({"frame_skip": True}, "frame_skip is a whole number, not True"),
        ({"continuous": "yes"}, "continuous is true or false, not 'yes'"),
        ({"build": "fast"}, "there is no build 'fast'; use plain or native"),
    ],
)
def test_games_that_cannot_be_made_are_refused(options, sentence):
    with pytest.raises(EnvwrightError, match=sentence):
        PufferPong(**options)


def test_what_c_would_take_for_something_else_is_refused(sim):
    pong = PufferPong(4)
    for seed in (-1, 2**29, 2**40):
        with pytest.raises(EnvwrightError, match=f"seed {seed} is out of range; 4 environments"):
            pong.reset(seed)
    with pytest.raises(EnvwrightError, match="3 actions were given for 4 games"):
        pong.step([0, 1, 2])
    with pytest.raises(EnvwrightError, match="has no 'ball'; it has paddle_yl, "):
        sim.load({"ball": np.zeros(2)})
    with pytest.raises(EnvwrightError, match="tick is -1; it counts the steps from 0"):
        sim.load(sim.state() | {"tick": -1})
    with pytest.raises(EnvwrightError, match="could not be made: TypeError"):
        open_simulator(f"{NAME}?wheels=4")
