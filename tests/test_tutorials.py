"""The tutorials' commands work as they are written."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TUTORIALS = Path(__file__).parents[1] / "docs/tutorials"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MADE = ("fast-grotto/README.md", "runs/grotto/run.json", "trained.webp", "grotto.html")


def commands(page):
    """The commands of a page, in order; they stand in blocks without a language."""
    blocks = [text for language, text in BLOCK.findall(page.read_text()) if not language]
    return [line for block in blocks for line in block.splitlines()]


def test_the_commands_of_the_page_are_found():
    words = [line.split("envwright ")[-1].split()[0] for line in commands(TUTORIALS / "direct.md")]
    assert words == ["translate", "bench", "train", "play", "play", "report"]


@pytest.mark.slow
def test_the_direct_tutorial_runs_as_written(tmp_path):
    shutil.copy(TUTORIALS / "grotto.py", tmp_path)
    programs = tmp_path / "programs"
    programs.mkdir()
    envwright = programs / "envwright"
    envwright.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m envwright "$@"\n')
    envwright.chmod(0o755)
    env = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    for command in commands(TUTORIALS / "direct.md"):
        done = subprocess.run(
            ["sh", "-c", command], cwd=tmp_path, env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    assert all((tmp_path / name).is_file() for name in MADE)
