"""Codex CLI, OpenAI's open-source coding agent."""

from __future__ import annotations

import json

from envwright.agents.cli.tool import Call, CliTool, Ended, Said, lines_of, text_at

TOKEN = "ENVWRIGHT_TOKEN"


def _arguments(call: Call) -> list[str]:
    # In a jail it cannot create its own sandbox, and does not need one.
    sandbox = "danger-full-access" if call.confined else "workspace-write"
    return [
        *("exec", "--json", "--skip-git-repo-check"),
        *("--sandbox", sandbox, "--cd", str(call.workspace), "-"),
    ]


def _settings(call: Call) -> dict[str, str]:
    def text(value: str) -> str:
        return json.dumps(value)  # TOML reads JSON strings

    config = f"""\
model = {text(call.model)}
model_provider = "envwright"
approval_policy = "never"
check_for_update_on_startup = false

[analytics]
enabled = false

# All of these contact other hosts.
[features]
apps = false
plugin_discovery_prefetch = false
plugins = false
remote_plugin = false

[model_providers.envwright]
name = "envwright"
base_url = {text(call.base)}
wire_api = "responses"
env_key = "{TOKEN}"
request_max_retries = 2
stream_max_retries = 2
"""
    return {".codex/config.toml": config}


def _said(ended: Ended) -> Said:
    text, error = "", ""
    for event in lines_of(ended.stdout):
        if text_at(event, "item", "type") == "agent_message":
            text = text_at(event, "item", "text") or text
        elif event.get("type") == "turn.failed":
            error = text_at(event, "error", "message") or "it gave no reason"
    return Said(text.strip(), error)


CODEX = CliTool(
    name="codex",
    executable="codex",
    version="0.166.0",
    install="npm install -g @openai/codex@0.166.0",
    protocol="responses",
    endpoint="https://api.openai.com/v1",
    keys=("OPENAI_API_KEY",),
    model="gpt-6-sol",
    arguments=_arguments,
    environment=lambda call: {TOKEN: call.token},
    settings=_settings,
    said=_said,
)
