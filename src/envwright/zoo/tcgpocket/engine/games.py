"""A batch of games on the fast engine, in the contract's formats.

games = Games(xp="numpy")                 # or "jax", compiled
games.new([(mine, yours)], seeds=[1])
while not games.over.all():
    games.step(choose(games.observe(), games.masks))
games.rewards
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Stage
from envwright.zoo.tcgpocket.contract.chance import key_of
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.decks import Deck
from envwright.zoo.tcgpocket.engine import cycle, setup
from envwright.zoo.tcgpocket.engine import tables as table_module
from envwright.zoo.tcgpocket.engine.chance import LOG, empty_log
from envwright.zoo.tcgpocket.engine.kit import Kit
from envwright.zoo.tcgpocket.engine.legal import legal
from envwright.zoo.tcgpocket.engine.observation import observe
from envwright.zoo.tcgpocket.engine.record import from_records, to_records

LEAST_LANES = 16  # batches are filled up to a power of two, so that few programs are compiled
_BITS = np.arange(32, dtype=np.int32)


def padded(lanes: int) -> int:
    """Return the size that a batch is filled up to."""
    size = LEAST_LANES
    while size < lanes:
        size *= 2
    return size


class Games:
    """A batch of games; `tables` are rows as `engine.tables.load` returns them."""

    def __init__(
        self, settings: Settings | None = None, xp: str = "jax", tables: Any = None
    ) -> None:
        if xp not in ("jax", "numpy"):
            raise EnvwrightError(f"xp is 'jax' or 'numpy', not '{xp}'")
        self.settings = settings or Settings()
        self.tables = table_module.load() if tables is None else tables
        self.compiled = xp == "jax"
        self._kit = Kit(np, self.tables, self.settings)
        self.lanes = 0
        self._state: Any = None
        self._words: Any = None
        self._log: Any = None

    # --- what a batch does ---------------------------------------------------------------

    def new(
        self,
        decks: Sequence[tuple[Deck, Deck]],
        seeds: Sequence[int],
        tapes: np.ndarray | None = None,
    ) -> None:
        """Start games up to their first decision."""
        if len(decks) != len(seeds):
            raise EnvwrightError(
                f"{len(decks)} pairs of decks have {len(seeds)} seeds; give one each"
            )
        cards = np.array([[deck.cards for deck in pair] for pair in decks], np.int32)
        types = np.array(
            [[sum(1 << kind for kind in deck.types) for deck in pair] for pair in decks], np.int32
        )
        keys = np.array([key_of(int(seed)) for seed in seeds], np.uint32)
        self.lanes = len(decks)
        given = [self._filled(np.moveaxis(x, 0, -1)) for x in (cards, types, keys)]
        self._run("new", given, tapes)

    def load(self, records: np.ndarray, tapes: np.ndarray | None = None) -> None:
        """Load games from contract STATE[B]; continue until there is a choice."""
        records = np.atleast_1d(records)
        self.lanes = len(records)
        fill = padded(self.lanes) - self.lanes
        records = np.concatenate([records, np.repeat(records[:1], fill)])
        self._run("load", [from_records(self._kit, records)], tapes)

    def step(self, actions_: np.ndarray, tapes: np.ndarray | None = None) -> None:
        """Answer in every game; those that are over stay as they are."""
        chosen = np.asarray(actions_, np.int32)
        if chosen.shape != (self.lanes,):
            raise EnvwrightError(f"give {self.lanes} actions, not {chosen.shape}")
        going = ~self.over
        inside = (chosen >= 0) & (chosen < actions.PADDED)
        legal_ones = inside & self.masks[np.arange(self.lanes), np.where(inside, chosen, 0)]
        wrong = np.flatnonzero(going & ~legal_ones)
        if len(wrong):
            lane = int(wrong[0])
            raise EnvwrightError(
                f"game {lane} does not allow action {int(chosen[lane])}; choose one of its mask"
            )
        self._run("step", [self._state, self._filled(chosen)], tapes)

    # --- what a batch shows --------------------------------------------------------------

    @property
    def records(self) -> np.ndarray:
        """The games as contract STATE[B]."""
        return to_records(_numpy(self._state))[: self.lanes]

    @property
    def masks(self) -> np.ndarray:
        """The legal actions, bool[B, 128]."""
        words = np.asarray(self._words)[:, : self.lanes]
        bits = (words[:, None] >> _BITS[:, None]) & 1 == 1
        return np.ascontiguousarray(bits.reshape(actions.PADDED, self.lanes).T)

    @property
    def mover(self) -> np.ndarray:
        """int[B]: who is asked; in a finished game whose turn it was."""
        return np.asarray(self._state.player ^ self._state.asked)[: self.lanes]

    @property
    def over(self) -> np.ndarray:
        """bool[B]."""
        return np.asarray(self._state.stage)[: self.lanes] == Stage.OVER

    @property
    def rewards(self) -> np.ndarray:
        """The rewards, int[B, 2]: 1 for the winner, -1 for the loser."""
        winner = np.asarray(self._state.winner)[: self.lanes]
        first = (winner == 1).astype(int) - (winner == 2)
        return np.stack([first, -first], 1)

    def observe(self, players: Sequence[int] | None = None) -> np.ndarray:
        """Return the observations of the movers, or of given players, int16[B, 382]."""
        who = self.mover if players is None else np.asarray(players)
        who = self._filled(np.asarray(who, np.int32))
        if self.compiled:
            seen = _compiled("observe", self.settings, False)(self.tables, self._state, who)
        else:
            seen = observe(self._kit, self._state, who)
        return np.ascontiguousarray(np.asarray(seen)[:, : self.lanes].T)

    @property
    def draws(self) -> list[list[tuple[int, int, int]]]:
        """Return the draws of the last new, load or step by lane: purpose, n, result."""
        log = [np.asarray(x) for x in self._log]
        if (log[3][: self.lanes] > LOG).any():
            raise EnvwrightError(f"a game drew more than {LOG} times in one step; raise chance.LOG")
        a, b, c = log[:3]
        return [
            [(int(a[i, lane]), int(b[i, lane]), int(c[i, lane])) for i in range(log[3][lane])]
            for lane in range(self.lanes)
        ]

    # --- how it is done ------------------------------------------------------------------

    def _filled(self, array: np.ndarray) -> np.ndarray:
        fill = padded(self.lanes) - array.shape[-1]
        return np.concatenate([array, np.repeat(array[..., :1], fill, axis=-1)], axis=-1)

    def _run(self, what: str, given: list[Any], tapes: np.ndarray | None) -> None:
        tape = None
        if tapes is not None:
            tape = self._filled(np.ascontiguousarray(np.asarray(tapes, np.uint32).T))
        run = partial(_run, np, what, self.settings)
        if self.compiled:
            run = _compiled(what, self.settings, tapes is not None)
        self._state, self._words, self._log = run(self.tables, tape, *given)


def _run(xp: Any, what: str, settings: Settings, tables: Any, tape: Any, *given: Any) -> Any:
    """Run new, load or step with a log, in NumPy or inside a compiled program."""
    k = Kit(xp, tables, settings, log=empty_log(xp, _lanes(given)), tape=tape)
    if what == "new":
        numbers, types, keys = given
        s = cycle.normal(setup.new_games(k, numbers, types, keys))
        s, words = cycle.to_choice(k, s, legal(k, s))
    else:
        state = given[0]
        k.tape_start = state.counter
        if what == "step":
            s, words = cycle.step(k, state, given[1])
        else:
            s, words = cycle.to_choice(k, state, legal(k, state))
    return s, words, k.log


def _lanes(given: Sequence[Any]) -> int:
    last = given[-1]
    return (last.turn if hasattr(last, "turn") else last).shape[-1]


_PROGRAMS: dict[Any, Any] = {}


def _compiled(what: str, settings: Settings, taped: bool) -> Any:
    """Return a compiled function; one program for each, whatever the tables."""
    import jax
    import jax.numpy as jnp

    def seen(tables: Any, state: Any, who: Any) -> Any:
        return observe(Kit(jnp, jax.tree.map(jnp.asarray, tables), settings), state, who)

    def run(tables: Any, tape: Any, *given: Any) -> Any:
        tables, given = jax.tree.map(jnp.asarray, (tables, given))
        return _run(jnp, what, settings, tables, tape, *given)

    key = (what, settings, taped)
    if key not in _PROGRAMS:
        _PROGRAMS[key] = jax.jit(seen if what == "observe" else run)
    return _PROGRAMS[key]


def _numpy(state: Any) -> Any:
    import jax

    return jax.tree.map(np.asarray, state)
