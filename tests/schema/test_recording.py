"""Recordings and training runs are typed records: damage is reported in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from envwright.errors import EnvwrightError
from envwright.schema.recording import RecordedOptimisation, Recording, load_recording
from envwright.train import RunSpec
from envwright.train.run import read_spec

STORED = sorted((Path(__file__).parents[2] / "recordings").glob("*/*.json"))
KINDS = {kind.file: kind for kind in (Recording, RecordedOptimisation)}


@pytest.mark.parametrize("path", STORED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_stored_recording_is_written_again_byte_by_byte(path, tmp_path):
    again = load_recording(path.parent, KINDS[path.name]).save(tmp_path)
    assert again.name == path.name and again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda turn: turn.pop("text"), r"missing required field `text` at turns\[0\]"),
        (lambda turn: turn.update(seconds="long"), r"got `str` at turns\[0\]\.seconds"),
        (lambda turn: turn.update(status="fine"), r"invalid enum value 'fine' at turns"),
        (lambda turn: turn["usage"].update(prompt=None), r"got `null` at turns\[0\]\.usage"),
        (lambda turn: turn.update(files={"a.py": 1}), r"`str \| null`, got `int`"),
        (lambda turn: turn.update(files={"": None}), r"'' is not a file below the workspace"),
        (lambda turn: turn.update(files={"/a.py": ""}), r"is not a file below the workspace"),
        (lambda turn: turn.update(files={"src/../../a": ""}), r"is not a file below the workspace"),
    ],
)
def test_a_damaged_recording_names_the_field(tmp_path, damage, sentence):
    data = json.loads(STORED[1].read_text())
    damage(data["turns"][0])
    (tmp_path / Recording.file).write_text(json.dumps(data))
    with pytest.raises(EnvwrightError, match=f"is not a recording: .*{sentence}"):
        load_recording(tmp_path)


def test_half_a_recording_is_not_json(tmp_path):
    (tmp_path / Recording.file).write_bytes(STORED[1].read_bytes()[:999])
    with pytest.raises(EnvwrightError, match="is not a recording: it is not JSON"):
        load_recording(tmp_path)


@pytest.mark.parametrize(
    "about", [{"levels": 3}, {"levels": ["1"]}, {"seed": "x"}, {"seed": -1}, {"seed": True}]
)
def test_what_a_recording_says_of_its_run_can_be_done_again(about, tmp_path):
    (tmp_path / Recording.file).write_text(json.dumps({"about": about, "turns": []}))
    with pytest.raises(EnvwrightError, match=f"`{next(iter(about))}` of `about` is a"):
        load_recording(tmp_path)


def test_a_recorded_optimisation_states_its_gain(tmp_path):
    (tmp_path / RecordedOptimisation.file).write_text('{"about": {}, "turns": []}')
    with pytest.raises(EnvwrightError, match="is not a recording: `about` needs a number `gain`"):
        load_recording(tmp_path, RecordedOptimisation)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda run: run.pop("seeds"), "missing required field `seeds`"),
        (lambda run: run.update(seeds=["one"]), r"got `str` at seeds\[0\]"),
        (lambda run: run.update(seeds=[]), "seeds must be different numbers"),
        (lambda run: run["config"].update(clipp=0.1), "did you mean 'clip'?"),
        (lambda run: run["config"].update(steps=0), "steps must be at least 1, not 0"),
    ],
)
def test_a_damaged_training_run_says_why(tmp_path, damage, reason):
    path = RunSpec("envwright:cartpole").stored.save(tmp_path)
    assert read_spec(tmp_path) == RunSpec("envwright:cartpole")
    data = json.loads(path.read_text())
    damage(data)
    path.write_text(json.dumps(data))
    with pytest.raises(EnvwrightError, match=rf"cannot be read; train into another .*{reason}"):
        read_spec(tmp_path)
