"""Names of files and agents have no effect on a terminal, whatever is in them."""

from __future__ import annotations

import io

import pytest
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from envwright.cli.show import Terminal, level_table, plain_column, problem
from envwright.core.text import legible, one_line
from envwright.verify.results import LevelResult

HOSTILE = {
    "clears the screen": ("a\x1b[2Jb", "a\\x1b[2Jb"),
    "sets the title": ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
    "makes a link": ("\x1b]8;;http://x\x1b\\y", "\\x1b]8;;http://x\\x1b\\y"),
    "one-byte controls": ("\x9b2J\x90q", "\\x9b2J\\x90q"),
    "overwrites the line": ("failed\rpassed", "failed\\x0dpassed"),
    "erases letters": ("no\b\b", "no\\x08\\x08"),
    "turns the direction": ("\u202egpj.exe", "\\u202egpj.exe"),
    "hides letters": ("p\u200bong\xad\ufeff", "p\\u200bong\\xad\\ufeff"),
    "hides a text": ("a\U000e0041", "a\\U000e0041"),
    "half a pair": ("\udcff", "\\udcff"),
    "markup": ("[red]a[/red]", "[red]a[/red]"),
    "broken markup": ("[/nothing]", "[/nothing]"),
    "a link in markup": ("[link=http://x]y[/link]", "[link=http://x]y[/link]"),
    "an emoji": (":skull:", ":skull:"),
}


def shown(thing, **options):
    buffer = io.StringIO()
    Terminal(file=buffer, force_terminal=True, width=100, **options).print(thing)
    return buffer.getvalue()


@pytest.mark.parametrize(("text", "spelled"), HOSTILE.values(), ids=HOSTILE)
def test_a_text_is_shown_as_it_is(text, spelled):
    assert shown(text) == f"{spelled}\n"
    # Of a styled text, rich leaves out bell, backspace and return.
    assert shown(Text(text)) == f"{legible(Text(text).plain)}\n"


@pytest.mark.parametrize(("text", "spelled"), HOSTILE.values(), ids=HOSTILE)
def test_a_table_shows_texts_as_they_are(text, spelled):
    table = Table(title=text)
    table.add_column(text)
    table.add_row(text)
    plain = shown(table, no_color=True, color_system=None)
    assert plain.count(spelled) == 3
    assert text == spelled or text not in plain


def test_a_task_shows_its_description_as_it_is():
    buffer = io.StringIO()
    terminal = Terminal(file=buffer, width=100)
    with Progress(plain_column("description"), console=terminal) as bars:
        bars.add_task("[/x]\x1b[2Jlevel  ", total=1)
    assert "[/x]\\x1b[2Jl" in buffer.getvalue()


def test_verdicts_keep_their_colours():
    assert "\x1b[32mequal" in shown(level_table([LevelResult(1)], "title"), color_system="standard")


def test_a_problem_is_one_line(capsys):
    problem("x\x1b[2J\nenvwright: all is verified\r" + "y" * 10_000)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("envwright: x\\x1b[2J envwright: all is verified y")
    assert len(line) < 3000


def test_plain_text_stays_as_it_is():
    text = "größer — 10 × 日本\n\tx"
    assert legible(text) == text
    assert one_line(text) == "größer — 10 × 日本 x"
