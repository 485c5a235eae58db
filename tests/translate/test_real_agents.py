"""Real agents' programs in the loop, with a scripted model: wrong first, then right."""

from __future__ import annotations

import json

import pytest
from tests.agents.endpoint import KEY, Endpoint
from tests.agents.moves import Run, Say, Write
from tests.agents.programs import executable
from tests.agents.proxy_client import DOLLARS, MODEL, PRICES
from tests.translate.answers import ENV, HEAT, SRC, WRONG_HEAT
from tests.translate.conftest import REASON

from envwright.agents.cli import PROGRAMS, cli_agent

pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))


class Model(Endpoint):
    """Writes what the prompt asks for: the heat wrongly at first, and meddles with a test."""

    def __init__(self, tools, workspace):
        super().__init__([Say("Title")], tools)
        heat, env = (str(workspace / f"{SRC}/{name}.py") for name in ("heat", "env"))
        guarded = str(workspace / "tests/test_golden.py")
        self.scripts = {
            "# Translate module `heat`": [Write(heat, WRONG_HEAT), Write(guarded, ""), Say("done")],
            "# Repair lamp: level 1": [Write(heat, HEAT), Run("ls"), Say("repaired")],
            "# Translate module `env`": [Write(env, ENV), Say("done")],
        }

    def move(self, wording, body):
        text = json.dumps(body)
        for heading, script in self.scripts.items():
            if heading in text and body.get("tools"):
                return script[min(wording.results(body), len(script) - 1)]
        return Say("Title")


@pytest.mark.slow
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_the_loop_sees_the_failure_and_the_program_repairs_it(run_of, lamp, monkeypatch, name):
    monkeypatch.setenv(PROGRAMS[name].keys[0], KEY)
    program = executable(name)
    workspace = lamp.folder / "runs/run/workspace"
    with Model(name, workspace) as model:
        options = {"executable": program, "model": MODEL, "prices": PRICES}
        agent = cli_agent(name, endpoint=model.address, **options)
        run = run_of(agent, levels=(1,))
        finish = run.go()
    answers = run.journal.of("answered")
    assert finish.outcome == "verified", [(a["status"], a["reason"]) for a in answers]
    assert [a["purpose"] for a in answers] == ["translate", "repair", "translate"]
    assert answers[0]["meddled"] == ["tests/test_golden.py"]
    failed = run.journal.of("judged")[0]["verdicts"][0]["failures"]
    assert "golden_warm" in failed[0]["summary"]
    usage = run.position.usage
    assert usage.tokens == model.usage.tokens and usage.calls == model.usage.calls
    assert usage.dollars == pytest.approx(DOLLARS * (model.usage.output // 80))
    assert KEY not in (run.folder / "journal.jsonl").read_text()
