"""`envwright demo`: the main job on embedded defaults, in a few minutes."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.panel import Panel

from envwright.cli.show import out, progress
from envwright.cli.verify import show_report
from envwright.errors import Exit
from envwright.verify.pair import PairSpec
from envwright.verify.run import Effort, verify_pair, verify_room

KEEP = Path("demo")  # what the demo saves


def demo() -> None:
    """Verify our CartPole, find the bug in another port, measure the speed."""
    from envwright.bench import run_bench

    _say("1. Is our JAX CartPole the same as Gymnasium's? (levels 1 to 3)")
    with progress() as told:
        ours = verify_room("cartpole", effort=Effort(episodes=200), progress=told)
    show_report(ours)

    _say("2. Is Gymnasium's own JAX port (phys2d/CartPole-v1) the same?")
    with progress() as told:
        spec = PairSpec("gymnasium:CartPole-v1", "gymnasium:phys2d/CartPole-v1")
        port = verify_pair(
            spec, effort=Effort((1,), fuzzed=200, boundary=20), progress=told, keep=KEEP
        )
    show_report(port)
    out.print(
        "  Its parameters add the pole's mass and length (0.6) where they should be "
        "multiplied (0.05)."
    )

    _say("3. How fast is ours, beside Gymnasium and gymnax?")
    with progress() as told:
        result = run_bench(
            "cartpole",
            (1024, 8192),
            5,
            seconds=0.3,
            progress=lambda done, total, what: told("measurements", done, total),
        )
    out.print(result.table())
    found_it = port.exit_code == Exit.DIFFERENT
    out.print(
        "\nNext: envwright verify --reference gymnasium:CartPole-v1 --twin gymnax:CartPole-v1 "
        "--atol 1e-5, or see docs/verify.md for your own pair.",
        markup=False,
    )
    raise typer.Exit(ours.exit_code if found_it else Exit.DIFFERENT)


def _say(heading: str) -> None:
    out.print()
    out.print(Panel(heading, expand=False))
