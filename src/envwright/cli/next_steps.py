"""What to type next with a translation: each command on its folder names the one after it."""

from __future__ import annotations

import shlex
from pathlib import Path

from envwright.cli.show import from_here, out
from envwright.core.outside_rooms import folder_of
from envwright.core.room import Room


def steps(folder: Path, package: str, gymnasium_id: str) -> dict[str, str]:
    """Return the commands for the folder of a translation, by their verbs, in a good order."""
    shown, runs = shlex.quote(from_here(folder)), shlex.quote(f"runs/{folder.resolve().name}")
    made = f'gymnasium.make_vec("{package}:{gymnasium_id}", num_envs=8)'
    return {
        "verify": f"envwright verify {shown}",
        "bench": f"envwright bench {shown}",
        "train": f"envwright train {shown} --checkpoint {runs}",
        "play": f"envwright play {shown}",
        "report": f"envwright report {shown}",
        "mutate": f"envwright mutate {shown} --most 5",
        "coverage": f"envwright coverage {shown}",
        "install": f"pip install {shown}",
        "use": f"python -c 'import gymnasium; print({made}.reset(seed=0))'",
    }


def suggest_after(verb: str, room: Room | None) -> None:
    """Print the command that follows, if the room is a translation in a folder."""
    folder = None if room is None else folder_of(room)
    if room is None or folder is None:
        return
    following = steps(folder, room.package, room.gymnasium_id)
    verbs = list(following)
    out.print(f"next: {following[verbs[verbs.index(verb) + 1]]}", markup=False)
