"""A program that is an agent in thirty lines, to try what real ones would take long for."""

from __future__ import annotations

import sys
from pathlib import Path

from envwright.agents.cli.tool import Call, CliTool, Ended, Said

SOURCE = r"""
import json, os, subprocess, sys, time, urllib.error, urllib.request

def ask(messages):
    body = json.dumps({"model": os.environ["MODEL"], "tools": [{}], "messages": messages})
    headers = {"authorization": "Bearer " + os.environ["TOKEN"]}
    request = urllib.request.Request(
        os.environ["BASE"] + "/chat/completions", body.encode(), headers
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["choices"][0]["message"]

if "--version" in sys.argv:
    sys.exit(print("toy 1.2.3"))
messages = [{"role": "user", "content": sys.stdin.read()}]
while True:
    try:
        said = ask(messages)
    except urllib.error.HTTPError as error:
        if "STUBBORN" not in os.environ:
            sys.exit(f"the endpoint answered {error.code}")
        time.sleep(0.05)
        continue
    messages.append(said)
    if not said.get("tool_calls"):
        sys.exit(print(said["content"]))
    command = json.loads(said["tool_calls"][0]["function"]["arguments"])["command"]
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    messages.append({"role": "tool", "content": done.stdout + done.stderr})
"""


def toy(folder: Path, **environment: str) -> CliTool:
    """The program, written into a folder."""
    script = folder / "toy"
    script.write_text(f"#!{sys.executable}\n{SOURCE}")
    script.chmod(0o755)

    def told(call: Call) -> dict[str, str]:
        return {"BASE": call.base, "TOKEN": call.token, "MODEL": call.model, **environment}

    return CliTool(
        name="toy",
        executable=str(script),
        version="1.2.3",
        install="nothing to install",
        protocol="chat",
        endpoint="http://127.0.0.1:9",
        keys=("TOY_KEY",),
        model="scripted-1",
        arguments=lambda call: [],
        environment=told,
        settings=lambda call: {"a/settings.txt": call.model},
        said=_said,
    )


def _said(ended: Ended) -> Said:
    return Said(ended.stdout.strip())
