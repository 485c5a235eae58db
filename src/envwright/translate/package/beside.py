"""The user's code beside a translation.toml that its package needs: bridges and policies.

Two folders may each have a `bridge.py`, so that the package holds it under a name of its own:
`python:bridge:BRIDGE` becomes `python:fast_game._bridge:BRIDGE`.
"""

from __future__ import annotations

import re
from pathlib import Path

from envwright.core.files import read_text
from envwright.errors import EnvwrightError
from envwright.schema.toml_file import TomlFile
from envwright.schema.translation import Translation, read_translation
from envwright.translate.spec import TranslationSpec

SCHEME = "python:"
MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")  # never a path


def modules_beside(spec: TranslationSpec) -> dict[str, str]:
    """Return the modules to ship, by name, and their names in the package."""
    names = [_module(name) for name in _names_beside(spec)]
    return {name: f"_{name.replace('.', '_')}" for name in dict.fromkeys(names)}


def source_of(spec: TranslationSpec, module: str) -> Path:
    """Return the file of a module that lies beside the toml."""
    return spec.folder / f"{module.replace('.', '/')}.py"


def packaged_toml(spec: TranslationSpec, draft: Path) -> None:
    """Write the toml with the names that its modules have in the package."""
    text, renamed = read_text(spec.path), modules_beside(spec)
    for name in _names_beside(spec):
        module, _, attribute = name.removeprefix(SCHEME).partition(":")
        ours = f"{SCHEME}{spec.target.package}.{renamed[module]}:{attribute}"
        for quote in "\"'":
            text = text.replace(f"{quote}{name}{quote}", f"{quote}{ours}{quote}")
    draft.write_text(text, encoding="utf-8")
    left = set(_names_beside(spec)) & set(_named(read_translation(TomlFile(draft))))
    if left:
        raise EnvwrightError(
            f"{spec.path} spells {min(left)!r} with escapes; write it as plain text"
        )


def _names_beside(spec: TranslationSpec) -> list[str]:
    """Return the bridges and policies whose files lie beside the toml."""
    names = _named(read_translation(TomlFile(spec.path)))
    plain = [name for name in names if MODULE.fullmatch(_module(name))]
    return [name for name in plain if source_of(spec, _module(name)).is_file()]


def _named(read: Translation) -> list[str]:
    """Return the bridges and policies that a toml names as `python:module:attribute`."""
    bridges = [check.bridge for check in read.checks if isinstance(check.bridge, str)]
    named = dict.fromkeys([*bridges, *read.l3.policies])
    return [name for name in named if name.startswith(SCHEME)]


def _module(name: str) -> str:
    return name.removeprefix(SCHEME).partition(":")[0]
