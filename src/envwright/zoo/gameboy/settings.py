"""The settings of a game as an environment: buttons, time, observations, and rules on RAM.

A game is described in a TOML file; those in `descriptions/` come with envwright. docs/gameboy.md
explains every key.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta
from msgspec.structs import replace

from envwright.errors import EnvwrightError
from envwright.schema.toml_file import TomlFile
from envwright.schema.toml_records import Record, decode
from envwright.zoo.gameboy.buttons import mask_of

DESCRIPTIONS = Path(__file__).parent / "descriptions"
SHAPES = {
    "gray": (144, 160, 1),
    "index": (144, 160, 1),
    "rgb": (144, 160, 3),
    "small": (72, 80, 1),
}
MOST_BYTES = 4
MOST_FRAMES = 36_000  # ten minutes of a real Game Boy

Bytes = Annotated[int, Meta(ge=1, le=MOST_BYTES)]
Frames = Annotated[int, Meta(ge=1, le=MOST_FRAMES)]


class Address(int):
    """An address in RAM."""


class Buttons(int):
    """Buttons as one byte; in files, a list of names."""


class OutOfRange(EnvwrightError, ValueError):
    """A setting is out of range."""


class Number(Record, frozen=True):
    """A number in RAM."""

    address: Address
    bytes: Bytes = 1
    # bits: how many are set
    encoding: Literal["little", "big", "bcd-little", "bcd-big", "bits"] = "little"


class Reward(Number, frozen=True):
    """A term of the reward: the change of a number in a step, or its value."""

    scale: float = 1.0
    kind: Literal["change", "level"] = "change"
    name: str = ""


class Condition(Number, frozen=True, kw_only=True):
    """A number compared with a value."""

    test: Literal["==", "!=", "<", ">", "&"] = "=="
    value: Annotated[int, Meta(ge=0, le=2 ** (8 * MOST_BYTES) - 1)]


class Press(Record, frozen=True, kw_only=True):
    """Buttons, with a number of frames."""

    buttons: Buttons = Buttons(0)
    frames: Frames


class Seed(Record, frozen=True):
    """The place of a game's seed; a number from 1 to the largest that fits is poked there."""

    address: Address
    bytes: Bytes = 2


class Start(Record, frozen=True):
    """The start of play. `script` is played once and its result kept; the rest at every reset."""

    script: tuple[Press, ...] = ()
    seed: Seed | None = None
    # Frames to wait, up to so many, drawn from the seed.
    noops: Annotated[int, Meta(ge=0, le=MOST_FRAMES)] = 0
    after: tuple[Press, ...] = ()
    until: tuple[Condition, ...] = ()  # all of them
    patience: Frames = 600  # frames to wait for them at most


class Settings(Record, frozen=True, kw_only=True):
    """A game as an environment."""

    title: str
    roms: tuple[str, ...] = ()  # file names it goes by
    actions: tuple[Buttons, ...]  # buttons of each action
    frame_skip: int = 24
    press: int = 24  # frames that the buttons of an action are down; a file's default: all
    observation: Literal["gray", "index", "rgb", "small"] = "gray"
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
            raise OutOfRange(f"observation is {' or '.join(SHAPES)}, not {self.observation!r}")
        if not self.actions:
            raise OutOfRange("there must be at least one action")

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of an observation: height, width, channels."""
        return SHAPES[self.observation]

    def changed(
        self,
        observation: str | None = None,
        frame_skip: int | None = None,
        max_steps: int | None = None,
    ) -> Settings:
        """Return settings with changes; buttons held for the whole step stay so."""
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
    """Return the games that come with envwright (their ROMs may not)."""
    return sorted(file.stem for file in DESCRIPTIONS.glob("*.toml"))


def find_game(name: str) -> Settings:
    """Find a game by name, or by the path of a TOML file."""
    name = name.removeprefix("gameboy/")
    if name.endswith(".toml"):
        return read_settings(Path(name))
    if name not in games():
        raise EnvwrightError(
            f"there is no game {name!r}; use {', '.join(games())} or the path of a .toml file"
        )
    return read_settings(DESCRIPTIONS / f"{name}.toml")


def read_settings(path: Path) -> Settings:
    """Read the settings in a file. Raises `EnvwrightError` with the line of the first mistake."""
    file = TomlFile(path)
    if "frame_skip" in file.data:
        file.data.setdefault("press", file.data["frame_skip"])
    return decode(file, Settings, _decoded)


def _decoded(kind: type, value: Any) -> Any:
    """Decode an address or buttons."""
    if kind is Address:
        if type(value) is not int or not 0x8000 <= value <= 0xFFFF:
            raise ValueError(f"'address' must be a number from 0x8000 to 0xffff, not {value!r}")
        return Address(value)
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError(f"write a list of buttons such as ['up', 'a'], not {value!r}")
    try:
        return Buttons(mask_of(value))
    except EnvwrightError as error:
        raise ValueError(str(error)) from error


def _between(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise OutOfRange(f"{name} is {value}; choose one from {low} to {high}")
