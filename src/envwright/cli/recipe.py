"""What the commands of the recipe share: agents, caps, the sandbox, and words on the way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from msgspec import structs

from envwright.agents.choose import AgentRequest, check_request
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
    """The agent of these options, which are checked. Its job, recording and mailbox come later."""
    request = AgentRequest(
        agent,
        command=command,
        model=model,
        endpoint=endpoint,
        prices=prices,
        who=who,
        unsafe=unsafe,
        told=say,
    )
    check_request(request)
    return request


def with_budget(
    spec: TranslationSpec,
    dollars: float | None,
    tokens: int | None,
    iterations: int | None,
    minutes: float | None,
) -> TranslationSpec:
    """A specification with other caps."""
    given = caps(dollars, tokens, iterations, minutes)
    return replace(spec, budget=structs.replace(spec.budget, **given))


def caps(
    dollars: float | None, tokens: int | None, iterations: int | None, minutes: float | None
) -> dict[str, float]:
    """The caps that were asked for, by name. Raises for those that cannot be."""
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
    """What is replayed; nothing if another agent was asked for."""
    return load_recording(folder, kind) if agent == "replay" else None


def require_trust(agent: str, spec: TranslationSpec, trust: bool) -> None:
    """Refuse to replay a recording that brings code of its own, unless it is trusted."""
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


def require_sandbox(unsafe: bool) -> None:
    """Refuse to run what nobody has read outside of one, unless told to."""
    from envwright.sandbox import why_not

    reason = None if unsafe else why_not()
    if reason is not None:
        raise EnvwrightError(
            f"generated code runs in a sandbox, and there is none here: {reason} "
            "(--unsafe runs it without one)"
        )


def is_confined(agents: list[str], unsafe: bool) -> bool:
    """Whether code runs in a sandbox. What the compiler writes is made of the user's own class
    and may do without; of whatever else nobody has read, there must be one."""
    from envwright.sandbox import why_not

    if agents == ["compiler"]:
        return not unsafe and why_not() is None
    require_sandbox(unsafe)
    return not unsafe


def say(text: str) -> None:
    """A line of what goes on."""
    out.print(text, markup=False)


def say_jail(confined: bool) -> None:
    """What confines code and what limits it."""
    from envwright.sandbox import described

    say(f"jail: {described(confined)}")
