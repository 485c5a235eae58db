"""The command line: one command per verb, no logic of its own."""

from envwright.cli.app import main

__all__ = ["main"]
