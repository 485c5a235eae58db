"""Files are whole or absent, also after Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from envwright.core.files import alone, check_folder, files_below, write_json, write_text
from envwright.core.text import legible
from envwright.errors import EnvwrightError
from envwright.schema.json_records import read_json


def test_json_reads_back(tmp_path: Path) -> None:
    data = {"a": [1, 2.5, None], "b": {"größe": "×"}}
    path = write_json(tmp_path / "x.json", data)
    assert json.loads(path.read_text(encoding="utf-8")) == data
    assert os.listdir(tmp_path) == ["x.json"]


def test_numpy_and_numbers_that_json_lacks_are_written(tmp_path: Path) -> None:
    data = {"n": np.int64(3), "v": np.array([1.0, np.nan]), "w": (float("inf"), -float("inf"))}
    path = write_json(tmp_path / "x.json", data)
    read = json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert read == {"n": 3, "v": [1.0, "NaN"], "w": ["Infinity", "-Infinity"]}
    assert float(read["w"][1]) == -float("inf")


def test_name_that_is_not_utf8_is_spelled_out_as_on_the_terminal(tmp_path: Path) -> None:
    name = os.fsdecode(b"gr\xfc\xdfe\\.json")
    path = write_json(tmp_path / "x.json", {name: [name], "smile": "\U0001f600"})
    spelled = legible(name)
    assert spelled == r"gr\udcfc\udcdfe\.json"
    assert read_json(path, "a test") == {spelled: [spelled], "smile": "\U0001f600"}


@pytest.mark.parametrize("moment", ["fsync", "replace"])
@pytest.mark.parametrize("trouble", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_old_file_survives_trouble_while_writing(
    moment: str, trouble: type | Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_json(tmp_path / "x.json", {"old": True})

    def fail(*arguments: object) -> None:
        raise trouble

    monkeypatch.setattr(os, moment, fail)
    with pytest.raises((KeyboardInterrupt, EnvwrightError)):
        write_json(path, {"new": True})
    assert json.loads(path.read_text(encoding="utf-8")) == {"old": True}
    assert os.listdir(tmp_path) == ["x.json"]


def test_data_that_is_no_json_touches_nothing(tmp_path: Path) -> None:
    path = write_json(tmp_path / "x.json", 1)
    with pytest.raises(TypeError):
        write_json(path, {"x": object()})
    assert path.read_text(encoding="utf-8") == "1\n"
    assert os.listdir(tmp_path) == ["x.json"]


@pytest.mark.parametrize("target", ["there", "nowhere"])
def test_a_lock_that_is_a_link_changes_nothing(target: str, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / ".lock").symlink_to(tmp_path / target)
    with pytest.raises(EnvwrightError, match=r"cannot lock .*run"), alone(tmp_path / "run"):
        pass
    assert (tmp_path / "there").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["run", "there"]


def test_a_lock_that_is_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".lock")
    with alone(tmp_path), pytest.raises(EnvwrightError, match="another process"), alone(tmp_path):
        pass


def test_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(EnvwrightError, match=r"there is no folder .*nowhere; make it first"):
        write_json(tmp_path / "nowhere" / "x.json", {})


def test_folder_instead_of_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EnvwrightError, match="it is a folder"):
        write_json(tmp_path, {})


def test_forbidden_place_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(*arguments: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", forbid)
    with pytest.raises(EnvwrightError, match=r"x\.json: permission denied; choose another place"):
        write_text(tmp_path / "x.json", "text")


def test_files_are_found_however_deep_and_a_loop_is_not_followed(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(1100):  # deeper than Python recurses
        deep = deep / "d"
        deep.mkdir()
    (deep / "x.json").write_text("")
    (tmp_path / "a.json").write_text("")
    (tmp_path / "loop").symlink_to(tmp_path)
    found = files_below(tmp_path, ".json")
    (deep / "x.json").unlink()
    while deep != tmp_path:  # pytest could not: it recurses, too
        deep.rmdir()
        deep = deep.parent
    assert [path.name for path in found] == ["a.json", "x.json"]
    assert files_below(tmp_path / "none", ".json") == []


def test_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    link.symlink_to(target)
    write_json(link, 1)
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "1\n"


HOLDER = """
import subprocess, sys
from pathlib import Path
from envwright.core.files import alone

with alone(Path(sys.argv[1])):
    child = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    print(child.pid, flush=True)
    sys.stdin.read()
"""


def test_folder_is_locked_against_others_until_its_process_dies(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as holder:
        assert holder.stdout is not None
        sleeper = int(holder.stdout.readline())
        with pytest.raises(EnvwrightError, match="another process uses"), alone(tmp_path):
            pytest.fail("the folder was locked twice")
        holder.send_signal(signal.SIGKILL)
    try:
        with alone(tmp_path):  # though a child of the dead process still runs
            pass
    finally:
        os.kill(sleeper, signal.SIGKILL)


def test_pipe_is_no_folder_also_where_its_real_path_is_none() -> None:
    for end in os.pipe():
        with pytest.raises(EnvwrightError, match=r"into /dev/fd/\d+: .* is not a folder"):
            check_folder(f"/dev/fd/{end}")
        os.close(end)


def test_folder_that_cannot_be_made_is_not_locked(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused = pytest.raises(EnvwrightError, match=r"cannot lock .*; choose another place")
    with refused, alone(tmp_path / "file"):
        pytest.fail("a file was locked as a folder")
