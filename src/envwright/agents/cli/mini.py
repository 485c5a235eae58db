"""mini-swe-agent, a coding agent of a hundred lines that knows nothing but a shell."""

from __future__ import annotations

from envwright.agents.cli.program import Call, Ended, Program, Said, text_at
from envwright.agents.proxy.events import parsed

TRAJECTORY = "trajectory.json"


def _arguments(call: Call) -> list[str]:
    return [
        *("-y", "--exit-immediately", "-m", f"openai/{call.model}"),
        *("-l", "0"),  # its own idea of the cost limits nothing: the proxy counts
        *("-t", call.prompt, "-o", str(call.home / TRAJECTORY)),
    ]


def _environment(call: Call) -> dict[str, str]:
    return {
        "OPENAI_API_BASE": call.base,
        "OPENAI_API_KEY": call.token,
        "MSWEA_CONFIGURED": "true",  # it asks nothing at its first start
        "MSWEA_COST_TRACKING": "ignore_errors",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # fetches no prices
    }


def _said(ended: Ended) -> Said:
    try:
        trajectory = parsed((ended.home / TRAJECTORY).read_text())
    except (OSError, UnicodeDecodeError):
        return Said()
    end = text_at(trajectory, "info", "exit_status")
    text = text_at(trajectory, "info", "submission")
    if end in ("", "Submitted"):
        return Said(text)
    return Said(text, f"it ended with {end}", "turns" if end == "LimitsExceeded" else None)


MINI = Program(
    name="mini-swe-agent",
    executable="mini",
    version="2.4",
    install="pip install mini-swe-agent==2.4",
    protocol="chat",
    endpoint="https://api.openai.com/v1",
    keys=("OPENAI_API_KEY",),
    model="gpt-6-sol",
    arguments=_arguments,
    environment=_environment,
    settings=lambda call: {},
    said=_said,
    stdin=False,
)
