"""`envwright runs` lists what it can read."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from envwright.cli import main

RECORDING = Path(__file__).parents[2] / "recordings" / "cartpole"


def test_a_damaged_recording_does_not_hide_the_others(tmp_path, capsys):
    for name in ("first", "second", "third"):
        shutil.copytree(RECORDING, tmp_path / name)
    (tmp_path / "second" / "recording.json").write_text('{"turns": 7}')
    (tmp_path / "third" / "translation.toml").write_text("[environment")
    with pytest.raises(SystemExit) as left:
        main(["runs", str(tmp_path)])
    out, err = capsys.readouterr()
    rows = {line.split()[2]: line for line in out.splitlines() if "recording" in line}
    assert list(rows) == ["first", "second", "third"]
    assert [("damaged" in row) for row in rows.values()] == [False, True, True]
    assert "recording.json" in err and "translation.toml" in err and left.value.code == 0


def test_links_and_locked_folders_do_not_end_the_list(tmp_path, capsys):
    """Folders of `/proc` vanish while one looks at them."""
    shutil.copytree(RECORDING, tmp_path / "first")
    for name, target in (("processes", "/proc"), ("all", "/"), ("again", tmp_path)):
        (tmp_path / name).symlink_to(target)
    (tmp_path / "locked").mkdir(mode=0)
    with pytest.raises(SystemExit) as left:
        main(["runs", str(tmp_path)])
    out = capsys.readouterr().out
    assert left.value.code == 0 and out.count("recording") == 1
