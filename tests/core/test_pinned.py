"""Interpreters with a pinned version of a package; pip reads wheels from a folder."""

from __future__ import annotations

import subprocess

import pytest
from tests.wheels import offer, put_wheel

from envwright.core import pinned
from envwright.core.pinned import Pin, python_with, read_pin
from envwright.errors import EnvwrightError

KIT = Pin("lampkit", "1.0")
LOOK = "import lampkit, numpy; print(lampkit.__file__, lampkit.WATTS, numpy.__file__)"


@pytest.mark.parametrize("text", ["gymnasium==1.3.0", "a-b.c_d == 1!2.0rc1+local", "x==1"])
def test_a_name_and_a_version_are_a_pin(text):
    assert read_pin(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "gymnasium",
            "gymnasium>=1.3",
            "gymnasium==",
            "==1",
            "a==1 --index-url=x",
            "a==1;b==2",
        ),
        *(
            "-e .",
            "git+https://x/y@z",
            "./a==1",
            "@pkmn/sim 0.10.11",
            "a==1\nb==2",
            "a[b]==1",
            "é==1",
        ),
    ],
)
def test_anything_else_is_none(text):
    assert read_pin(text) is None


@pytest.mark.parametrize("version", ["", "-1", "1 2", "../1", "1;x", "$HOME", "ä"])
def test_a_version_that_is_none_is_rejected_before_pip_is_asked(version):
    with pytest.raises(EnvwrightError, match="is not a version; give one such as"):
        KIT.at(version)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A cache, and a folder that holds the only packages that pip can find."""
    root = tmp_path_factory.mktemp("pinned")
    for version, watts in (("1.0", 40), ("2.0", 60)):
        put_wheel(
            root / "wheels", "lampkit", version, {"lampkit/__init__.py": f"WATTS = {watts}\n"}
        )
    with pytest.MonkeyPatch.context() as patch:
        offer(patch, root / "wheels")
        patch.setenv(pinned.CACHE, str(root / "cache"))
        yield root / "cache"


def asked(python, code):
    return subprocess.run([str(python), "-P", "-c", code], capture_output=True, text=True)


def test_an_environment_imports_its_version_and_borrows_the_rest(cache, monkeypatch):
    draft = pinned._place(KIT).with_name(f".{pinned._place(KIT).name}.draft")
    (draft / "bin").mkdir(parents=True)  # of a process that was killed
    python = python_with(KIT)
    assert not draft.exists()
    place, watts, numpy = asked(python, LOOK).stdout.split()
    assert place.startswith(str(cache)) and watts == "40" and not numpy.startswith(str(cache))
    monkeypatch.setattr(pinned, "_pip", None)
    assert python_with(KIT) == python, "it is made once"


def test_the_environment_knows_what_it_must_hold(cache):
    code = (
        "from envwright.core.pinned import Pin, require_own, require_imported\n"
        "import lampkit\n"
        "print(require_imported(Pin('lampkit', '1')))\n"
        "require_own(Pin('lampkit', '2.0'))\n"
    )
    done = asked(python_with(KIT), code)
    assert done.stdout.strip().endswith("lampkit/__init__.py"), done.stderr
    assert "holds lampkit 1.0, not 2.0" in done.stderr
    done = asked(
        python_with(KIT), "from envwright.core.pinned import *; require_own(Pin('numpy', '0'))"
    )
    assert "holds numpy" in done.stderr


def test_a_version_that_does_not_exist_is_one_sentence_and_leaves_nothing(cache):
    before = sorted(path.name for path in (cache / "versions").iterdir() if path.is_dir())
    with pytest.raises(EnvwrightError, match=r"pip finds no lampkit==9 .* versions are 1\.0, 2\.0"):
        python_with(KIT.at("9"))
    with pytest.raises(EnvwrightError, match="pip finds no nosuchlamp==1; check the name"):
        python_with(Pin("nosuchlamp", "1"))
    assert sorted(p.name for p in (cache / "versions").iterdir() if p.is_dir()) == before


def test_the_newest_version_is_what_pip_would_install(cache):
    assert pinned.newest("lampkit") == "2.0"


def test_a_jail_shows_the_file_by_which_packages_are_borrowed(cache):
    code = "from envwright.sandbox import bare_runtime; print(*bare_runtime(), sep='\\n')"
    shown = asked(python_with(KIT), code).stdout.split()
    assert any(path.endswith(f"/{pinned.BORROWED}") for path in shown)
    code = "from envwright.sandbox import packages; print(*packages('numpy', 'lampkit'), sep='\\n')"
    places = asked(python_with(KIT), code).stdout.split()
    assert any(p.startswith(str(cache)) and p.endswith("/lampkit") for p in places)
    assert any(p.endswith("/numpy") and not p.startswith(str(cache)) for p in places)
