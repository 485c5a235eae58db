"""Judgements of the code as it stands, written down when they are whole."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from envwright.translate.deadline import Deadline
from envwright.translate.jailed import twin_for
from envwright.translate.judge import Judge
from envwright.translate.plan import JudgeLevels, JudgeModules, Position
from envwright.translate.run.desk import Desk
from envwright.translate.run.talk import how_it_stands
from envwright.translate.transfer import judge_transfer
from envwright.translate.verdict import Verdict


@dataclass
class Judgements:
    """Judges the code of a run."""

    desk: Desk
    _sitting: tuple[object, Judge] | None = None

    def judge(self, move: JudgeModules | JudgeLevels, deadline: Deadline) -> None:
        """Judge, and write it down; nothing is written of what the deadline cut off."""
        desk = self.desk
        at = desk.position
        desk.workspace.restore(at.files)
        desk.make_own_folders()
        began = time.monotonic()
        judge = self._judge_of(at)
        judge.deadline = deadline
        verdicts = self._verdicts(judge, move)
        whole = isinstance(move, JudgeLevels) or move.count == len(desk.spec.modules)
        desk.journal.append(
            "judged",
            phase=at.phase,
            module=at.module,
            whole=whole,
            verdicts=[v.to_json() for v in verdicts],
            regressions=[desk.store.put(test) for v in verdicts for test in v.regressions],
            seconds=round(time.monotonic() - began, 3),
        )
        for verdict in verdicts:
            desk.talk.say(how_it_stands(verdict))

    def _judge_of(self, at: Position) -> Judge:
        """The judge of the code as it is: what he has opened serves until it changes."""
        desk = self.desk
        code = (at.files, at.regressions)
        if self._sitting is None or self._sitting[0] != code:
            self.close()
            # Code that was there before must not leave notes for the code that is there now.
            scratch = desk.folder / "scratch"
            shutil.rmtree(scratch, ignore_errors=True)
            twin = twin_for(desk.spec, desk.workspace.root, scratch, desk.confined)
            judge = Judge(
                desk.spec,
                twin,
                desk.recordings,
                desk.tests(at),
                desk.talk.progress,
                desk.secret,
            )
            self._sitting = (code, judge)
        return self._sitting[1]

    def close(self) -> None:
        """End the judge's processes."""
        if self._sitting is not None:
            self._sitting[1].close()
            self._sitting = None

    def _verdicts(self, judge: Judge, move: JudgeModules | JudgeLevels) -> list[Verdict]:
        """The levels in order, up to the first that is not green."""
        desk = self.desk
        if isinstance(move, JudgeModules):
            return [judge.modules(move.count)]
        verdicts: list[Verdict] = []
        for level in move.levels:
            desk.talk.say(f"  level {level} …")
            if level == 1:
                verdict = judge.modules(len(desk.spec.modules))
            elif level == 4:
                policies = self._policies()
                verdict = judge_transfer(
                    desk.spec, judge.twin, policies, desk.talk.say, judge.deadline
                )
                if verdict.failures:
                    judge.diagnose(verdict, sorted(policies.rglob("policies/*.npz")))
            else:
                verdict = judge.level(level, keep_regressions=1 in desk.levels)
            verdicts.append(verdict)
            if not verdict.green:
                break
        return verdicts

    def _policies(self) -> Path:
        """Where level 4 keeps what it trains: another place for other code."""
        files = json.dumps(self.desk.position.files, sort_keys=True)
        return self.desk.folder / "policies" / hashlib.sha256(files.encode()).hexdigest()[:12]
