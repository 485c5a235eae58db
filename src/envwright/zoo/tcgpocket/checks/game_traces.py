"""Traces of card games, and their form in files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from envwright.sim.records import Fields
from envwright.verify.traces.kinds import Record, RoomTraces
from envwright.verify.traces.shrink import Move, Search, drop_actions
from envwright.zoo.tcgpocket.checks.compare import CardGames
from envwright.zoo.tcgpocket.checks.engines import compiled, on_numpy
from envwright.zoo.tcgpocket.checks.traces import Start, Trace, replayed

REFERENCE = "the reference engine in Python"
TWIN = "envwright:tcgpocket"


@dataclass(frozen=True)
class Script:
    """A start and the actions from there."""

    start: Start
    actions: list[int]
    about: str = "replayed"


class GameTraces(RoomTraces[Script, Trace]):
    """Traces of games, or of pieces of them from saved records."""

    room, name, reference = "tcgpocket", "game", REFERENCE

    @contextmanager
    def recorder(self) -> Iterator[Record[Script, Trace]]:
        """Return a recorder; the reference ends a game at the first illegal action."""
        yield lambda script: replayed(script.start, script.about, script.actions)

    def engines(self, twin: str) -> Sequence[Callable[[], CardGames]]:
        """Return NumPy, and the compiled engine only if NumPy agrees."""
        return lambda: CardGames(on_numpy), lambda: CardGames(compiled)

    def saved(self, script: Script) -> tuple[Fields, list[Any]]:
        """Return settings as texts, and a record or decks and a seed."""
        start = script.start
        fields = {"rules": np.array([str(value) for value in start.rules])}
        if start.record:
            fields["record"] = np.frombuffer(start.record, np.uint8)
        else:
            fields["cards"] = np.array([cards for cards, _ in start.decks])
            fields["types"] = np.array([sum(1 << t for t in types) for _, types in start.decks])
            fields["seed"] = np.array(start.seed, np.uint64)
        return fields, list(script.actions)

    def script(self, start: Fields, actions: list[Any]) -> Script:
        rules = tuple(_rule(str(value)) for value in start["rules"])
        if "record" in start:
            return Script(Start(rules, start["record"].astype(np.uint8).tobytes()), actions)
        decks = tuple(
            (tuple(map(int, cards)), tuple(t for t in range(8) if int(types) >> t & 1))
            for cards, types in zip(start["cards"], start["types"], strict=True)
        )
        return Script(Start(rules, decks=decks, seed=int(start["seed"])), actions)

    def moves(self, record: Record[Script, Trace]) -> Sequence[Move]:
        """Return moves to the last decision alone, from its record, or to fewer decisions."""

        def last_alone(search: Search) -> None:
            script, step = search.script, len(search.script.actions)
            if step > 0:
                before = record(script).records[step - 1]
                about = f"{script.about}, decision {step}"
                start = Start(script.start.rules, before)
                search.accept(Script(start, script.actions[-1:], about))

        return last_alone, drop_actions


GAMES = GameTraces()


def _rule(text: str) -> Any:
    if text in ("True", "False"):
        return text == "True"
    return int(text) if text.isdecimal() else text
