"""Jinja templates of prompts and proposals."""

from __future__ import annotations

import json
from functools import lru_cache

import jinja2


@lru_cache
def templates(folder: str) -> jinja2.Environment:
    """Return the templates in a folder of this package."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("envwright.translate", folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # these are texts, not pages
    )
    made.filters["quoted"] = json.dumps  # a text as Python and TOML write it
    return made
