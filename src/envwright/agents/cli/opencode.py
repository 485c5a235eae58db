"""opencode, an open-source coding agent for endpoints with OpenAI's chat protocol."""

from __future__ import annotations

import json

from envwright.agents.cli.tool import Call, CliTool, Ended, Said, lines_of, text_at

CONFIG = "opencode.json"
PROVIDER = "envwright"


def _settings(call: Call) -> dict[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": PROVIDER,
        "options": {"baseURL": call.base, "apiKey": call.token},
        "models": {call.model: {"name": call.model}},
    }
    config = {
        "provider": {PROVIDER: provider},
        "enabled_providers": [PROVIDER],
        "autoupdate": False,
        "share": "disabled",
        "permission": "allow",
    }
    return {CONFIG: json.dumps(config, indent=2)}


def _environment(call: Call) -> dict[str, str]:
    return {
        "OPENCODE_CONFIG": str(call.home / CONFIG),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_SHARE": "1",
    }


def _said(ended: Ended) -> Said:
    text, error = "", ""
    for event in lines_of(ended.stdout):
        if event.get("type") == "text":
            text = text_at(event, "part", "text") or text
        elif event.get("type") == "error":
            message = text_at(event, "error", "data", "message") or text_at(event, "error", "name")
            error = message or "it gave no reason"
    return Said(text.strip(), error)


OPENCODE = CliTool(
    name="opencode",
    executable="opencode",
    version="1.18.33",
    install="npm install -g opencode-ai@1.18.33",
    protocol="chat",
    endpoint="https://api.openai.com/v1",
    keys=("OPENAI_API_KEY",),
    model="gpt-6-sol",
    arguments=lambda call: ["run", "--format", "json", "--auto", "-m", f"{PROVIDER}/{call.model}"],
    environment=_environment,
    settings=_settings,
    said=_said,
)
