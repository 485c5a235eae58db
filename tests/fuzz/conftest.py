"""A tally of what was tried, printed at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

TALLY: dict[str, Counter[str]] = {}  # by kind of input, how they ended


@pytest.fixture
def counted() -> Callable[[str, Counter[str]], None]:
    """Notes how the inputs of a kind ended."""
    return TALLY.__setitem__


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print a line for each kind, and the sum. Processes of xdist print nothing."""
    if not TALLY:
        return
    terminalreporter.section("inputs")
    for kind, seen in {**TALLY, "in all": sum(TALLY.values(), Counter())}.items():
        parts = ", ".join(f"{count:,} {how}" for how, count in sorted(seen.items()))
        terminalreporter.write_line(f"{kind}: {seen.total():,} inputs: {parts}")
