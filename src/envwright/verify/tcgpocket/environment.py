"""Level 3 of the environment itself: what `make("tcgpocket")` steps, tiles and new games included.

The other checks drive the rules; this one drives `step_batch`, with more lanes than a tile has. The
reference deals every game anew from its key and decks, and takes the same actions.
"""

from __future__ import annotations

import importlib
import marshal
from types import FunctionType
from typing import Any

import jax
import numpy as np

from envwright.core.registry import make as make_env
from envwright.verify.divergence import Divergence
from envwright.verify.recall import kept
from envwright.verify.results import LevelResult, Progress, quiet
from envwright.verify.tally import Tally
from envwright.verify.tcgpocket.levels import REFERENCE, TWIN
from envwright.zoo.tcgpocket.contract.observation import flat
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import STATE
from envwright.zoo.tcgpocket.decks import Deck
from envwright.zoo.tcgpocket.reference import Game

LANES = 300  # three tiles, the last of them not full
TICKS = 200
QUEUE = ("envwright.zoo.tcgpocket.engine.queue", "envwright.zoo.tcgpocket.engine.blocks")


def check_environment(
    seed: int = 0,
    progress: Progress = quiet,
    mutant: bool = False,
    lanes: int = LANES,
    ticks: int = TICKS,
) -> LevelResult:
    """Games of the environment in the default settings, one after another, with random actions.

    Of mutants only those are asked that concern how lanes are queued: others are judged on NumPy,
    and would each be compiled here.
    """
    result = LevelResult(3, Tally())
    if mutant and kept("tcgpocket queue", _queue_code) == _queue_code():
        return result
    tables = Tables(seed, lanes)
    for tick in range(ticks):
        found = tables.step()
        if found is not None:
            result.divergences.append(_divergence(tick, seed, *found))
            break
        progress("decisions of every lane compared", tick + 1, ticks)
    result.tally = Tally(episodes=tables.ended, steps=tables.decisions)
    result.notes.append(
        f"the environment: {lanes} lanes, {tables.decisions} decisions, {tables.ended} games to "
        "their end, each dealt anew by the reference; records, masks, views, rewards equal"
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
        self.games: list[Game] = [self._dealt(record) for record in self._records()]
        self.new = np.ones(lanes, bool)  # games at their first question
        self.decisions = self.ended = 0

    def step(self) -> tuple[str, str, str, int] | None:
        """A random decision in every lane: what differs first (field, both values, lane)."""
        masks = np.asarray(self._masks(self.states))
        wrong = self._compare(masks)
        if wrong is not None:
            return wrong
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
                self.games[lane] = self._dealt(records[lane])
        self.new, self.ended = over, self.ended + int(over.sum())
        self.decisions += len(self.games)
        return None

    def _compare(self, masks: np.ndarray) -> tuple[str, str, str, int] | None:
        records, seen = self._records(), np.asarray(self.obs)
        movers = np.asarray(self.env.current_player(self.states))
        for lane, game in enumerate(self.games):
            if self.new[lane] and masks[lane].sum() == 1:
                continue  # the reference has answered already; what follows is compared
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
        blocks, kit, record = (
            importlib.import_module(f"envwright.zoo.tcgpocket.engine.{name}")
            for name in ("blocks", "lanes", "record")
        )
        columns = np.asarray(self.states.words).T
        return record.to_records(blocks.unpack(kit.Kit(np, None, self.settings), columns))

    def _dealt(self, record: np.void) -> Game:
        """The game that the reference deals from the key and the decks of a new one."""
        sides = record["players"]
        decks = [
            Deck("dealt", tuple(map(int, side["cards"])), _types(int(side["types"])))
            for side in sides
        ]
        high, low = map(int, record["key"])
        return Game.new(decks, high << 32 | low, self.settings)


def _types(bits: int) -> tuple[int, ...]:
    return tuple(kind for kind in range(8) if bits >> kind & 1)


def _field(theirs: bytes, ours: bytes, lane: int) -> tuple[str, str, str, int]:
    a, b = (np.frombuffer(data, STATE)[0] for data in (theirs, ours))
    for name in STATE.names or ():
        if a[name].tobytes() != b[name].tobytes():
            return name, str(a[name].tolist()), str(b[name].tolist()), lane
    return "record", theirs.hex(), ours.hex(), lane


def _divergence(tick: int, seed: int, field: str, theirs: str, ours: str, lane: int) -> Divergence:
    return Divergence(
        level=3,
        reference=REFERENCE,
        twin=TWIN,
        field=field,
        reference_value=theirs,
        twin_value=ours,
        tolerance="exact",
        step=tick,
        seed=seed,
        actions=[],
        start=None,
        origin=f"lane {lane} of the environment, decision {tick}",
        bridge="envwright.verify.tcgpocket.environment:replay",
        lane=lane,
        kind="room",
    )


def replay(saved: Divergence) -> str:
    """What still differs from the seed of a saved divergence on, or nothing."""
    again = check_environment(saved.seed, ticks=saved.step + 1).divergences
    return f"{again[0].origin}: {again[0].field}" if again else ""


def _queue_code() -> bytes:
    """The functions that queue lanes, as they are imported now."""
    modules = [vars(importlib.import_module(name)) for name in QUEUE]
    codes = [
        value.__code__
        for module in modules
        for value in module.values()
        if isinstance(value, FunctionType) and value.__module__ == module["__name__"]
    ]
    numbers = [v for m in modules for k, v in sorted(m.items()) if type(v) is int and k.isupper()]
    return marshal.dumps((codes, numbers))
