"""A verified translation to Rust is written as a package with an extension module."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from tests.translate.test_rust_target import needs_cargo

import envwright
from envwright.adapters.puffer import PufferVectorEnv
from envwright.core import native_runtime
from envwright.errors import EnvwrightError
from envwright.sandbox import JailFailed
from envwright.sim.resolve import open_simulator
from envwright.sim.simulator import TwinRaised
from envwright.sim.targets import open_target
from envwright.testing import assert_equivalent, assert_recorded, assert_verified
from envwright.translate.crate import crate_files
from envwright.translate.package import export, extension
from envwright.translate.spec import load_spec
from envwright.translate.stored_runs import open_run

ROOT = Path(__file__).parents[3]
pytestmark = needs_cargo
STEPS = 60


def game(**options):
    return envwright.make("fast_lamp", num_envs=5, **options)


def actions(env, steps=STEPS):
    rng = np.random.default_rng(0)
    return rng.integers(0, 3, (steps, env.num_envs, *env.action_shape))


# --- what is written ---------------------------------------------------------------------------


@pytest.mark.slow
def test_the_package_is_built_by_maturin_without_the_module_that_is_there(rust_package):
    project = tomllib.loads((rust_package / "package/pyproject.toml").read_text())
    assert project["build-system"]["build-backend"] == "maturin"
    assert project["tool"]["maturin"]["module-name"] == "fast_lamp._native"
    assert project["tool"]["maturin"]["exclude"] == ["src/fast_lamp/*.so"]
    page = (rust_package / "package/README.md").read_text()
    assert "Lamp in Rust" in page and "## Build" in page and "envwright mutate .\n" in page


def test_the_crate_is_the_one_that_was_judged(rust_package):
    spec = load_spec(rust_package)
    crate = rust_package / "package/rust/game"
    judged = crate_files(spec, spec.modules, golden=False)
    same = [path for path in judged if path.startswith("harness/") or path == "lib.rs"]
    assert all((crate / path).read_text() == judged[path] for path in same) and len(same) > 15
    workspace = rust_package / "runs/a/workspace/src/fast_lamp"
    for file in ("env.rs", "heat.rs"):
        written = (crate / "src/fast_lamp" / file).read_bytes()
        assert written == (workspace / file).read_bytes()


def test_the_workspace_has_the_tables_and_versions_of_this_repository(rust_package):
    ours = tomllib.loads((ROOT / "Cargo.toml").read_text())
    theirs = tomllib.loads((rust_package / "package/rust/Cargo.toml").read_text())
    for table in ("package", "lints", "resolver"):
        assert theirs["workspace"][table] == ours["workspace"][table]
    assert theirs["profile"] == {"release": ours["profile"]["release"]}
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    kept = tomllib.loads((rust_package / "package/rust/Cargo.lock").read_text())["package"]
    assert all(package in locked for package in kept if "source" in package)
    assert not any(package["name"] == "proptest" for package in kept)


def test_the_runtime_is_the_one_that_this_envwright_was_built_with(rust_package):
    sources = native_runtime.runtime_sources()
    for path in [path for path in sources if path.endswith(".rs")]:
        written = rust_package / "package/rust" / _travels_as(path.removeprefix("crates/"))
        assert written.read_text() == sources[path] == (ROOT / path).read_text(), "rebuild it"


def _travels_as(path):
    """Return where a source lies; the generators are a module of the judged crate."""
    folder = "numpy-random/src/"
    if not path.startswith(folder):
        return path
    name = path.removeprefix(folder)
    return f"game/harness/numpy_random/{'mod.rs' if name == 'lib.rs' else name}"


# --- what is made ------------------------------------------------------------------------------


def test_it_equals_the_reference_and_the_recorded_steps(opened_rust, rust_package):
    assert_verified("fast_lamp", levels=(1,))
    label = load_spec(rust_package).checks[0].label
    assert_recorded("fast_lamp", rust_package / "package/tests/recorded.npz", label)
    compile((rust_package / "package/tests/test_levels.py").read_text(), "test_levels.py", "exec")


def test_its_batches_are_environments_of_gymnasium(opened_rust):
    envs = gymnasium.make_vec("fast_lamp/Lamp-v1", num_envs=3)
    obs, _ = envs.reset(seed=0)
    ended = 0
    for _ in range(STEPS):
        obs, _, terminated, truncated, infos = envs.step(envs.action_space.sample())
        ended += int(np.sum(terminated | truncated))
        assert ("final_obs" in infos) == bool(np.any(terminated | truncated))
    assert obs.shape == (3, 2) and obs.dtype == np.float32 and ended


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_single_one_is_an_environment_of_gymnasium_without_restarts(opened_rust):
    single = gymnasium.make("fast_lamp:fast_lamp/Lamp-v1", max_steps=7).unwrapped
    check_env(single, skip_render_check=True)
    single.reset(seed=3)
    steps = [single.step(1) for _ in range(7)]
    assert [truncated for *_, truncated, _ in steps] == [False] * 6 + [True]
    with pytest.raises(gymnasium.error.ResetNeeded):
        single.step(1)


def test_rewards_are_exact_and_threads_change_nothing(opened_rust):
    one, two = (game(threads=threads, max_steps=9) for threads in (1, 2))
    assert (one.reset(0) == two.reset(0)).all() and one.reward.dtype == np.float64
    for moves in actions(one):
        for ours, theirs in zip(one.step(moves), two.step(moves), strict=True):
            assert (ours == theirs).all()


def test_a_snapshot_and_a_loaded_state_continue_as_the_original(opened_rust):
    one, two = game(dice=True), game(dice=True)
    one.reset(0)
    first, second = np.split(actions(one), 2)
    for moves in first:
        one.step(moves)
    snapshot, state = one.snapshot(), one.state()
    assert set(state) == {"level", "heat", "time", "rng"}
    wanted = [one.step(moves).obs.copy() for moves in second]
    two.restore(snapshot)
    assert all(
        (two.step(moves).obs == obs).all() for moves, obs in zip(second, wanted, strict=True)
    )
    two.load_all(state)
    assert all(
        (two.step(moves).obs == obs).all() for moves, obs in zip(second, wanted, strict=True)
    )
    other = game(max_steps=8)
    with pytest.raises(ValueError, match="restore it where it was taken"):
        other.restore(snapshot)


def test_it_is_stepped_like_an_environment_of_pufferlib(opened_rust):
    env = PufferVectorEnv(game(max_steps=4), log_interval=8)
    env.reset(seed=0)
    told = [env.step(np.ones(5, int)) for _ in range(8)][-1]
    assert told[1].dtype == np.float32 and told[4][0]["episode_length"] == 4


def test_it_is_trained_as_lanes(opened_rust):
    lanes = open_target("envwright:fast_lamp?max_steps=5")(4)
    lanes.reset([0, 1, 2, 3])
    steps = [lanes.step(np.ones(4, np.int32)) for _ in range(5)]
    assert steps[-1].truncated.all() and not steps[-2].truncated.any()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"wheels": 4}, 'no option "wheels"; there are ["max_steps"'),
        ({"max_steps": "many"}, "option max_steps is a whole number"),
    ],
)
def test_wrong_options_are_named(opened_rust, options, said):
    with pytest.raises(EnvwrightError) as raised:
        game(**options)
    assert said in str(raised.value)


def test_wrong_actions_are_named(opened_rust):
    env = game()
    env.reset(0)
    with pytest.raises(ValueError, match="environment 3 is 7; an action is a whole number from 0"):
        env.step([0, 1, 2, 7, 0])
    with pytest.raises(ValueError, match=r"actions has shape \(2,\)"):
        env.step([0, 1])


# --- chance, named parts, players --------------------------------------------------------------


def test_random_steps_follow_the_seed_of_their_lane(opened_rust):
    one, two = game(dice=True), game(dice=True)
    one.reset([0, 1, 2, 3, 4]), two.reset([9, 1, 2, 3, 4])
    runs = [[env.step(moves).obs.copy() for moves in actions(one, 20)] for env in (one, two)]
    ours, theirs = (np.array(run)[:, :, 1] for run in runs)
    assert (ours[:, 1:] == theirs[:, 1:]).all() and (ours[:, 0] != theirs[:, 0]).any()
    plain = game()
    plain.reset([0, 1, 2, 3, 4])
    heats = np.array([plain.step(moves).obs[:, 1].copy() for moves in actions(plain, 20)])
    assert (heats != ours).any()


def test_random_steps_are_verified_with_the_draws_of_the_reference(opened_rust):
    twin = "envwright:fast_lamp?dice=true"
    assert_equivalent("python:lamp:RestlessLamp", twin, levels=(1, 3), episodes=4)
    with pytest.raises(AssertionError):
        assert_equivalent("python:lamp:RestlessLamp", "envwright:fast_lamp", levels=(1,))


@pytest.mark.parametrize(
    ("tape", "said"),
    [
        ({"uniform": [5.0], "integers": [0]}, "draws 5 here, not a number from 0 to 0.1"),
        ({"uniform": [0.1], "integers": [2]}, "draws 2 here, which this cannot give"),
        ({"uniform": [0.1]}, "no (further) `integers` here: it draws 1 x `uniform`"),
        ({}, "no (further) `uniform` here: it draws nothing"),
    ],
)
def test_draws_that_a_game_cannot_make_are_errors(opened_rust, tape, said):
    env = game(dice=True)
    env.ask(op="reset", seed=0)
    with pytest.raises(TwinRaised) as raised:
        env.ask(op="step_with", action=1, tape=tape)
    assert said in str(raised.value) and "env.rs:" in str(raised.value)
    assert env.ask(op="step", action=1)["state"]["time"] >= 1  # the next one draws by itself


def test_named_parts_are_views_of_one_array(opened_rust):
    env = game(parts=True)
    obs = env.reset(0)
    assert obs.dtype.names == ("heat", "level", "picture") and obs.dtype.itemsize == 8 + 8 + 4
    assert np.shares_memory(obs["picture"], obs) and obs["picture"].dtype == np.uint8
    state = env.state()
    assert (obs["picture"] == 28 * state["level"][:, None, None]).all()
    assert (obs["heat"][:, 0] == state["heat"]).all()
    assert (obs["level"] == state["level"]).all()


def test_named_parts_are_a_dict_for_gymnasium_and_the_levels(opened_rust):
    single = gymnasium.make("fast_lamp:fast_lamp/Lamp-v1", parts=True)
    obs, _ = single.reset(seed=0)
    assert single.observation_space.contains(obs)
    assert single.observation_space.contains(single.step(2)[0])
    envs = gymnasium.make_vec("fast_lamp/Lamp-v1", num_envs=2, parts=True)
    assert envs.observation_space.contains(envs.reset(seed=0)[0])
    lanes = open_target("envwright:fast_lamp?parts=true")(4)
    assert lanes.reset([0, 1, 2, 3]).obs["picture"].shape == (4, 2, 2)
    simulator = open_simulator("envwright:fast_lamp?parts=true")
    assert {"obs.level", "obs.heat", "obs.picture"} <= set(simulator.reset(0))
    assert simulator.step(1)["obs.picture"].shape == (2, 2)


@pytest.mark.parametrize(
    ("kind", "dtype", "up", "steps"),
    [
        ("box", np.float32, [0.7, 0.0], 1),
        ("several", np.int64, [2, 1], 2),
    ],
)
def test_actions_of_other_kinds_reach_the_game(opened_rust, kind, dtype, up, steps):
    env = game(actions=kind)
    env.reset(0)
    assert (env.action_dtype, env.action_shape) == (dtype, (2,))
    level = env.state()["level"]
    env.step(np.array([up] * 5))
    assert (env.state()["level"] == level + steps).all()
    wrong = np.full((5, 2), np.nan if kind == "box" else 2)
    with pytest.raises(ValueError, match="an action is"):
        env.step(wrong)
    single = gymnasium.make("fast_lamp:fast_lamp/Lamp-v1", actions=kind)
    single.reset(seed=0)
    assert single.step(single.action_space.sample())[0].shape == (2,)


def test_two_players_choose_at_once_among_their_legal_actions(opened_rust):
    env = game(players=2, max_steps=9)
    env.reset(0)
    assert (env.players, env.obs.shape, env.reward.shape) == (2, (5, 2, 2), (5, 2))
    level = env.state()["level"]
    assert env.legal.shape == (5, 2, 3)
    assert (env.legal[:, 1] == np.stack([level > 0, level >= 0, level < 9], 1)).all()
    assert (env.obs[:, 1, 0] == 9 - env.obs[:, 0, 0]).all()
    step = env.step(np.full((5, 2), 2))
    assert (env.state()["level"] == np.minimum(level + 2, 9)).all()
    assert (step.reward[:, 0] == 0).all() and (step.reward[:, 1] == env.state()["level"]).all()
    with pytest.raises(ValueError, match=r"environment 0 is \[2, 7\]"):
        env.step(np.full((5, 2), [2, 7]))
    lanes = open_target("envwright:fast_lamp?players=2")(2)
    assert lanes.reset([0, 1, 2, 3]).legal.shape == (4, 3)


# --- what can go wrong -------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["cargo", "network", "module"])
def test_what_is_missing_is_said_in_one_sentence_and_nothing_is_left(
    rust_package, opened_rust, tmp_path, monkeypatch, missing
):
    if missing == "cargo":
        monkeypatch.setattr("shutil.which", lambda name: None)
        wanted = pytest.raises(JailFailed, match="install Rust, for instance from")
    elif missing == "network":
        failed = subprocess.CompletedProcess([], 101, "", "error: no such host\n")
        monkeypatch.setattr(extension.subprocess, "run", lambda *_, **__: failed)
        monkeypatch.setattr(extension, "require_cargo", lambda: None)
        said = r"could not fetch the crates .*\(error: no such host\); connect to the network"
        wanted = pytest.raises(EnvwrightError, match=said)
    else:
        monkeypatch.setitem(sys.modules, "fast_lamp._native", None)
        with pytest.raises(EnvwrightError, match="has no extension module for this machine"):
            game()
        return
    with wanted:
        export(open_run(rust_package / "runs/a"), tmp_path / "out")
    assert not [*tmp_path.glob("out/*")]
