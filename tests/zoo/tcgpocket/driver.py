"""Games that tests build, on any engine: a board is a saved state, an engine is what loads it.

An engine is an object with `new(decks, seed, settings, tape)` and `load(data, settings, tape)`;
what these return has `legal`, `mover`, `over`, `log`, `step(action)`, `save()`, `observe(player)`.
A further engine is put under all tests of rules by a line in `ENGINES`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from tests.zoo.tcgpocket import fast

from envwright.zoo.tcgpocket.cards import LETTERS, by_number, by_print
from envwright.zoo.tcgpocket.contract import actions
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import NONE, SIZE, Mark, Zone, empty, unpack
from envwright.zoo.tcgpocket.reference import Game

ENGINES = {"reference": Game, "fast": fast.engine("numpy")}
SEATS = (0, 1)  # tests of rules are told from seat 0, and played from either
FILLER = "A1 186"  # a plain Basic that fills decks
SPARE = "P-A 002"  # an Item that can always be played, so that a turn does not end by itself
CARDS = 20


@dataclass
class Mon:
    """A Pokemon on a board."""

    print: str
    damage: int = 0
    energy: str = ""
    tool: str | None = None
    under: tuple[str, ...] = ()
    marks: dict[Mark, int] = field(default_factory=dict)
    flags: dict[str, int] = field(default_factory=dict)  # fresh, evolved, ability_used, frenzy


@dataclass
class Side:
    """One side of a board; `fields` go into the record as they are."""

    active: Mon | str | None
    bench: Iterable[Mon | str | None] = ()
    hand: Iterable[str] = (SPARE,)
    deck: Iterable[str] = (FILLER,) * 5  # from the top; what is left goes to the discard pile
    stadium: str | None = None
    fields: dict = field(default_factory=dict)


def mon(print_: str, **details) -> Mon:
    """A Pokemon; flags of the record may be given by name."""
    flags = {name: details.pop(name) for name in list(details) if name in _FLAGS}
    return Mon(print_, flags=flags, **details)


_FLAGS = ("fresh", "evolved", "ability_used", "frenzy")


def side(active, bench=(), hand=(SPARE,), deck=(FILLER,) * 5, stadium=None, **fields) -> Side:
    """One side; further fields of the record by name."""
    return Side(active, bench, hand, deck, stadium, fields)


def board(mine: Side, other: Side, **fields) -> bytes:
    """A saved game in which player 0 is in turn 5, unless fields say otherwise."""
    state = empty()
    defaults = {"turn": 5, "stage": Stage.MAIN, "ask": Ask.MAIN}
    for name, value in (defaults | fields).items():
        state[name] = value
    for number, there in enumerate((mine, other)):
        _fill(state, number, there)
    return state.tobytes()


def _fill(state: np.ndarray, number: int, there: Side) -> None:
    player = state["players"][number]
    slots = [there.active, *there.bench]
    pokemon = [Mon(p) if isinstance(p, str) else p for p in slots]
    placed: list[tuple[int, int, int]] = []  # card number, zone, place in the deck

    def put(print_: str, zone: int, place: int = 0) -> None:
        placed.append((by_print(print_).number, int(zone), place))

    for slot, p in enumerate(pokemon):
        if p is None:
            continue
        put(p.print, Zone.POKEMON + slot)
        for under in p.under:
            put(under, Zone.UNDER + slot)
        if p.tool:
            put(p.tool, Zone.TOOL + slot)
    for card in there.hand:
        put(card, Zone.HAND)
    for place, card in enumerate(there.deck):
        put(card, Zone.DECK, place)
    if there.stadium:
        put(there.stadium, Zone.STADIUM)
    assert len(placed) <= CARDS
    while len(placed) < CARDS:
        put(FILLER, Zone.DISCARD)
    placed.sort(key=lambda row: row[0])
    player["cards"] = [row[0] for row in placed]
    player["zone"] = zones = [row[1] for row in placed]
    order = sorted((row[2], card) for card, row in enumerate(placed) if row[1] == Zone.DECK)
    player["deck"][: len(order)] = [card for _, card in order]
    for slot, p in enumerate(pokemon):
        if p is None:
            continue
        record = player["slots"][slot]
        record["card"] = zones.index(Zone.POKEMON + slot)
        record["damage"] = p.damage // 10
        record["energy"] = [p.energy.count(letter) for letter in LETTERS[:8]]
        if p.tool:
            record["tool"] = zones.index(Zone.TOOL + slot)
        for mark, turn in p.marks.items():
            record["marks"][mark] = turn
        for name, value in p.flags.items():
            record[name] = value
    if there.stadium:
        state["stadium_owner"], state["stadium_card"] = number, zones.index(Zone.STADIUM)
    player["types"] = 1
    if number == state["player"]:
        player["energy"] = 0
    for name, value in there.fields.items():
        player[name] = value


class Play:
    """A game on some engine, with words for what tests do."""

    def __init__(self, engine, data: bytes, tape=(), settings: Settings | None = None):
        """With the default tape any draw is an error: tests name the chance they need."""
        self.game = engine.load(data, settings or Settings(), tape)

    @property
    def state(self) -> np.ndarray:
        """The saved state as a record."""
        return unpack(self.game.save())

    @property
    def legal(self) -> list[int]:
        """Legal actions."""
        return self.game.legal

    def can(self, action: int) -> bool:
        """Whether an action is legal."""
        return action in self.game.legal

    def do(self, *choices: int) -> Play:
        """Takes actions one after another."""
        for action in choices:
            self.game.step(action)
        return self

    def card(self, print_: str) -> int:
        """The action that plays a card from the mover's hand; -1 if it is not there."""
        player = self.state["players"][self.game.mover]
        number = by_print(print_).number
        for card in range(CARDS):
            if player["cards"][card] == number and player["zone"][card] == Zone.HAND:
                return actions.PLAY + card
        return -1

    def play(self, print_: str, *choices: int) -> Play:
        """Plays a card, then makes choices of slots."""
        return self.do(self.card(print_), *(actions.CHOOSE_SLOT + slot for slot in choices))

    def attack(self, index: int = 0, *choices: int) -> Play:
        """Attacks, then makes choices of slots."""
        return self.do(actions.ATTACK + index, *(actions.CHOOSE_SLOT + slot for slot in choices))

    def player(self, number: int) -> np.ndarray:
        """The record of a player."""
        return self.state["players"][number]

    def slot(self, number: int, slot: int = 0) -> np.ndarray:
        """The record of a slot."""
        return self.player(number)["slots"][slot]

    def damage(self, number: int, slot: int = 0) -> int:
        """Damage on a Pokemon."""
        return 10 * int(self.slot(number, slot)["damage"])

    def name_in(self, number: int, slot: int = 0) -> str | None:
        """The print of what stands in a slot, its first one."""
        player = self.player(number)
        card = player["slots"][slot]["card"]
        return None if card == NONE else by_number(int(player["cards"][card])).prints[0]

    def energy(self, number: int, slot: int = 0) -> str:
        """Energy on a Pokemon, as letters."""
        counts = self.slot(number, slot)["energy"]
        return "".join(letter * int(n) for letter, n in zip(LETTERS, counts, strict=False))

    def spent(self, number: int) -> str:
        """Discarded energy, as letters."""
        counts = self.player(number)["spent"]
        return "".join(letter * int(n) for letter, n in zip(LETTERS, counts, strict=False))

    def count(self, number: int, zone: int) -> int:
        """How many cards of a player are in a zone."""
        return int(np.count_nonzero(self.player(number)["zone"] == zone))

    def where(self, number: int, print_: str) -> list[int]:
        """The zones of all cards of a print."""
        player = self.player(number)
        return player["zone"][player["cards"] == by_print(print_).number].tolist()

    def turn(self) -> int:
        """The number of the turn."""
        return int(self.state["turn"])


def mirror(data: bytes) -> bytes:
    """The same game with players 0 and 1 exchanged."""
    state = unpack(data)
    state["players"] = state["players"][::-1].copy()
    for name in ("first", "player"):
        state[name] = 1 - state[name]
    if state["ask"]:
        state["asked"] = 1 - state["asked"]
    if state["stadium_owner"] != NONE:
        state["stadium_owner"] = 1 - state["stadium_owner"]
    state["winner"] = (0, 2, 1, 3)[state["winner"]]
    return state.tobytes()


class Mirrored:
    """An engine on which every loaded game is played with seats exchanged.

    Rules know no seats, so that all looks the same. New games are not exchanged: the contract fixes
    which seat draws first.
    """

    def __init__(self, engine):
        self.new = engine.new
        self.engine = engine

    def load(self, data: bytes, settings: Settings, tape=None):
        """Loads a game the other way round."""
        if len(data) == SIZE:
            data = mirror(data)
        return MirroredGame(self.engine.load(data, settings, tape))


class MirroredGame:
    """A game as it looks from the other seat."""

    def __init__(self, game):
        self.game = game

    def __getattr__(self, name):
        return getattr(self.game, name)

    @property
    def mover(self) -> int:
        """Who decides."""
        return 1 - self.game.mover

    @property
    def rewards(self) -> tuple[int, int]:
        """Rewards of both."""
        return self.game.rewards[::-1]

    def save(self) -> bytes:
        """The saved game, the right way round again."""
        return mirror(self.game.save())

    def observe(self, player: int):
        """What a player sees."""
        return self.game.observe(1 - player)
