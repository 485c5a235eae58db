"""Remove the key from everything that an endpoint sends back, however it is cut into pieces."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

SHORTEST_SECRET = 8  # letters; local endpoints accept any text, and "none" is not a secret
MASK = "(key)"


def is_secret(key: str) -> bool:
    """Return whether a key is long enough to be one."""
    return len(key) >= SHORTEST_SECRET


def spellings(key: str) -> set[str]:
    """Return a key as JSON, addresses and the usual encodings spell it."""
    data = key.encode()
    found = {key, quote(key), quote(key, safe=""), quote_plus(key), key[::-1], data.hex()}
    found |= {json.dumps(key, ensure_ascii=ascii)[1:-1] for ascii in (True, False)}
    found |= {form.replace("/", "\\/") for form in found}
    digits = [f"{byte:02x}" for byte in data]
    found |= {"".join(sign + pair for pair in digits) for sign in ("%", "%25", "\\x")}
    found |= {sign.join(digits) for sign in (" ", ":")}
    found |= {"".join(f"&#{ord(letter)};" for letter in key)}
    found |= {"".join(f"&#x{ord(letter):x};" for letter in key)}
    found |= {"\0".join(key)}  # UTF-16
    units = key.encode("utf-16-be").hex()
    found |= {"".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))}
    found |= {_base64(data, before) for before in range(3)}
    return found | {form.replace("+", "-").replace("/", "_") for form in found}


def _base64(data: bytes, before: int) -> str:
    """Return the letters that some bytes alone decide, so many bytes after the beginning."""
    bits = 8 * before, 8 * (before + len(data))
    letters = b64encode(bytes(before) + data + bytes(2)).decode()
    return letters[-(-bits[0] // 6) : bits[1] // 6]


class Concealer:
    """Replaces a key, however it is spelled, in any case of letters."""

    def __init__(self, key: str) -> None:
        forms = spellings(key) if is_secret(key) else set()
        self._forms = sorted({form.encode().lower() for form in forms}, key=len, reverse=True)
        self._known = re.compile(b"|".join(map(re.escape, self._forms)), re.IGNORECASE)
        self._firsts = {form[0] for form in self._forms}
        self.conceals = bool(self._forms)
        self.longest = max(map(len, self._forms), default=0)  # spelling, in bytes

    def text(self, text: str) -> str:
        """Return a text without the key."""
        return b"".join(self.pieces([text.encode("utf-8", "surrogateescape")])).decode(
            "utf-8", "surrogateescape"
        )

    def pieces(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield a body without the key, holding back only what may be the beginning of one."""
        if not self.conceals:
            yield from pieces
            return
        held = b""
        for piece in pieces:
            plain = held + piece
            if self.found(plain):
                plain = self._known.sub(MASK.encode(), plain)
            keep = len(plain) - self.begun(plain)
            held = plain[keep:]
            if keep:
                yield plain[:keep]
        if held:
            yield held

    def found(self, plain: bytes) -> list[tuple[int, int]]:
        """Return where keys begin and end."""
        small = plain.lower()
        if not any(form in small for form in self._forms):  # much faster than the expression
            return []
        return [found.span() for found in self._known.finditer(plain)]

    def begun(self, plain: bytes) -> int:
        """Return how many of the last bytes may be the beginning of a key."""
        end = plain[-len(self._forms[0]) :].lower()
        starts = (at for at, letter in enumerate(end) if letter in self._firsts)
        found = (at for at in starts if any(form.startswith(end[at:]) for form in self._forms))
        return len(end) - next(found, len(end))
