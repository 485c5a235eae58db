"""What makes an environment of a game: buttons, time, what is seen, and what RAM says.

A game is described in a TOML file; those in `games/` come with envwright. docs/gameboy.md
explains every key.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from envwright.errors import EnvwrightError
from envwright.schema.toml_file import TomlFile
from envwright.schema.toml_table import Table
from envwright.zoo.gameboy.buttons import mask_of

GAMES = Path(__file__).parent / "games"
ENCODINGS = ("little", "big", "bcd-little", "bcd-big", "bits")
KINDS = ("change", "level")
TESTS = ("==", "!=", "<", ">", "&")
SHAPES = {
    "gray": (144, 160, 1),
    "index": (144, 160, 1),
    "rgb": (144, 160, 3),
    "small": (72, 80, 1),
}
MOST_BYTES = 4
MOST_FRAMES = 36_000  # ten minutes of a real Game Boy


@dataclass(frozen=True)
class Number:
    """A number in RAM."""

    address: int
    bytes: int = 1
    encoding: str = "little"  # of ENCODINGS; bits: how many are set


@dataclass(frozen=True)
class Reward:
    """A term of the reward: what a number gained in a step, or what it is."""

    number: Number
    scale: float = 1.0
    kind: str = "change"  # of KINDS
    name: str = ""


@dataclass(frozen=True)
class Condition:
    """A number compared with a value."""

    number: Number
    test: str  # of TESTS
    value: int


@dataclass(frozen=True)
class Press:
    """Buttons, and for how many frames."""

    buttons: int
    frames: int


@dataclass(frozen=True)
class Seed:
    """Where a game reads its seed; a number from 1 up to what fits is poked there."""

    address: int
    bytes: int = 2


@dataclass(frozen=True)
class Start:
    """How play begins. `script` is played once and kept; the rest at every reset."""

    script: tuple[Press, ...] = ()
    seed: Seed | None = None
    noops: int = 0  # frames to wait, up to so many, drawn from the seed
    after: tuple[Press, ...] = ()
    until: tuple[Condition, ...] = ()  # all of them
    patience: int = 600  # frames to wait for them at most


@dataclass(frozen=True)
class Settings:
    """A game as an environment."""

    title: str
    roms: tuple[str, ...]  # file names it goes by
    actions: tuple[int, ...]  # buttons of each action
    frame_skip: int = 24
    press: int = 24  # frames that the buttons of an action are down
    observation: str = "gray"  # of SHAPES
    max_steps: int = 1000
    cgb: bool | None = None
    start: Start = Start()
    reward: tuple[Reward, ...] = ()
    done: tuple[Condition, ...] = ()  # any of them
    note: str = ""

    def __post_init__(self) -> None:
        _between("frame_skip", self.frame_skip, 1, 1000)
        _between("press", self.press, 1, self.frame_skip)
        _between("max_steps", self.max_steps, 1, 2**31 - 1)
        if self.observation not in SHAPES:
            raise EnvwrightError(f"observation is {' or '.join(SHAPES)}, not {self.observation!r}")
        if not self.actions:
            raise EnvwrightError("there must be at least one action")

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of an observation: height, width, channels."""
        return SHAPES[self.observation]

    def changed(
        self,
        observation: str | None = None,
        frame_skip: int | None = None,
        max_steps: int | None = None,
    ) -> Settings:
        """With other choices; buttons that were held for the whole step still are."""
        new = self
        if frame_skip is not None:
            _between("frame_skip", frame_skip, 1, 1000)
            press = frame_skip if self.press == self.frame_skip else min(self.press, frame_skip)
            new = replace(new, frame_skip=frame_skip, press=press)
        if observation is not None:
            new = replace(new, observation=observation)
        if max_steps is not None:
            new = replace(new, max_steps=max_steps)
        return new


def games() -> list[str]:
    """The games that come with envwright (their ROMs need not)."""
    return sorted(file.stem for file in GAMES.glob("*.toml"))


def find_game(name: str) -> Settings:
    """A game by name, or by the path of a TOML file."""
    name = name.removeprefix("gameboy/")
    if name.endswith(".toml"):
        return read_settings(Path(name))
    if name not in games():
        raise EnvwrightError(
            f"there is no game {name!r}; use {', '.join(games())} or the path of a .toml file"
        )
    return read_settings(GAMES / f"{name}.toml")


def read_settings(path: Path) -> Settings:
    """The settings in a file; a mistake is told with its line."""
    file = TomlFile(path)
    table = Table(file, (), file.data)
    frame_skip = table.get("frame_skip", int, 24)
    choices: dict[str, Any] = {
        "title": table.get("title", str),
        "roms": table.texts("roms"),
        "frame_skip": frame_skip,
        "press": table.get("press", int, frame_skip),
        "observation": table.choice("observation", tuple(SHAPES), "gray"),
        "max_steps": table.get("max_steps", int, 1000),
        "cgb": table.get("cgb", bool, False) if "cgb" in table.data else None,
        "actions": _actions(table),
        "start": _start(table.table("start")),
        "reward": tuple(_reward(each) for each in table.tables("reward")),
        "done": tuple(_condition(each) for each in table.tables("done")),
        "note": table.get("note", str, ""),
    }
    table.end()
    return table.build(lambda: Settings(**choices))


def _actions(table: Table) -> tuple[int, ...]:
    masks = []
    for names in table.get("actions", list):
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise table.wrong(
                "actions", f"an action is a list of buttons such as ['up', 'a'], not {names!r}"
            )
        masks.append(_mask(table, "actions", names))
    return tuple(masks)


def _start(table: Table) -> Start:
    seed = _seed(table.table("seed")) if "seed" in table.data else None
    start = Start(
        script=_presses(table, "script"),
        seed=seed,
        noops=_whole(table, "noops", 0, 0, MOST_FRAMES),
        after=_presses(table, "after"),
        until=tuple(_condition(each) for each in table.tables("until")),
        patience=_whole(table, "patience", 600, 1, MOST_FRAMES),
    )
    table.end()
    return start


def _presses(table: Table, key: str) -> tuple[Press, ...]:
    presses = []
    for each in table.tables(key):
        frames = _whole(each, "frames", None, 1, MOST_FRAMES)
        presses.append(Press(_mask(each, "buttons", list(each.texts("buttons"))), frames))
        each.end()
    return tuple(presses)


def _seed(table: Table) -> Seed:
    seed = Seed(_address(table), _whole(table, "bytes", 2, 1, MOST_BYTES))
    table.end()
    return seed


def _reward(table: Table) -> Reward:
    reward = Reward(
        number=_number(table),
        scale=table.get("scale", float, 1.0),
        kind=table.choice("kind", KINDS, "change"),
        name=table.get("name", str, ""),
    )
    table.end()
    return reward


def _condition(table: Table) -> Condition:
    condition = Condition(
        number=_number(table),
        test=table.choice("test", TESTS, "=="),
        value=_whole(table, "value", None, 0, 2 ** (8 * MOST_BYTES) - 1),
    )
    table.end()
    return condition


def _number(table: Table) -> Number:
    return Number(
        address=_address(table),
        bytes=_whole(table, "bytes", 1, 1, MOST_BYTES),
        encoding=table.choice("encoding", ENCODINGS, "little"),
    )


def _address(table: Table) -> int:
    return _whole(table, "address", None, 0x8000, 0xFFFF)


def _whole(table: Table, key: str, default: int | None, low: int, high: int) -> int:
    """A whole number between two, both included; without a default it is required."""
    value = table.get(key, int) if default is None else table.get(key, int, default)
    if not low <= value <= high:
        shown = f"from {low:#x} to {high:#x}" if key == "address" else f"from {low} to {high}"
        raise table.wrong(key, f"{key!r} is a number {shown}, not {value}")
    return value


def _mask(table: Table, key: str, names: list[str]) -> int:
    try:
        return mask_of(names)
    except EnvwrightError as error:
        raise table.wrong(key, str(error)) from error


def _between(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise EnvwrightError(f"{name} is {value}; choose one from {low} to {high}")
