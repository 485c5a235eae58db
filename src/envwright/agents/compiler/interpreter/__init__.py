"""Interprets the reference's own source on values that are not known yet."""

from envwright.agents.compiler.interpreter.machine import Machine

__all__ = ["Machine"]
