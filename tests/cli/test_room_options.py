"""Options and handlers that rooms add to commands, with a room of our own."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from envwright.cli.app import app as envwright_app
from envwright.cli.listing import JsonFile
from envwright.cli.room_options import RoomOptions, named_room, with_room_options
from envwright.cli.stored import Store
from envwright.cli.verify import PairOptions
from envwright.core import registry
from envwright.core.room import Findings, Handler, Option, Room
from envwright.errors import EnvwrightError


def survey(options: dict[str, Any], seed: int, progress: Any) -> Findings:
    """A handler."""
    progress("surveyed", 1, 1)
    return Findings([f"[red] {options} {seed}"], {"kind": "survey", "options": options["depth"]}, 3)


def room(name: str, *options: Option, **more: Any) -> Room:
    fields = {"title": name, "summary": "", "backends": {"jax": "a:B"}, "package": "tests.cli"}
    return Room(id=name, version=1, options=options, **{**fields, **more})


DEPTH = Option("depth", ("verify",), "how deep to dig", int, least=1)
MINE = room(
    "mine",
    DEPTH,
    Option("wet", ("verify",), "with water or without", bool, flag="--wet/--dry", needs="depth"),
    Option("map", ("bench",), "a file", Path),
    handlers={"verify": Handler("test_room_options:survey", when="depth")},
)
WELL = room("well", Option("depth", ("verify",), "how deep to drill", int, least=1))


@pytest.fixture
def run(monkeypatch):
    """Runs `verify` of two rooms; what a command without a handler was given is printed."""
    monkeypatch.setattr(registry, "_ROOMS", {each.name: each for each in (MINE, WELL)})
    app = typer.Typer(rich_markup_mode=None)

    @app.command()
    @with_room_options("verify")
    def verify(
        name: str,
        seed: int = 0,
        levels: Annotated[str, typer.Option("--levels")] = "1",
        json: JsonFile = None,
        *,
        own: RoomOptions,
    ) -> None:
        own.run_handler(named_room(name), seed, Store(json))
        print("generic", name, levels, own.given)

    return lambda *words: CliRunner().invoke(app, list(words))


def test_a_command_has_the_options_of_all_rooms_for_its_verb(run):
    text = " ".join(run("--help").output.split())
    assert "mine: how deep to dig; well: how deep to drill." in text
    assert "mine --depth: with water or without." in text
    assert "--wet / --dry" in text and "--map" not in text


def test_options_reach_a_command_that_the_room_does_not_handle(run):
    assert run("well", "--depth", "3").output == "generic well 1 {'depth': 3}\n"
    assert run("mine").output == "generic mine 1 {}\n"


def test_a_room_handles_what_it_was_asked_for(run, tmp_path):
    file = tmp_path / "result.json"
    done = run("mine", "--depth", "3", "--dry", "--seed", "5", "--json", str(file))
    assert done.exit_code == 3
    assert json.loads(file.read_text())["options"] == 3 and "machine" in file.read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("pit", "--depth", "3"), "--depth is for mine or well: envwright verify mine --depth N"),
        (("well", "--wet"), "--wet or --dry is for mine: envwright verify mine --wet"),
        (
            ("mine", "--dry"),
            "--wet or --dry goes with --depth N; add it, or leave --wet or --dry out",
        ),
        (
            ("mine", "--depth", "3", "--levels", "1"),
            "--levels does not go with --depth; leave it out",
        ),
    ],
)
def test_what_does_not_fit_is_one_sentence(words, sentence, run):
    done = run(*words)
    assert isinstance(done.exception, EnvwrightError) and str(done.exception) == sentence


def test_a_value_below_the_least_is_refused(run):
    assert run("mine", "--depth", "0").exit_code == 2


def test_rooms_must_agree_about_an_option(monkeypatch):
    zoo = {"package": "envwright.zoo.mine"}
    both = (room("mine", DEPTH, **zoo), room("well", Option("depth", ("verify",), "text"), **zoo))
    monkeypatch.setattr(registry, "_ROOMS", {each.name: each for each in both})
    with pytest.raises(EnvwrightError, match="well declares --depth unlike mine; rename one"):
        with_room_options("verify")(lambda own: None)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("depth", "a_well declares --depth unlike mine; the option is left out"),
        ("seed", "a_well declares --seed, which the command has; the option is left out"),
        ("reference", "a_well declares --reference, which the command has; the option is left"),
    ],
)
def test_an_option_of_a_package_never_ends_commands_of_others(monkeypatch, name, sentence):
    mine = room("mine", DEPTH, package="envwright.zoo.mine")
    well = room("a_well", Option(name, ("verify",), "a word"))
    monkeypatch.setattr(registry, "_ROOMS", {each.name: each for each in (well, mine)})

    def command(seed: int = 0, *, pair: PairOptions, own: RoomOptions) -> None: ...

    with pytest.warns(UserWarning, match=sentence):
        extended = with_room_options("verify")(command)
    assert [*inspect.signature(extended).parameters] == ["seed", "pair", "depth", "context"]


@pytest.mark.parametrize("room", registry.rooms(), ids=lambda room: room.id)
def test_commands_read_everything_that_rooms_of_the_zoo_declare(room):
    commands = typer.main.get_command(envwright_app).commands
    for option in room.options:
        for verb in option.verbs:
            assert option.name in {p.name for p in commands[verb].params}, (verb, option.name)
    assert set(room.handlers) <= {"verify", "coverage"}
    for verb, handler in room.handlers.items():
        own = {option.name for option in room.options if verb in option.verbs}
        assert not handler.when or handler.when in own
        assert set(handler.accepts) <= {p.name for p in commands[verb].params}
