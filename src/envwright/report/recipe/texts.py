"""Texts of a run's store, for people: damaged ones are reported, not raised."""

from __future__ import annotations

from dataclasses import dataclass, field

from envwright.core.text import legible
from envwright.errors import EnvwrightError
from envwright.translate.journal import Store

LARGEST = 200_000  # characters of a text that is shown and compared


@dataclass
class Texts:
    """Stored texts by name; `problems` collects those that could not be read."""

    store: Store
    problems: list[str] = field(default_factory=list)
    _read: dict[str, str] = field(default_factory=dict)

    def get(self, name: str | None) -> str:
        """Return a text; empty if there is none."""
        if name is None:
            return ""
        if name not in self._read:
            self._read[name] = self._text(name)
        return self._read[name]

    def _text(self, name: str) -> str:
        try:
            data = self.store.get(name)
        except EnvwrightError as error:
            self.problems.append(str(error))
            return f"[{error}]\n"
        try:
            text = legible(data.decode().replace("\r\n", "\n"))
        except UnicodeDecodeError:
            return f"[no text: {len(data):,} bytes]\n"
        if len(text) > LARGEST:
            return f"{text[:LARGEST]}\n[{len(text) - LARGEST:,} characters more]\n"
        return text
