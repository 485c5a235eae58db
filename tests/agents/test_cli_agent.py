"""The runner of programs: jail, proxy, limits, and how a turn ends."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace

import pytest
from tests.agents.endpoint import KEY, Endpoint
from tests.agents.moves import Fail, Hang, Run, Say, Write
from tests.agents.proxy_client import DOLLARS, PRICES
from tests.agents.toy import toy
from tests.leftovers import nest

from envwright.agents.base import Allowance, Answer, Task, TaskKind, Usage
from envwright.agents.cli import CliAgent, agent
from envwright.agents.proxy import FILE, spent
from envwright.errors import EnvwrightError
from envwright.sandbox import why_not

REFUSED = why_not()
jailed = pytest.mark.skipif(bool(REFUSED), reason=f"no jail here: {REFUSED}")
either_way = pytest.mark.parametrize("unsafe", [pytest.param(False, marks=jailed), True])


@pytest.fixture
def task(tmp_path):
    work, turn = tmp_path / "work", tmp_path / "run" / "turn-001"
    for folder in (work, turn):
        folder.mkdir(parents=True)

    def make(**allowance):
        limits = Allowance(**{"seconds": 30.0, **allowance})
        return Task(1, TaskKind.TRANSLATE, "test", "Do it.\n", work, turn, limits)

    return make


@pytest.fixture
def ask(tmp_path, task):
    def answer(script, allowance=None, environment=None, root=None, **options):
        options = {"key": KEY, "prices": PRICES, "unsafe": True} | options
        program = toy(tmp_path, **(environment or {}))
        with Endpoint(script, "toy") as endpoint:
            options.setdefault("endpoint", endpoint.address)
            asked = task(**(allowance or {}))
            if root is not None:
                work, turn = asked.workspace.relative_to(root), asked.folder.relative_to(root)
                asked = replace(asked, workspace=work, folder=turn)
            return CliAgent(program, **options).ask(asked)

    return answer


@either_way
def test_program_does_its_work_and_is_counted(ask, task, unsafe):
    answer = ask([Write("a.txt", "one"), Say("All done.")], unsafe=unsafe)
    expected = Usage(2400, 2000, 160, 2, pytest.approx(2 * DOLLARS))
    assert answer == Answer("ok", "", "All done.", expected, answer.seconds)
    assert (task().workspace / "a.txt").read_text() == "one"
    assert spent(task().folder) == expected


@either_way
def test_environment_of_the_host_is_not_seen(ask, task, unsafe, monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_HOST", "hush")
    ask([Run("env > env.txt"), Say("ok")], unsafe=unsafe)
    seen = (task().workspace / "env.txt").read_text()
    assert "hush" not in seen and KEY not in seen
    assert f"HOME={task().folder}/home" in seen


@either_way
def test_folders_may_be_given_from_here(ask, task, tmp_path, monkeypatch, unsafe):
    monkeypatch.chdir(tmp_path)
    assert ask([Write("a.txt", "one"), Say("ok")], unsafe=unsafe, root=tmp_path).status == "ok"
    assert (task().workspace / "a.txt").read_text() == "one"


def test_prompt_reaches_the_program(ask, task):
    ask([Say("ok")])
    assert '"content": "Do it.\\n"' in (task().folder / FILE).read_text()


def test_output_is_kept_and_the_home_never(ask, task):
    ask([Say("ok")])
    assert (task().folder / "stdout.txt").read_text() == "ok\n"
    assert not (task().folder / "home").exists()
    assert ask([Fail(404, "no such model")]).status == "crash"
    assert (task().folder / "stderr.txt").read_text() == "the endpoint answered 404\n"
    assert not (task().folder / "home").exists()


def test_only_the_end_of_the_output_is_kept(ask, task, monkeypatch):
    monkeypatch.setattr("envwright.agents.turn_folder.KEPT", 5)
    ask([Say("All done.")])
    assert (task().folder / "stdout.txt").read_text() == "one.\n"


@either_way
def test_a_turn_has_a_home_of_its_own_whatever_an_earlier_attempt_left(ask, task, unsafe, tmp_path):
    """The settings of the next attempt would follow the link."""
    outside = tmp_path / "outside"
    outside.mkdir()
    turn = task()
    home = turn.folder / "home"  # of an attempt that was killed
    home.mkdir()
    nest(home, 1100, "d")
    (home / "a").symlink_to(outside)
    (home / "left").touch()
    home.chmod(0o500)
    ask([Run("ls -a $HOME $HOME/a > seen.txt"), Fail(404)], unsafe=unsafe)
    seen = (turn.workspace / "seen.txt").read_text().split()
    assert "settings.txt" in seen and "left" not in seen and "d" not in seen
    assert list(outside.iterdir()) == [] and not home.exists()


def test_reason_is_what_the_endpoint_said(ask):
    answer = ask([Fail(404, "no such model")])
    assert (answer.status, answer.reason) == ("crash", "the endpoint answered 404: no such model")


def test_spent_allowance_is_told(ask):
    answer = ask([Run("true")], {"tokens": 3000})
    assert answer.status == "budget"
    assert answer.usage.calls == 2  # a third could pass the cap


def test_program_that_does_not_stop_asking_is_shown_out(ask, monkeypatch):
    monkeypatch.setattr(agent, "GRACE", 0.5)
    started = time.monotonic()
    answer = ask([Fail(429, "later")], environment={"STUBBORN": "1"})
    assert time.monotonic() - started < 120
    assert answer.status == "crash"
    assert answer.reason == "the endpoint answered 429: later (3 times in a row)"
    assert answer.usage == Usage(calls=3)


def test_time_ends_a_turn_and_what_was_spent_is_known(ask):
    answer = ask([Run("true"), Hang()], {"seconds": 5.0})
    assert (answer.status, answer.reason) == ("timeout", "toy took longer than 5 s")
    assert answer.usage.calls == 2
    assert answer.usage.prompt == 1200


def test_interrupted_turn_leaves_nothing_running(ask, task, monkeypatch):
    threads = threading.active_count()

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(agent.CliAgent, "_jail", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ask([Say("ok")])
    assert threading.active_count() <= threads
    monkeypatch.undo()
    assert ask([Say("ok")]).status == "ok"


def test_recording_answers_without_key_or_endpoint(ask, task, tmp_path, monkeypatch):
    monkeypatch.delenv("TOY_KEY", raising=False)
    first = ask([Write("a.txt", "one"), Say("All done.")])
    os.rename(tmp_path / "run", tmp_path / "earlier")
    (task().workspace / "a.txt").unlink()
    task().folder.mkdir(parents=True)
    again = ask([Fail(500)], key=None, recording=tmp_path / "earlier", endpoint="http://[::1]:1")
    assert (again.status, again.text, again.usage) == ("ok", first.text, first.usage)
    assert (task().workspace / "a.txt").read_text() == "one"


# --- what is refused beforehand -------------------------------------------------------------


def test_missing_key_is_told_with_its_variable(tmp_path, monkeypatch):
    monkeypatch.delenv("TOY_KEY", raising=False)
    with pytest.raises(EnvwrightError, match="set TOY_KEY"):
        CliAgent(toy(tmp_path), unsafe=True)


def test_key_is_taken_when_the_agent_is_made(tmp_path, task, monkeypatch):
    monkeypatch.setenv("TOY_KEY", "sk-early")
    with Endpoint([Say("ok")]) as endpoint:
        early = CliAgent(toy(tmp_path), endpoint=endpoint.address, unsafe=True)
        monkeypatch.setenv("TOY_KEY", "sk-late")
        early.ask(task())
        assert endpoint.asked[0].headers["authorization"] == "Bearer sk-early"


def test_dollars_need_a_price(ask):
    with pytest.raises(EnvwrightError, match="no price is known for the model 'odd'"):
        ask([Say("ok")], {"dollars": 1.0}, model="odd")
    assert ask([Say("ok")], {"dollars": 1.0, "tokens": 9000}, model="odd").status == "ok"


def test_no_jail_is_refused_unless_told(tmp_path, monkeypatch):
    monkeypatch.setattr(agent, "why_not", lambda: "bubblewrap is missing")
    with pytest.raises(EnvwrightError, match="without a jail: bubblewrap is missing"):
        CliAgent(toy(tmp_path), key=KEY)
    CliAgent(toy(tmp_path), key=KEY, unsafe=True)


def test_description_tells_version_and_meaning_of_dollars(tmp_path):
    told = CliAgent(toy(tmp_path), key=KEY, model="gpt-5", unsafe=True).describe()
    assert (told["kind"], told["version"], told["model"]) == ("toy", "1.2.3", "gpt-5")
    assert told["costs"] == "dollars from list prices of 2026-11 times tokens counted by the proxy"
    assert KEY not in str(told)
    odd = CliAgent(toy(tmp_path), key=KEY, model="odd", unsafe=True).describe()
    assert odd["costs"] == "no dollars: no price is known for odd; tokens counted by the proxy"
