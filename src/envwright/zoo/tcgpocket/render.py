"""Draw a game: both sides open, player 1 above, player 0 below.

picture(record)     # a record of `contract.state.STATE`: uint8[560, 880, 3]
"""

from __future__ import annotations

from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from envwright.zoo.tcgpocket.cards import LETTERS, Card, Kind, by_number
from envwright.zoo.tcgpocket.contract.actions import Ask, Stage
from envwright.zoo.tcgpocket.contract.state import NONE, SLOTS, Mark, Mind, Zone
from envwright.zoo.tcgpocket.records import card_in, full_hp, stadium

SMOOTH = 2  # drawn larger, then reduced
WIDTH, HEIGHT = 880, 560
MIDDLE, GAP = 40, 10
COLUMN = 176  # the facts about a player, at the left
ACTIVE, BENCH = (196, 238), (150, 210)
TABLE, BAND, EMPTY, PAPER = "#20343c", "#182830", "#2a424b", "#fbfaf5"
INK, PALE, DIM = "#1c2b33", "#f4f1e8", "#9fb4bb"
COLOURS = {  # of types, in the order of their letters
    "G": "#4fa657", "R": "#e2583e", "W": "#3f8fd6", "L": "#f2c230", "P": "#9b62b8",
    "F": "#b8763f", "D": "#3d5560", "M": "#9aa5ab", "C": "#d9d5c7", "N": "#b39b3c",
}  # fmt: skip
DARK_ON = "LMCN"  # types whose colour takes dark letters
GOOD, FAIR, BAD, WON = "#4fb35c", "#e9b93a", "#de4f3d", "#f5cf4e"
MARKS = {
    Mark.NO_ATTACK: "no attack",
    Mark.NO_RETREAT: "no retreat",
    Mark.GROWL: "weaker",
    Mark.GUARD: "guarded",
    Mark.SHIELD: "shielded",
    Mark.IMMUNE: "immune",
    Mark.SPIKES: "spikes",
    Mark.BOOST: "boosted",
}
TRAINERS = (Kind.ITEM, Kind.SUPPORTER, Kind.TOOL, Kind.STADIUM)


def picture(record: np.ndarray) -> np.ndarray:
    """Draw a saved state: uint8[560, 880, 3]."""
    board = Board(record)
    board.draw_middle()
    for player in (0, 1):
        board.draw_player(player)
    return board.pixels()


class Board:
    """A canvas with one game on it; lengths are those of the finished picture."""

    def __init__(self, record: np.ndarray):
        self.record = record
        self.image = Image.new("RGB", (SMOOTH * WIDTH, SMOOTH * HEIGHT), TABLE)
        self.canvas = ImageDraw.Draw(self.image)

    def pixels(self) -> np.ndarray:
        """Return the finished picture."""
        small = self.image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
        return np.asarray(small)

    # --- the parts of a table -----------------------------------------------------------

    def draw_middle(self) -> None:
        """Draw turn, Stadium, and who decides what, or who has won."""
        record, top = self.record, (HEIGHT - MIDDLE) / 2
        self.box(0, top, WIDTH, MIDDLE, BAND)
        centre = top + MIDDLE / 2
        turn = f"turn {int(record['turn'])}" if record["turn"] else "setting up"
        self.text(16, centre, turn, 15, PALE, "lm")
        winner = int(record["winner"])
        if record["stage"] == Stage.OVER:
            told = "a tie" if winner == 3 else f"player {winner - 1} wins"
            self.text(WIDTH / 2, centre, told, 20, WON, "mm")
        elif record["ask"]:
            question = Ask(int(record["ask"])).name.lower().replace("_", " ")
            told = f"player {int(record['asked'])} decides: {question}"
            self.text(WIDTH / 2, centre, told, 15, PALE, "mm")
        if place := stadium(record):
            self.text(WIDTH - 16, centre, f"Stadium: {place.name}", 13, DIM, "rm")

    def draw_player(self, player: int) -> None:
        """Draw half of the table: facts at the left, then the four slots."""
        state = self.record["players"][player]
        half = (HEIGHT - MIDDLE) / 2
        top = 0 if player == 1 else half + MIDDLE
        self._draw_facts(player, state, top)
        for slot in range(SLOTS):
            wide, high = ACTIVE if slot == 0 else BENCH
            x = COLUMN if slot == 0 else COLUMN + ACTIVE[0] + GAP + (slot - 1) * (BENCH[0] + GAP)
            y = top + (half - high) / 2
            if state["slots"][slot]["card"] == NONE:
                self.rounded(x, y, wide, high, EMPTY)
            else:
                self._pokemon(player, slot, x, y, wide, high)

    def _draw_facts(self, player: int, state: np.ndarray, top: float) -> None:
        acts = self.record["stage"] != Stage.OVER and self.record["player"] == player
        self.text(16, top + 26, f"player {player}", 19, WON if acts else PALE, "lm")
        for point in range(3):
            colour = WON if point < state["points"] else EMPTY
            self.circle(26 + 30 * point, top + 62, 11, colour)
        zones = state["zone"]
        for line, zone in enumerate((Zone.HAND, Zone.DECK, Zone.DISCARD)):
            y = top + 98 + 24 * line
            self.text(16, y, zone.name.lower(), 13, DIM, "lm")
            self.text(106, y, str(np.count_nonzero(zones == zone)), 15, PALE, "rm")
        y = top + 178
        self.text(16, y, "energy", 13, DIM, "lm")
        if state["energy"] != NONE:
            self.energy(96, y, int(state["energy"]), 11)
        self.text(116, y, "then", 11, DIM, "lm")
        self.energy(156, y, int(state["next_energy"]), 8)
        hand = [by_number(int(n)) for n in state["cards"][zones == Zone.HAND]]
        for place, card in enumerate(hand):  # ten at most
            self._small_card(16 + 15 * place, top + 206, card)

    def _small_card(self, x: float, y: float, card: Card) -> None:
        colour = DIM if card.kind in TRAINERS else COLOURS[LETTERS[card.type]]
        self.rounded(x, y, 13, 19, colour, 3)
        if card.kind == Kind.POKEMON and card.stage:
            self.text(x + 6.5, y + 9.5, str(card.stage), 10, PALE, "mm")

    def _pokemon(
        self, player: int, slot: int, x: float, y: float, wide: float, high: float
    ) -> None:
        there = self.record["players"][player]["slots"][slot]
        card = card_in(self.record, player, slot)
        assert card
        letter = LETTERS[card.type]
        ink = INK if letter in DARK_ON else PALE
        self.rounded(x, y, wide, high, PAPER)
        self.rounded(x, y, wide, 34, COLOURS[letter])
        self.box(x, y + 20, wide, 14, COLOURS[letter])
        self.fitted(x + 8, y + 17, card.name, 15, ink, wide - 44)
        for point in range(card.points):
            self.circle(x + wide - 13 - 12 * point, y + 17, 4.5, WON)
        most = full_hp(self.record, player, slot)
        left = max(most - 10 * int(there["damage"]), 0)
        share = left / most if most else 0
        self.text(x + 8, y + 49, f"{left}", 17, INK, "lm")
        self.text(x + wide - 8, y + 50, f"of {most} HP", 11, "#6b7a80", "rm")
        self.rounded(x + 8, y + 62, wide - 16, 9, "#d8d9d2", 4)
        if share:
            colour = GOOD if share > 0.5 else FAIR if share > 0.25 else BAD
            self.rounded(x + 8, y + 62, max(9, (wide - 16) * share), 9, colour, 4)
        self._energies(there["energy"], x + 18, y + 90, wide - 26)
        self._attacks(card, there["energy"], x + 8, y + 116, wide - 16)
        self._foot(card, x + 8, y + high - 15, wide - 16)
        self._badges(player, slot, x + 8, y + high - 40, wide - 16)

    def _energies(self, counts: np.ndarray, x: float, y: float, wide: float) -> None:
        kinds = [kind for kind, count in enumerate(counts) for _ in range(int(count))]
        step = min(22.0, wide / max(len(kinds), 1))
        for place, kind in enumerate(kinds):
            self.energy(x + step * place, y, kind, 10)
        if not kinds:
            self.text(x - 10, y, "no energy", 11, "#a5adab", "lm")

    def _attacks(self, card: Card, held: np.ndarray, x: float, y: float, wide: float) -> None:
        for line, attack in enumerate(card.attacks):
            cost = [kind for kind, n in enumerate(attack.cost) for _ in range(n)]
            for place, kind in enumerate(cost):
                self.energy(x + 6 + 13 * place, y + 24 * line, kind, 6, letter=False)
            effect = "+" if attack.effect.family else ""
            paid = len(cost) <= held.sum() and all(
                need <= have for need, have in zip(attack.cost, held, strict=False)
            )
            colour = INK if paid else "#a5adab"
            self.text(x + wide, y + 24 * line, f"{attack.damage}{effect}", 15, colour, "rm")

    def _foot(self, card: Card, x: float, y: float, wide: float) -> None:
        """Draw stage, Weakness and retreat cost."""
        stage = (
            "fossil" if card.kind == Kind.FOSSIL else ("Basic", "Stage 1", "Stage 2")[card.stage]
        )
        self.text(x, y, stage, 10, "#6b7a80", "lm")
        if card.weakness >= 0:
            self.text(x + 0.62 * wide - 10, y, "weak", 10, "#6b7a80", "rm")
            self.energy(x + 0.62 * wide, y, card.weakness, 6, letter=False)
        for place in range(card.retreat):
            self.circle(x + wide - 4 - 9 * place, y, 3.5, "#b9bdb4")

    def _badges(self, player: int, slot: int, x: float, y: float, wide: float) -> None:
        """Draw what affects a Pokemon, from below upwards."""
        state = self.record["players"][player]
        there, turn = state["slots"][slot], int(self.record["turn"])
        badges = []
        if slot == 0:
            mind = Mind(int(state["mind"]))
            badges += [(mind.name.lower(), "#5c6bc0")] if mind else []
            badges += [("poisoned", "#8e44ad")] if state["poisoned"] else []
            badges += [("burned", "#d35400")] if state["burned"] else []
        if tool := card_in(self.record, player, slot, "tool"):
            badges.append((tool.name, "#546e7a"))
        badges += [
            (told, "#7d8b51")
            for mark, told in MARKS.items()
            if int(there["marks"][mark]) >= turn > 0
        ]
        at = x
        for told, colour in badges:
            size = self.width(told, 11) + 12
            if at > x and at + size > x + wide:
                at, y = x, y - 20
            self.rounded(at, y - 8, min(size, wide), 17, colour, 8)
            self.fitted(at + 6, y, told, 11, PALE, wide - 12)
            at += size + 4

    # --- the pen ------------------------------------------------------------------------

    def box(self, x: float, y: float, wide: float, high: float, colour: str) -> None:
        """Draw a rectangle."""
        self.canvas.rectangle([SMOOTH * v for v in (x, y, x + wide, y + high)], fill=colour)

    def rounded(
        self, x: float, y: float, wide: float, high: float, colour: str, radius: float = 10
    ) -> None:
        """Draw a rectangle with round corners."""
        corners = [SMOOTH * v for v in (x, y, x + wide, y + high)]
        self.canvas.rounded_rectangle(corners, SMOOTH * radius, fill=colour)

    def circle(self, x: float, y: float, radius: float, colour: str) -> None:
        """Draw a disc by its middle."""
        corners = [SMOOTH * v for v in (x - radius, y - radius, x + radius, y + radius)]
        self.canvas.ellipse(corners, fill=colour)

    def energy(self, x: float, y: float, kind: int, radius: float, letter: bool = True) -> None:
        """Draw one energy, by colour and letter."""
        name = LETTERS[kind]
        self.circle(x, y, radius, COLOURS[name])
        if letter:
            self.text(x, y, name, round(1.3 * radius), INK if name in DARK_ON else PALE, "mm")

    def text(self, x: float, y: float, told: str, size: int, colour: str, anchor: str) -> None:
        """Write one line."""
        self.canvas.text(
            (SMOOTH * x, SMOOTH * y), told, fill=colour, font=_font(size), anchor=anchor
        )

    def width(self, told: str, size: int) -> float:
        """Return the width of a line."""
        return self.canvas.textlength(told, _font(size)) / SMOOTH

    def fitted(self, x: float, y: float, told: str, size: int, colour: str, most: float) -> None:
        """Write one line, smaller if it would be too wide."""
        while size > 8 and self.width(told, size) > most:
            size -= 1
        self.text(x, y, told, size, colour, "lm")


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(SMOOTH * size)
