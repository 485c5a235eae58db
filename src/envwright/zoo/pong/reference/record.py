"""Record golden traces of the reference: `python -m envwright.zoo.pong.reference.record FOLDER`.

For each setting one file of games and one of single steps. In the games PufferLib runs as it
always does, all games on one stream of `rand()`; the serves that each game then had are put
into its start state as the register that a twin follows.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from envwright.errors import EnvwrightError
from envwright.sim.records import Fields, stack, state_of
from envwright.zoo.pong.reference import cases
from envwright.zoo.pong.reference.binding import PufferPong
from envwright.zoo.pong.reference.libc import Stream
from envwright.zoo.pong.reference.players import choose
from envwright.zoo.pong.reference.register import LENGTH, to_words
from envwright.zoo.pong.reference.simulator import MOTION, SCORES, PongReference

GAMES = 8
FRAMES = 2600  # sub-frames of a recording; a game has fewer serves in them than a register holds
SINGLE_STEPS = 900
SEED = 2026

# Start scores by player (see players.py), left and right, of games longer than a recording.
LATE_SCORES = {2: (0, 20), 3: (3, 19), 6: (20, 4), 7: (19, 20)}


class Setting(NamedTuple):
    """A setting of games."""

    frame_skip: int
    continuous: bool

    @property
    def name(self) -> str:
        """The name in file names."""
        return f"{'continuous' if self.continuous else 'discrete'}-skip{self.frame_skip}"


SETTINGS = tuple(Setting(*s) for s in product((1, 8), (False, True)))


def record(folder: Path) -> Iterator[Path]:
    """Record the traces of all settings; yield each file as soon as it is written."""
    folder.mkdir(parents=True, exist_ok=True)
    for setting in SETTINGS:
        for kind, table in (("games", games(setting)), ("steps", steps(setting))):
            path = folder / f"{kind}-{setting.name}.npz"
            columns: dict[str, Any] = dict(table)
            np.savez_compressed(path, **columns)
            yield path


def games(setting: Setting, seed: int = SEED) -> Fields:
    """Record games in PufferLib's natural mode: `start.…` [N], steps [T, N], and `end.…`."""
    pong = PufferPong(GAMES, *setting)
    rng, stream = np.random.default_rng(seed), Stream()
    with stream:
        pong.reset(seed)
    for game, (left, right) in LATE_SCORES.items():
        pong.structs["score_l"][game], pong.structs["score_r"][game] = left, right
    start, rows = _fields_of(pong), []
    registers, served = [0] * GAMES, [0] * GAMES
    for _ in range(FRAMES // setting.frame_skip):
        actions = choose(pong, rng)
        with stream:
            obs, reward, terminal, _ = pong.step(actions)
        rows.append({"action": actions, "obs": obs, "reward": reward, "terminated": terminal})
        rows[-1] = {k: v.copy() for k, v in rows[-1].items()}
        for game in np.flatnonzero(pong.structs["tick"] == 0):
            level = pong.structs["ball_vy"][game] == 0
            registers[game] |= int(level) << served[game]
            served[game] += 1
    assert max(served) < LENGTH, "a twin that follows the register would leave it"
    # One bit more than was served: a twin may reject a register that is 0 and stays so.
    whole = [register | 1 << count for register, count in zip(registers, served, strict=True)]
    start["serves"] = np.stack([to_words(register) for register in whole])
    table = {f"start.{k}": v for k, v in start.items()}
    table |= {f"end.{k}": v for k, v in _fields_of(pong).items()}
    table |= stack(rows)
    # Time last: this compresses a third smaller.
    table |= {k: np.ascontiguousarray(np.moveaxis(table[k], 0, -1)) for k in rows[0]}
    if not setting.continuous:
        table["action"] = table["action"].astype(np.int8)
    return table | {"served": np.array(served, np.int32)}


def steps(setting: Setting, seed: int = SEED) -> Fields:
    """Record single steps: `before.…`, `action`, then obs, reward, terminated and `after.…`."""
    sim = PongReference(*setting)
    rng, third = np.random.default_rng(seed), SINGLE_STEPS // 3
    sampled = chain(
        cases.visited(sim, rng, third),
        cases.anywhere(rng, third),
        cases.thresholds(rng, setting.frame_skip, third),
    )
    states = [cases.complete(state, rng) for state in sampled]
    actions = cases.pick_actions(sim, rng, len(states))
    outcomes = sim.step_many(states, actions)
    table = {f"before.{k}": v for k, v in stack(states).items()}
    table |= {f"after.{k}": v for k, v in stack([state_of(o) for o in outcomes]).items()}
    table |= {k: v for k, v in stack(outcomes).items() if k in ("reward", "terminated")}
    return table | {"action": np.array(actions)}  # the observation is `after.shown`


def _fields_of(pong: PufferPong) -> Fields:
    """Return the games' states except for the coming serves."""
    held = {name: pong.structs[name].copy() for name in MOTION}
    held |= {name: pong.structs[name].astype(np.int32) for name in (*SCORES, "tick")}
    return held | {"shown": pong.observations.copy()}


def main() -> int:
    """Record into the folder that the command line names."""
    if len(sys.argv) != 2:
        print("usage: python -m envwright.zoo.pong.reference.record FOLDER", file=sys.stderr)
        return 2
    try:
        for path in record(Path(sys.argv[1])):
            print(f"{path} ({path.stat().st_size // 1024} kB)")
    except EnvwrightError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
