"""The fingerprint of what code holds: it changes with everything that could count calls."""

import collections
import enum
import functools
import gc
import itertools
import numbers
import operator
import sys
import types
import typing

import jax
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


class Seen(list):
    def __init__(self):
        self.held = []


class Empty(collections.abc.Mapping):
    __hash__ = object.__hash__

    def __init__(self):
        self.held = []

    def __getitem__(self, key):
        return self.held[key]

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0


class Member(enum.Enum):
    ONE = 1

    def __init__(self, number):
        self.held = []


class Described:
    @property
    def held(self, kept=[]):  # noqa: B006
        return kept

    @staticmethod
    def called(kept=[]):  # noqa: B006
        kept.append(1)


def described():
    for function in (vars(Described)["held"].fget, Described.called):
        function.__module__ = "own"
    return Described()


class Key:
    """Equal to all others of its kind, so that a cache gives the first one."""

    def __init__(self):
        self.held = []

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return isinstance(other, Key)


def in_a_cache_of_typing():
    typing.Literal[Key()]  # type: ignore[valid-type]


def first_key():
    (found,) = typing.get_args(typing.Literal[Key()])  # type: ignore[valid-type]
    return found


def vectorized(held):
    def seen(x):
        held.append(1)
        return x

    return jax.vmap(functools.partial(seen))


async def three():
    yield 1
    yield 2
    yield 3


def counting():
    turn = 0
    while True:
        turn += 1
        yield turn


def begun():
    made = counting()
    next(made)
    return made


class Listed:
    """A tree whose structure holds a list."""


class Appending:
    def __getitem__(self, held):
        held.append(1)


def three_of(held):
    with pytest.raises(StopIteration):
        held.asend(None).send(None)


COUNTERS = {
    "list": (list, lambda held: held.append(1)),
    "deque": (collections.deque, lambda held: held.append(1)),
    "bound method": (lambda: [].append, lambda held: held(1)),
    "partial": (lambda: functools.partial(list.append, []), lambda held: held(1)),
    "iterator": (lambda: iter([1, 2, 3]), next),
    "variable of a generator": (begun, next),
    "field of a list": (Seen, lambda held: held.held.append(1)),
    "field of a mapping": (Empty, lambda held: held.held.append(1)),
    "field of a member": (lambda: Member.ONE, lambda held: held.held.append(1)),
    "default of a property": (described, lambda held: held.held.append(1)),
    "default of a static method": (described, lambda held: held.called()),
    "object in a set": (lambda: {Empty()}, lambda held: next(iter(held)).held.append(1)),
    "object in an array": (lambda: np.array([[], 0], object), lambda held: held[0].append(1)),
    "generator": (lambda: (n for n in range(3)), next),
    "random generator": (lambda: np.random.default_rng(0), lambda held: held.random()),
    "old random generator": (lambda: np.random.RandomState(0), lambda held: held.rand()),
    "results in a cache": (lambda: functools.lru_cache(len), lambda held: held("abc")),
    "order": (lambda: collections.OrderedDict(a=1, b=2), lambda held: held.move_to_end("a")),
    "place of pop": (lambda: set(range(8)), lambda held: held.add(held.pop())),
    "factory": (
        lambda: collections.defaultdict(functools.partial(next, itertools.count())),
        lambda held: held.pop(held[0] and 0),
    ),
    "view": (lambda: {1: []}.values(), lambda held: next(iter(held)).append(1)),
    "slice": (lambda: slice([]), lambda held: held.stop.append(1)),
    "getter of items": (lambda: operator.itemgetter([]), lambda held: held(Appending())),
    "argument of a type": (lambda: list[[]], lambda held: typing.get_args(held)[0].append(1)),
    "error": (lambda: ValueError([]), lambda held: held.args[0].append(1)),
    "rest of an array": (lambda: np.zeros(9)[:1], lambda held: held.base.put(5, 1)),
    "flag of an array": (lambda: np.zeros(1), lambda held: held.setflags(write=False)),
    "metadata of a dtype": (
        lambda: np.dtype("f8", metadata={"held": []}),
        lambda held: held.metadata["held"].append(1),
    ),
    "rest of a buffer": (
        lambda: memoryview(bytearray(9))[:1],
        lambda held: held.obj.__setitem__(5, 1),
    ),
    "place in a generator": (lambda: three(), lambda held: three_of(held)),
    "function in one of a library": (lambda: vectorized([]), lambda held: held(np.zeros(1))),
    "iterator in a function of a library": (
        lambda: jax.vmap(functools.partial(next, itertools.count())),
        lambda held: held(np.zeros(1)),
    ),
    "an iterator in a cache": (cached, lambda held: next(held())),
    "an iterator in a cached property": (Kept, lambda held: next(held.counts)),
}


@pytest.fixture
def own(monkeypatch):
    """A module of a package of its own."""
    module = types.ModuleType("own")
    monkeypatch.setitem(sys.modules, "own", module)
    gc.freeze()  # so that only what a test makes is searched
    yield module
    gc.unfreeze()


@pytest.mark.parametrize("kind", list(COUNTERS))
def test_what_counts_calls_changes_the_fingerprint(own, monkeypatch, kind):
    make, count = COUNTERS[kind]
    for cls in (Described, Empty, Member, Seen):
        monkeypatch.setattr(cls, "__module__", "own")
    own.held = make()
    before = fingerprint("own")
    assert fingerprint("own") == before
    count(own.held)
    assert fingerprint("own") != before


def test_what_a_library_keeps_is_part_of_it(own, monkeypatch):
    monkeypatch.setattr(Key, "__module__", "own")
    in_a_cache_of_typing()
    before = fingerprint("own")
    assert first_key() is first_key()
    assert fingerprint("own") == before
    first_key().held.append(1)
    assert fingerprint("own") != before


def test_what_a_structure_keeps_is_part_of_it(own):
    held = []
    tree = jax.tree_util.Partial(len)
    jax.tree_util.register_pytree_node(Listed, lambda x: ((), held), lambda held, parts: Listed())
    own.held = jax.tree.structure((tree, Listed()))
    before = fingerprint("own")
    held.append(1)
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


def test_an_iterator_that_does_not_say_where_it_is_is_never_the_same(own):
    own.held = np.arange(9).flat
    assert fingerprint("own") != fingerprint("own")


REGISTERED = {
    "a number": lambda cls: numbers.Number.register(cls),
    "a tree": lambda cls: jax.tree_util.register_static(cls),
}


@pytest.mark.parametrize("kind", list(REGISTERED))
def test_a_class_that_is_registered_changes_it(own, kind):
    before = fingerprint("own")
    assert fingerprint("own") == before
    REGISTERED[kind](type("Registered", (), {}))
    assert fingerprint("own") != before


def test_what_a_tree_keeps_to_be_taken_apart_is_part_of_it(own):
    cls, held = type("Tree", (), {"__module__": "own"}), []
    jax.tree_util.register_pytree_node(cls, lambda tree: (held, None), lambda _, parts: cls())
    before = fingerprint("own")
    held.append(1)
    assert fingerprint("own") != before


def test_classes_of_libraries_are_part_of_it(own):
    own.np, domain = np, np.polynomial.Polynomial.domain  # NumPy imports that when it is asked
    before = fingerprint("own")
    domain[1] += 1
    assert fingerprint("own") != before
    domain[1] -= 1
    assert fingerprint("own") == before


def test_flags_that_are_combined_change_it_once(own, monkeypatch):
    monkeypatch.setattr(Way, "__module__", "own")
    own.Way = Way
    before = fingerprint("own")
    assert (Way.LEFT | Way.RIGHT).value == 3
    after = fingerprint("own")
    assert (Way.LEFT | Way.RIGHT).value == 3
    assert before != after == fingerprint("own")
