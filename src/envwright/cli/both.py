"""`envwright translate --target both`: JAX and Rust, verified against each other too."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from envwright.agents.choose import BACKENDS, named, writers
from envwright.cli.proposed import Wishes, is_there
from envwright.cli.recipe import say
from envwright.cli.show import progress
from envwright.cli.verify import show_report
from envwright.core.registry import open_folder
from envwright.errors import EnvwrightError
from envwright.translate.folders import default_folder
from envwright.translate.names import package_of
from envwright.verify.pair import PairSpec
from envwright.verify.room import load_room
from envwright.verify.run import Effort, verify_pair

BOTH = "both"
PRECISE = "float64"  # the label of a proposal's first check, in which both can be exact


def agents_for(what: str, agent: str) -> dict[str, str]:
    """Return the agents that write each target: `compiler,gemini` is `gemini` for Rust."""
    if is_there(what):
        raise EnvwrightError(
            f"--target both is for a simulator; the translation.toml in {what} has a target"
        )
    if "replay" in named(agent):
        raise EnvwrightError("--target both does not go with --agent replay; leave it out")
    found = {backend: ",".join(writers(agent, backend)) for backend in BACKENDS}
    for backend in [backend for backend, agents in found.items() if not agents]:
        raise EnvwrightError(
            f"--agent {agent} does not write {backend}; add one that does, such as "
            f"--agent {agent},gemini"
        )
    return found


def part_of(what: str, wishes: Wishes, backend: str) -> Wishes:
    """Return the wishes for one of the two, in a folder and with a name of its own."""
    folder = (wishes.output or default_folder(what)) / backend
    name = f"{wishes.name or package_of(what)}_{backend}"
    return replace(wishes, output=folder, name=name, target=backend)


def compare(jax: Path, rust: Path) -> int:
    """Verify the two packages against each other in double precision; return the exit code."""
    one, other = (load_room(open_folder(place).id) for place in (jax, rust))
    check = next(check for check in one.checks if check.label == PRECISE)
    twin = f"envwright:{other.spec.id}"
    spec = PairSpec(check.twin, twin, tolerances=check.tolerances)
    say("both are verified; now against each other:")
    with closing(spec.open()) as pair:  # where steps are random, neither follows the other's draws
        levels = (1, 2, 3) if pair.comparable else (1,)
    with progress() as told:
        report = verify_pair(spec, 0, Effort(levels), progress=told, keep=rust)
    show_report(report)
    return report.exit_code
