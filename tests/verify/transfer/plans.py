"""Plans of level 4 that take seconds, and runs made of other runs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from envwright.train.config import PPOConfig
from envwright.verify.transfer.plan import TransferPlan

CARTPOLE = "envwright:cartpole"

# Half-trained policies: returns from 30 to 250, where a change shows and 500 is far away.
QUICK = TransferPlan(
    margin=10.0,
    why="2 % of the highest return, 500",
    config=PPOConfig(steps=20_000, num_envs=16, rollout=64, learning_rate=1e-3),
    seeds=5,
    episodes=200,
    horizon=500,
)

# Nothing is learnt; everything else happens.
TINY = TransferPlan(
    margin=10.0,
    why="nobody looks",
    config=PPOConfig(steps=512, num_envs=8, rollout=16, network="8x8"),
    seeds=3,
    stages=(0.5, 1.0),
    episodes=3,
    horizon=60,
)


def some_seeds(run: Path, folder: Path, seeds: tuple[int, ...]) -> Path:
    """A run that holds only some seeds of the one below `run`."""
    (source,) = (path.parent for path in run.rglob("run.json"))
    spec = json.loads((source / "run.json").read_text())
    rows = [spec["seeds"].index(seed) for seed in seeds]
    (folder / "policies").mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(spec | {"seeds": list(seeds)}))
    for path in (source / "policies").glob("*.npz"):
        with np.load(path) as file:
            about = json.loads(str(file["about"])) | {"seeds": list(seeds)}
            leaves = {name: file[name][rows] for name in file.files if name != "about"}
        np.savez(folder / "policies" / path.name, about=np.array(json.dumps(about)), **leaves)
    return folder
