"""The fingerprint of what code holds: it changes with everything that could count calls."""

import collections
import enum
import functools
import itertools
import sys
import types

import numpy as np
import pytest

from envwright.sim.program.purity import fingerprint


class Way(enum.Flag):
    LEFT = 1
    RIGHT = 2


def cached():
    held = functools.cache(itertools.count)
    held()
    return held


class Kept:
    def __init__(self):
        assert self.counts  # is there already

    @functools.cached_property
    def counts(self):
        return iter([1, 2, 3])


COUNTERS = {
    "list": (list, lambda held: held.append(1)),
    "deque": (collections.deque, lambda held: held.append(1)),
    "bound method": (lambda: [].append, lambda held: held(1)),
    "partial": (lambda: functools.partial(list.append, []), lambda held: held(1)),
    "iterator": (lambda: iter([1, 2, 3]), next),
    "generator": (lambda: (n for n in range(3)), next),
    "random generator": (lambda: np.random.default_rng(0), lambda held: held.random()),
    "old random generator": (lambda: np.random.RandomState(0), lambda held: held.rand()),
    "results in a cache": (lambda: functools.lru_cache(len), lambda held: held("abc")),
    "an iterator in a cache": (cached, lambda held: next(held())),
    "an iterator in a cached property": (Kept, lambda held: next(held.counts)),
}


@pytest.fixture
def own(monkeypatch):
    """A module of a package of its own."""
    module = types.ModuleType("own")
    monkeypatch.setitem(sys.modules, "own", module)
    return module


@pytest.mark.parametrize("kind", list(COUNTERS))
def test_what_counts_calls_changes_the_fingerprint(own, kind):
    make, count = COUNTERS[kind]
    own.held = make()
    before = fingerprint("own")
    assert fingerprint("own") == before
    count(own.held)
    assert fingerprint("own") != before


WRITTEN = {
    "name": lambda library: setattr(library, "turns", 1),
    "table": lambda library: library.table.update(turns=1),
    "attribute of a function": lambda library: setattr(library.function, "turns", 1),
}


@pytest.mark.parametrize("kind", list(WRITTEN))
def test_what_is_written_into_a_library_changes_it(own, kind):
    own.library = types.ModuleType("library")
    own.library.table, own.library.function = {}, lambda: None
    before = fingerprint("own")
    assert fingerprint("own") == before
    WRITTEN[kind](own.library)
    assert fingerprint("own") != before


def test_flags_that_are_combined_do_not(own, monkeypatch):
    monkeypatch.setattr(Way, "__module__", "own")
    own.Way = Way
    before = fingerprint("own")
    assert (Way.LEFT | Way.RIGHT).value == 3
    assert fingerprint("own") == before
