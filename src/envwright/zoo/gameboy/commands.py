"""What `verify`, `bench` and `play` do with a Game Boy ROM."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from envwright.cli.show import out, progress
from envwright.cli.stored import Store
from envwright.errors import EnvwrightError

GAMEBOY = "gameboy"
Rom = Annotated[Path | None, typer.Option(help="gameboy: a .gb or .gbc file.")]
Frames = Annotated[int | None, typer.Option(min=1, help="gameboy --rom: frames of each seed.")]
Seeds = Annotated[int | None, typer.Option(min=1, help="gameboy --rom: how many are played.")]
Model = Annotated[
    bool | None, typer.Option("--cgb/--dmg", help="gameboy --rom: Color or not; else as it asks.")
]


def refuse_without_rom(
    name: str | None, rom: Path | None, frames: int | None, seeds: int | None, cgb: bool | None
) -> None:
    """Options that nothing would read are mistakes."""
    if rom is not None and name != GAMEBOY:
        raise EnvwrightError("--rom is for gameboy: envwright verify gameboy --rom FILE")
    given = {"--frames": frames, "--seeds": seeds, "--cgb or --dmg": cgb}
    for option in [option for option, value in given.items() if value is not None]:
        if rom is None:
            raise EnvwrightError(f"{option} goes with --rom FILE; add it, or leave {option} out")


def refuse_with_rom(given: dict[str, Any]) -> None:
    """A ROM is compared frame by frame, and nothing else is asked of it."""
    for option in [option for option, value in given.items() if value]:
        raise EnvwrightError(
            f"{option} does not go with --rom, which compares frame by frame; leave it out"
        )


def verify_rom(
    rom: Path,
    frames: int | None,
    seeds: int | None,
    cgb: bool | None,
    seed: int,
    store: Store,
) -> None:
    """Any ROM against PyBoy, frame by frame."""
    from envwright.zoo.gameboy.checks.l3_frames import verify_rom as verify

    with progress() as told:
        report = verify(rom, frames or 3000, seeds or 10, cgb, seed, told)
    model = "Game Boy Color" if report.cgb else "Game Boy"
    what = f"{report.rom} ({report.title or 'no title'}, {model})"
    for parted in report.partings:
        out.print(f"{what}: {parted}", markup=False)
    if not report.partings:
        out.print(
            f"{what}: equal to PyBoy in {report.seeds} x {report.frames} frames: registers, "
            f"cycles, all memory and the screen ({report.seconds:.0f} s)",
            markup=False,
        )
    store(report.to_json())
    raise typer.Exit(report.exit_code)


def is_asked_for(folder: Path, rom: Path | None, game: str | None) -> bool:
    """Whether `play` was given the Game Boy, rather than a run's folder."""
    if str(folder) == GAMEBOY and not folder.is_dir():
        return True
    if rom is not None or game is not None:
        raise EnvwrightError("--rom and --game are for envwright play gameboy")
    return False


def played(rom: Path | None, game: str | None, seed: int, steps: int) -> Any:
    """Random buttons: a game with its rules, or any ROM frame by frame."""
    from envwright.zoo.gameboy.play import play_random, play_rom

    if rom is not None and game is None:
        return play_rom(rom, seed, steps)
    options = {} if rom is None else {"rom": str(rom)}
    return play_random(seed, steps, game=game or "emberkeep", **options)
