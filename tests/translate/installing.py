"""An empty virtual environment outside the repository, with wheels of envwright and translations.

What they depend on is not downloaded: it is found in the environment of the tests, after everything
that is installed in the empty one. The editable envwright of that environment is not.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
# As cleanrl/ppo.py collects a rollout: storage of fixed shapes, `next_done`, returns of what ended.
LOOP = """
import sys

import gymnasium
import numpy as np

name, options = sys.argv[1], eval(sys.argv[2])
num_envs, num_steps = 8, 128
envs = gymnasium.make_vec(name, num_envs=num_envs, **options)
shape = envs.single_observation_space.shape
actions = np.zeros((num_steps, num_envs, *envs.single_action_space.shape))
obs = np.zeros((num_steps, num_envs, *shape), envs.single_observation_space.dtype)
rewards, dones = (np.zeros((num_steps, num_envs)) for _ in range(2))
envs.action_space.seed(0)
next_obs, _ = envs.reset(seed=0)
next_done, running, ended = np.zeros(num_envs), np.zeros(num_envs), []
for step in range(num_steps):
    obs[step], dones[step] = next_obs, next_done
    actions[step] = action = envs.action_space.sample()
    next_obs, rewards[step], terminations, truncations, infos = envs.step(action)
    next_done = np.logical_or(terminations, truncations)
    running += rewards[step]
    if next_done.any():
        assert infos["final_obs"] is not None
    ended += running[next_done].tolist()
    running[next_done] = 0
assert len(ended) > num_envs and np.isfinite(rewards).all()
assert envs.observation_space.contains(np.asarray(next_obs)), next_obs
assert len(np.unique(obs[0].reshape(num_envs, -1), axis=0)) > 1, "all lanes began alike"
print(f"{num_steps * num_envs} steps, {len(ended)} episodes, mean return {np.mean(ended):.2f}")
"""


def run(command: list[object], folder: Path, allowed: Sequence[int] = (0,), **env: str) -> str:
    """Run a command outside the environment of the tests; return its output. It must succeed."""
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=folder, env=clean | env, capture_output=True, text=True, timeout=3600
    )
    said = done.stdout + done.stderr
    assert done.returncode in allowed and "Traceback" not in said, f"{words}\n{said}"
    return said


def wheel_of(project: Path, folder: Path) -> Path:
    """Build the wheel of a project with `pip wheel --no-deps`; maturin is the one of the tests."""
    folder.mkdir(parents=True, exist_ok=True)
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    flags = ["--quiet", "--no-deps", "--wheel-dir", folder]
    if "flit_core" not in (project / "pyproject.toml").read_text():  # that one is small to fetch
        flags.append("--no-build-isolation")
    run([sys.executable, "-m", "pip", "wheel", *flags, project], folder, PATH=tools)
    (wheel,) = folder.glob("*.whl")
    return wheel


def own_wheel(shared: Path) -> Path:
    """Return the wheel of this envwright, built once for all tests of a run."""
    folder = shared / "own-wheel"
    with open(shared / "own-wheel.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return next(folder.glob("*.whl"), None) or wheel_of(ROOT, folder)


def environment(folder: Path, *wheels: Path) -> Path:
    """Make an empty virtual environment and install wheels there; return its Python."""
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    run([python, "-m", "pip", "install", "--quiet", "--no-deps", *wheels], folder)
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(run([python, "-c", asked], folder).strip())
    (site / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return python


def use(python: Path, package: str, gymnasium_id: str, tests: Path, **options: object) -> str:
    """Step, train and test an installed translation; return what the loop printed.

    `tests` are the package's own, of which none may be skipped.
    """
    folder = python.parents[1]
    where = run([python, "-c", f"import envwright, {package} as p; print(p.__file__)"], folder)
    assert where.strip().startswith(str(folder)), where
    name = f"{package}:{gymnasium_id}"
    said = run([python, "-c", LOOP, name, repr(options)], folder)
    asked = "&".join(f"{k}={str(v).lower()}" for k, v in options.items())
    trained = f"{package}?{asked}" if options else package
    small = ["--steps", "4096", "--set", "num_envs=16"]
    assert "mean return" in run([python.parent / "envwright", "train", trained, *small], folder)
    own = run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests], folder)
    assert "passed" in own and "skipped" not in own, own
    return said
