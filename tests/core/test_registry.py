"""Environments by id: lazily, and with errors that help."""

import subprocess
import sys

import gymnasium
import pytest

import envwright
from envwright.core import registry
from envwright.core.registry import demo_room, find, make, register, rooms
from envwright.core.room import Demo, Room, load_attribute
from envwright.errors import EnvwrightError, Exit, MissingPackage, UnknownEnvironment


@pytest.fixture
def empty(monkeypatch):
    """A registry of our own."""
    monkeypatch.setattr(registry, "_ROOMS", {})


def walk_spec(version=1, **changes):
    backends = {"jax": "tests.games:SlipperyWalk"}
    fields = dict(id="slipperywalk", version=version, title="Walk", summary="", backends=backends)
    return Room(**(fields | changes))


def run_python(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()


def imported_after(code):
    """What of JAX and the zoo is imported, beside the rooms that only describe themselves."""
    loaded = run_python(f"{code}; import sys; print(*sys.modules)")
    zoo = [m for m in loaded if m.startswith("envwright.zoo.") and m.count(".") > 2]
    return [m for m in loaded if m.startswith("jax")] + [m for m in zoo if m[-5:] != ".room"]


def test_importing_the_package_imports_no_jax_and_no_environment():
    assert imported_after("import envwright") == []


def test_listing_and_finding_import_no_environment():
    assert imported_after("import envwright; envwright.find('cartpole'); envwright.rooms()") == []


def test_making_one_environment_imports_that_one_only():
    loaded = imported_after("import envwright; envwright.make('cartpole')")
    rooms = {module.split(".")[2] for module in loaded if module.startswith("envwright.zoo.")}
    assert rooms == {"cartpole"}


@pytest.mark.parametrize(
    "name", ["cartpole", "cartpole-v1", "CartPole-v1", "envwright/CartPole-v1"]
)
def test_an_environment_has_several_names(name):
    assert find(name).name == "cartpole-v1"
    assert envwright.make(name).name == "cartpole-v1"


def test_gymnasium_knows_every_environment():
    for spec in rooms():
        assert spec.gymnasium_id in gymnasium.registry


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cartpol", "unknown environment 'cartpol'; did you mean 'cartpole'"),
        ("Cart-Pole", "did you mean 'cartpole'"),
        ("cartpole-v9", "unknown version 'cartpole-v9'; there is cartpole-v1"),
        ("zzz", "unknown environment 'zzz'; there are .*cartpole"),
    ],
)
def test_an_unknown_name_is_answered_with_a_near_one(name, words):
    with pytest.raises(UnknownEnvironment, match=words) as failure:
        envwright.make(name)
    assert failure.value.exit_code == Exit.BAD_INPUT


def test_without_a_version_the_newest_is_found(empty):
    for version in (2, 10, 1):
        register(walk_spec(version))
    assert find("slipperywalk").version == 10
    assert find("slipperywalk-v2").version == 2
    assert [s.version for s in rooms()] == [1, 2, 10]


def test_a_title_may_differ_from_the_id(empty):
    register(walk_spec(id="slippery_walk", title="SlipperyWalk"))
    assert find("envwright/SlipperyWalk-v1").id == "slippery_walk"


def test_an_id_and_version_can_be_taken_once(empty):
    register(walk_spec())
    with pytest.raises(
        EnvwrightError, match="slipperywalk-v1 is registered already; raise its version"
    ):
        register(walk_spec())


def test_an_environment_without_a_backend_is_refused(empty):
    with pytest.raises(EnvwrightError, match="needs at least one backend"):
        register(walk_spec(backends={}))


def test_the_room_of_the_demo_is_the_one_that_has_one(empty):
    with pytest.raises(EnvwrightError, match="no registered room has a demo; name an environment"):
        demo_room()
    register(walk_spec(id="other"))
    shown = register(walk_spec(demo=Demo("python:a:B", "gymnasium:Walk-v0", "It limps.")))
    assert demo_room() is shown


def test_the_first_backend_is_the_default(empty):
    spec = walk_spec(backends={"jax": "tests.games:SlipperyWalk", "odd": "tests.games:TicTacToe"})
    register(spec)
    assert spec.default_backend == "jax"
    assert make("slipperywalk").id == "slipperywalk"
    with pytest.raises(EnvwrightError, match="has no backend 'rust'; use jax or odd"):
        make("slipperywalk", backend="rust")


def test_an_environment_that_calls_itself_otherwise_is_refused(empty):
    register(walk_spec(backends={"jax": "tests.games:TicTacToe"}))
    with pytest.raises(EnvwrightError, match="whose id is 'tictactoe'; correct one of the two"):
        make("slipperywalk")


def test_options_reach_the_constructor_and_unknown_ones_are_named(empty):
    register(walk_spec())
    assert make("slipperywalk", length=5).length == 5
    with pytest.raises(EnvwrightError, match="slipperywalk-v1 has no option 'lenght'; use length"):
        make("slipperywalk", lenght=5)


def test_an_environment_without_options_says_so(empty):
    register(walk_spec(backends={"jax": "tests.games:TicTacToe"}))
    with pytest.raises(EnvwrightError, match="has no option 'size'; it has none"):
        make("slipperywalk", size=5)


def test_an_error_inside_a_constructor_is_not_hidden(empty, monkeypatch):
    def broken():
        raise TypeError("got an unexpected keyword argument, but of another function")

    monkeypatch.setattr("tests.games.SlipperyWalk", broken)
    register(walk_spec())
    with pytest.raises(TypeError, match="of another function"):
        make("slipperywalk")


@pytest.mark.parametrize(
    ("path", "error", "words"),
    [
        ("tests.games", EnvwrightError, "not of the form module:attribute"),
        ("tests.nothing:Walk", EnvwrightError, "there is no module 'tests.nothing'"),
        ("nothing_at_all:Walk", EnvwrightError, "there is no module 'nothing_at_all'"),
        ("tests.games:Nobody", EnvwrightError, "tests.games has no attribute 'Nobody'"),
        ("tests.games:TicTacToe.nobody", EnvwrightError, "no attribute 'TicTacToe.nobody'"),
    ],
)
def test_a_wrong_path_is_a_clear_error(path, error, words):
    with pytest.raises(error, match=words):
        load_attribute(path)


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    (tmp_path / "needs_a_package.py").write_text("import need_that_is_not_there\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingPackage, match="needs the package 'need_that_is_not_there'"):
        load_attribute("needs_a_package:Anything")


def test_an_attribute_may_be_nested():
    assert load_attribute("tests.games:TicTacToe.id") == "tictactoe"
