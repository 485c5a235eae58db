"""Judge the code of a run and record complete judgements."""

from __future__ import annotations

import hashlib
import json
import stat
import time
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from envwright.sandbox import tree
from envwright.translate.deadline import Deadline
from envwright.translate.harness import guarded_files
from envwright.translate.jailed import twin_for
from envwright.translate.judge import Judge
from envwright.translate.plan import JudgeLevels, JudgeModules, Position
from envwright.translate.run.context import RunContext
from envwright.translate.run.reporter import how_it_stands
from envwright.translate.transfer import judge_transfer
from envwright.translate.verdict import Verdict

CARRIED = "The code of an earlier run is judged again.\n"
ENTRIES = 10_000  # files and folders of level 4


@dataclass
class Judgements:
    """Judges the code of a run."""

    context: RunContext
    _sitting: tuple[object, Judge] | None = None

    def judge(self, move: JudgeModules | JudgeLevels, deadline: Deadline) -> None:
        """Judge and record. Records nothing if the deadline interrupts it."""
        context = self.context
        at = context.position
        context.workspace.restore(at.files)
        if at.carried:  # no turn may have put the harness's files there
            guarded = guarded_files(
                context.spec, context.recordings, context.tests(at), CARRIED, at.translated
            )
            context.workspace.guard(guarded)
        context.workspace.make_agent_folders()
        began = time.monotonic()
        judge = self._judge_of(at)
        judge.deadline = deadline
        verdicts = self._verdicts(judge, move)
        whole = isinstance(move, JudgeLevels) or move.count == len(context.spec.modules)
        context.journal.append(
            "judged",
            phase=at.phase,
            module=at.module,
            whole=whole,
            verdicts=[v.to_json() for v in verdicts],
            regressions=[context.store.put(test) for v in verdicts for test in v.regressions],
            seconds=round(time.monotonic() - began, 3),
        )
        for verdict in verdicts:
            context.reporter.say(how_it_stands(verdict))

    def _judge_of(self, at: Position) -> Judge:
        """Return the judge of the current code. It stays open until the code changes."""
        context = self.context
        code = (at.files, at.regressions)
        if self._sitting is None or self._sitting[0] != code:
            self.close()
            # Earlier code must not leave notes for the current code.
            scratch = tree.fresh(context.folder / "scratch")
            twin = twin_for(context.spec, context.workspace.root, scratch, context.confined)
            judge = Judge(
                context.spec,
                twin,
                context.recordings,
                context.tests(at),
                context.reporter.progress,
                context.secret,
            )
            self._sitting = (code, judge)
        return self._sitting[1]

    def close(self) -> None:
        """End the judge's processes."""
        if self._sitting is not None:
            self._sitting[1].close()
            self._sitting = None

    def _verdicts(self, judge: Judge, move: JudgeModules | JudgeLevels) -> list[Verdict]:
        """Judge the levels in order, up to the first that is not green."""
        context = self.context
        if isinstance(move, JudgeModules):
            return [judge.modules(move.count)]
        verdicts: list[Verdict] = []
        for level in move.levels:
            context.reporter.say(f"  level {level} …")
            if level == 1:
                verdict = judge.modules(len(context.spec.modules))
            elif level == 4:
                policies = self._policies()
                verdict = judge_transfer(
                    context.spec, judge.twin, policies, context.reporter.say, judge.deadline
                )
                if verdict.failures:
                    judge.diagnose(verdict, _trained(policies))
            else:
                verdict = judge.level(level, keep_regressions=1 in context.levels)
            verdicts.append(verdict)
            if not verdict.green:
                break
        return verdicts

    def _policies(self) -> Path:
        """Return the folder for level 4's policies, one for each state of the code."""
        files = json.dumps(self.context.position.files, sort_keys=True)
        return self.context.folder / "policies" / hashlib.sha256(files.encode()).hexdigest()[:12]


def _trained(folder: Path) -> list[Path]:
    """Return the files of policies that a jail left, which may be anything else, too."""
    return sorted(
        folder.parent / path
        for path, status in tree.listed(folder.parent, folder.name, ENTRIES)
        if fnmatch(path, "*/policies/*.npz") and stat.S_ISREG(status.st_mode)
    )
