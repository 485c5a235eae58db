"""Traces of battles, their form in files, and the moves that shrink a battle.

Pokemon, moves, items, abilities and decisions are taken away one by one. The players' intents (a
move by its name, a switch by its Pokemon) are kept, since slots shift when something is removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from envwright.errors import EnvwrightError
from envwright.schema.divergence import Trace as Saved
from envwright.sim.records import Fields
from envwright.verify.traces.kinds import BUDGET, Rerun, RoomTraces
from envwright.verify.traces.shrink import Move, propose
from envwright.zoo.pokemon.checks.compare import BattleGames
from envwright.zoo.pokemon.checks.engines import JaxEngine, NumpyEngine
from envwright.zoo.pokemon.checks.tables import ROOM, TABLE, replay_table
from envwright.zoo.pokemon.names import NAMES
from envwright.zoo.pokemon.native import NativeEngine
from envwright.zoo.pokemon.reference.showdown import Showdown, Snapshot
from envwright.zoo.pokemon.reference.trace import Spec, Trace, record
from envwright.zoo.pokemon.teams import Team, packed, read

WAIT, TERA, SWITCH = 13, 4, 7
LOGGED = 12  # lines of the log that a small battle shows
JAX, RUST = "jax", "rust"
TWINS = {JAX: "envwright's battles", RUST: "envwright's battles in Rust"}


@dataclass(frozen=True)
class Script:
    """A battle by its actions."""

    seed: str
    teams: tuple[str, str]  # packed
    actions: list[list[int]]


@dataclass(frozen=True)
class Recorder:
    """Records scripts with Showdown."""

    showdown: Showdown

    def __call__(self, script: Script) -> Trace:
        spec = Spec(script.seed, script.teams, actions=script.actions)
        return record(self.showdown, spec)


class BattleTraces(RoomTraces[Script, Trace]):
    """Traces of battles between two teams."""

    room, name, reference = ROOM, "battle", "Showdown (@pkmn/sim 0.10.11)"

    @contextmanager
    def recorder(self) -> Iterator[Recorder]:
        """Return a recorder; Showdown rejects illegal actions."""
        with Showdown() as showdown:
            yield Recorder(showdown)

    def engines(self, twin: str) -> Sequence[Callable[[], BattleGames]]:
        """Return the battles in Rust, or else NumPy, and compiled ones only if NumPy agrees."""
        if twin == TWINS[RUST]:
            return (lambda: BattleGames(NativeEngine()),)
        return lambda: BattleGames(NumpyEngine()), lambda: BattleGames(JaxEngine())

    def saved(self, script: Script) -> tuple[Fields, list[Any]]:
        start = {"seed": np.array(script.seed), "teams": np.array(script.teams)}
        return start, [list(pair) for pair in script.actions]

    def script(self, start: Fields, actions: list[Any]) -> Script:
        first, second = map(str, start["teams"])
        return Script(str(start["seed"]), (first, second), actions)

    def shrink(self, saved: Saved, budget: int = BUDGET) -> Saved:
        """Return the smallest battle found, with the end of Showdown's log."""
        small = super().shrink(saved, budget)
        script = self.script(small.start or {}, small.actions)
        with Showdown() as showdown:
            log = showdown.replay(script.seed, script.teams, script.actions, log=True)["log"]
        lines = "\n             ".join(log[-LOGGED:])
        return msgspec.structs.replace(small, hint=f"log        {lines}")

    def moves(self, record: Recorder) -> Sequence[Move]:  # type: ignore[override]
        """Return moves to smaller battles with the same intents, as Showdown accepts them."""

        def candidates(script: Script) -> Iterator[Script]:
            for battle in _smaller(meant(record(script))):
                try:
                    yield played(record.showdown, battle)
                except EnvwrightError:  # the reference cannot play it
                    continue

        return (propose(candidates),)


BATTLES = BattleTraces()
TRACES = {BATTLES.name: BATTLES, TABLE: Rerun(replay_table)}


@dataclass(frozen=True)
class Intent:
    """The intent of one player's action."""

    move: str = ""
    tera: bool = False
    switch_to: int = -1  # place in the team as given


@dataclass(frozen=True)
class Battle:
    """A battle by its players' intents."""

    seed: str
    teams: tuple[Team, Team]
    decisions: tuple[tuple[Intent, Intent], ...]


def meant(trace: Trace) -> Battle:
    """Return the intents of a recorded game."""
    teams = read(trace.teams[0]), read(trace.teams[1])
    decisions = [(_intent(trace, t, 0), _intent(trace, t, 1)) for t in range(trace.decisions)]
    return Battle(trace.seed, teams, tuple(decisions))


def _intent(trace: Trace, t: int, side: int) -> Intent:
    action = int(trace.actions[t, side])
    if action == WAIT:
        return Intent()
    if action > SWITCH:
        return Intent(switch_to=int(trace["uid"][t, side, action - SWITCH]))
    move = NAMES.moves[trace["moves"][t, side, 0, action % TERA]]
    return Intent(move=move, tera=action >= TERA)


def played(showdown: Showdown, battle: Battle) -> Script:
    """Play the intents; if one is not possible, take the first legal action."""
    teams = packed(battle.teams[0]), packed(battle.teams[1])
    live = showdown.new(battle.seed, teams)
    actions = []
    for pair in battle.decisions:
        if live.snapshot["ended"]:
            break
        sides = live.snapshot["sides"]
        chosen = [_action(side, intent) for side, intent in zip(sides, pair, strict=True)]
        live.step(chosen)
        actions.append(chosen)
    live.free()
    return Script(battle.seed, teams, actions)


def _action(side: Snapshot, intent: Intent) -> int:
    legal, party = side["legal"], side["party"]
    if intent.switch_to >= 0:
        places = [slot for slot, one in enumerate(party) if one["team"] == intent.switch_to]
        wanted = SWITCH + places[0] if places else -1
    else:
        names = [name for name, *_ in party[0]["moves"]]
        slot = names.index(intent.move) if intent.move in names else 0
        wanted = slot + TERA * (intent.tera and slot + TERA in legal)
    return wanted if wanted in legal else legal[0]


def _smaller(battle: Battle) -> Iterator[Battle]:
    """Yield candidates, the boldest first."""
    for side in (0, 1):
        for place in reversed(range(len(battle.teams[side]))):
            if len(battle.teams[side]) > 1:
                yield _without_pokemon(battle, side, place)
    count = len(battle.decisions)
    for size in (count // 2, count // 4, 1):
        for start in range(0, count - 1, max(size, 1)) if size else ():
            kept = battle.decisions[:start] + battle.decisions[start + size :]
            yield replace(battle, decisions=kept)
    for side in (0, 1):
        for place, one in enumerate(battle.teams[side]):
            for move in one.moves if len(one.moves) > 1 else ():
                moves = tuple(m for m in one.moves if m != move)
                yield _with(battle, side, place, moves=moves)
            if one.item:
                yield _with(battle, side, place, item="")
            if one.ability not in ("", "noability"):
                yield _with(battle, side, place, ability="noability")


def _with(battle: Battle, side: int, place: int, **changes: object) -> Battle:
    team = list(battle.teams[side])
    team[place] = replace(team[place], **changes)
    return _with_team(battle, side, tuple(team), lambda intent: intent)


def _without_pokemon(battle: Battle, side: int, place: int) -> Battle:
    team = battle.teams[side][:place] + battle.teams[side][place + 1 :]

    def shifted(intent: Intent) -> Intent:
        gone, later = intent.switch_to == place, intent.switch_to > place
        return replace(intent, switch_to=-1 if gone else intent.switch_to - later)

    return _with_team(battle, side, team, shifted)


def _with_team(battle: Battle, side: int, team: Team, change: Callable[[Intent], Intent]) -> Battle:
    teams = (team, battle.teams[1]) if side == 0 else (battle.teams[0], team)
    decisions = tuple((change(a), b) if side == 0 else (a, change(b)) for a, b in battle.decisions)
    return replace(battle, teams=teams, decisions=decisions)
