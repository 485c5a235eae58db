"""Short cuts that an agent could take, and that are not taken for a translation."""

from __future__ import annotations

import json
import multiprocessing
import py_compile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.translate.answers import ENV, HEAT, SRC, turn
from tests.translate.scripted import Scripted

from envwright.core.files import alone
from envwright.errors import EnvwrightError
from envwright.schema.translation import Budget
from envwright.translate import parsable
from envwright.translate.allowed import forbidden
from envwright.translate.journal import Journal
from envwright.translate.spec import load_spec

CALLING = HEAT + "\n\nfrom lamp import LampEnv\n"
LEAVING = HEAT + "import jax\n\n\ndef away(x):\n    return jax.pure_callback(x)\n"


def judged(run_of, lamp, files):
    run = run_of(Scripted([files]), spec=replace(lamp, budget=Budget(iterations=1)))
    run.go()
    return run.journal.of("judged")[0]["verdicts"][0], run


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (CALLING, "imports lamp"),
        (LEAVING, "uses pure_callback"),
        (HEAT + "\nimport importlib\n", "imports importlib"),
        (HEAT + "\nexec('x = 1')\n", "uses exec"),
        (HEAT + "\nfrom envwright.zoo import cartpole\n", "imports envwright.zoo"),
    ],
)
def test_code_that_uses_what_it_should_replace_is_refused(run_of, lamp, code, sentence):
    verdict, _ = judged(run_of, lamp, turn(heat=code))
    (failure,) = verdict["failures"]
    assert sentence in failure["summary"] and "heat.py:" in failure["summary"]


# Python's parser gives up, or takes more memory than there is.
BOMBS = {
    "minus": "-" * 1_000_000 + "1",
    "not": "not " * 400_000 + "x",
    "sum": "1" + "+1" * 100_000,
    "names": "a" + ".b" * 200_000,
    "calls": "f" + "()" * 100_000,
    "lambdas": "lambda:" * 200_000 + "0",
    "branches": "if a: pass\n" + "elif a: pass\n" * 100_000,
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_source_that_exhausts_the_parser_is_refused(tmp_path, bomb):
    folder = tmp_path / "fast_lamp"
    folder.mkdir()
    (folder / "heat.py").write_text(bomb)
    (sentence,) = forbidden(folder, "fast_lamp")
    assert "cannot be parsed" in sentence


def test_the_memory_of_parsing_is_limited(tmp_path, monkeypatch):
    folder = tmp_path / "fast_lamp"
    folder.mkdir()
    (folder / "heat.py").write_text("0," * 200_000)
    assert forbidden(folder, "fast_lamp") == []
    monkeypatch.setattr(parsable, "MEMORY", 64 << 20)
    (sentence,) = forbidden(folder, "fast_lamp")
    assert "cannot be parsed" in sentence


def test_what_the_answers_use_is_allowed(tmp_path):
    folder = tmp_path / "fast_lamp"
    folder.mkdir()
    (folder / "heat.py").write_text(HEAT)
    (folder / "env.py").write_text(ENV)
    assert forbidden(folder, "fast_lamp") == []


ODD_BUT_HONEST = '''
"""Names as the reference has them: `__init__`, `_steps`."""

import functools
from dataclasses import dataclass, replace
from typing import NamedTuple, overload

import numpy as np


class Card(NamedTuple):
    cost: int
    _kind: int = 0


@dataclass(frozen=True)
class Deck:
    _cards: tuple[Card, ...]

    def __post_init__(self):
        object.__setattr__(self, "_size", len(self._cards))

    def __add__(self, other):
        return type(self)(self._cards + other._cards)

    def _top(self):
        return self._cards[0]._replace(cost=1)


@functools.lru_cache(maxsize=None)
def table(size: int) -> np.ndarray:
    found = np.zeros(size)
    found[0] = 1
    return found


@overload
def priced(options: dict) -> int: ...


def priced(options):
    try:
        return int(options["price"])
    except KeyError:
        return 0
    except (TypeError, ValueError) as error:
        print(error)
        raise ValueError(f"price: {error}, {error.args}") from error


class Env:
    id = "cards"

    def __init__(self, deck=Deck((Card(1),))):
        super().__init__()
        self.deck, self._table = deck, table(3)

    def top(self):
        if not isinstance(self.deck, Deck):
            raise ValueError(f"{self.deck!r} is not a deck, but a {type(self.deck)}")
        return self.deck._top()._kind + Deck._top(self.deck).cost


if __name__ == "__main__":
    raise SystemExit(Env().top())
'''


def test_what_is_odd_but_honest_is_allowed(tmp_path):
    folder = tmp_path / "fast_lamp"
    folder.mkdir()
    (folder / "cards.py").write_text(ODD_BUT_HONEST)
    (folder / "env.py").write_text("from fast_lamp import cards\n\nTOP = cards.Env().top()\n")
    assert forbidden(folder, "fast_lamp") == []


ITS_OWN_NAMES = '''
"""Fields and methods with names that values of JAX and NumPy have too."""

import functools
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np

SIZES = {"S": 1, "M": 2}
DICE = np.random.default_rng(7)


@functools.partial(jax.tree_util.register_dataclass, data_fields=["device"], meta_fields=["size"])
@dataclass
class Panel:
    device: jax.Array
    size: str = field(default="M", metadata={"why": "most are"})


class Maze:
    def __init__(self, platform):
        self.platform = platform

    def trace(self, lower: np.ndarray):
        return jnp.trace(lower) + Panel(lower).device.sum()

    def compile(self):
        return self.trace(self.platform.lower().upper())


def seen(maze, name):
    match name:
        case str(text) if text.lower() in SIZES:
            return maze.platform, maze.compile()
        case Maze(platform=held):
            return held, None
    try:
        return np.asarray([1]).trace(), SIZES[name]
    except KeyError as error:
        raise ValueError(f"{name}: {error}") from error
'''


def test_names_of_its_own_are_its_own(tmp_path):
    folder = tmp_path / "fast_lamp"
    folder.mkdir()
    (folder / "maze.py").write_text(ITS_OWN_NAMES)
    assert forbidden(folder, "fast_lamp") == []


REJECTED = {
    "names that a library has not": ("import math\nmath.nothing", "math.nothing, which does not"),
    "names that hold code": ("type('A', (), {})", "uses type for more"),
    "classes of classes": ("class A(metaclass=B): pass", "a class of its own"),
    "hooks of attributes": ("class A:\n    def __getattr__(self, name): pass", "__getattr__"),
    "fields set from outside": ("class A:\n    def poke(self): self.x = 1", "changes self.x"),
    "fields of what is called self": (
        "class A:\n    def __init__(self):\n        def poke(self): self.x = 1",
        "changes self.x",
    ),
    "another self": ("class A:\n    def __init__(self): self = A; self.x = 1", "self another"),
    "a caught self": ("try: pass\nexcept ValueError as self: pass", "self another"),
    "initialisers of others": ("class A: pass\nA.__init__(A)", "uses __init__"),
    "tables of libraries": ("import numpy as np\nnp.typecodes['a'] = 1", "changes numpy.typecodes"),
    "settings of the process": ("import numpy as np\nnp.seterr(all='ignore')", "numpy.seterr"),
    "dice of the process": ("import numpy as np\nnp.random.seed(0)", "numpy.random.seed"),
    "counters of the process": ("import abc\nabc.get_cache_token()", "get_cache_token"),
    "hashes": ("x = hash('a')", "uses hash"),
    "what an error holds": (
        "try: pass\nexcept AttributeError as error: held = [error.obj]",
        "looks into error",
    ),
    "errors passed on": (
        "try: pass\nexcept Exception as error: print(f(error))",
        "looks into error",
    ),
    "doors that are given errors": (
        "class A:\n    def __exit__(self, kind, error, trace): pass",
        "writes __exit__",
    ),
    "initialisers by another name": (
        "class A:\n    def __init__(self): self.x = 1\n    put = __init__",
        "uses __init__",
    ),
    "another module's name": ("__name__ = 'numpy'", "gives __name__ another meaning"),
    "clocks by their type": (
        "import numpy as np\nx = np.zeros(1).astype('m')",
        "the type of a date",
    ),
    "dates": ("import numpy as np\nx = np.datetime64('now')", "uses numpy.datetime64"),
    "codes of dates": ("x = f([], '<M8[ns]')", "the type of a date"),
    "seeds of the process": (
        "import numpy as np\nx = np.random.SeedSequence(None)",
        "without a seed",
    ),
    "undefined memory": ("import numpy as np\nx = np.ndarray(3)", "whose content is undefined"),
    "programs": ("def f(g): return g.lower(1).as_text()", "uses as_text of what is not its own"),
    "devices": ("def f(x): return x.sharding", "uses sharding of what is not its own"),
    "names of lanes": ("import jax\nx = jax.lax.psum(1, 'i')", "uses jax.lax.psum"),
    "hashes by their method": ("x = 'a'.__hash__()", "uses __hash__"),
    "what an error says": (
        "try: pass\nexcept TypeError as error: x = f'{error}'",
        "looks into error",
    ),
    "errors of its own": (
        "class A(ValueError): pass\ntry: pass\nexcept TypeError as error: raise A(error)",
        "looks into error",
    ),
    "printing of its own": ("def print(x): pass", "gives print another meaning"),
    "patterns by position": ("match x:\n    case A(y): pass", "by position"),
    "private parts by a pattern": ("match x:\n    case object(_trace=y): pass", "uses _trace"),
    "parts by name": (
        "import jax\ndef f(): pass\njax.tree_util.register_dataclass(type(f), ['x'], [])",
        "registers another class",
    ),
    "private parts": ("def f(x): return x._trace", "uses _trace"),
}


@pytest.mark.parametrize("name", REJECTED)
def test_ways_around_the_reading_are_rejected(tmp_path, name):
    code, said = REJECTED[name]
    folder = tmp_path / "fast_lamp"
    folder.mkdir()
    (folder / "heat.py").write_text(code + "\n")
    found = forbidden(folder, "fast_lamp")
    assert any(said in each for each in found), found


def test_compiled_code_that_nobody_sees_is_not_run(run_of, lamp, tmp_path):
    source = tmp_path / "heat.py"
    source.write_text(HEAT)
    compiled = py_compile.compile(
        str(source),
        cfile=str(tmp_path / "heat.pyc"),
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )

    class Sly(Scripted):
        def ask(self, task):
            answer = super().ask(task)
            cache = task.workspace / SRC / "__pycache__"
            cache.mkdir()
            cache.joinpath("heat.cpython-311.pyc").write_bytes(Path(compiled).read_bytes())
            return answer

    run = run_of(Sly([turn(heat="# nothing\n")]), spec=replace(lamp, budget=Budget(iterations=1)))
    run.go()
    verdict = run.journal.of("judged")[0]["verdicts"][0]
    assert "has no 'golden_warm'" in verdict["failures"][0]["summary"]


def test_a_module_beside_the_package_is_removed_and_reported(run_of, lamp):
    files = {**turn(heat=HEAT), "src/sitecustomize.py": "raise SystemExit", "src/jax.py": ""}
    verdict, run = judged(run_of, lamp, files)
    assert verdict["failures"] == []
    assert run.journal.of("answered")[0]["meddled"] == ["src/jax.py", "src/sitecustomize.py"]


def test_seeds_that_decide_are_drawn_for_each_run_and_kept_out_of_reach(run_of, lamp):
    once = replace(lamp, budget=Budget(iterations=1))
    one, two = (
        run_of(Scripted([turn(heat=HEAT)]), (1,), spec=once, name=name, seed=None) for name in "ab"
    )
    for run in (one, two):
        run.go()
    assert one.secret != two.secret
    workspace = {path.name for path in one.workspace.root.rglob("*")}
    assert not any("held-back" in name for name in workspace)


# --- resuming ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_other_levels_or_another_specification_are_verified_anew(run_of, lamp):
    agent = Scripted([turn(heat=HEAT), turn(env=ENV)])
    assert run_of(agent, (1,)).go().outcome == "verified"
    more = run_of(agent, (1, 2))
    assert more.go().outcome == "verified"
    assert [v["level"] for e in more.journal.of("judged")[2:] for v in e["verdicts"]] == [1, 2]
    path = lamp.folder / "translation.toml"
    path.write_text(path.read_text().replace("episodes = 12", "episodes = 13"))
    again = run_of(agent, (1, 2), spec=load_spec(lamp.folder))
    assert again.go().outcome == "verified"
    assert len(again.journal.of("judged")) > len(more.journal.of("judged"))
    assert len(agent.asked) == 2


@pytest.mark.slow
def test_a_turn_that_was_cut_off_is_not_counted_against_the_cap(run_of, lamp):
    spec = replace(lamp, budget=Budget(iterations=2))
    agent = Scripted([turn(heat=HEAT), turn(env=ENV)])
    run = run_of(agent, (1,), spec=spec)
    run.go()
    lines = run.journal.path.read_text().splitlines()
    cut = next(i for i, line in enumerate(lines) if json.loads(line).get("turn") == 2)
    run.journal.path.write_text("\n".join(lines[: cut + 1]) + "\n")
    assert run_of(agent, (1,), spec=spec).go().outcome == "verified"


def _hold(folder, ready, done):
    with alone(folder):
        ready.set()
        done.wait(300)


def test_two_processes_do_not_work_on_one_run(run_of):
    run = run_of(Scripted([turn(heat=HEAT)]))
    context = multiprocessing.get_context("spawn")
    ready, done = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(run.folder, ready, done))
    other.start()
    assert ready.wait(300)
    with pytest.raises(EnvwrightError, match="another process uses"):
        run.go()
    done.set()
    other.join()
    assert Journal(run.journal.path).events == []


@pytest.mark.slow
def test_files_that_cannot_be_kept_are_a_turn_that_failed(run_of):
    class Lavish(Scripted):
        def ask(self, task):
            answer = super().ask(task)
            if task.number == 1:
                (task.workspace / SRC / "data.bin").write_bytes(b"x" * 3_000_000)
            return answer

    agent = Lavish([turn(heat=HEAT), turn(heat=HEAT), turn(env=ENV)])
    run = run_of(agent, (1,))
    assert run.go().outcome == "verified"
    first = run.journal.of("answered")[0]
    assert first["status"] == "crash" and "data.bin is larger" in first["reason"]
