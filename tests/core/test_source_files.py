"""Classes in files are found by the file's path, with what lies beside it."""

from __future__ import annotations

import pickle
import sys

import pytest

from envwright.core.registry import load_attribute
from envwright.core.source_files import import_file, module_name
from envwright.errors import EnvwrightError, MissingPackage


@pytest.fixture(autouse=True)
def fresh():
    """Forget the modules and the path of a test."""
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def test_a_class_is_loaded_from_a_file_once(tmp_path):
    path = write(tmp_path / "own_grid.py", "class Grid:\n    size = 3\n")
    grid = load_attribute(f"{path}:Grid")
    assert grid is load_attribute(f"{path}:Grid") and grid.size == 3
    assert pickle.loads(pickle.dumps(grid())).size == 3
    assert module_name(grid.__module__) == path


def test_a_path_may_be_relative(tmp_path, monkeypatch):
    write(tmp_path / "envs" / "own_grid.py", "SIZE = 4\n")
    monkeypatch.chdir(tmp_path)
    assert load_attribute("envs/own_grid.py:SIZE") == 4


def test_a_file_finds_its_neighbours(tmp_path):
    write(tmp_path / "own_rules.py", "SIZE = 5\n")
    path = write(tmp_path / "own_grid.py", "from own_rules import SIZE\n")
    assert load_attribute(f"{path}:SIZE") == 5


def test_a_file_of_a_package_is_imported_with_it(tmp_path):
    write(tmp_path / "own_pack" / "__init__.py", "")
    write(tmp_path / "own_pack" / "rules.py", "SIZE = 6\n")
    path = write(tmp_path / "own_pack" / "grid.py", "from .rules import SIZE\n")
    assert import_file(path).__name__ == "own_pack.grid"
    assert load_attribute(f"{path}:SIZE") == 6


def test_a_file_may_be_called_like_another_module(tmp_path):
    first = write(tmp_path / "one" / "random.py", "SIZE = 7\n")
    second = write(tmp_path / "two" / "random.py", "SIZE = 8\n")
    assert load_attribute(f"{first}:SIZE") == 7
    assert load_attribute(f"{second}:SIZE") == 8
    import random

    assert random.random() < 1
    again = import_file(first).__name__
    assert again != "random" and again == import_file(first).__name__


@pytest.mark.parametrize(
    ("text", "kind", "sentence"),
    [
        (None, EnvwrightError, "there is no file"),
        ("", EnvwrightError, "has no attribute 'Grid'"),
        ("import a_package_that_is_missing\n", MissingPackage, "a_package_that_is_missing"),
    ],
)
def test_what_cannot_be_loaded_is_bad_input(text, kind, sentence, tmp_path):
    path = tmp_path / "own_grid.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(kind, match=sentence):
        load_attribute(f"{path}:Grid")
