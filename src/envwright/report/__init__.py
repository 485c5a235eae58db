"""The report: one self-contained HTML page made from stored results."""

from __future__ import annotations

from pathlib import Path

from envwright.core.files import check_target, write_text
from envwright.core.progress import Progress, quiet
from envwright.report.page import build_page
from envwright.report.results import Results, read_results


def write_report(
    output: Path, folder: Path, trust: bool = False, told: Progress = quiet, only: str = ""
) -> Results:
    """Make the page at `output` from the results below `folder`; return these results.

    `only` is the id of a room whose results are to be shown alone.
    """
    check_target(output)
    results = read_results(folder, only)
    write_text(output, build_page(results, output, trust, told))
    return results


__all__ = ["Results", "read_results", "write_report"]
