"""Text from files and agents, made safe to show."""

from __future__ import annotations

import re

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


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
