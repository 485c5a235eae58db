"""Text from files and agents, made safe to show."""

from __future__ import annotations

import re
import sysconfig
import traceback
from pathlib import Path

# Controls except tab and line feed (C0, DEL, C1), line separators, marks that change the
# direction of text, letters without a shape (but for joiners, which scripts need), and surrogates,
# which no encoding writes.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def legible(text: str) -> str:
    """Return the text with control and invisible characters spelled out, such as `\\x1b`.

    A terminal obeys controls: they move the cursor, change the title, or hide what follows.
    Two names that differ in what cannot be seen look the same.
    """
    return _HIDDEN.sub(_spelled, text)


def one_line(text: str, most: int = 2000) -> str:
    """Return the text as one legible line of about `most` characters."""
    line = legible(" ".join(text.split()))
    return line if len(line) <= most else f"{line[:most]} … ({len(line):,} characters in all)"


def told(error: BaseException) -> str:
    """Describe an exception in one line: its type, its message and the line that raised it."""
    text = " ".join(str(error).split())[:600]
    return f"{type(error).__name__}: {text}{place_of(error)}"


def place_of(error: BaseException) -> str:
    """Return the last line of the user's own code that an exception passed, as ` (FILE:LINE)`.

    Empty if it passed only through envwright, Python and installed packages.
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if _is_own(Path(frame.filename))]
    if not own:
        return ""
    path, here = Path(own[-1].filename), Path.cwd()
    shown = path.relative_to(here) if path.is_relative_to(here) else path
    return legible(f" ({shown}:{own[-1].lineno})")


_PACKAGE = Path(__file__).parents[1]
_PYTHON = tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib"))
_INSTALLED = {"site-packages", "dist-packages", ".venv"}


def _is_own(path: Path) -> bool:
    """Whether a file is neither Python's, nor installed, nor part of envwright."""
    others = any(path.is_relative_to(folder) for folder in (_PACKAGE, *_PYTHON))
    return path.is_absolute() and not others and _INSTALLED.isdisjoint(path.parts)


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
