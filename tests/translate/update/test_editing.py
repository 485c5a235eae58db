"""A translation.toml is changed in one value, and keeps its comments and layout."""

from __future__ import annotations

import pytest

from envwright.errors import EnvwrightError
from envwright.schema.toml_file import parse_toml
from envwright.translate.update.editing import updated

TEXT = """# package = "gymnasium==1.2.3"
[environment]
id = "lamp"  # version = 1
version = 1

[reference]
simulator = "gymnasium:CartPole-v1"  # "gymnasium==1.2.3"
package = 'gymnasium==1.2.3'  # as installed

[target]
constraints = ["version = 1", "gymnasium==1.2.3"]
"""


def edited(tmp_path, text, package="gymnasium==1.3.0", version=2):
    path = tmp_path / "translation.toml"
    path.write_text(text)
    return updated(path, package, version)


def test_only_the_pin_and_the_version_change(tmp_path):
    text = edited(tmp_path, TEXT)
    lines = zip(TEXT.splitlines(), text.splitlines(), strict=True)
    assert [after for before, after in lines if before != after] == [
        "version = 2",
        'package = "gymnasium==1.3.0"  # as installed',
    ]


def test_a_version_that_is_left_out_gets_a_line(tmp_path):
    text = edited(tmp_path, TEXT.replace("\nversion = 1\n", "\n"))
    assert parse_toml(text)["environment"] == {"id": "lamp", "version": 2}
    assert parse_toml(text)["target"] == parse_toml(TEXT)["target"]


def test_a_table_in_one_line_is_changed_in_place(tmp_path):
    text = 'environment = { id = "a", version = 1 }\nreference = { package = "b==1" }  # here\n'
    assert edited(tmp_path, text, "b==2") == text.replace("version = 1", "version = 2").replace(
        "b==1", "b==2"
    )


def test_nothing_changes_if_the_values_are_there_already(tmp_path):
    assert edited(tmp_path, TEXT, "gymnasium==1.2.3", 1) == TEXT


def test_a_value_that_is_spelled_with_escapes_is_reported(tmp_path):
    text = TEXT.replace("'gymnasium==1.2.3'", r'"gymnasium=\u003d1.2.3"')
    with pytest.raises(EnvwrightError, match=r"\[reference\] package cannot be changed in place"):
        edited(tmp_path, text)
