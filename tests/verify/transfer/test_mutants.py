"""Level 4 of `envwright mutate`: which mutants do policies notice that were trained before?"""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
from tests.verify.transfer.plans import CARTPOLE, some_seeds

from envwright.cli import main
from envwright.core.executor import Process, Serial
from envwright.core.progress import quiet
from envwright.errors import EnvwrightError
from envwright.schema.results import as_json
from envwright.train.run import read_spec
from envwright.verify.adequacy import audience, mutate
from envwright.verify.adequacy.audience import Audience
from envwright.verify.adequacy.mutate import mutate_room
from envwright.verify.room import load_room
from envwright.verify.run import Effort
from envwright.verify.transfer import jobs
from envwright.verify.transfer.plan import TransferRequest

pytestmark = pytest.mark.usefixtures("compile_quickly")
ROOM = load_room("cartpole")
EQUIVALENT = ROOM.equivalent[0].mutant
NOTICED = {
    "env.py:CartPole._reward:function:ones_like->zeros_like:jnp.ones_like(fallen, jnp.float32)",
    "rules.py:has_fallen:compare:>-><=:m.theta > p.theta_limit",  # a fall at every step
}
RAISED = {
    "env.py:CartPole.__init__:compare:not in->in:self.dtype not in (np.float32, np.float64)",
    "env.py:CartPole.draw_start:constant:4->3:(4,)",
}
UNNOTICED = {
    "rules.py:has_fallen:compare:>->>=:m.theta > p.theta_limit",  # nobody ever is just there
    "env.py:Params:constant:500->501:max_steps: jax.Array | int = 500",  # nobody lives so long
    EQUIVALENT,
}


@pytest.fixture
def few_mutants(monkeypatch):
    """The seeded bugs of this file only."""
    chosen = NOTICED | RAISED | UNNOTICED
    found = [pair for pair in mutate.all_mutants(ROOM) if pair[1].id in chosen]
    assert len(found) == len(chosen)
    monkeypatch.setattr(mutate, "all_mutants", lambda room: found)
    return found


def asked(folder, levels=(4,)):
    return Effort(levels=levels, transfer=TransferRequest(folder))


@pytest.fixture(scope="module")
def folder(beginners, tmp_path_factory):
    return some_seeds(beginners, tmp_path_factory.mktemp("audience") / "run", (0, 1, 2)).parent


@pytest.mark.slow
@pytest.mark.usefixtures("few_mutants")
def test_policies_notice_what_changes_their_returns_and_nothing_else(folder):
    report = mutate_room("cartpole", effort=asked(folder))
    assert set(report.killed["l4"]) == NOTICED | RAISED
    assert set(report.crashed) == RAISED
    assert {m.id for m in report.survived} == UNNOTICED - {EQUIVALENT}
    assert [e.mutant for e in report.equivalent] == [EQUIVALENT]
    assert report.killed["l1"] == report.killed["l2"] == report.killed["l3"] == []


@pytest.mark.usefixtures("few_mutants")
def test_the_report_tells_what_the_policies_were(folder):
    data = json.loads(
        json.dumps(as_json(mutate_room("cartpole", effort=asked(folder), most=2).record()))
    )
    assert data["killed"].keys() == {"l1", "l2", "l3", "l4"}
    assert data["l4"].keys() == {"policies", "episodes", "margin", "alpha", "noticed"}
    assert (data["l4"]["policies"], data["l4"]["margin"]) == (6, 10.0)
    assert len(data["l4"]["noticed"]) == data["killed"]["l4"]


@pytest.mark.slow
@pytest.mark.usefixtures("few_mutants", "children_compile_once")
def test_the_mutants_do_not_depend_on_the_executor(folder):
    reports = [
        as_json(mutate_room("cartpole", effort=asked(folder), executor=executor).record())
        for executor in (Serial(), Process(2))
    ]
    assert reports[0] == reports[1]


def test_the_reference_is_played_in_once(folder, monkeypatch):
    played = []

    def evaluate(*args, whole=jobs.evaluate, **options):
        played.append(options["episodes"])
        return whole(*args, **options)

    monkeypatch.setattr(jobs, "evaluate", evaluate)
    gather = partial(Audience.gather, ROOM, folder, executor=Serial(), progress=quiet)
    first, again = gather(seed=7), gather(seed=7)
    assert played == [ROOM.transfer.episodes]
    np.testing.assert_array_equal(first.told[0], again.told[0])


def test_all_policies_of_one_kind_play_in_one_program(beginners, tmp_path, monkeypatch):
    for name, seeds in (("a", (0, 1)), ("b", (2,))):
        some_seeds(beginners, tmp_path / name, seeds)
    both = Audience.gather(ROOM, tmp_path, 0, Serial(), quiet)
    played = []

    def evaluate(policies, *args, whole=audience.evaluate, **options):
        played.append(policies.seeds)
        return whole(policies, *args, **options)

    monkeypatch.setattr(audience, "evaluate", evaluate)
    assert not both.notices()
    assert played == [(0, 1, 0, 1, 2, 2)]  # the stages of one run, then of the other
    (company,) = both.companies
    assert company.seeds() == [CARTPOLE] * 3
    returns = np.arange(6.0)[:, None]
    np.testing.assert_array_equal(
        company.per_seed(np.split(returns, company.rows())), [1.0, 2.0, 4.5]
    )


def test_policies_of_another_kind_are_a_company_of_their_own(beginners, tmp_path):
    run = some_seeds(beginners, tmp_path / "a", (0, 1, 2))
    other = some_seeds(beginners, tmp_path / "b", (0, 1, 2))
    spec = json.loads((other / "run.json").read_text())
    spec["config"]["gamma"] = 0.5
    (other / "run.json").write_text(json.dumps(spec))
    companies = audience._companies([run, other])
    assert [company.runs for company in companies] == [(run,), (other,)]
    assert read_spec(other).config != read_spec(run).config


def test_a_folder_without_policies_says_how_to_get_them(tmp_path):
    with pytest.raises(
        EnvwrightError, match=r"no policies in .*; train them with envwright verify cartpole"
    ):
        mutate_room("cartpole", effort=asked(tmp_path))


@pytest.mark.usefixtures("few_mutants")
@pytest.mark.slow
def test_mutate_shows_a_fourth_row_when_policies_are_given(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(mutate, "EFFORT", Effort(levels=(4,)))
    file = tmp_path / "m.json"
    arguments = ["--policies", str(folder), "--most", "2", "--executor", "serial"]
    with pytest.raises(SystemExit) as left:
        main(["mutate", "cartpole", *arguments, "--json", str(file)])
    data = json.loads(file.read_text())
    assert left.value.code == (1 if data["survived"] else 0)
    assert "L4 transfer" in capsys.readouterr().out
    assert data["killed"]["l4"] == len(data["l4"]["noticed"])
