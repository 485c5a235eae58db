"""Checkpoints are whole, or named and passed over."""

import json
import os
import shutil
import subprocess
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.train.loops import leaves

from envwright.core.files import write_json
from envwright.errors import EnvwrightError
from envwright.train.checkpoint import KEEP, Checkpoint, Checkpoints, _digests


def state(number=0):
    return {
        "key": jax.random.key(number),
        "keys": jax.random.split(jax.random.key(number), 3),
        "params": (jnp.arange(6.0).reshape(2, 3) + number, None),
        "flags": jnp.arange(4) % 2 == number % 2,
        "count": jnp.int32(number),
        "pixels": jnp.full((2, 2), number, jnp.uint8),
    }


def opened(folder):
    warnings = []
    return Checkpoints(folder, warnings.append), warnings


def saved(folder, *updates):
    checkpoints, _ = opened(folder)
    for update in updates:
        progress = {"seconds": update / 10, "curve": [{"update": update, "return": [None]}]}
        checkpoints.save(Checkpoint(update, state(update), bytes([update]) * 9, progress))
    return checkpoints


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """A folder with checkpoints 1 and 2; copied by those who damage it."""
    folder = tmp_path_factory.mktemp("two")
    saved(folder, 1, 2)
    return folder


@pytest.fixture
def copy(two, tmp_path):
    shutil.copytree(two, tmp_path / "copy")
    return tmp_path / "copy"


def test_names_that_no_checkpoint_has_are_passed_over(copy):
    for name in ("7", "00000000007", "0000000008", "٣"):
        (copy / name).mkdir() if name != "0000000008" else (copy / name).touch()
    (copy / "0000000009").symlink_to(copy.parent)
    checkpoints, warnings = opened(copy)
    assert checkpoints.updates() == [1, 2] and not warnings
    assert is_of(checkpoints.newest(state()), 2)
    saved(copy, 3, 4, 5)
    assert checkpoints.updates() == [3, 4, 5]


def is_of(checkpoint, update):
    same = all(map(np.array_equal, leaves(checkpoint.state), leaves(state(update))))
    told = checkpoint.progress["curve"][0]["update"], checkpoint.environment
    return same and checkpoint.update == update and told == (update, bytes([update]) * 9)


def test_what_is_read_is_what_was_saved(two):
    checkpoints, warnings = opened(two)
    found = checkpoints.newest(state())
    assert is_of(found, 2) and not warnings
    types = [(x.dtype, x.shape) for x in jax.tree.leaves(found.state)]
    assert types == [(x.dtype, x.shape) for x in jax.tree.leaves(state(2))]
    assert jax.random.uniform(found.state["key"]) == jax.random.uniform(jax.random.key(2))


def test_no_environment_stays_none(tmp_path):
    checkpoints, _ = opened(tmp_path)
    assert checkpoints.newest(state()) is None
    checkpoints.save(Checkpoint(5, state(5), None, {}))
    assert checkpoints.newest(state()).environment is None


def test_the_newest_few_are_kept(tmp_path):
    checkpoints = saved(tmp_path, *range(1, KEEP + 3))
    assert checkpoints.updates() == list(range(3, KEEP + 3))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"{update:010d}" for update in range(3, KEEP + 3)
    ], "nothing half-written is left"


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path):
    path.write_bytes(b"")


def remove(path):
    path.unlink()


@pytest.mark.parametrize("damage", [flip, cut, empty, remove])
def test_damage_to_any_file_is_named_and_the_previous_checkpoint_used(copy, damage):
    newest = copy / "0000000002"
    whole = copy.with_name("whole")
    newest.rename(whole)
    files = [path.relative_to(whole) for path in whole.rglob("*") if path.is_file()]
    # An empty file can neither be flipped nor cut.
    files = [path for path in files if damage is remove or (whole / path).stat().st_size]
    assert len(files) > 8
    for file in files:
        shutil.copytree(whole, newest)
        damage(newest / file)
        checkpoints, warnings = opened(copy)
        assert is_of(checkpoints.newest(state()), 1), file
        (sentence,) = warnings
        assert str(newest) in sentence and "is corrupt" in sentence
        assert str(file) in sentence or file.name == "manifest.json"
        assert "it was moved to corrupt-0000000002" in sentence
        assert not newest.exists() and (copy / "corrupt-0000000002").is_dir()


@pytest.mark.parametrize(
    "garbage", ["", "{", "[]", "7", '"x"', "null", "{}", '{"a": 1}', "\x00\x01"]
)
def test_a_garbled_manifest_is_damage(copy, garbage):
    (copy / "0000000002" / "manifest.json").write_text(garbage)
    checkpoints, warnings = opened(copy)
    assert is_of(checkpoints.newest(state()), 1)
    assert len(warnings) == 1


@pytest.mark.parametrize("name", ["environment.bin", "progress.json", "arrays/more"])
@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_what_is_not_a_file_is_damage_and_not_waited_for(copy, kind, name):
    path = copy / "0000000002" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
    checkpoints, warnings = opened(copy)
    assert is_of(checkpoints.newest(state()), 1)
    (warning,) = warnings
    assert "0000000002 is corrupt" in warning


def test_folders_a_thousand_deep_are_no_traceback(copy, monkeypatch):
    monkeypatch.chdir(copy / "0000000002")
    for _ in range(1200):
        os.mkdir("d")
        os.chdir("d")
    os.chdir(copy)
    try:
        checkpoints, warnings = opened(copy)
        assert is_of(checkpoints.newest(state()), 2) and warnings == []
    finally:
        subprocess.run(["rm", "-rf", copy / "0000000002"], check=True)  # Python's cannot


@pytest.mark.parametrize("name", ["_METADATA", "manifest.ocdbt"])
def test_forged_arrays_are_a_sentence(copy, name):
    newest = copy / "0000000002"
    (newest / "arrays" / name).write_bytes(b'{"tree_metadata": {"x": 1}}')
    write_json(newest / "manifest.json", _digests(newest))
    checkpoints, _ = opened(copy)
    with pytest.raises(EnvwrightError, match=r"checkpoint .*0000000002 "):
        checkpoints.newest(state())


def test_after_damage_the_same_update_can_be_saved_again(copy):
    flip(copy / "0000000002" / "environment.bin")
    checkpoints, warnings = opened(copy)
    checkpoints.newest(state())
    saved(copy, 2)
    again, silent = opened(copy)
    assert is_of(again.newest(state()), 2) and warnings and not silent


def test_if_none_is_whole_that_is_said_every_time(copy):
    for update in (1, 2):
        remove(copy / f"{update:010d}" / "progress.json")
    for attempt in range(2):
        checkpoints, warnings = opened(copy)
        with pytest.raises(EnvwrightError, match=r"no checkpoint in .* is whole; train again into"):
            checkpoints.newest(state())
        assert len(warnings) == (2 if attempt == 0 else 0)


def test_a_half_written_checkpoint_is_swept_away(copy):
    shutil.copytree(copy / "0000000002", copy / ".0000000003.tmp")
    checkpoints, warnings = opened(copy)
    assert is_of(checkpoints.newest(state()), 2) and not warnings
    assert not (copy / ".0000000003.tmp").exists()


@pytest.mark.parametrize("free", [0, 100_000])
def test_a_disk_without_room_for_a_checkpoint_keeps_those_that_it_has(free, copy, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    before = sorted(path.name for path in copy.iterdir())
    with pytest.raises(OSError, match="No space left on device"):
        saved(copy, 3)
    assert sorted(path.name for path in copy.iterdir()) == before


def test_a_disk_that_fills_up_meanwhile_leaves_no_draft(copy, monkeypatch):
    def fail(*_):
        raise ValueError("RESOURCE_EXHAUSTED: No space left on device [os_error_code='28']")

    before = sorted(path.name for path in copy.iterdir())
    monkeypatch.setattr("orbax.checkpoint.StandardCheckpointer.save", fail)
    with pytest.raises(OSError, match="No space left on device"):
        saved(copy, 3)
    assert sorted(path.name for path in copy.iterdir()) == before


def test_a_file_that_others_left_there_is_no_damage(copy):
    (copy / "0000000002" / ".DS_Store").write_text("")
    checkpoints, warnings = opened(copy)
    assert is_of(checkpoints.newest(state()), 2) and not warnings


@pytest.mark.parametrize(
    "other",
    [
        {**state(), "params": (jnp.zeros((3, 3)), None)},
        {**state(), "more": jnp.zeros(1)},
        {name: leaf for name, leaf in state().items() if name != "count"},
        {**state(), "params": (state()["params"][0].astype(jnp.float16), None)},
    ],
    ids=["shape", "more", "less", "dtype"],
)
def test_arrays_of_another_run_are_refused(two, other):
    checkpoints, _ = opened(two)
    with pytest.raises(EnvwrightError, match="is of another run or version than this one") as told:
        checkpoints.newest(other)
    assert "\n" not in str(told.value)


def test_the_manifest_names_every_file(two):
    folder = two / "0000000002"
    told = json.loads((folder / "manifest.json").read_text())
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert told.keys() == files - {"manifest.json"}
    assert {"environment.bin", "progress.json"} < told.keys()
