"""Makes the pictures of the README and the docs again: `python docs/images/make.py`."""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console

from envwright.cli.show import level_table
from envwright.verify.pair import PairSpec
from envwright.verify.run import Effort, verify_pair

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


if __name__ == "__main__":
    terminal_svg()
