"""Gemini CLI, Google's open-source coding agent."""

from __future__ import annotations

import json

from envwright.agents.cli.tool import Call, CliTool, Ended, Said, lines_of, text_at


def _settings(call: Call) -> dict[str, str]:
    settings = {
        # With only a base address, it would ask a gateway for a login.
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "model": {"name": call.model, "maxSessionTurns": call.turns},
    }
    return {".gemini/settings.json": json.dumps(settings, indent=2)}


def _environment(call: Call) -> dict[str, str]:
    return {
        "GOOGLE_GEMINI_BASE_URL": call.base,
        "GEMINI_API_KEY": call.token,
        "GEMINI_TELEMETRY_ENABLED": "false",
    }


def _said(ended: Ended) -> Said:
    text, error = "", ""
    for event in lines_of(ended.stdout):
        if event.get("type") == "message" and event.get("role") == "assistant":
            text += text_at(event, "content")
        elif event.get("type") == "tool_use":
            text = ""  # earlier text was not its last message
        elif event.get("type") == "result" and event.get("status") == "error":
            error = text_at(event, "error", "message") or "it gave no reason"
    return Said(text.strip(), error)


GEMINI = CliTool(
    name="gemini",
    executable="gemini",
    version="0.61.0",
    install="npm install -g @google/gemini-cli@0.61.0",
    protocol="gemini",
    endpoint="https://generativelanguage.googleapis.com",
    keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    model="gemini-3-flash-preview",
    # --yolo: act without confirmation. --skip-trust: accept a fresh folder.
    arguments=lambda call: ["--yolo", "--skip-trust", "-m", call.model, "-o", "stream-json"],
    environment=_environment,
    settings=_settings,
    said=_said,
    statuses={41: "auth", 53: "turns"},
)
