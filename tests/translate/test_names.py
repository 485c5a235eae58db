"""Names of packages: one for each environment, and never that of another package."""

from __future__ import annotations

import pytest

from envwright.cli.app import main
from envwright.errors import EnvwrightError
from envwright.translate.names import check_free, package_of


@pytest.mark.parametrize(
    ("simulator", "name"),
    [
        ("gymnasium:FrozenLake-v1", "fast_frozenlake"),
        ("gymnasium:FrozenLake-v1?map_name=4x4", "fast_frozenlake_map_name_4x4"),
        ("gymnasium:FrozenLake-v1?map_name=8x8", "fast_frozenlake_map_name_8x8"),
        ("gymnasium:A-v0?b=true&a=3", "fast_a_a_3_b_true"),
        ("gymnasium:A-v0?a=3&b=true", "fast_a_a_3_b_true"),
        ("python:grid:Grid?size=5", "fast_grid_size_5"),
        ("command:python game.py --size=5?x", "fast_game"),
    ],
)
def test_a_package_is_named_by_the_environment_and_its_options(simulator, name):
    assert package_of(simulator) == name
    check_free(name)


def test_options_that_cannot_be_read_in_a_name_are_told_apart_by_a_hash():
    names = {
        package_of(f"gymnasium:A-v0?a={value}") for value in ("1.5", "-1", "1", "[1]", "x" * 99)
    }
    assert len(names) == 5 and all(name.isidentifier() and len(name) <= 50 for name in names)


def test_a_command_with_an_open_quote_is_one_sentence():
    with pytest.raises(EnvwrightError, match=r"cannot start .*: No closing quotation"):
        package_of("command:play '")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("gymnasium", r"a package called gymnasium is installed already \(.*\); choose another"),
        ("json", "a package called json is installed already"),
        ("sys", r"installed already \(built-in\)"),
        ("cartpole", "is an environment of envwright's own"),
        ("fast-lamp", "cannot be the name of a package; use at most 100 letters, digits and _"),
        ("../lamp", "cannot be the name of a package"),
        ("class", "cannot be the name of a package"),
        ("x" * 101, "cannot be the name of a package"),
        ("", "cannot be the name of a package"),
    ],
)
def test_a_name_that_is_taken_or_impossible_is_rejected(name, reason):
    with pytest.raises(EnvwrightError, match=reason):
        check_free(name)


def test_an_installed_translation_may_be_replaced(tmp_path, monkeypatch):
    package = tmp_path / "fast_torch"
    package.mkdir()
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(EnvwrightError, match="installed already"):
        check_free("fast_torch")
    for name in ("_room.py", "_registration.py"):
        (package / name).write_text("")
    check_free("fast_torch")


@pytest.mark.parametrize("verb", ["translate", "init"])
def test_a_taken_name_is_rejected_before_any_survey(verb, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("envwright.translate.propose.open_subject", None)
    folder = ["out"] if verb == "init" else ["-o", "out"]
    with pytest.raises(SystemExit) as left:
        main([verb, "gymnasium:CartPole-v1", *folder, "--name", "json"])
    assert left.value.code == 2
    assert "a package called json is installed already" in " ".join(capsys.readouterr().err.split())
    assert not [*tmp_path.iterdir()]


def test_the_name_of_a_folder_is_in_its_toml(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lamp").mkdir()
    with pytest.raises(SystemExit) as left:
        main(["translate", "lamp", "--name", "fast_lamp"])
    assert left.value.code == 2 and "--name is for a simulator" in capsys.readouterr().err
