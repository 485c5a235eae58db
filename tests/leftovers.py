"""What a hostile agent may leave in a folder, and the reason with which its turn fails."""

from __future__ import annotations

import os
import socket
from pathlib import Path

MANY = 150  # files; the limit is lowered in tests, as making thousands takes long
ESCAPES = "two\nlines\x1b[2J\x1b]0;mine\x07.py"


def nest(folder: Path, levels: int, name: str = "n" * 250) -> None:
    """Make folders in each other, beyond what a path can name, and a file in the last one."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("last.py", os.O_CREAT, dir_fd=here))
    os.close(here)


def not_utf8(folder: Path) -> None:
    os.close(os.open(os.fsencode(folder) + b"/caf\xe9.py", os.O_CREAT))


def escapes(folder: Path) -> None:
    (folder / ESCAPES).touch()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def listener(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the path of a socket is limited to 107 letters
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def loop(path: Path) -> None:
    path.symlink_to(path)


SPECIAL = [pipe, listener, loop]


def links(folder: Path) -> None:
    (folder / "one.py").symlink_to("two.py")
    (folder / "two.py").symlink_to("one.py")
    (folder / "up").symlink_to("..")


def sparse(folder: Path) -> None:
    with open(folder / "huge.py", "wb") as file:
        file.truncate(1 << 30)


def many(folder: Path) -> None:
    for number in range(MANY + 1):
        os.close(os.open(folder / f"{number}.py", os.O_CREAT))


LEFTOVERS = {
    "long names": (lambda folder: nest(folder, 30), "has more than 500 letters"),
    "deep": (lambda folder: nest(folder, 250, "d"), "is nested more than 64 levels deep"),
    "not UTF-8": (not_utf8, "is not printable UTF-8"),
    "escapes": (escapes, "is not printable UTF-8"),
    "links": (links, "is a symbolic link"),
    "pipe": (lambda folder: pipe(folder / "pipe.py"), "is a named pipe"),
    "socket": (lambda folder: listener(folder / "socket.py"), "is a socket"),
    "sparse": (sparse, "is larger than 2,000,000 bytes"),
    "many": (many, "files and folders in src/p"),
}
