"""Rooms of installed packages, and of packages in a folder."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

from envwright.core import outside_rooms, registry
from envwright.core.outside_rooms import FOLDERS, GROUP, folder_of, installed_rooms, room_in
from envwright.core.registry import find, make, open_folder, rooms
from envwright.core.room import load_attribute
from envwright.errors import EnvwrightError
from envwright.sim.registered import is_registered

ROOM = """
from envwright.core import Room

ROOM = Room(
    id="{name}", version=1, title="Lamp", summary="a lamp", package="{name}", namespace="{name}",
    backends={{"jax": "{name}.env:Lamp"}}, env_id="lamp",
)
"""
ENV = "class Lamp:\n    id, version = 'lamp', 1\n"


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    """What a test opens is closed after it."""
    monkeypatch.setattr(registry, "_ROOMS", dict(registry._ROOMS))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv(FOLDERS, "")
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.fixture
def package(tmp_path):
    """Write a package with a room."""

    def write(name="lamp_a", room=ROOM, points=True, below=""):
        folder = tmp_path / name / below
        code = folder / "src" / name
        code.mkdir(parents=True)
        (code / "__init__.py").write_text("")
        (code / "_room.py").write_text(room.format(name=name))
        (code / "env.py").write_text(ENV)
        table = f'[project.entry-points."{GROUP}"]\n{name} = "{name}._room:ROOM"\n'
        (folder / "pyproject.toml").write_text(table if points else "[project]\n")
        return tmp_path / name

    write.home = tmp_path
    return write


@pytest.mark.parametrize("below", ["", "package"])
def test_the_room_of_a_folder_is_found_and_made(package, below):
    room = open_folder(package(below=below))
    assert find("lamp_a") is room and room in rooms()
    assert find("lamp_a-v1") is find("lamp_a/Lamp-v1") is room
    assert room.gymnasium_id == "lamp_a/Lamp-v1"
    assert type(make("lamp_a")).__name__ == "Lamp"
    assert is_registered("envwright:lamp_a"), "the user opened it"


def test_the_folder_of_a_room_is_known(package):
    folder = package()
    assert folder_of(find("cartpole")) is None
    assert folder_of(open_folder(folder)) == folder


def test_a_folder_is_opened_twice_and_is_one_room(package):
    folder = package()
    assert open_folder(folder) == open_folder(folder)


TOML = """
bridge = "python:shared_bridge:BRIDGE"

[reference]
simulator = "python:{}:Torch?size=3"
"""


def with_reference(folder, name):
    (folder / "translation.toml").write_text(TOML.format(name))
    for module in (name, "shared_bridge"):
        (folder / f"{module}.py").write_text(f"class Torch:\n    home = {str(folder)!r}\n")


@pytest.mark.parametrize("below", ["", "package"])
def test_a_reference_beside_the_toml_is_importable(package, below):
    folder = package(below=below)
    with_reference(folder, "torch_a")
    open_folder(folder)
    assert load_attribute("torch_a:Torch").home == str(folder)


def test_a_reference_never_replaces_an_installed_module(package):
    folder = package()
    with_reference(folder, "gymnasium")
    with pytest.raises(EnvwrightError, match=r"Python finds gymnasium in .*; uninstall"):
        open_folder(folder)


def test_a_reference_that_is_named_by_its_path_needs_no_place_on_the_path(package):
    """`python:/home/me/torch.py:Torch` says where it is."""
    folder = package()
    with_reference(folder, "torch_a")
    text = TOML.format(f"{folder}/torch_a.py")
    (folder / "translation.toml").write_text(text)
    assert open_folder(folder).id == "lamp_a" and str(folder) not in sys.path


def test_two_folders_whose_references_have_one_name_are_not_mixed_up(package):
    for name, reference in (("lamp_a", "torch_a"), ("lamp_b", "torch_b"), ("lamp_c", "torch_a")):
        with_reference(package(name), reference)
    first, second, third = (package.home / name for name in ("lamp_a", "lamp_b", "lamp_c"))
    assert open_folder(first).id == "lamp_a"
    assert open_folder(second).id == "lamp_b", "only their bridges have one name"
    with pytest.raises(
        EnvwrightError, match=r"Python finds torch_a in .*lamp_a.*, not in .*lamp_c"
    ):
        open_folder(third)


def test_a_name_does_not_open_a_folder(package, monkeypatch):
    monkeypatch.chdir(package().parent)
    for name in ("lamp_a", "./lamp_a"):
        with pytest.raises(EnvwrightError, match="unknown environment"):
            find(name)
        assert not is_registered(f"envwright:{name}"), "a file could name it"


def test_child_processes_find_it(package):
    folder = package()
    open_folder(folder)
    code = "from envwright.core.registry import find; print(find('lamp_a').env_id)"
    import envwright  # the child needs all rooms

    assert envwright.find("lamp_a")
    command = [sys.executable, "-c", f"import envwright; {code}"]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "lamp\n"


def test_id_and_version_are_those_that_the_room_says(package):
    """A translation's specification decides them: its code need not know them."""
    room = ROOM.replace('env_id="lamp"', 'env_id="torch"').replace("version=1", "version=3")
    open_folder(package(room=room))
    assert (make("lamp_a").id, make("lamp_a").version) == ("torch", 3)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"points": False}, "is not a package with a room; make one with envwright export"),
        ({"room": "ROOM = 3"}, "lamp_a._room:ROOM is a int, not a Room"),
        ({"room": "OTHER = 3"}, "has no attribute 'ROOM'"),
    ],
)
def test_a_folder_without_a_room_is_rejected(package, options, reason):
    with pytest.raises(EnvwrightError, match=reason):
        open_folder(package(**options))


def test_a_damaged_pyproject_is_rejected(package):
    folder = package()
    for text in ("[project", "project = 3\n", f'[project.entry-points]\n"{GROUP}" = 7\n'):
        (folder / "pyproject.toml").write_text(text)
        with pytest.raises(EnvwrightError, match=r"is not a valid pyproject\.toml"):
            room_in(folder)


POINT = f'[project.entry-points."{GROUP}"]\nlamp_a = '


@pytest.mark.parametrize(
    "data",
    [
        "[project]\nauthor = 'Müller'\n".encode("latin-1"),
        *(f"{POINT}{value}\n".encode() for value in ("7", "true", "[1]", "'no colon'", "':'")),
        f"{POINT}'a:b:c'\n".encode(),
        f"{'a.' * 5000}b = 1\n".encode(),
        f"x = {'[' * 5000}".encode(),
        b"#" * (2 << 20),
        b"\0",
    ],
)
def test_a_hostile_pyproject_is_rejected_in_a_sentence(package, data):
    folder = package()
    (folder / "pyproject.toml").write_bytes(data)
    with pytest.raises(EnvwrightError, match=r"pyproject\.toml (is not a valid|cannot be read)"):
        room_in(folder)


def test_a_package_of_the_same_name_elsewhere_is_not_taken_for_it(package, tmp_path, monkeypatch):
    folder = package()
    (tmp_path / "other/lamp_a").mkdir(parents=True)
    (tmp_path / "other/lamp_a/__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path / "other")
    with pytest.raises(EnvwrightError, match=r"Python finds lamp_a in .*other.*; uninstall"):
        open_folder(folder)


@pytest.mark.parametrize("name", ["__main__", "sys", "os", "json", "9lives"])
def test_a_package_that_is_not_in_the_folder_is_not_imported(package, name):
    folder = package()
    (folder / "pyproject.toml").write_text(f"{POINT}'{name}:ROOM'\n")
    with pytest.raises(EnvwrightError, match=f"Python finds {name} in .*, not in"):
        room_in(folder)


def test_a_warning_of_a_broken_package_cannot_speak_to_the_terminal(package, monkeypatch):
    folder = package(room="raise ValueError('\x1b[2J\\n{name}: all is well')")
    monkeypatch.setenv(FOLDERS, f"{folder}:/no\x1b]0;where\n")
    with pytest.warns(UserWarning, match="is left out") as warned:
        outside_rooms.opened_rooms()
    texts = [str(one.message) for one in warned]
    assert len(texts) == 2 and all(text.isprintable() for text in texts), texts


def test_another_environment_of_the_same_name_is_rejected(package):
    other = ROOM.replace('id="{name}"', 'id="cartpole"')
    import envwright  # registers the zoo

    assert envwright.find("cartpole")
    with pytest.raises(EnvwrightError, match="is called cartpole-v1, as another environment here"):
        open_folder(package(room=other))


SHADOWS = {
    "a newer version of it": 'id="cartpole", version=2, title="Lamp"',
    "its title": 'id="a_lamp", version=1, title="CartPole"',
    "its whole name": 'id="cartpole-v1", version=7, title="Lamp"',
}


@pytest.mark.parametrize("taken", SHADOWS.values(), ids=SHADOWS)
def test_no_package_answers_to_the_name_of_another_environment(package, monkeypatch, taken):
    import envwright

    ours = envwright.find("cartpole-v1")
    named = ROOM.replace('id="{name}", version=1, title="Lamp"', taken)
    folder = package(room=named.replace('namespace="{name}",', ""))
    with pytest.raises(EnvwrightError, match="as another environment here is; rename"):
        open_folder(folder)
    point = EntryPoint("lamp_a", "lamp_a._room:ROOM", GROUP)
    monkeypatch.setattr(outside_rooms, "entry_points", lambda group: [point])
    registry._register_others.cache_clear()
    with pytest.warns(UserWarning, match="is left out: cartpole-v1 is here already"):
        assert envwright.find("cartpole") is envwright.find("CartPole-v1") is ours
    registry._register_others.cache_clear()


def test_two_versions_of_one_package_are_both_there(package):
    import envwright

    room = envwright.find("cartpole")
    newer = replace(room, version=2)
    registry._ROOMS[newer.name] = newer
    assert registry._taken_by(room) is None and find("cartpole") is newer


UNUSABLE = {
    "id": "id=7",
    "version": "version='1'",
    "title": "title=None",
    "summary": "summary=b''",
    "backends": "backends=['jax']",
    "no backend": "backends={}",
    "backend": "backends={'jax': 3}",
    "path as id": "id='../../etc'",
    "letters of a terminal": "id='\\x1b[2J'",
    "huge version": "version=10**5000",
    "version of the past": "version=-1",
    "options": "options=('depth',)",
    "flag": "options=(Option('depth', ('verify',), 'h', flag='-d;rm'),)",
    "kind": "options=(Option('depth', ('verify',), 'h', type=7),)",
    "name": "options=(Option('a b', ('verify',), 'h'),)",
    "verbs": "options=(Option('depth', 7, 'h'),)",
    "least": "options=(Option('depth', ('verify',), 'h', int, least='0'),)",
    "handlers": "handlers={'verify': 'os:abort'}",
    "words": "words='rom'",
    "demo": "demo='mine'",
}


@pytest.mark.parametrize("wrong", UNUSABLE.values(), ids=UNUSABLE)
def test_a_room_that_commands_could_not_use_is_left_out(package, monkeypatch, wrong):
    """It would end every command, whatever it is about."""
    text = f"""from dataclasses import replace
from envwright.core import Room
from envwright.core.room import Option

ROOM = Room(id="lamp_a", version=1, title="Lamp", summary="", backends={{{{"jax": "a:B"}}}})
ROOM = replace(ROOM, {wrong.replace("{", "{{").replace("}", "}}")})
"""
    folder = package(room=text)
    with pytest.raises(EnvwrightError, match=r"^lamp_a\._room:ROOM (has|needs) "):
        open_folder(folder)
    monkeypatch.setenv(FOLDERS, str(folder))
    with pytest.warns(UserWarning, match="is left out: lamp_a._room:ROOM"):
        assert outside_rooms.opened_rooms() == []


@pytest.mark.parametrize("code", ["import sys; sys.exit(0)", "raise SystemExit", "1 / 0", "def"])
def test_code_that_ends_the_process_is_left_out(package, monkeypatch, code):
    """Exit code 0 would mean that all is equal."""
    monkeypatch.setenv(FOLDERS, str(package(room=code)))
    with pytest.warns(UserWarning, match="is left out: ."):
        assert outside_rooms.opened_rooms() == []


def test_damaged_metadata_of_another_package_ends_no_command(monkeypatch):
    def damaged(group):
        raise TypeError("Pair.__new__() missing 1 required positional argument")

    monkeypatch.setattr(outside_rooms, "entry_points", damaged)
    with pytest.warns(UserWarning, match="every installed environment is left out: Pair"):
        assert installed_rooms() == []


def test_a_folder_that_child_processes_could_not_find_is_rejected(package):
    folder = package().rename(package.home / "lamp:a")
    with pytest.raises(EnvwrightError, match=r"its path contains ':'.*; rename it"):
        open_folder(folder)


def test_installed_packages_are_found_and_broken_ones_left_out(package, monkeypatch):
    folder = package()
    monkeypatch.syspath_prepend(folder / "src")
    points = [EntryPoint(n, f"{n}._room:ROOM", GROUP) for n in ("lamp_a", "lamp_gone")]
    monkeypatch.setattr(outside_rooms, "entry_points", lambda group: points)
    with pytest.warns(UserWarning, match="the environment of lamp_gone is left out: there is no"):
        (room,) = installed_rooms()
    assert room.id == "lamp_a"
