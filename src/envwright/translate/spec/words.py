"""Single entries of `translation.toml` that must be names or numbers of a kind."""

from __future__ import annotations

import re

from envwright.core.toml_table import Table

# Names that neither a module nor a crate can have in Rust.
_RUST = """
abstract alloc as async await become box break const continue core crate do dyn else enum extern
false final fn for harness if impl in let loop macro match mod move mut override priv proc_macro
pub ref return self static std struct super test trait true try type typeof unsafe unsized use
virtual where while yield
"""
RUST_WORDS = frozenset(_RUST.split())


def count(table: Table, key: str, default: int, least: int = 0) -> int:
    """A whole number that is not too small."""
    value = table.get(key, int, default)
    if value < least:
        raise table.wrong(key, f"{key!r} must be at least {least}, not {value}")
    return value


def word(table: Table, key: str) -> str:
    """A name in the code."""
    value = table.get(key, str)
    if not value.isidentifier():
        raise table.wrong(key, f"{key!r} is a name in the code, not {value!r}")
    return value


def target_of_pairs(table: Table) -> str:
    """`module:Class.method` of the reference."""
    value = table.get("target", str)
    module, _, name = value.partition(":")
    if not module or not name:
        raise table.wrong("target", f"'target' is module:Class.method, not {value!r}")
    return value


def identifier(table: Table, key: str) -> str:
    """Small letters, digits and _."""
    value = table.get(key, str)
    if not re.fullmatch(r"[a-z][a-z0-9_]*", value):
        raise table.wrong(key, f"{key!r} is small letters, digits and _, not {value!r}")
    return value


def file_name(table: Table) -> str:
    """The file of a module."""
    name = table.get("file", str)
    if not re.fullmatch(r"[a-z][a-z0-9_]*\.(py|rs)", name):
        raise table.wrong("file", f"'file' is a name such as rules.py, not {name!r}")
    return name
