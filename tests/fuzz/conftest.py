"""A tally of what was tried, printed at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest


@pytest.fixture(scope="module")
def counted(request: pytest.FixtureRequest) -> Iterator[Callable[[str, Counter[str]], None]]:
    """Notes how the inputs of a kind ended; prints a line for each kind, and the sum."""
    tally: dict[str, Counter[str]] = {}
    yield tally.__setitem__
    terminal = request.config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None or not tally:  # a worker, whose output is not shown
        return
    tally["in all"] = sum(tally.values(), Counter())
    terminal.ensure_newline()
    for kind, seen in tally.items():
        parts = ", ".join(f"{count:,} {how}" for how, count in sorted(seen.items()))
        terminal.write_line(f"  {kind}: {seen.total():,} inputs: {parts}")
