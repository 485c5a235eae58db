"""Interpret the reference's own source on unknown values."""

from envwright.agents.compiler.interpreter.machine import Machine

__all__ = ["Machine"]
