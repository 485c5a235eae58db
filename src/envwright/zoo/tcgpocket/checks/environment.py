"""Level 3 of the environment itself: `make("tcgpocket")` with tiles and new games.

The other checks drive the rules; this one drives `step_batch`, with more lanes than a tile has. The
reference deals every game anew from its key and decks, and takes the same actions.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from envwright.core.limits import check_whole
from envwright.core.progress import Progress, quiet
from envwright.core.registry import make as make_env
from envwright.schema.divergence import Trace
from envwright.verify.results import LevelResult
from envwright.verify.tally import Tally
from envwright.zoo.tcgpocket.checks.game_traces import GAMES, REFERENCE, TWIN
from envwright.zoo.tcgpocket.contract.observation import flat
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import STATE
from envwright.zoo.tcgpocket.decks import Deck
from envwright.zoo.tcgpocket.engine import blocks
from envwright.zoo.tcgpocket.engine.kit import Kit
from envwright.zoo.tcgpocket.engine.record import to_records
from envwright.zoo.tcgpocket.reference import Game

NAME = "environment"  # in files
LANES = 300  # three tiles, the last of them not full
TICKS = 200
MOST_TICKS = 10 * TICKS  # of a saved divergence
Found = tuple[str, str, str, int]  # field, the reference's value, ours, lane


def check_environment(
    seed: int = 0,
    progress: Progress = quiet,
    lanes: int = LANES,
    ticks: int = TICKS,
) -> LevelResult:
    """Compare games of the environment in the default settings, in turn, with random actions."""
    result = LevelResult(3, Tally())
    tables = Tables(seed, lanes)
    for tick in range(ticks + 1):  # the last time only to compare what the last step left
        found = tables.compared() or (tables.step() if tick < ticks else None)
        if found is not None:
            result.divergences.append(_divergence(tick, seed, *found))
            break
        progress("decisions of every lane compared", min(tick + 1, ticks), ticks)
    result.tally = Tally(episodes=tables.ended, steps=tables.decisions)
    result.notes.append(
        f"the environment: {lanes} lanes, {tables.decisions} decisions, {tables.ended} games to "
        "their end, each from a key of its own and dealt anew by the reference; records, masks, "
        "views, rewards equal"
        if not result.divergences
        else f"the environment parts from the reference after {tables.decisions} decisions"
    )
    return result


class Tables:
    """Lanes of the environment, and the same games on the reference."""

    def __init__(self, seed: int, lanes: int) -> None:
        self.env: Any = make_env("tcgpocket")
        self.settings = Settings()
        self.key = jax.random.key(seed)
        self.rng = np.random.default_rng(seed)
        reset, self._step = jax.jit(self.env.reset_batch), jax.jit(self.env.step_batch)
        self._masks = jax.jit(jax.vmap(self.env.legal_actions))
        self.obs, self.states = reset(jax.random.split(jax.random.key(seed + 1), lanes))
        self.keys: set[int] = set()
        self.repeated: int | None = None  # a lane whose new game had the key of another
        self.games = [self._dealt(lane, record) for lane, record in enumerate(self._records())]
        self.new = np.ones(lanes, bool)  # games at their first question
        self.decisions = self.ended = 0

    def step(self) -> Found | None:
        """Play a random decision in every lane; return differences in end and reward."""
        masks = np.asarray(self._masks(self.states))
        chosen = (masks * self.rng.random(masks.shape)).argmax(1)
        self.key, k_step = jax.random.split(self.key)
        after = self._step(k_step, self.states, chosen.astype(np.int32))
        self.obs, self.states = after.obs, after.state
        reward, over = np.asarray(after.reward), np.asarray(after.terminated)
        records = self._records()
        for lane, game in enumerate(self.games):
            # The environment asks the first question of a game even if it has one answer.
            if not (self.new[lane] and masks[lane].sum() == 1):
                game.step(int(chosen[lane]))
            expected = game.rewards if game.over else [0, 0]
            if game.over != bool(over[lane]) or list(reward[lane]) != list(expected):
                told = (str((game.over, expected)), str((bool(over[lane]), reward[lane].tolist())))
                return "over and reward", *told, lane
            if game.over:
                self.games[lane] = self._dealt(lane, records[lane])
        self.new, self.ended = over, self.ended + int(over.sum())
        self.decisions += len(self.games)
        return None

    def compared(self) -> Found | None:
        """Return what differs first: field, both values, lane."""
        masks = np.asarray(self._masks(self.states))
        records, seen = self._records(), np.asarray(self.obs)
        if self.repeated is not None:
            return (
                "key of a new game",
                "one that no game had",
                "that of a game before",
                self.repeated,
            )
        movers = np.asarray(self.env.current_player(self.states))
        for lane, game in enumerate(self.games):
            if self.new[lane] and masks[lane].sum() == 1:
                continue  # the reference has answered already; compare what follows
            ours = records[lane].tobytes()
            if game.save() != ours:
                return _field(game.save(), ours, lane)
            if game.mover != movers[lane]:
                return "mover", str(game.mover), str(movers[lane]), lane
            if not np.array_equal(game.mask(), masks[lane]):
                legal = [np.flatnonzero(mask).tolist() for mask in (game.mask(), masks[lane])]
                return "mask", str(legal[0]), str(legal[1]), lane
            view = flat(game.observe())
            if not np.array_equal(view, seen[lane]):
                place = int(np.flatnonzero(view != seen[lane])[0])
                return f"observation[{place}]", str(view[place]), str(seen[lane][place]), lane
        return None

    def _records(self) -> np.ndarray:
        columns = np.asarray(self.states.words).T
        return to_records(blocks.unpack(Kit(np, None, self.settings), columns))

    def _dealt(self, lane: int, record: np.void) -> Game:
        """Return the game that the reference deals from the key and the decks of a new one."""
        sides = record["players"]
        decks = [
            Deck("dealt", tuple(map(int, side["cards"])), _types(int(side["types"])))
            for side in sides
        ]
        high, low = map(int, record["key"])
        key = high << 32 | low
        if key in self.keys:
            self.repeated = lane
        self.keys.add(key)
        return Game.new(decks, key, self.settings)


def _types(bits: int) -> tuple[int, ...]:
    return tuple(kind for kind in range(8) if bits >> kind & 1)


def _field(theirs: bytes, ours: bytes, lane: int) -> Found:
    a, b = (np.frombuffer(data, STATE)[0] for data in (theirs, ours))
    for name in STATE.names or ():
        if a[name].tobytes() != b[name].tobytes():
            return name, str(a[name].tolist()), str(b[name].tolist()), lane
    return "record", theirs.hex(), ours.hex(), lane


def _divergence(tick: int, seed: int, field: str, theirs: str, ours: str, lane: int) -> Trace:
    return Trace(
        level=3,
        reference=REFERENCE,
        twin=TWIN,
        field=field,
        reference_value=theirs,
        twin_value=ours,
        tolerance="exact",
        step=tick,
        seed=seed,
        origin=f"lane {lane} of the environment, decision {tick}",
        room=GAMES.room,
        trace=NAME,
        lane=lane,
    )


def replay(saved: Trace) -> str:
    """Return what still differs from the seed of a saved divergence on, or ""."""
    ticks = saved.step + 1
    check_whole("the number of decisions", ticks, 1, MOST_TICKS)
    again = check_environment(saved.seed, ticks=ticks).divergences
    return f"{again[0].origin}: {again[0].field}" if again else ""
