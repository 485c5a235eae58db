"""What each program's settings and last words are, from lines that the real ones print."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest
from tests.agents.proxy_client import MODEL

from envwright.agents.cli import PROGRAMS, cli_agent, installed
from envwright.agents.cli.ending import judge
from envwright.agents.cli.tool import Call, Ended, Said
from envwright.agents.proxy import PROTOCOLS, Trouble
from envwright.errors import EnvwrightError
from envwright.sandbox import Finished, Limits

HOME = Path("/home/of/the/turn")
ASKED = 'Say "hi" \\ and leave.\n' * 3
CALL = Call(MODEL, "http://127.0.0.1:8080", "token-1", ASKED, Path("/work"), HOME, turns=7)

LINES = {
    "gemini": [
        {"type": "init", "session_id": "1", "model": "m"},
        {"type": "message", "role": "user", "content": "hello"},
        {"type": "message", "role": "assistant", "content": "I will", "delta": True},
        {"type": "tool_use", "tool_name": "write_file"},
        {"type": "tool_result", "status": "success"},
        {"type": "message", "role": "assistant", "content": "All ", "delta": True},
        {"type": "message", "role": "assistant", "content": "done.\n", "delta": True},
        {"type": "result", "status": "success", "stats": {}},
    ],
    "codex": [
        {"type": "thread.started", "thread_id": "1"},
        {"type": "item.completed", "item": {"type": "error", "message": "a mere warning"}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "I will"}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "All done."}},
        {"type": "turn.completed", "usage": {}},
    ],
    "opencode": [
        {"type": "step_start", "part": {}},
        {"type": "text", "part": {"type": "text", "text": "I will"}},
        {"type": "tool_use", "part": {"tool": "write"}},
        {"type": "text", "part": {"type": "text", "text": "All done."}},
        {"type": "step_finish", "part": {"reason": "stop"}},
    ],
    "claude": [{"type": "result", "subtype": "success", "is_error": False, "result": "All done."}],
}

ERRORS = {
    "gemini": {"type": "result", "status": "error", "error": {"message": "not today"}},
    "codex": {"type": "turn.failed", "error": {"message": "not today"}},
    "opencode": {"type": "error", "error": {"name": "APIError", "data": {"message": "not today"}}},
    "claude": {"type": "result", "is_error": True, "result": "not today"},
}


def said(name, *lines, home=HOME):
    stdout = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
    return PROGRAMS[name].said(Ended(0, stdout, "", home))


@pytest.mark.parametrize("name", LINES)
def test_last_words_are_found(name):
    assert said(name, *LINES[name]) == Said("All done.")


@pytest.mark.parametrize("name", LINES)
def test_failure_is_found(name):
    assert said(name, ERRORS[name]).error == "not today"


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("line", ["", "not JSON\n", "[1]\n", "{}\n", '{"type": "result"}\n'])
def test_strange_output_says_nothing(name, line):
    assert said(name, line).text == ""


@pytest.mark.parametrize("name", LINES)
def test_parts_of_another_form_are_not_believed(name):
    broken = [dict.fromkeys(line, 3) | {"type": line["type"]} for line in LINES[name]]
    assert said(name, *broken).text == ""


def test_claude_tells_that_it_reached_its_turns():
    event = {"type": "result", "subtype": "error_max_turns", "is_error": True}
    assert said("claude", event).status == "turns"


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ({"exit_status": "Submitted", "submission": "All done.\n"}, Said("All done.")),
        ({"exit_status": "LimitsExceeded"}, Said("", "it ended with LimitsExceeded", "turns")),
        ({"exit_status": "RuntimeError"}, Said("", "it ended with RuntimeError")),
    ],
)
def test_trajectory_of_mini_is_read(tmp_path, info, expected):
    (tmp_path / "trajectory.json").write_text(json.dumps({"info": info}))
    assert said("mini-swe-agent", home=tmp_path) == expected


def test_link_planted_for_a_trajectory_is_not_followed(tmp_path):
    (tmp_path / "secret").write_text('{"info": {"submission": "a secret"}}')
    (tmp_path / "trajectory.json").symlink_to(tmp_path / "secret")
    assert said("mini-swe-agent", home=tmp_path) == Said()


# --- how they are called --------------------------------------------------------------------


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_is_told_the_model_the_proxy_and_a_token_and_nothing_of_the_key(name, monkeypatch):
    program = PROGRAMS[name]
    monkeypatch.setenv(program.keys[0], "sk-mine")
    told = [*program.arguments(CALL), *program.environment(CALL).values()]
    told += program.settings(CALL).values()
    for secret in (CALL.base, CALL.token, CALL.model):
        assert any(secret in text for text in told), secret
    assert not any("sk-mine" in text for text in told)


@pytest.mark.parametrize("name", PROGRAMS)
def test_long_prompt_is_no_argument(name):
    program = PROGRAMS[name]
    assert not any(ASKED in argument for argument in program.arguments(CALL))
    held = any(json.dumps(ASKED) in text for text in program.settings(CALL).values())
    assert program.stdin != held


@pytest.mark.parametrize("name", PROGRAMS)
def test_settings_are_well_formed(name):
    for file, text in PROGRAMS[name].settings(CALL).items():
        assert not os.path.isabs(file)
        assert tomllib.loads(text) if file.endswith(".toml") else json.loads(text)


@pytest.mark.parametrize("name", PROGRAMS)
def test_version_that_was_tried_is_the_one_to_install(name):
    program = PROGRAMS[name]
    assert program.version in program.install
    assert program.protocol in PROTOCOLS
    assert program.endpoint.startswith("https://")


def test_pinned_versions_are_those_of_the_tests():
    pins = json.loads((Path(__file__).parent / "cli-lock" / "package.json").read_text())
    tried = {PROGRAMS[name].install.rpartition(" ")[2] for name in ("gemini", "codex", "opencode")}
    assert {f"{name}@{version}" for name, version in pins["dependencies"].items()} == tried


def test_lock_names_no_host():
    lock = (Path(__file__).parent / "cli-lock" / "package-lock.json").read_text()
    assert "://" not in lock and "resolved" not in lock


def test_unknown_agent_gets_a_hint():
    with pytest.raises(EnvwrightError, match="did you mean 'gemini'"):
        cli_agent("gemeni")
    with pytest.raises(EnvwrightError, match="there are gemini, claude, codex"):
        cli_agent("x")


# --- where they are installed ---------------------------------------------------------------


def test_installation_is_the_outermost_node_modules(tmp_path):
    script = tmp_path / "node_modules" / "@a" / "b" / "node_modules" / "c" / "cli.js"
    script.parent.mkdir(parents=True)
    script.write_text("#!/usr/bin/env node\n")
    link = tmp_path / "bin" / "c"
    link.parent.mkdir()
    link.symlink_to(script)
    assert installed.folders(link) == (link, tmp_path / "node_modules")


def test_installation_in_a_virtual_environment_needs_its_interpreter(tmp_path):
    python = tmp_path / "python-3.13" / "bin"
    python.mkdir(parents=True)
    program = tmp_path / "venv" / "bin" / "mini"
    program.parent.mkdir(parents=True)
    program.touch()
    (tmp_path / "venv" / "pyvenv.cfg").write_text(f"home = {python}\nversion = 3.13.1\n")
    assert installed.folders(program) == (tmp_path / "venv", python.parent)


def test_installation_of_a_single_file_is_that_file(tmp_path):
    program = tmp_path / "program"
    program.touch()
    assert installed.folders(program) == (program,)


def test_missing_program_is_told_with_the_way_to_get_it(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EnvwrightError, match=r"npm install -g @google/gemini-cli@0\.61\.0"):
        cli_agent("gemini", key="k")
    with pytest.raises(EnvwrightError, match="there is no program /none/here"):
        cli_agent("gemini", key="k", executable="/none/here")


# --- how they ended -------------------------------------------------------------------------

FINE, FAILED = Finished(0, "", "", 1.0), Finished(1, "", "first\nno space left\n\n", 1.0)
LATE = Finished(137, "", "", 1.0, "time")
FULL = Finished(137, "", "", 1.0, "memory")
LIMITS = Limits(seconds=9, memory_mb=5)


@pytest.mark.parametrize(
    ("finished", "words", "trouble", "status", "reason"),
    [
        (FINE, Said("done"), None, "ok", ""),
        (FAILED, Said(), None, "crash", "gemini ended with code 1: no space left"),
        (FINE, Said(error="no"), None, "crash", "gemini ended with code 0: no"),
        (Finished(1, "", "", 1.0), Said(), None, "crash", "it gave no reason"),
        (Finished(41, "", "log in", 1.0), Said(), None, "auth", "log in"),
        (Finished(53, "", "", 1.0), Said(error="turns"), None, "turns", "turns"),
        (FINE, Said(error="x", status="turns"), None, "turns", "x"),
        (LATE, Said(), None, "timeout", "gemini took longer than 9 s"),
        (LATE, Said(), ("down", "it is silent"), "timeout", "9 s; it is silent"),
        (LATE, Said(), ("budget", "all is spent"), "budget", "all is spent"),
        (FULL, Said(), None, "crash", "gemini was stopped: it used more than 5 MB"),
        (FINE, Said("done"), ("auth", "who?"), "auth", "who?"),
        (FINE, Said("done"), ("rate", "later"), "crash", "later"),
        (FINE, Said("done"), ("budget", "all is spent"), "budget", "all is spent"),
        (FAILED, Said(), ("replay", "no answer left"), "crash", "no answer left"),
    ],
)
def test_end_is_judged(finished, words, trouble, status, reason):
    seen = Trouble(*trouble) if trouble else None
    judged, why = judge(PROGRAMS["gemini"], finished, LIMITS, words, seen)
    assert judged == status
    assert reason in why and bool(reason) == bool(why)
