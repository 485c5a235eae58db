"""Remove the key from everything that an endpoint sends back, however it is cut into pieces."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote

SHORTEST_SECRET = 8  # letters; local endpoints accept any text, and "none" is not a secret
MASK = "(key)"


def is_secret(key: str) -> bool:
    """Return whether a key is long enough to be one."""
    return len(key) >= SHORTEST_SECRET


class Concealer:
    """Replaces a key, as it is and as JSON and addresses spell it, in any case of letters."""

    def __init__(self, key: str) -> None:
        forms = {key, json.dumps(key)[1:-1], quote(key, safe="")} if is_secret(key) else set()
        self._forms = [form.encode().lower() for form in sorted(forms, key=len, reverse=True)]
        self._known = re.compile(b"|".join(map(re.escape, self._forms)), re.IGNORECASE)

    def text(self, text: str) -> str:
        """Return a text without the key."""
        return b"".join(self.pieces([text.encode("utf-8", "surrogateescape")])).decode(
            "utf-8", "surrogateescape"
        )

    def pieces(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield a body without the key, holding back only what may be the beginning of one."""
        if not self._forms:
            yield from pieces
            return
        held = b""
        for piece in pieces:
            plain = self._known.sub(MASK.encode(), held + piece)
            keep = len(plain) - self._begun(plain)
            held = plain[keep:]
            if keep:
                yield plain[:keep]
        if held:
            yield held

    def _begun(self, plain: bytes) -> int:
        """Return how many of the last bytes may be the beginning of a key."""
        end = plain[-len(self._forms[0]) :].lower()
        begun = (n for n in range(len(end), 0, -1) if self._is_beginning(end[-n:]))
        return next(begun, 0)

    def _is_beginning(self, end: bytes) -> bool:
        return any(form.startswith(end) for form in self._forms)
