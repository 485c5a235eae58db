"""The state of a game."""

from __future__ import annotations

from dataclasses import dataclass, field

from envwright.zoo.tcgpocket.cards import Card
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.chance import Chance
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import MARKS, SLOTS, Mind

BENCH = range(1, SLOTS)
TIE = 3


@dataclass(slots=True, eq=False)
class Pokemon:
    """A Pokemon in play with everything on it."""

    id: int  # which of the owner's twenty cards
    card: Card
    under: list[int] = field(default_factory=list)  # what it evolved from
    damage: int = 0
    energy: list[int] = field(default_factory=lambda: [0] * 8)
    tool: int | None = None
    fresh: bool = False
    evolved: bool = False
    ability_used: bool = False
    marks: list[int] = field(default_factory=lambda: [0] * MARKS)
    frenzy: int = 0

    def forget_attacks(self) -> None:
        """Clear what attacks left on it."""
        self.marks = [0] * MARKS
        self.frenzy = 0


@dataclass(slots=True, eq=False)
class Player:
    """One side of the table."""

    cards: list[Card]
    types: list[int]
    deck: list[int] = field(default_factory=list)  # from top to bottom
    hand: list[int] = field(default_factory=list)  # ascending
    discard: list[int] = field(default_factory=list)
    revealed: set[int] = field(default_factory=set)
    seen_top: int = 0
    slots: list[Pokemon | None] = field(default_factory=lambda: [None] * SLOTS)
    points: int = 0
    energy: int | None = None
    next_energy: int = 0
    spent: list[int] = field(default_factory=lambda: [0] * 8)
    poisoned: bool = False
    burned: bool = False
    mind: int = Mind.CLEAR
    no_supporter: int = 0
    sweets_turn: int = 0
    sweets_count: int = 0

    @property
    def active(self) -> Pokemon | None:
        """The Pokemon in the Active Spot."""
        return self.slots[0]

    def at(self, slot: int) -> Pokemon:
        """Return the Pokemon in a slot that is taken."""
        pokemon = self.slots[slot]
        assert pokemon is not None
        return pokemon

    @property
    def benched(self) -> list[int]:
        """Return slots of the Bench that are taken."""
        return [slot for slot in BENCH if self.slots[slot]]

    @property
    def taken(self) -> list[int]:
        """Return all slots that are taken."""
        return [slot for slot in range(SLOTS) if self.slots[slot]]

    def free_bench(self) -> int | None:
        """Return the first empty place on the Bench."""
        return next((slot for slot in BENCH if not self.slots[slot]), None)

    def recover(self) -> None:
        """End all Special Conditions."""
        self.poisoned = self.burned = False
        self.mind = Mind.CLEAR


@dataclass(slots=True, eq=False)
class Question:
    """The decision that a player is asked for."""

    ask: Ask
    player: int
    card: int | None = None
    count: int = 0
    mask: int = 0

    @property
    def asked_card(self) -> int:
        """Return the card that a question about one is asked for."""
        assert self.card is not None
        return self.card


@dataclass(slots=True, eq=False)
class Table:
    """A whole game."""

    players: list[Player]
    settings: Settings
    chance: Chance
    turn: int = 0
    first: int = 0
    player: int = 0
    stage: Stage = Stage.SETUP
    winner: int = 0
    supporter: bool = False
    retreated: bool = False
    stadium_played: bool = False
    stadium_used: bool = False
    press: int = 0
    blaze: int = 0
    speed: int = 0
    attack_card: Card | None = None
    attack_index: int = 0
    question: Question | None = None
    stadium: tuple[int, int] | None = None  # owner, card
    fired: list[str] = field(default_factory=list)  # effects that acted, for coverage

    @property
    def me(self) -> Player:
        """The player whose turn it is."""
        return self.players[self.player]

    @property
    def foe(self) -> Player:
        """The other one."""
        return self.players[1 - self.player]

    @property
    def first_turn(self) -> bool:
        """Whether this is the first turn of whose turn it is."""
        return self.turn <= 2

    def stadium_effect(self, family: str) -> tuple[int, ...] | None:
        """Return the arguments of the Stadium in play, if it is of this family."""
        if self.stadium is None:
            return None
        effect = self.players[self.stadium[0]].cards[self.stadium[1]].effect
        return effect.arguments if effect.family == family else None

    def hp(self, player: Player, pokemon: Pokemon) -> int:
        """Return the HP of a Pokemon without its damage."""
        hp = pokemon.card.hp
        if pokemon.tool is not None:
            tool = player.cards[pokemon.tool].effect
            if tool.family == "cape":
                hp += tool.arguments[0]
        if self.stadium and pokemon.card.stage == 0:
            plains = self.stadium_effect("plains")
            if plains:
                hp += plains[0]
        return hp

    def ask(self, ask: Ask, player: int, **details: int) -> None:
        """Ask a player for a decision."""
        self.question = Question(ask, player, **details)
