"""The mailbox, and any program as an agent."""

from __future__ import annotations

import os
import sys
import threading
import time
from dataclasses import replace

import pytest
from tests.translate.conftest import REASON

from envwright.agents.base import Allowance, Task, TaskKind, Usage
from envwright.agents.choose import NAMES, AgentRequest, checked, choose_agent
from envwright.agents.command import CommandAgent
from envwright.agents.mailbox import MailboxAgent
from envwright.errors import EnvwrightError


@pytest.fixture
def task(tmp_path):
    for name in ("workspace", "turn"):
        (tmp_path / name).mkdir()
    return Task(
        1,
        TaskKind.TRANSLATE,
        "translate dynamics",
        "do it\n",
        tmp_path / "workspace",
        tmp_path / "turn",
        Allowance(seconds=300),
    )


def test_a_letter_goes_out_and_its_answer_ends_the_turn(task, tmp_path):
    agent = MailboxAgent(tmp_path / "mail", poll=0.01)

    def somebody():
        letter = tmp_path / "mail/001/prompt.md"
        while not letter.exists():
            time.sleep(0.01)
        assert letter.read_text().startswith("do it") and str(task.workspace) in letter.read_text()
        (task.workspace / "a.py").write_text("x = 1")
        (tmp_path / "mail/001/answer.md").write_text("tokens: 1,200 in, 34 out\nwrote a\n")

    helper = threading.Thread(target=somebody)
    helper.start()
    answer = agent.ask(task)
    helper.join()
    assert answer.status == "ok" and "wrote a" in answer.text
    assert answer.usage == Usage(prompt=1200, output=34)


def a_folder(answer):
    answer.mkdir()


def a_pipe(answer):
    os.mkfifo(answer)


def endless(answer):
    answer.symlink_to("/dev/zero")


def large(answer):
    with open(answer, "wb") as file:
        file.truncate(2 << 20)


@pytest.mark.parametrize("what", [a_folder, a_pipe, endless, large])
def test_an_answer_that_is_no_letter_fails_the_turn(task, tmp_path, what):
    (tmp_path / "mail/001").mkdir(parents=True)
    what(tmp_path / "mail/001/answer.md")
    answer = MailboxAgent(tmp_path / "mail", poll=0.01).ask(task)
    assert answer.status == "crash" and "answer.md cannot be read" in answer.reason


@pytest.mark.parametrize("first", ["tokens: " + "9" * 5000 + " in, 1 out", "tokens: , in, , out"])
def test_counts_of_an_answer_that_are_none_count_nothing(task, tmp_path, first):
    (tmp_path / "mail/001").mkdir(parents=True)
    (tmp_path / "mail/001/answer.md").write_bytes(first.encode() + b"\n\xff")
    answer = MailboxAgent(tmp_path / "mail", poll=0.01).ask(task)
    assert answer.status == "ok" and answer.usage == Usage()


def test_nobody_answers(task, tmp_path):
    agent = MailboxAgent(tmp_path / "mail", poll=0.01)
    answer = agent.ask(Task(**{**task.__dict__, "allowance": Allowance(seconds=0.05)}))
    assert answer.status == "timeout" and "answer.md" in answer.reason


def command(text, **more):
    return CommandAgent(f'{sys.executable} -c "{text}"', confined=REASON is None, **more)


def test_a_program_reads_the_prompt_and_works_in_the_workspace(task):
    text = "import sys; open('a.py', 'w').write(sys.stdin.read()); print('done')"
    answer = command(text).ask(task)
    assert answer.status == "ok" and answer.text == "done", answer
    assert (task.workspace / "a.py").read_text() == "do it\n"


def test_a_program_that_fails_says_why(task):
    answer = command("raise SystemExit('no idea')").ask(task)
    assert answer.status == "crash" and "no idea" in answer.reason


@pytest.mark.parametrize("code", [0, 1])
def test_nothing_of_a_programs_home_stays(task, code):
    text = f"import os; open(os.environ['HOME'] + '/cache', 'w'); raise SystemExit({code})"
    assert command(text).ask(task).status == ("crash" if code else "ok")
    assert [path.name for path in task.folder.iterdir()] == ["output.txt"]


def test_a_program_that_does_not_end_is_ended(task):
    endless = Task(**{**task.__dict__, "allowance": Allowance(seconds=1)})
    answer = command("while True: pass").ask(endless)
    assert answer.status == "timeout" and answer.seconds < 120


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_a_program_sees_no_key_of_the_host(task, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "secret")
    answer = command("import os; print(os.environ.get('GEMINI_API_KEY'))").ask(task)
    assert answer.text == "None"


def test_unknown_agents_and_idle_options_are_refused():
    with pytest.raises(EnvwrightError, match="unknown agent 'gemnii'") as caught:
        choose_agent(AgentRequest("gemnii"))
    assert all(name in str(caught.value) for name in NAMES)
    with pytest.raises(EnvwrightError, match="needs --command"):
        choose_agent(AgentRequest("command"))
    with pytest.raises(EnvwrightError, match="program '/no/such' not found"):
        choose_agent(AgentRequest("command", command="/no/such thing"))
    with pytest.raises(EnvwrightError, match="--model requires"):
        choose_agent(AgentRequest("mailbox", model="m"))
    with pytest.raises(EnvwrightError, match="unknown agent ','"):
        choose_agent(AgentRequest(","))


def test_agent_is_created_once(monkeypatch, tmp_path):
    made = []
    monkeypatch.setattr(
        "envwright.agents.command.CommandAgent", lambda *a, **k: made.append(a) or "the agent"
    )
    request = replace(checked(AgentRequest(" command ,", command="true")), mailbox=tmp_path)
    assert choose_agent(request) == "the agent"
    assert made == [("true",)]
