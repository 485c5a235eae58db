"""Mutants in JAX: judged one by one in workers, which a bug may end."""

from __future__ import annotations

import pytest

from envwright.core.executor import WorkerDied
from envwright.errors import EnvwrightError
from envwright.schema.translation.records import Adequacy
from envwright.verify.adequacy import mutate
from envwright.verify.adequacy.mutation.mutants import enumerate_mutants
from envwright.verify.room import load_room
from envwright.verify.run import Effort
from envwright.verify.stats import share_interval

MUTANTS = enumerate_mutants("def f(a, b):\n    return a + b < a * b\n", "rules.py")


class Workers:
    """Some at a time; each of `deadly` ends its worker, which is seen before others answer."""

    def __init__(self, workers, deadly):
        self.workers, self.deadly = workers, deadly

    def map(self, fn, items):
        for i, _ in enumerate(items):
            if any(item.mutant in self.deadly for item in items[i : i + self.workers]):
                raise WorkerDied("a worker process terminated abruptly (exit code -8)")
            yield mutate.Verdict([], crashed=False)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("deadly", [MUTANTS[:1], MUTANTS[1:3], MUTANTS[-1:]])
def test_a_bug_that_ends_its_worker_is_noticed_and_the_others_are_judged(workers, deadly):
    work = mutate._Work("pong", "jax", Effort(), 0, ("l1", "l2"), None)
    chosen = [("rules", m) for m in MUTANTS]
    told = mutate._judged(None, chosen, work, Workers(workers, deadly), lambda *_: None)
    verdicts = dict(told)
    assert list(verdicts) == MUTANTS
    assert [m for m, verdict in verdicts.items() if verdict.crashed] == deadly
    assert all(verdicts[m].levels == ["l1", "l2"] for m in deadly)


def judged(mutants, survivors, total):
    dead = [m.id for m in mutants if m not in survivors]
    return mutate.MutationReport("pong", mutants, {"l1": dead, "l2": []}, [], total)


def test_a_sample_has_an_interval_and_all_mutants_have_none():
    sampled = judged(MUTANTS[:4], MUTANTS[:1], total=1000)
    assert sampled.kill_rate == 0.75
    assert sampled.interval == pytest.approx((0.1941, 0.9937), abs=1e-4)
    assert sampled.record().interval == sampled.interval
    assert judged(MUTANTS, MUTANTS[:1], len(MUTANTS)).interval == pytest.approx(
        (1 - 1 / len(MUTANTS),) * 2
    )


def test_the_interval_of_a_share_is_clopper_and_pearsons():
    assert share_interval(95, 100) == pytest.approx((0.8872, 0.9836), abs=1e-4)
    assert share_interval(0, 0) == (0.0, 1.0)


class Questions:
    """Evidence that all levels but the first notice; it knows which were asked."""

    raised = False

    def __init__(self):
        self.asked = []

    def differs(self, level, seed):
        self.asked.append(level)
        return level != "l1"


@pytest.mark.parametrize(
    ("until_noticed", "asked", "noticed"),
    [(True, ["l1", "l2"], ["l2"]), (False, ["l1", "l2", "l3"], ["l2", "l3"])],
)
def test_levels_after_the_first_that_notices_may_be_spared(
    monkeypatch, until_noticed, asked, noticed
):
    questions = Questions()
    monkeypatch.setattr(mutate, "_twins", lambda evidence: questions)
    room = load_room("pong")
    module, mutant = mutate.all_mutants(room)[0]
    levels = ("l1", "l2", "l3")
    work = mutate._Work(
        "pong", "jax", Effort(), 0, levels, None, until_noticed, module=module, mutant=mutant
    )
    assert mutate._caught(room, questions, work).levels == noticed
    assert questions.asked == asked


def test_files_to_mutate_may_lie_in_what_a_room_is_built_on():
    room = load_room("halfcheetah")
    assert room.packages == ("envwright.zoo.halfcheetah", "envwright.zoo.planar")
    assert room.module_of("../planar/solver.py") == "envwright.zoo.planar.solver"
    assert room.module_of("env.py") == "envwright.zoo.halfcheetah.env"
    assert load_room("pong").packages == ("envwright.zoo.pong",)


def test_mutants_are_put_to_the_checks_that_the_room_names():
    room = load_room("halfcheetah")
    assert (
        {c.label for c in room.for_mutants().checks}
        == set(room.adequacy.checks)
        < {c.label for c in room.checks}
    )
    with pytest.raises(EnvwrightError, match="names no check of backend"):
        mutate.replace(room, adequacy=Adequacy(checks=("none of them",))).for_mutants()


def test_an_environment_that_differs_without_a_bug_is_no_place_to_seed_some(monkeypatch):
    monkeypatch.setattr(mutate, "_twins", lambda evidence: evidence)
    work = mutate._Work("pong", "jax", Effort(), 0, ("l1", "l2"), None)
    with pytest.raises(EnvwrightError, match="differs from its reference already at level 2"):
        mutate._equal_without_bug(Questions(), work)
