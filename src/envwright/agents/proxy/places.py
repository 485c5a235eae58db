"""Replace the folders of one machine and run by placeholders in recordings.

A recording then contains no path of the machine that made it and replays in other folders.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envwright.agents.proxy.concealment import is_secret


class Places:
    """Folders by name, and secrets, which are only ever written as their name."""

    def __init__(
        self, folders: Mapping[str, Path] | None = None, secrets: Mapping[str, str] | None = None
    ) -> None:
        self._folders = {name: str(path) for name, path in (folders or {}).items()}
        # Some programs name a folder of theirs after the workspace.
        self._folders |= {f"{name}-name": _dashed(path) for name, path in self._folders.items()}
        known = [(form, name) for name, path in self._folders.items() for form in _forms(path)]
        known += [(secret, name) for name, secret in (secrets or {}).items() if is_secret(secret)]
        # The longest first: HOME may lie in the turn's folder.
        self._known = sorted(known, key=lambda pair: -len(pair[0]))

    def hide(self, text: str) -> str:
        """Replace folders and secrets by placeholders."""
        for form, name in self._known:
            text = text.replace(form, _placeholder(name))
        return text

    def hide_in(self, value: Any) -> Any:
        """Replace them in every string of a JSON value."""
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, list):
            return [self.hide_in(inner) for inner in value]
        if isinstance(value, dict):
            return {self.hide(name): self.hide_in(inner) for name, inner in value.items()}
        return value

    def fill(self, text: str) -> str:
        """Replace placeholders by this run's folders. Secrets stay hidden."""
        for name, path in self._folders.items():
            text = text.replace(_placeholder(name), path)
        return text


def _placeholder(name: str) -> str:
    # Plain letters, so that JSON writes it as it is; a form that no program's text has.
    return f"<<envwright:{name}>>"


def _dashed(path: str) -> str:
    return re.sub("[^A-Za-z0-9]", "-", path)


def _forms(path: str) -> set[str]:
    """Return the spellings of a path: as given, resolved, and escaped as in JSON."""
    spelt = {path, str(Path(path).resolve())} if os.path.isabs(path) else {path}
    return spelt | {json.dumps(form)[1:-1] for form in spelt}
