"""Places that cannot be written: one sentence, exit code 2, and what stood there stays."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from envwright.cli import main
from envwright.sandbox import why_not

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from envwright.cli import main; main()"]
WORLDS = "python:tests.verify.worlds"
jailed = pytest.mark.skipif(why_not() is not None, reason=f"no sandbox here: {why_not()}")


def started(*words: str, before: tuple[str, ...] = (), **named):
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [*before, *COMMAND, *words], env=env, stderr=subprocess.PIPE, text=True, **named
    )


def sentence(done):
    said = [line for line in done.stderr.splitlines() if not line.startswith("  ")]
    assert done.returncode == 2 and len(said) == 1, done.stderr
    return said[0]


@pytest.mark.parametrize("words", [["list", "--json"], ["results", ".", "--json"]])
@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("folder", "it is a folder"),
        ("none/new.json", "there is no folder"),
        ("file/new.json", "there is no folder"),
        ("pipe", "it is not a regular file"),
        ("device", "it is not a regular file"),
        ("descriptor", "it is not a regular file"),
        ("loop", "symbolic links"),
        ("x" * 300, "file name too long"),
    ],
)
def test_a_place_for_a_file_is_in_a_folder_and_free_or_a_file(
    place, said, words, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").write_text("")
    os.mkfifo("pipe")
    Path("device").symlink_to("/dev/full")
    Path("loop").symlink_to("loop")
    opened = open("file")  # noqa: SIM115 - for as long as its descriptor is named
    Path("descriptor").symlink_to(f"/dev/fd/{opened.fileno()}")
    before = sorted(os.listdir())
    with opened, pytest.raises(SystemExit) as left:
        main([*words, place])
    err = capsys.readouterr().err
    assert left.value.code == 2 and said in err and err.count("\n") == 1
    assert sorted(os.listdir()) == before and Path("/dev/full").is_char_device()


def test_a_full_device_behind_the_output_is_a_sentence():
    with open("/dev/full", "w") as full:
        assert "no space left on device" in sentence(started("list", stdout=full))


def test_an_output_that_nobody_reads_to_its_end_is_a_sentence():
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        assert "broken pipe" in sentence(started("list", stdout=pipe))


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_are_no_defect(closed):
    words = ["list", "--json", "/dev/null"]  # refused: it is not a regular file
    shell = ("sh", "-c", f'exec "$@" {closed}', "sh")
    assert started(*words, before=shell, stdout=subprocess.PIPE).returncode == 2
    assert started("list", before=shell, stdout=subprocess.PIPE).returncode == 0


def test_a_file_does_not_take_the_place_of_a_closed_stream(tmp_path):
    """What libraries print would be written into it."""
    look = "from envwright.cli.surroundings import open_streams; open_streams(); " \
        "import sys; sys.exit(open(sys.argv[1], 'w').fileno())"  # fmt: skip
    shell = f'exec "{sys.executable}" -c "$1" "$2" <&- >&- 2>&-'
    done = subprocess.run(["sh", "-c", shell, "sh", look, str(tmp_path / "new")])
    assert done.returncode > 2


@pytest.mark.parametrize("words", [["replay", "none.npz"], ["list", "--nope"]])
def test_an_error_that_cannot_be_told_keeps_its_code(words):
    shell = ("sh", "-c", 'exec "$@" 2>/dev/full', "sh")
    assert started(*words, before=shell).returncode == 2


def test_a_current_folder_that_is_gone_is_a_sentence(tmp_path):
    gone = ("sh", "-c", 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"', str(tmp_path / "gone"))
    done = started("list", before=gone, stdout=subprocess.PIPE)
    assert "the current folder cannot be used" in sentence(done)


def on_disk(place: Path, size: int) -> tuple[str, ...]:
    """Words before a command that mount a small disk, and show what is on it afterwards."""
    program = shutil.which("bwrap")
    assert program is not None
    shell = 'cd "$1"; shift; head -c 9999999 /dev/zero > fill 2>/dev/null; ' \
        'truncate -s "$1" fill; shift; "$@"; code=$?; ls -A; exit $code'  # fmt: skip
    disk = ("--size", str(2**20), "--tmpfs", str(place))
    jail = (program, "--dev-bind", "/", "/", *disk, "--")
    return (*jail, "sh", "-c", shell, "sh", str(place), str(2**20 - size))


@jailed
@pytest.mark.parametrize(
    "words",
    [
        ["list", "--json", "list.json"],
        ["verify", "--reference", f"{WORLDS}:Marble", "--twin", f"{WORLDS}:NaNMarble",
         "--levels", "1", "--keep", "."],
    ],
    ids=["a result", "a divergence"],
)  # fmt: skip
def test_a_full_disk_leaves_nothing_half_written(words, tmp_path):
    done = started(*words, before=on_disk(tmp_path, 0), stdout=subprocess.PIPE)
    assert "no space left on device" in sentence(done)
    assert done.stdout.splitlines()[-1:] == ["fill"]


@jailed
@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 8192, 40_000, 80_000])
def test_a_full_disk_ends_a_training_with_whole_checkpoints(size, tmp_path, child_env):
    words = ["train", "cartpole", "--steps", "4096", "--checkpoint", "run", "--every", "0"]
    done = started(*words, before=on_disk(tmp_path, size), stdout=subprocess.PIPE)
    assert "no space left on device" in sentence(done)
    assert ".tmp" not in done.stdout


@jailed
@pytest.mark.parametrize("words", [["list", "--json", "new.json"], ["report", "-o", "new.html"]])
def test_a_read_only_folder_is_named_before_the_work(words, tmp_path):
    program = str(shutil.which("bwrap"))
    jail = (program, "--dev-bind", "/", "/", "--ro-bind", str(tmp_path), str(tmp_path), "--")
    done = started(*words, before=jail, cwd=tmp_path, stdout=subprocess.PIPE)
    assert "its folder is read-only" in sentence(done)
    assert list(tmp_path.iterdir()) == []
