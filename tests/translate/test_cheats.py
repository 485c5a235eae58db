"""Translations that deceive: none ends verified, even if nothing reads their source."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.translate import cheats
from tests.translate.answers import ENV, HEAT, turn
from tests.translate.conftest import REASON
from tests.translate.scripted import Scripted

from envwright.errors import EnvwrightError
from envwright.schema.translation import Budget
from envwright.sim.simulator import TwinRaised
from envwright.translate import jailed
from envwright.translate.allowed import forbidden
from envwright.translate.jailed import JaxTwin
from envwright.translate.judge import ONLY_ITS_OWN

needs_a_jail = pytest.mark.skipif(REASON is not None, reason=str(REASON))
INPUTS = {"heat": np.array([0.5, 2.0]), "level": np.array([1, 3])}
# What the processes that answer say, before anything is compared.
SAID = {
    "answers_forged_on_every_pipe": "the code's process talks nonsense|too much|not a JSON|ended",
    "batches_of_another_rule": "uses custom_vmap_call, which a translation may not",
    "batches_of_its_own": "Lamp has its own 'step_batch', which would not be verified",
    "callback_for_debugging": "uses debug_callback, which a translation may not",
    "callback_to_the_reference": "No module named 'lamp'",
    "counter_in_a_cache": "tracing changes the code's own variables",
    "counter_in_a_cached_field": "tracing changes the code's own variables",
    "counter_in_a_library": "tracing changes the code's own variables",
    "counter_in_a_table_of_a_library": "tracing changes the code's own variables",
    "counter_of_traces": "tracing changes the code's own variables",
    "device_that_is_not_judged": "uses platform_index, which a translation may not",
    "foreign_function": "golden_warm uses ffi_call, which a translation may not",
    "masks_of_its_own": "Lamp has its own 'legal_actions', which would not be verified",
    "memory_of_the_runner": "Permission denied",
    "restarts_that_never_come": "Lamp restarts by itself",
    "step_of_its_own": "Lamp has its own 'step', which would not be verified",
    "wrapper_in_the_middle": "Between has its own 'step', which would not be verified",
    "words_of_the_command": "is another program when another process traces it",
}


def written(folder, files):
    """The sources of a cheat in a folder, with the good ones that it does not replace."""
    package = folder / "src" / "fast_lamp"
    package.mkdir(parents=True)
    for name, text in {"heat": HEAT, "env": ENV, **files}.items():
        (package / f"{name}.py").write_text(text)
    return package


def test_there_are_cheats_of_many_kinds_and_each_has_its_wall():
    assert cheats.all_names() == set(cheats.WALLS)
    assert len(cheats.WALLS) >= 50
    assert cheats.ONLY_READ <= cheats.READ


def test_reading_the_source_finds_what_leads_out_of_it(tmp_path):
    for name in cheats.WALLS:
        package = written(tmp_path / name, cheats.files_of(name))
        assert bool(forbidden(package, "fast_lamp")) == (name in cheats.READ), name


@needs_a_jail
@pytest.mark.parametrize("name", sorted(SAID))
def test_processes_that_answer_refuse_what_nothing_has_read(lamp, tmp_path, name):
    workspace = tmp_path / "workspace"
    written(workspace, cheats.files_of(name))
    twin = JaxTwin(lamp, workspace, tmp_path / "scratch")
    with pytest.raises((RuntimeError, TwinRaised, EnvwrightError), match=SAID[name]):
        asked_everything(twin, lamp.checks[0])


def asked_everything(twin, check):
    with twin.functions() as functions:
        functions.ask("names", module="fast_lamp.heat")
        functions.ask("call", function="fast_lamp.heat:golden_warm", inputs=INPUTS)
    with twin.simulator(check) as simulator:
        state = simulator.reset(0) and simulator.state()
        simulator.step(1)
        simulator.step_many([state] * 2, [0, 1])


@pytest.mark.slow
@needs_a_jail
@pytest.mark.parametrize("name", sorted(cheats.WALLS))
def test_no_cheat_ends_verified(run_of, lamp, name):
    run = run_with(run_of, lamp, name)
    assert run.go().outcome != "verified"
    if name in cheats.READ:
        (failure,) = run.journal.of("judged")[0]["verdicts"][0]["failures"]
        assert failure["test"] == ONLY_ITS_OWN


@pytest.mark.slow
@needs_a_jail
@pytest.mark.parametrize("name", sorted(set(cheats.WALLS) - cheats.ONLY_READ))
def test_no_cheat_ends_verified_if_nothing_reads_it(monkeypatch, run_of, lamp, name):
    monkeypatch.setattr(jailed, "forbidden", lambda folder, package: [])
    run = run_with(run_of, lamp, name)
    assert run.go().outcome != "verified"
    last = run.journal.of("judged")[-1]["verdicts"][-1]["failures"]
    assert re.search(cheats.SAYS[cheats.WALLS[name]], last[0]["summary"]), last[0]["summary"]


def run_with(run_of, lamp, name):
    files = turn(**{"heat": HEAT, "env": ENV, **cheats.files_of(name)})
    return run_of(Scripted([files]), spec=replace(lamp, budget=Budget(iterations=2)))
