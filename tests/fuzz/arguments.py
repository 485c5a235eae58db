"""Argument lists for every command, made from the command tree and tables of nasty values."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path
from typing import Any, get_args, get_origin

import typer.main
from hypothesis import strategies as st

from envwright.cli.app import app

COMMANDS: dict[str, Any] = dict(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
del COMMANDS["demo"]  # it takes no arguments, and works for minutes

NUMBERS = (
    *("0", "1", "2", "3", "7", "-1", "-0", "007", "1.5", "0.5", "1e3", "1e-320", "1_000"),
    *("nan", "NaN", "-nan", "inf", "Infinity", "-inf", "1e999", "-1e999"),
    *("2147483647", "2147483648", "4294967295", "4294967296", "99999999999"),
    *("9223372036854775807", "9223372036854775808", "18446744073709551616", "9" * 400),
    *(
        "9" * 5000,
        "",
        " ",
        "-",
        "--",
        "one",
        "0x10",
        "٣",
        "½",
        "true",
        "null",
        "[1]",
        "1,2",
        "\udcff",
    ),
)
TEXTS = (
    *("", " ", ".", "/", "?", "=", ",", ":", "::", "-", "--", "%s", "{}", "[red]x", "$HOME", "~"),
    *("cartpole", "cartpole-v1", "cartpol", "cartpole-v7", "pong", "gameboy", "halfcheetah"),
    *("pokemon", "tcgpocket", "jax", "rust", "cuda", "reference", "natural", "nope"),
    *("cartpole?", "cartpole?dtype=float128", "cartpole?dtype=[1]", "pong?frame_skip=abc"),
    *("pong?frame_skip", "pong?frame_skip=", "pong?frame_skip=1&frame_skip=2", "pong?num_envs=3"),
    *("pong?frame_skip=99999999999999999999", "pong?frame_skip=NaN", "pong?frame_skip=[[1]]"),
    *("pong?backend=[1]", "pong?backend=nope", "pong?backend=rust", "pong?name=1", "pong?self=1"),
    *("tcgpocket?decks=[1,2]", 'tcgpocket?decks=["sparks",["dojo"]]', "tcgpocket?decks=sparks"),
    *("tcgpocket?decks={}", "tcgpocket?max_turns=abc", "tcgpocket?view=1", "tcgpocket?opponent=1"),
    *("pokemon?teams=[1,2]", "pokemon?teams=7", "pokemon?view=7", "gameboy?rom=.&game=1"),
    *("envwright:pong", "envwright:pong?foo=1", "envwright:pong?backend=rust&num_envs=99999999999"),
    *("envwright:pong?backend=rust&threads=-1", "envwright:gameboy?rom=/dev/zero", "envwright:"),
    *("gymnasium:CartPole-v1", "gymnasium:Nope-v0", "gymnasium:CartPole-v1?foo=1", "gymnasium:"),
    *(
        "gymnasium:FrozenLake-v1?map_name=9x9",
        "gymnasium:nowhere:A-v0",
        "gymnasium:CartPole-v1?id=1",
    ),
    *("gymnax:Nope", "gymnax:CartPole-v1?dtype=1", "python:nowhere:A", "python:json", "python::"),
    *("python:.json:loads", "python:sys:exit", "python:os:system", "python:json:loads?s=[["),
    *(
        "python:json:__name__",
        "python:tests.verify.worlds:Marble",
        "command:",
        "command:/no/program",
    ),
    *("command:false", "command:'", "a:b", "python:tests.verify.worlds:Marble?x=" + "[" * 5000),
    *("☃", "a\nb", "\x1b[31mred", "\udcff", "\u202egnp", "x" * 300, "x" * 5000, "../..", "-x"),
    *("0", "9", "1", "1,2,3", "1,1", "4", "1,5", "1,,2", "0.1", "1e-5", "obs=-1", "x=nan", "=1"),
    *("64x64", "64", "99999999999", "65536x65536x65536", "x".join(["64"] * 1000), "0", "32@8/4x64"),
    *("32@99999999999/4x64", "2M", "2G", "9" * 5000, "32,64", "0,64", "-1", "99999999999", "nan"),
    *("random", "ppo", "random,ppo", "rollout", "trained:none.npz", "trained:folder", "boundary"),
    *("serial", "serial:2", "process", "process:0", "process:x", "process:99999999999", "ray:-1"),
    *(
        "compiler",
        "gemini",
        "claude",
        "command",
        "mailbox",
        "replay",
        "compiler,nope",
        ",",
        "codex",
    ),
    *("gamma=nan", "gamma=2", "steps=0", "num_envs=99999999999", "network=0", "x=1", "gamma"),
    *("learning_rate=inf", "epochs=1e400", "memory=-1", "minibatches=3", "normalise_obs=maybe"),
    *("localhost:1", "localhost:99999", "localhost", "http://", "by=me", "by"),
)
PATHS = (
    *("missing", "missing/file.json", "folder", "folder/new.json", "folder/new", "file.json"),
    *("file.json/below", "empty", "text.txt", "random.bin", "loop", "loop/x", "dangling"),
    *("link", "", " ", ".", "..", "/dev/null", "/proc/version"),
    *("/proc/self/new.json", "x" * 300, "x/" * 3000, "a\nb", "\udcff.json", "☃.json", "-x"),
    *("new.json", "new.webp", "new.gif", "new.html", "new.png", "new", "rom.gb", "zero.gb"),
    *("big.gb", "run", "run/run.json", "translation", "translation/translation.toml"),
    *("saved.npz", "zip.npz", "results"),
    # A pipe that is read without a look waits for ever, and a device never ends.
    *("fifo", "fifo/x", "pipes", "socket", "/dev/full", "/dev/zero", "/dev/stdin", "/dev/stdout"),
    *(f"deep/{name}" for name in ("brackets", "tables", "keys", "headers", "just")),
    *(f"deep/{name}/translation.toml" for name in ("brackets", "tables", "keys", "just")),
)
DEEP = {
    "brackets": "x = " + "[" * 5000,
    "tables": "[environment]\nx = " + "{a = " * 5000 + "1" + "}" * 5000,
    "keys": f"{'a.' * 5000}a = 1",
    "headers": "".join(f"[{'a.' * depth}a]\n" for depth in range(200)),
    "just": f"[environment]\nid = {'[' * 97}{']' * 97}\n[[price]]\nmodels = {'[' * 97}{']' * 97}",
}
# Files that commands look for in a folder.
LOOKED_FOR = (
    *("translation.toml", "run.json", "recording.json", "optimisation.json", "journal.jsonl"),
    *("policies.npz", "metrics.jsonl", "a.json", "manifest.json", "a.npz", "exchanges.jsonl"),
)
LONG_ROM = 9 * 2**20


def furnish(yard: Path) -> None:
    """Put what paths may name into an empty folder."""
    for name in ("folder", "run", "translation", "results"):
        (yard / name).mkdir()
    (yard / "file.json").write_text('{"kind": "verify"}')
    (yard / "text.txt").write_text("text\n")
    (yard / "empty").write_bytes(b"")
    (yard / "random.bin").write_bytes(bytes(range(256)) * 8)
    (yard / "saved.npz").write_bytes(b"PK\x03\x04" + bytes(60))
    (yard / "zip.npz").write_bytes(b"PK\x05\x06" + bytes(18))
    (yard / "rom.gb").write_bytes(bytes(2**15))
    (yard / "zero.gb").write_bytes(b"")
    with open(yard / "big.gb", "wb") as rom:
        rom.truncate(LONG_ROM)  # a hole: it takes no space
    (yard / "run" / "run.json").write_text('{"simulator": 1, "config": [], "seeds": {}}')
    (yard / "translation" / "translation.toml").write_text("[environment]\nid = 1\n")
    (yard / "results" / "bad.json").write_text("[" * 5000)
    (yard / "loop").symlink_to("loop")
    (yard / "dangling").symlink_to("nowhere")
    (yard / "link").symlink_to("text.txt")
    os.mkfifo(yard / "fifo")
    (yard / "pipes").mkdir()
    for name in LOOKED_FOR:
        os.mkfifo(yard / "pipes" / name)
    with socket.socket(socket.AF_UNIX) as listener, contextlib.chdir(yard):
        listener.bind("socket")  # a long path is none of a socket
    for name, text in DEEP.items():
        (yard / "deep" / name).mkdir(parents=True)
        (yard / "deep" / name / "translation.toml").write_text(text)


REQUIRED = {"agent": "mailbox"}
# Without which an option is not even looked at.
BESIDE = {
    **{name: {"agent": "gemini"} for name in ("prices", "model", "endpoint")},
    "command": {"agent": "command"},
}


def kind_of(parameter: Any) -> Any:
    """The type of a parameter's value; of one value, where there are several."""
    annotation = parameter.type_descriptor.annotation
    return get_args(annotation)[0] if get_origin(annotation) is list else annotation


def values_of(parameter: Any) -> tuple[str, ...]:
    """Nasty values for a parameter, by its type."""
    kind = kind_of(parameter)
    if parameter.type_descriptor.choices:
        return (*map(str, parameter.type_descriptor.choices), "nope", "", "☃")
    if kind in (int, float):
        return NUMBERS
    return PATHS if kind is Path else (*TEXTS, *PATHS)


def given(parameter: Any, value: str, joined: bool = False) -> list[str]:
    """The words that give an option a value, or set a flag."""
    if parameter.param_type_name == "argument":
        return [value]
    if parameter.is_flag:
        return [[*parameter.opts, *parameter.secondary_opts][len(value) % len(parameter.opts)]]
    name = parameter.opts[0]
    return [f"{name}={value}"] if joined else [name, value]


def parameters(command: str, kind: str) -> list[Any]:
    """A command's arguments or options."""
    found = COMMANDS[command].params
    return [p for p in found if p.param_type_name == kind and p.name != "help"]


def singles(command: str, share: int = 1) -> list[list[str]]:
    """Each option with each of its values, beside arguments that could be right.

    Take every `share`-th value, starting at another one for each option.
    """
    right = {"name": "cartpole", "folder": "folder", "file": "saved.npz", "what": "translation"}
    right |= {"simulator": "gymnasium:Nope-v0", "run": "missing"}
    usual = [right.get(a.name, "missing") for a in parameters(command, "argument") if a.required]
    options = parameters(command, "option")
    lists = []
    for number, option in enumerate(options):
        values = ("",) if option.is_flag else values_of(option)
        beside = [
            word
            for other in options
            if other is not option and (other.required or other.name in BESIDE.get(option.name, {}))
            for word in given(other, BESIDE.get(option.name, REQUIRED)[other.name])
        ]
        chosen = values[number % share :: share]
        lists += [[*usual, *beside, *given(option, value)] for value in chosen]
    needed = [w for o in options if o.required for w in given(o, REQUIRED[o.name])]
    for place, argument in enumerate(parameters(command, "argument")):
        values = values_of(argument)[place % share :: share]
        lists += [[*needed, "--", *usual[:place], value, *usual[place + 1 :]] for value in values]
    return lists


@st.composite
def argument_lists(draw: st.DrawFn, command: str) -> list[str]:
    """Any mixture of arguments and options."""
    words: list[str] = []
    for argument in parameters(command, "argument"):
        if draw(st.integers(0, 9)):
            words.append(draw(st.sampled_from(values_of(argument))))
    options = parameters(command, "option")
    count = draw(st.integers(0, min(4, len(options)))) if options else 0
    for _ in range(count):
        option = draw(st.sampled_from(options))
        value = draw(st.sampled_from(values_of(option)) | _any_value(option))
        words += given(option, value, joined=draw(st.booleans()))
    if not draw(st.integers(0, 19)):
        words.append(draw(st.sampled_from(("--nope", "-z", "--json", "--seed", "--help", "--"))))
    return words


def _any_value(option: Any) -> st.SearchStrategy[str]:
    kind = kind_of(option)
    if kind is int:
        return st.integers().map(str)
    if kind is float:
        return st.floats().map(str)
    # The kernel cannot pass these on as arguments.
    return st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=20)
