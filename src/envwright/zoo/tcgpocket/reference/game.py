"""The interface of the reference engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from envwright.errors import EnvwrightError
from envwright.zoo.tcgpocket.cards import by_number
from envwright.zoo.tcgpocket.contract import actions, observation
from envwright.zoo.tcgpocket.contract.chance import Chance
from envwright.zoo.tcgpocket.contract.settings import Settings
from envwright.zoo.tcgpocket.contract.state import unpack
from envwright.zoo.tcgpocket.decks import Deck
from envwright.zoo.tcgpocket.reference import play, saving
from envwright.zoo.tcgpocket.reference.setup import set_up
from envwright.zoo.tcgpocket.reference.state import TIE, Player, Table


class Game:
    """One game between two decks.

    `legal` has the actions that the player in `mover` may take, ascending; it is empty once the
    game is over. There are always two or more: what leaves no choice has happened already.
    """

    def __init__(self, table: Table):
        """Continue from a table; `new` and `load` make one."""
        self.table = table
        self.legal = play.run(table)

    @classmethod
    def new(
        cls,
        decks: Sequence[Deck],
        seed: int = 0,
        settings: Settings | None = None,
        tape: Iterable[int] | None = None,
    ) -> Game:
        """Start a game up to its first decision."""
        if len(decks) != 2:
            raise EnvwrightError(f"{len(decks)} decks were given; a game is between two")
        players = [
            Player([by_number(number) for number in deck.cards], list(deck.types)) for deck in decks
        ]
        table = Table(players, settings or Settings(), Chance(seed, tape))
        set_up(table)
        return cls(table)

    @classmethod
    def load(
        cls, data: bytes, settings: Settings | None = None, tape: Iterable[int] | None = None
    ) -> Game:
        """Load the game that `save` saved, and continue to the next choice."""
        table = saving.load(data, settings or Settings())
        if tape is not None:
            table.chance.tape = iter(tape)
        return cls(table)

    def save(self) -> bytes:
        """Return the canonical record of the game."""
        return saving.save(self.table)

    def step(self, action: int) -> None:
        """Play a decision of the player in `mover`."""
        if action not in self.legal:
            raise EnvwrightError(
                f"action {action} ({actions.name(action)}) is not legal now; choose one of "
                + (", ".join(map(str, self.legal)) or "none, the game is over")
            )
        self.table.fired.clear()
        play.answer(self.table, action)
        self.legal = play.run(self.table)

    @property
    def mover(self) -> int:
        """The player who decides."""
        return self.table.question.player if self.table.question else self.table.player

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return not self.legal

    @property
    def rewards(self) -> tuple[int, int]:
        """The rewards: 1 for the winner, -1 for the loser; 0 in a tie and before the end."""
        winner = self.table.winner
        if winner in (0, TIE):
            return 0, 0
        return (1, -1) if winner == 1 else (-1, 1)

    @property
    def log(self) -> list[tuple[int, int, int]]:
        """All draws so far: purpose, number of possibilities (0: a whole word), result."""
        return self.table.chance.log

    @property
    def fired(self) -> list[str]:
        """Families of effects that acted in the last step."""
        return self.table.fired

    def mask(self) -> np.ndarray:
        """Return which actions are legal, bool[128]."""
        mask = np.zeros(actions.PADDED, bool)
        mask[self.legal] = True
        return mask

    def observe(self, player: int | None = None) -> np.ndarray:
        """Return what a player sees, as a record; `observation.flat` makes a vector of it."""
        who = self.mover if player is None else player
        return observation.observe(unpack(self.save()), who, self.table.settings)
