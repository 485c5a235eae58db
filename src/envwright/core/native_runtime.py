"""The sources of the Rust runtime, which packages bring along to be built anywhere."""

from __future__ import annotations

from envwright._native import runtime_sources

__all__ = ["runtime_sources"]
