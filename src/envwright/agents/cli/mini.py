"""mini-swe-agent, a coding agent of a hundred lines whose only tool is a shell."""

from __future__ import annotations

import json

from envwright.agents.cli.tool import Call, CliTool, Ended, Said, text_at
from envwright.agents.proxy.events import parsed
from envwright.sandbox import tree

TASK, TRAJECTORY = "task.yaml", "trajectory.json"
LARGEST = 64_000_000  # bytes of a trajectory


def _arguments(call: Call) -> list[str]:
    return [
        *("-y", "--exit-immediately", "-m", f"openai/{call.model}"),
        *("-l", "0"),  # its own cost limit is off: the proxy counts
        *("-c", "mini.yaml", "-c", str(call.home / TASK), "-o", str(call.home / TRAJECTORY)),
    ]


def _settings(call: Call) -> dict[str, str]:
    # Not an argument, since those are limited to 128 kB.
    task = {"run": {"task": call.prompt}, "agent": {"step_limit": call.turns}}
    return {TASK: json.dumps(task)}  # YAML reads JSON


def _environment(call: Call) -> dict[str, str]:
    return {
        "OPENAI_API_BASE": call.base,
        "OPENAI_API_KEY": call.token,
        "MSWEA_CONFIGURED": "true",  # it asks nothing at its first start
        "MSWEA_COST_TRACKING": "ignore_errors",
        "MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT": "3",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # fetches no prices
    }


def _said(ended: Ended) -> Said:
    try:
        written = tree.read(ended.home, TRAJECTORY, LARGEST)
    except tree.Unusable:  # the agent may have put anything there
        return Said()
    trajectory = parsed(written.decode(errors="replace"))
    end = text_at(trajectory, "info", "exit_status")
    text = text_at(trajectory, "info", "submission").strip()
    if end in ("", "Submitted"):
        return Said(text)
    return Said(text, f"it ended with {end}", "turns" if end == "LimitsExceeded" else None)


MINI = CliTool(
    name="mini-swe-agent",
    executable="mini",
    version="2.4.6",
    install="pip install mini-swe-agent==2.4.6 mcp",  # its litellm needs mcp without declaring it
    protocol="chat",
    endpoint="https://api.openai.com/v1",
    keys=("OPENAI_API_KEY",),
    model="gpt-6-sol",
    arguments=_arguments,
    environment=_environment,
    settings=_settings,
    said=_said,
    stdin=False,
    ask_version=("--help",),
)
