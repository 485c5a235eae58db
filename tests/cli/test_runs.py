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
