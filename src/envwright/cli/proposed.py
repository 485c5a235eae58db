"""The specification of `envwright translate`: a folder's, or a new one for a simulator."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from envwright.agents.choose import BACKENDS, writes
from envwright.cli.recipe import say
from envwright.core.hardware import chosen
from envwright.core.room import TRANSLATION
from envwright.errors import EnvwrightError
from envwright.translate.spec import TranslationSpec, load_spec


@dataclass(frozen=True)
class Wishes:
    """What the options say about the translation of a simulator."""

    output: Path | None = None
    name: str | None = None
    target: str | None = None
    hardware: str | None = None


def spec_of(what: str, wishes: Wishes, agent: str) -> TranslationSpec:
    """Read the specification of a folder, or make one for a simulator and an agent."""
    if is_there(what):
        _check_unused(Path(what) / TRANSLATION, wishes)
        return load_spec(Path(what))
    if ":" not in what:
        raise EnvwrightError(f"there is no folder {what}, and it is not the name of a simulator")
    from envwright.translate.folders import default_folder, spec_for
    from envwright.translate.package import check_replaceable
    from envwright.translate.propose import write_proposal
    from envwright.translate.sources import excerpts

    target = target_for(agent, wishes.target)
    folder = wishes.output or default_folder(what)
    known = spec_for(what, folder)
    if known is not None:
        _check_same(known, wishes)
        return known
    check_replaceable(folder)
    fresh = not folder.exists()
    written = write_proposal(what, folder, target, wishes.name, wishes.hardware)
    spec = load_spec(folder)
    try:
        for module in spec.modules:
            excerpts(spec, module)
    except EnvwrightError:  # it has no source, so that nothing can be translated
        for path in written:
            path.unlink()
        if fresh:
            folder.rmdir()
        raise
    if target == "jax" and wishes.target is None and chosen(wishes.hardware) == "cpu":
        say("on a CPU, Rust is usually faster than JAX: --agent gemini --target rust writes it")
    return spec


def target_for(agent: str, target: str | None) -> str | None:
    """Return the backend to propose: what was asked for, or the only one that the agent writes.

    None leaves it to the environment and the hardware.
    """
    known = writes(agent)
    if target is None:
        return known[0] if len(known) == 1 else None
    if target not in BACKENDS:
        raise EnvwrightError(f"unknown target {target!r}; use {', '.join(BACKENDS)} or both")
    if target not in known:
        raise EnvwrightError(
            f"--agent {agent} does not write {target}; leave out --target, or name an agent that "
            "does, such as --agent gemini"
        )
    return target


def is_there(path: str) -> bool:
    """Return whether a path exists; a simulator with many options may be too long for one."""
    try:
        return Path(path).exists()
    except OSError:
        return False


def _check_unused(toml: Path, wishes: Wishes) -> None:
    for option in ("name", "target", "hardware"):
        if getattr(wishes, option) is not None:
            raise EnvwrightError(
                f"--{option} is for a simulator; {toml} has the package and the target"
            )


def _check_same(known: TranslationSpec, wishes: Wishes) -> None:
    """Reject options that contradict an earlier proposal in the same folder."""
    for option, has in (("name", known.target.package), ("target", known.target.backend)):
        if getattr(wishes, option) not in (None, has):
            raise EnvwrightError(
                f"{known.path} has the {option} {has}; leave out --{option}, or choose another "
                "folder with -o"
            )
