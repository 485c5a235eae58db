"""Claude Code, Anthropic's coding agent. It is proprietary, so no test installs it."""

from __future__ import annotations

from envwright.agents.cli.tool import Call, CliTool, Ended, Said, lines_of, text_at


def _arguments(call: Call) -> list[str]:
    return [
        *("-p", "--output-format", "json", "--permission-mode", "bypassPermissions"),
        *("--max-turns", str(call.turns), "--model", call.model),
    ]


def _environment(call: Call) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": call.base,
        "ANTHROPIC_API_KEY": call.token,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        # As root, it only acts without confirmation if told that it is confined.
        **({"IS_SANDBOX": "1"} if call.confined else {}),
    }


def _said(ended: Ended) -> Said:
    results = [event for event in lines_of(ended.stdout) if event.get("type") == "result"]
    if not results:
        return Said()
    result = results[-1]
    text = text_at(result, "result").strip()
    if text_at(result, "subtype") == "error_max_turns":
        return Said(text, "it reached its limit of turns", "turns")
    if result.get("is_error"):
        return Said(error=text or "it gave no reason")
    return Said(text)


CLAUDE = CliTool(
    name="claude",
    executable="claude",
    version="2.1.325",
    install="npm install -g @anthropic-ai/claude-code@2.1.325",
    protocol="anthropic",
    endpoint="https://api.anthropic.com",
    keys=("ANTHROPIC_API_KEY",),
    model="claude-sonnet-5-5",
    arguments=_arguments,
    environment=_environment,
    said=_said,
)
