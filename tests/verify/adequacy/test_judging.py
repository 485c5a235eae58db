"""Mutants in JAX: judged one by one in workers, which a bug may end."""

from __future__ import annotations

import pytest

from envwright.core.executor import WorkerDied
from envwright.verify.adequacy import mutate
from envwright.verify.adequacy.mutation.mutants import enumerate_mutants
from envwright.verify.run import Effort

MUTANTS = enumerate_mutants("def f(a, b):\n    return a + b < a * b\n", "rules.py")


class Workers:
    """Some at a time; each of `deadly` ends its worker, which is seen before others answer."""

    def __init__(self, workers, deadly):
        self.workers, self.deadly = workers, deadly

    def map(self, fn, items):
        for i, _ in enumerate(items):
            if any(item.mutant in self.deadly for item in items[i : i + self.workers]):
                raise WorkerDied("a worker process terminated abruptly (exit code -8)")
            yield mutate._Verdict([], crashed=False)


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
