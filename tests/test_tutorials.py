"""The tutorials work as they are written: every command runs, and shows what the page shows."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs/tutorials").glob("*.md"))
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# `pip install WHAT` leaves the tests' own environment alone.
PIP = '#!/bin/sh\nshift\nexec "{python}" -m pip install --quiet --no-deps --target "{site}" "$@"\n'
PATIENCE = 3600  # seconds for a page; minutes are usual
FOLLOWED = "first-hour"  # of this page, every command is printed by an earlier one


@dataclass(frozen=True)
class Shown:
    """A command of a page, and the output below it."""

    command: str
    output: tuple[str, ...]


def commands(text: str) -> list[Shown]:
    """Read the `console` blocks of a page. Commands begin with `$ `, and `>` continues them."""
    found: list[Shown] = []
    for block in BLOCK.findall(text):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append(Shown(line[2:], ()))
            elif line.startswith(">") and not found[-1].output:
                found[-1] = Shown(f"{found[-1].command}\n{line[2:]}", ())
            else:
                found[-1] = Shown(found[-1].command, (*found[-1].output, line))
    return found


def missing(shown: Shown, output: str) -> list[str]:
    """Return lines of a page that do not come in this order. `…` stands for any text."""
    lines = iter(output.splitlines())
    patterns = [line.rstrip() for line in shown.output if line.strip() not in ("", "…")]
    return [p for p in patterns if not any(_matches(p, line.rstrip()) for line in lines)]


def _matches(pattern: str, line: str) -> bool:
    parts = [re.escape(" ".join(part.split())) for part in pattern.split("…")]
    return re.fullmatch(r".*".join(parts), " ".join(line.split())) is not None


def run(page: Path, folder: Path) -> list[tuple[Shown, str]]:
    """Run a page's commands in one shell, in a copy of the examples; return what each printed."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    shown = commands(page.read_text())
    mark = "-- the next command --"
    script = "\n".join(f"echo '{mark}'\n{each.command}" for each in shown)
    site, tools = folder / "site", folder / "tools"
    tools.mkdir()
    (tools / "pip").write_text(PIP.format(python=sys.executable, site=site))
    (tools / "pip").chmod(0o755)
    places = [str(tools), str(Path(sys.executable).parent), os.environ["PATH"]]
    env = os.environ | {
        "PATH": os.pathsep.join(places),
        "COLUMNS": "110",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(site)]),
    }
    done = subprocess.run(
        ["bash", "-c", f"exec 2>&1\n{script}"],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    outputs = done.stdout.split(f"{mark}\n")[1:]
    assert len(outputs) == len(shown), done.stdout
    return list(zip(shown, outputs, strict=True))


def unprinted(ran: list[tuple[Shown, str]]) -> list[str]:
    """Return commands that the command of ours before them did not print, on a line's end.

    `pip` prints nothing of ours: what follows it is printed by any earlier command.
    """
    found, before, earlier = [], "", ""
    for i, (shown, output) in enumerate(ran):
        after_pip = i > 0 and ran[i - 1][0].command.startswith("pip ")
        lines = (earlier if after_pip else before).splitlines()
        if i > 0 and not any(_ends_with(line, shown.command) for line in lines):
            found.append(shown.command)
        before, earlier = output, f"{earlier}\n{output}"
    return found


def _ends_with(line: str, command: str) -> bool:
    start = line.rstrip().removesuffix(command)
    return start != line.rstrip() and (not start.strip() or start.endswith(": "))


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_works_as_it_is_written(page, tmp_path):
    ran = run(page, tmp_path)
    for shown, output in ran:
        assert not missing(shown, output), f"$ {shown.command}\n{output}"
        assert "Traceback" not in output, f"$ {shown.command}\n{output}"
    if page.stem == FOLLOWED:
        assert not unprinted(ran)


def test_every_tutorial_has_commands_and_shows_what_they_print():
    assert len(PAGES) == 4 and FOLLOWED in {page.stem for page in PAGES}
    for page in PAGES:
        found = commands(page.read_text())
        assert len(found) > 5 and sum(bool(shown.output) for shown in found) > 3, page.name


PAGE = """
```console
$ echo one two; \\
> echo three
one …
three
$ false; echo "exit code $?"
exit code 1
```
"""


def test_a_page_that_shows_something_else_is_found_out(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    first, second = run(page, tmp_path / "a")
    assert not missing(*first) and not missing(*second)
    page.write_text(PAGE.replace("exit code 1", "exit code 0").replace("one …", "two …"))
    first, second = run(page, tmp_path / "b")
    assert missing(*first) == ["two …", "three"] and missing(*second) == ["exit code 0"]


def test_a_command_that_nothing_printed_is_found_out():
    ran = [
        (Shown("one", ()), "to begin: two --fast\n"),
        (Shown("two --fast", ()), "next: pip install .\n  three\n"),
        (Shown("pip install .", ()), ""),
        (Shown("three", ()), "next: four or five\n"),
    ]
    assert unprinted(ran) == []
    assert unprinted([*ran, (Shown("four", ()), "")]) == ["four"]
    assert unprinted([*ran, (Shown("three", ()), "")]) == ["three"]  # not by the one before
    assert unprinted(ran[1:]) == []  # the first one is typed
