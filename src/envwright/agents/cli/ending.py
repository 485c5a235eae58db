"""Decide how a turn ended from the program's exit and the proxy's observations."""

from __future__ import annotations

from envwright.agents.base import Status
from envwright.agents.cli.tool import CliTool, Said
from envwright.agents.proxy import Trouble
from envwright.sandbox import Finished, Limits


def judge(
    program: CliTool, finished: Finished, limits: Limits, said: Said, trouble: Trouble | None
) -> tuple[Status, str]:
    """Return the status, and the reason if the turn failed.

    The proxy takes precedence over the program: programs exit with 0 even if no model answered.
    """
    if trouble is not None and trouble.kind == "budget":
        return "budget", trouble.reason
    if finished.stopped == "time":
        waited = f"; {trouble.reason}" if trouble else ""
        return "timeout", f"{program.name} took longer than {limits.seconds:g} s{waited}"
    if finished.stopped:
        return "crash", f"{program.name} was {limits.why(finished.stopped)}"
    if trouble is not None:
        return "auth" if trouble.kind == "auth" else "crash", trouble.reason
    status = said.status or program.statuses.get(finished.code)
    if status is None:
        status = "ok" if finished.code == 0 and not said.error else "crash"
    if status == "ok":
        return "ok", ""
    reason = said.error or _last_line(finished.stderr) or "it gave no reason"
    return status, f"{program.name} ended with code {finished.code}: {reason}"


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
