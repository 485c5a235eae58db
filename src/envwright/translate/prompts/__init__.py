"""Prompts: templates, and the functions that fill them in."""

from envwright.translate.prompts.rendering import (
    human_page,
    optimise,
    repair,
    translate_module,
    workspace_readme,
    write_interactions,
)

__all__ = [
    "human_page",
    "optimise",
    "repair",
    "translate_module",
    "workspace_readme",
    "write_interactions",
]
