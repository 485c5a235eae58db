"""Shared parts of the recipe's commands: agents, caps, the sandbox, and progress."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from msgspec import structs

from envwright.agents.choose import AgentRequest, checked
from envwright.cli.show import out
from envwright.errors import EnvwrightError
from envwright.schema.recording import R, Recording, load_recording
from envwright.sim.registered import untrusted
from envwright.translate.spec import TranslationSpec

HIGHEST = 10**12  # cap


def agent_request(
    agent: str,
    command: str | None,
    model: str | None,
    endpoint: str | None,
    prices: Path | None,
    who: str | None,
    unsafe: bool,
) -> AgentRequest:
    """Return the agent of these options, after checking them; its job comes later."""
    return checked(
        AgentRequest(
            agent,
            command=command,
            model=model,
            endpoint=endpoint,
            prices=prices,
            who=who,
            unsafe=unsafe,
            told=say,
        )
    )


def with_budget(
    spec: TranslationSpec,
    dollars: float | None,
    tokens: int | None,
    iterations: int | None,
    minutes: float | None,
) -> TranslationSpec:
    """Return a specification with other caps."""
    return with_caps(spec, caps(dollars, tokens, iterations, minutes))


def with_caps(spec: TranslationSpec, given: dict[str, float]) -> TranslationSpec:
    """Return a specification with the caps that were asked for, by name."""
    return replace(spec, budget=structs.replace(spec.budget, **given))


def caps(
    dollars: float | None, tokens: int | None, iterations: int | None, minutes: float | None
) -> dict[str, float]:
    """Return the requested caps, by name. Raises for invalid ones."""
    asked = {"dollars": dollars, "tokens": tokens, "iterations": iterations, "minutes": minutes}
    given = {k: v for k, v in asked.items() if v is not None}
    for name, value in given.items():
        if not value > 0:
            raise EnvwrightError(f"a cap on {name} must be above 0, not {value}")
        if value > HIGHEST:
            raise EnvwrightError(
                f"a cap on {name} must be at most {HIGHEST:,}; leave it out to have none"
            )
    return given


def recorded(agent: str, folder: Path, kind: type[R] = Recording) -> R | None:
    """Return the recording to replay; None for other agents."""
    return load_recording(folder, kind) if agent == "replay" else None


def require_trust(agent: str, spec: TranslationSpec, trust: bool) -> None:
    """Reject a recording that brings its own code, unless it is trusted."""
    if agent != "replay":
        if trust:
            raise EnvwrightError("--trust is for --agent replay; leave it out")
        return
    if trust:
        return
    if own := spec.own_code:
        raise untrusted(own[0], spec.path)
    if elsewhere := spec.files_elsewhere:
        raise EnvwrightError(
            f"{spec.path} asks to read {elsewhere[0]!r}, which is outside of its folder; if you "
            "trust the file, add --trust"
        )
    if links := spec.links_elsewhere:
        raise EnvwrightError(
            f"{spec.folder} has a link {links[0]!r} that leads out of it; remove the link, or add "
            "--trust if you trust the recording"
        )


def require_sandbox(unsafe: bool) -> None:
    """Reject unreviewed code where there is no sandbox, unless `unsafe`."""
    from envwright.sandbox import why_not

    reason = None if unsafe else why_not()
    if reason is not None:
        raise EnvwrightError(
            f"generated code runs in a sandbox, and there is none here: {reason} "
            "(--unsafe runs it without one)"
        )


def is_confined(agents: list[str], unsafe: bool) -> bool:
    """Return whether code runs in a sandbox.

    The compiler's code is made from the user's own class and needs none; all other code is
    unreviewed and requires one.
    """
    from envwright.sandbox import why_not

    if agents == ["compiler"]:
        return not unsafe and why_not() is None
    require_sandbox(unsafe)
    return not unsafe


def say(text: str) -> None:
    """Print a line of progress."""
    out.print(text, markup=False)


def say_jail(confined: bool) -> None:
    """Print what confines code and what limits it."""
    from envwright.sandbox import described

    say(f"jail: {described(confined)}")
