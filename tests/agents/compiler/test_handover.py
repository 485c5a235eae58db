"""What the compiler cannot write goes to the next agent, and nothing else: the whole recipe."""

import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from envwright.agents.choose import AgentRequest, choose_agent
from envwright.sandbox import why_not
from envwright.translate.job import job_of
from envwright.translate.propose import write_proposal
from envwright.translate.run import Run
from envwright.translate.spec import load_spec

HERE = Path(__file__).parent / "marble"
FEW = {"episodes": 12, "fuzzed": 100, "boundary": 20, "starts": 4000, "examples": 8}
# It copies an answer that somebody wrote before, and says what it was asked.
PROGRAM = """
import shutil, sys
shutil.copy(sys.argv[1], "src/fast_lostmarble/env.py")
print(sys.stdin.read())
"""


@pytest.mark.slow
def test_exactly_the_module_that_failed_is_written_by_the_next_agent(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    write_proposal("gymnasium:lost_marble:LostMarble-v0", tmp_path / "spec", "jax")
    spec = load_spec(tmp_path / "spec")
    spec = replace(spec, effort=replace(spec.effort, **FEW))
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = shlex.join([sys.executable, str(program), str(HERE / "answered_env.py")])
    said = []
    request = AgentRequest(
        "compiler,command",
        command=command,
        job=job_of(spec),
        unsafe=why_not() is not None,
        told=said.append,
    )
    run = Run(tmp_path / "run", spec, choose_agent(request), (1, 2, 3), confined=why_not() is None)
    assert run.go().outcome == "verified"
    asked, answered = run.journal.of("asked"), run.journal.of("answered")
    assert [a["task"] for a in asked] == ["translate dynamics", "translate env"]
    assert sorted(answered[0]["files"]) == [
        "src/fast_lostmarble/__init__.py",
        "src/fast_lostmarble/dynamics.py",
    ]
    assert "src/fast_lostmarble/env.py" in answered[1]["files"]
    assert not any("dynamics" in name for name in answered[1]["files"])
    (why,) = said
    assert "cannot translate env: lost_marble.py:17: a set of unknown values" in why
    assert answered[1]["text"].endswith(f"## Asked before you\n- {why.strip()}")
