import inspect
import linecache
import sys
import traceback

import pytest

from envwright.verify.adequacy.mutation.loading import MutantImportError, load_mutant_package
from envwright.verify.adequacy.mutation.mutants import enumerate_mutants

RULES = """\
from pathlib import Path

LIMIT = 2
DATA = (Path(__file__).parent / "data.txt").read_text()


def step(x):
    return x + LIMIT


class Ball:
    def far(self, x):
        return x > LIMIT
"""
FILES = {
    "arcade/__init__.py": "",
    "arcade/helper.py": "SHARED = []\n",
    "arcade/late.py": "from arcade.pong.rules import step\n",
    "arcade/pong/__init__.py": "from .env import play\n",
    "arcade/pong/data.txt": "three",
    "arcade/pong/env.py": (
        "from . import rules\n"
        "from arcade.helper import SHARED\n"
        "from arcade.pong.rules import step as imported_step\n"
        "import arcade.pong.rules as dotted\n\n\n"
        "def play(x):\n"
        "    from .rules import step as late_step\n\n"
        "    return rules.step(x), imported_step(x), dotted.step(x), late_step(x)\n"
    ),
    "arcade/pong/rules.py": RULES,
    "arcade/pong/unused.py": "from .rules import LIMIT\n",
}


@pytest.fixture
def arcade(tmp_path, monkeypatch):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.split(".")[0] == "arcade"]:
        del sys.modules[name]


def mutant_rules():
    (mutant,) = [m for m in enumerate_mutants(RULES, "rules.py") if m.operator == "arithmetic"]
    return {"arcade.pong.rules": mutant.apply(RULES)}


def test_every_way_to_import_sees_the_changed_module(arcade):
    with load_mutant_package("arcade.pong", mutant_rules()) as pong:
        assert pong["arcade.pong"].play(5) == (3, 3, 3, 3)
        assert pong["arcade.pong.env"].play is pong["arcade.pong"].play


def test_originals_come_back_untouched(arcade):
    import arcade.pong
    import arcade.pong.env

    before = {n: m for n, m in sys.modules.items() if n.startswith("arcade")}
    finders = list(sys.meta_path)
    with load_mutant_package("arcade.pong", mutant_rules()) as pong:
        assert pong["arcade.pong.env"] is not before["arcade.pong.env"]
        assert sys.modules["arcade.pong.env"] is pong["arcade.pong.env"]
        assert before["arcade.pong.rules"].step(5) == 7
    assert {n: m for n, m in sys.modules.items() if n.startswith("arcade")} == before
    assert arcade.pong is before["arcade.pong"]
    assert arcade.pong.env is before["arcade.pong.env"]
    assert arcade.pong.play(5) == (7, 7, 7, 7)
    assert sys.meta_path == finders


def test_originals_come_back_after_an_exception(arcade):
    import arcade.pong

    original = arcade.pong
    with pytest.raises(ZeroDivisionError), load_mutant_package("arcade.pong", mutant_rules()):
        raise ZeroDivisionError
    assert sys.modules["arcade.pong"] is original
    assert arcade.pong is original


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("LIMIT = 1 / 0\n", "ZeroDivisionError"),
        ("def step(x:\n", "SyntaxError"),
        ("LIMIT = 2\n", "cannot import name 'step'"),  # noticed by a sibling
        ("raise SystemExit(3)\n", "SystemExit"),
    ],
)
def test_a_mutant_that_cannot_be_imported_is_told_apart(arcade, source, reason):
    import arcade.pong

    original = arcade.pong
    broken = load_mutant_package("arcade.pong", {"arcade.pong.rules": source})
    with pytest.raises(MutantImportError, match=reason), broken:
        pytest.fail("the body must not run")
    assert sys.modules["arcade.pong"] is original
    assert arcade.pong.play(5) == (7, 7, 7, 7)


def test_a_package_that_is_broken_itself_is_no_mutants_fault(arcade):
    (arcade / "arcade/pong/env.py").write_text("import no_such_module\n")
    with pytest.raises(ModuleNotFoundError) as caught:
        load_mutant_package("arcade.pong", mutant_rules()).__enter__()
    assert not isinstance(caught.value, MutantImportError)


def test_modules_outside_the_package_are_shared_and_stay_clean(arcade):
    import arcade.helper

    with load_mutant_package("arcade.pong", mutant_rules()) as pong:
        assert pong["arcade.pong.env"].SHARED is arcade.helper.SHARED
        import arcade.late

        assert arcade.late.step(5) == 3
    assert "arcade.late" not in sys.modules  # it had met the mutant
    import arcade.late

    assert sys.modules["arcade.late"].step(5) == 7


def test_the_package_file_itself_can_change(arcade):
    source = "from .env import play\nfrom .unused import LIMIT\nEXTRA = LIMIT + 1\n"
    with load_mutant_package("arcade.pong", {"arcade.pong": source}) as pong:
        assert pong["arcade.pong"].EXTRA == 3
        assert pong["arcade.pong"].play(1) == (3, 3, 3, 3)


def test_several_modules_can_change_at_once(arcade):
    changed = {"arcade.pong.unused": "LIMIT = 9\n", **mutant_rules()}
    with load_mutant_package("arcade.pong", changed) as pong:
        assert pong["arcade.pong.unused"].LIMIT == 9
        assert pong["arcade.pong"].play(5)[0] == 3


def test_sources_shown_are_those_that_run(arcade):
    label = "rules.py:8:arithmetic:+->-"
    with load_mutant_package("arcade.pong", mutant_rules(), label) as pong:
        rules = pong["arcade.pong.rules"]
        assert "x - LIMIT" in inspect.getsource(rules.step)
        assert "x > LIMIT" in inspect.getsource(rules.Ball)
        assert inspect.getsource(rules) == mutant_rules()["arcade.pong.rules"]
        assert rules.DATA == "three"
        try:
            rules.step("text")
        except TypeError:
            shown = traceback.format_exc()
        assert f"<mutant {label}>" in shown
        assert "return x - LIMIT" in shown
    assert not [name for name in linecache.cache if "<mutant" in name]


def test_a_label_with_a_slash_still_finds_its_folder(arcade):
    with load_mutant_package("arcade.pong", mutant_rules(), "rules.py:8:arithmetic:/->*") as pong:
        assert pong["arcade.pong.rules"].DATA == "three"


def test_blocks_nest(arcade):
    with load_mutant_package("arcade.pong", mutant_rules()) as outer:
        with load_mutant_package("arcade.pong", {"arcade.pong.rules": RULES}) as inner:
            assert inner["arcade.pong"].play(5)[0] == 7
        assert sys.modules["arcade.pong"] is outer["arcade.pong"]
        assert outer["arcade.pong"].play(5) == (3, 3, 3, 3)


def test_modules_of_another_package_are_refused(arcade):
    with pytest.raises(ValueError, match=r"arcade\.helper is not a module of arcade\.pong"):
        load_mutant_package("arcade.pong", {"arcade.helper": ""}).__enter__()
    with pytest.raises(ValueError, match="a label is for one"):
        load_mutant_package(
            "arcade.pong", {"arcade.pong": "", "arcade.pong.env": ""}, "x"
        ).__enter__()


def test_packages_that_build_on_each_other_are_copied_together(arcade):
    (arcade / "arcade" / "engine").mkdir()
    (arcade / "arcade" / "engine" / "__init__.py").write_text("")
    (arcade / "arcade" / "engine" / "core.py").write_text("SPEED = 1\n")
    (arcade / "arcade" / "pong" / "fast.py").write_text("from arcade.engine.core import SPEED\n")
    import arcade.pong.fast

    changed = {"arcade.engine.core": "SPEED = 2\n"}
    with load_mutant_package(("arcade.pong", "arcade.engine"), changed) as copies:
        assert copies["arcade.pong.fast"].SPEED == 2
    assert sys.modules["arcade.pong.fast"].SPEED == 1
    assert sys.modules["arcade.engine.core"].SPEED == 1
    assert arcade.engine is sys.modules["arcade.engine"]
