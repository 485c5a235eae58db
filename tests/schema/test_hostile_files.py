"""Files that are deep, endless or no files at all: one sentence, soon."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from envwright.errors import EnvwrightError, SchemaError
from envwright.schema.json_records import DEEPEST, parse_json
from envwright.schema.provenance import Sources
from envwright.schema.results import read_results
from envwright.schema.toml_file import TomlFile

DEEP_TOML = {
    "lists": "a = " + "[" * 50_000,
    "closed lists": "a = " + "[" * 500 + "]" * 500,
    "inline tables": "a = " + "{b = " * 5000,
    "a key of many parts": "a." * 100_000 + "b = 1",
    "a header of many parts": "[" + "a." * 100_000 + "b]",
    "a quoted key": "'a' . " * 20_000 + "b = 1",
    "a number": "a = " + "9" * 10_000,
}


@pytest.mark.parametrize("text", DEEP_TOML.values(), ids=DEEP_TOML)
def test_deep_toml_is_refused_at_once(text, tmp_path):
    path = tmp_path / "deep.toml"
    path.write_text(text)
    began = time.process_time()
    with pytest.raises(EnvwrightError, match=r"deep\.toml") as refused:
        TomlFile(path)
    assert "\n" not in str(refused.value)
    assert time.process_time() - began < 5


def test_toml_as_deep_as_people_write_is_read(tmp_path):
    path = tmp_path / "deep.toml"
    path.write_text("a = " + "[" * 50 + "]" * 50 + "\n[" + "b." * 50 + "c]\nx = 1\n")
    assert "a" in TomlFile(path).data


def nested(depth):
    return "[" * depth + "]" * depth


def test_json_is_read_to_a_certain_depth():
    assert parse_json(nested(DEEPEST))
    for depth in (DEEPEST + 1, 100_000):
        with pytest.raises(ValueError, match="nested more than"):
            parse_json(nested(depth))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('["\\ud800"]', "not Unicode text"),
        ("[NaN]", "JSON cannot hold"),
        ("[1e999]", "JSON cannot hold"),
        ("[" + "9" * 30 + "]", "more than 64 bits"),
        ("[" + "9" * 10_000 + "]", "not JSON"),
        ("{", "not JSON"),
        (b"\xff", "not JSON"),
    ],
)
def test_what_other_formats_cannot_hold_is_refused(text, reason):
    with pytest.raises(ValueError, match=reason):
        parse_json(text)


def test_neither_a_pipe_nor_a_device_is_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    (tmp_path / "folder.json").mkdir()
    for path in sorted(tmp_path.iterdir()):
        (problem,) = read_results(path)
        assert isinstance(problem, SchemaError)
        assert "cannot be read: not a regular file" in str(problem)


@pytest.mark.parametrize("place", ["/", "/proc/self", "a\0b", "no/such", "~root", "x" * 5000])
def test_a_result_cannot_make_other_folders_be_read(place):
    known = Sources().files.keys()
    assert Sources(place).files.keys() <= known | {""}


def test_the_sources_of_a_translation_lie_in_its_folder(tmp_path):
    outside, place = tmp_path / "outside", tmp_path / "place"
    for folder in (outside, place / "runs" / "a" / "workspace", place / "runs" / "b" / "workspace"):
        folder.mkdir(parents=True)
    (outside / "secret.py").write_text("secret")
    for name in ("translation.toml", "own.py"):
        (place / name).write_text("own")
    (place / "linked.py").symlink_to(outside / "secret.py")
    (place / "src").symlink_to(outside)
    (place / "runs" / "a" / "workspace" / "src").symlink_to(outside)
    code = place / "runs" / "b" / "workspace" / "src"
    code.mkdir()
    (code / "code.py").write_text("code")
    (code / "endless.py").symlink_to("/dev/zero")
    plain = Sources()
    found = {Path(file).name for file in plain.of(place).files.keys() - plain.files.keys()}
    assert found == {"translation.toml", "own.py", "code.py"}


def test_a_source_that_is_too_large_has_no_fingerprint(tmp_path):
    (tmp_path / "translation.toml").write_text("")
    with open(tmp_path / "sparse.npz", "wb") as file:
        file.truncate(1 << 40)
    assert Sources(tmp_path).files[(tmp_path / "sparse.npz").as_posix()] == ""


def test_a_collection_of_nonsense_is_named_entry_by_entry(tmp_path):
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"kind": "collection", "results": [1, {"kind": []}, {}]}))
    assert [isinstance(each, SchemaError) for each in read_results(path)] == [True] * 3
