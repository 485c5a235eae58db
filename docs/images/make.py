"""Makes the pictures of the README and the docs again: `python docs/images/make.py`."""

from __future__ import annotations

import io
import random
import re
from pathlib import Path

from PIL import Image
from rich.console import Console

from envwright.cli.show import level_table
from envwright.verify.pair import PairSpec
from envwright.verify.run import Effort, verify_pair
from envwright.zoo.tcgpocket import deck_lists, opponents, render
from envwright.zoo.tcgpocket.contract.state import unpack
from envwright.zoo.tcgpocket.reference import Game

HERE = Path(__file__).parent


def terminal_svg() -> None:
    """The bug in Gymnasium's own JAX port, as the tool prints it."""
    spec = PairSpec("gymnasium:CartPole-v1", "gymnasium:phys2d/CartPole-v1")
    report = verify_pair(spec, effort=Effort(episodes=100))
    console = Console(record=True, width=92, highlight=False, file=io.StringIO())
    console.print(f"$ envwright verify --reference {report.reference} \\", style="bold")
    console.print(f"                   --twin {report.twin}", style="bold")
    console.print(level_table(report.levels, ""))
    console.print(str(report.divergences[0]), markup=False)
    svg = console.export_svg(title="envwright verify")
    # The template names a web font; the page must not fetch anything.
    svg = re.sub(r"@font-face \{.*?\}|<!--.*?-->", "", svg, flags=re.DOTALL)
    (HERE / "verify.svg").write_text(svg)


def card_table() -> None:
    """A game of TCG Pocket in its middle."""
    decks = [deck_lists.named(name) for name in ("night shift", "foundry")]
    game, rng = Game.new(decks, seed=8), random.Random(8)
    for _ in range(58):
        game.step(opponents.choose("greedy", game.observe(), game.mask(), rng))
    picture = Image.fromarray(render.picture(unpack(game.save())))
    picture.save(HERE / "tcgpocket.webp", quality=80)


if __name__ == "__main__":
    terminal_svg()
    card_table()
