"""Text from files and agents, made safe to show."""

from __future__ import annotations

import re

# Controls except tab and line feed (C0, DEL, C1), line separators, marks that change the
# direction of text, and surrogates, which no encoding writes.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def legible(text: str) -> str:
    """Return the text with control characters spelled out, such as `\\x1b`.

    A terminal obeys them: they move the cursor, change the title, or hide what follows.
    """
    return _HIDDEN.sub(_spelled, text)


def one_line(text: str, most: int = 2000) -> str:
    """Return the text as one legible line of about `most` characters."""
    line = legible(" ".join(text.split()))
    return line if len(line) <= most else f"{line[:most]} … ({len(line):,} characters in all)"


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
