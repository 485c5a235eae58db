"""Small runs of the recipe as the loop would have written them, and stored results of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from envwright.agents.base import Usage
from envwright.schema.results import (
    Ablation,
    FunctionUpdate,
    ModuleUpdate,
    Part,
    TextChange,
    Trial,
    Update,
    as_json,
)
from envwright.translate.ablate import summarise
from envwright.translate.journal import FORMAT, Journal, Store
from envwright.translate.spec import load_spec
from envwright.translate.verdict import Failure, Verdict

LAMP = Path(__file__).parents[1] / "translate" / "lamp"
SRC, OWN = "src/fast_lamp", "tests/own"
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"

HEAT = 'def warm(heat, level):\n    """Warmer."""\n    return 0.75 * heat + 0.0625 * level\n'
BETTER_HEAT = HEAT.replace("* level", "* level * level")
ENV = "class Lamp:\n    max_steps = 41\n"
BETTER_ENV = ENV.replace("41", "40")

PARTED = """lamp:LampEnv and fast_lamp.env:Lamp differ at step 40 (level 3)
  field      truncated   (tolerance: exact)"""
DIVERGENCE = {
    "level": 3,
    "reference": "python:lamp:LampEnv",
    "twin": "python:fast_lamp.env:Lamp",
    "field": "truncated",
    "reference_value": True,
    "twin_value": False,
    "tolerance": "exact",
    "step": 0,
    "seed": 3,
    "actions": [1],
    "start": None,
    "origin": "an episode of the random policy",
}


class Story:
    """Writes a journal, an event a line. Every event is ten seconds after the one before."""

    def __init__(self, folder: Path, name: str = "20260102-030405-abcd") -> None:
        if not folder.exists():
            shutil.copytree(LAMP, folder)
        self.spec = load_spec(folder)
        self.folder = folder / "runs" / name
        self.folder.mkdir(parents=True)
        self.store = Store(self.folder / "objects")
        self._now, self._turn = 1_767_323_045.0, 0
        self.journal = Journal(self.folder / "journal.jsonl", self._clock)

    def _clock(self) -> float:
        self._now += 10
        return self._now

    def begin(self, event: str = "begun", /, **agent: str) -> Story:
        told = {"kind": "opencode", "model": "clever-1", "cost": "dollars from a price list"}
        self.journal.append(
            event,
            format=FORMAT,
            id="lamp",
            reference=self.spec.reference.simulator,
            spec=self.store.put(self.spec.path.read_bytes()),
            levels=[1, 2, 3],
            agent=agent or told,
            budget={"dollars": 5.0, "tokens": None, "iterations": 60, "per_level": 50},
            envwright="0.1.0",
            machine={"cpu": "abacus", "cores": 2},
        )
        return self

    def ask(self, task: str, prompt: str = "Do it.") -> Story:
        self._turn += 1
        purpose = task.split()[0].replace("write", "interactions")
        kept = self.store.put(prompt.encode())
        self.journal.append("asked", turn=self._turn, purpose=purpose, task=task, prompt=kept)
        return self

    def answer(self, text: str = "done", status: str = "ok", **told: Any) -> Story:
        files, usage = told.pop("files", {}), told.pop("usage", Usage(900, 700, 100, 3, 0.02))
        purpose = self.journal.of("asked")[-1]["purpose"]
        known = {"reason": "", "seconds": 30.0, "meddled": [], **told}
        self.journal.append(
            "answered",
            turn=self._turn,
            purpose=purpose,
            status=status,
            text=text,
            usage=usage.to_json(),
            files=self.kept(files),
            **known,
        )
        return self

    def kept(self, files: dict[str, str | None]) -> dict[str, str | None]:
        return {p: None if t is None else self.store.put(t.encode()) for p, t in files.items()}

    def judge(
        self, phase: int, module: int, *verdicts: Verdict, tests: Sequence[bytes] = ()
    ) -> Story:
        self.journal.append(
            "judged",
            phase=phase,
            module=module,
            whole=module >= 1,
            verdicts=[v.to_json() for v in verdicts],
            regressions=[self.store.put(test) for test in tests],
            seconds=6.0,
        )
        return self

    def edit(self, files: dict[str, str | None]) -> Story:
        self.journal.append("edited", files=self.kept(files))
        return self

    def end(self, outcome: str, reason: str = "") -> Story:
        self.journal.append("ended", outcome=outcome, reason=reason)
        return self


def level(number: int, passed: int, failed: int = 0, notes: list[str] | None = None) -> Verdict:
    """Tests `a1`, `a2`, … of which the last fail."""
    failures = [
        Failure(f"{'abcd'[number - 1]}{n}", "", f"heat: reference {n}.0, yours 0.0", PARTED)
        for n in range(passed + 1, passed + failed + 1)
    ]
    names = [f"{'abcd'[number - 1]}{n}" for n in range(1, passed + 1)]
    return Verdict(number, names, failures, notes or [])


def whole_run(folder: Path, optimised: bool = True, **agent: str) -> Story:
    """Everything that can happen on the way to a verified translation."""
    usage = {} if not agent else {"usage": Usage()}
    story = Story(folder).begin(**agent)
    story.ask("translate heat", "Translate `heat`.\n\n" + "A long contract. " * 60)
    story.answer("Wrote `heat.py`.", files={f"{SRC}/heat.py": HEAT}, **usage)
    story.judge(1, 0, level(1, 1, 1))
    story.ask("repair level 1").answer(
        status="timeout", reason="the agent took too long", text="", **usage
    )
    story.ask("repair level 1").answer(
        "The level counts twice.",
        files={f"{SRC}/heat.py": BETTER_HEAT, f"{OWN}/test_heat.py": "def test_warm(): ...\n"},
        meddled=["tests/golden/heat.npz", "PROMPT.md"],
        **usage,
    )
    story.judge(1, 0, level(1, 2, notes=["the agent's own tests: 1 passed in 0.1s"]))
    story.ask("translate env").answer(files={f"{SRC}/env.py": ENV}, **usage)
    story.judge(1, 1, level(1, 4, notes=["steps: 2000 fuzzed states"]))
    story.ask("write tests between modules").answer(
        files={f"{OWN}/test_between.py": "def test_between(): ...\n"}, **usage
    )
    story.judge(2, 2, level(2, 2))
    regression = json.dumps({"check": "plain", "divergence": DIVERGENCE}).encode()
    story.judge(3, 2, level(3, 1, 1), tests=[regression])
    story.ask("repair level 3").answer(
        "A limit was off by one.", files={f"{SRC}/env.py": BETTER_ENV}, **usage
    )
    story.judge(3, 2, level(1, 5), level(2, 2), level(3, 2, notes=["2 × 20 episodes"]))
    story.end("verified")
    if optimised:
        optimise(story)
    return story


def evil_run(folder: Path) -> Story:
    """A run in which everything that is not ours tries to be markup."""
    name = f"{SRC}/<b onclick=alert(3)>.py"
    story = Story(folder).begin(kind=EVIL, model=EVIL, costs=EVIL)
    story.ask(f"translate {EVIL}", EVIL).answer(
        f"{EVIL} `{EVIL}`", files={name: f"x = '{EVIL}'\n"}, meddled=[EVIL]
    )
    story.judge(1, 0, evil(level(1, 1, 1)), tests=[EVIL.encode()]).end("human", EVIL)
    story.ask("repair level 1").answer(EVIL * 20, files={name: EVIL}, status="crash", reason=EVIL)
    optimise(story, said=EVIL)
    return story


def evil(verdict: Verdict) -> Verdict:
    """A verdict whose every word is an attempt to be markup."""
    failures = [Failure(EVIL, EVIL, EVIL, EVIL) for _ in verdict.failures]
    return Verdict(verdict.level, [f"{name}{EVIL}" for name in verdict.passed], failures, [EVIL])


def optimise(story: Story, said: str = "Fewer multiplications.") -> None:
    """Three rounds: faster, wrong, and not faster."""
    (story.folder / "optimise").mkdir()
    journal = Journal(story.folder / "optimise" / "journal.jsonl", story._clock)
    faster = BETTER_HEAT.replace("0.75 * heat + ", "heat - 0.25 * heat + ")
    rounds = [
        (said, True, "faster", race(1.31), {f"{SRC}/heat.py": faster}),
        ("A table.", False, "level 1 fails: a2: heat: 1 and 2", None, {f"{SRC}/heat.py": HEAT}),
        ("Another order.", False, "it is not faster beyond the noise", race(1.004), {}),
    ]
    for number, (said, kept, why, raced, files) in enumerate(rounds, 1):
        journal.append(
            "round",
            number=number,
            status="ok",
            said=said,
            usage=Usage(500, 0, 50, 1, 0.01).to_json(),
            seconds=20.0,
            files=story.kept(files),
            meddled=[],
            kept=kept,
            why=why,
            race=raced,
            verdicts=[],
        )


def race(gain: float) -> dict[str, Any]:
    """What a contest leaves behind."""
    samples = [1.0, 1.02, 0.98]
    batches = {
        str(b): {
            "incumbent": [2e5 * b**0.7 * s for s in samples],
            "candidate": [2e5 * b**0.7 * s * gain for s in samples],
        }
        for b in (32, 512, 8192)
    }
    known = {"gain": gain, "low": gain - 0.02, "implausible": False, "wrong": ""}
    return {"batches": batches, **known}


def optimisation(env: str = "cartpole") -> dict[str, Any]:
    """What `optimise --json` writes."""
    rounds = [
        {"round": 1, "said": "Fused it.", "kept": True, "why": "faster", "race": race(1.5)},
        {"round": 2, "said": EVIL, "kept": False, "why": "nothing was changed", "race": None},
    ]
    return {
        "kind": "optimisation",
        "env": env,
        "outcome": "done",
        "reason": "",
        "gain": 1.5,
        "usage": Usage().to_json(),
        "rounds": rounds,
    }


def update(env: str = "cartpole") -> dict[str, Any]:
    """What `update --json` writes."""
    text = TextChange(title="Env.step", added=2, removed=1)
    call = {"inputs": {"x": 1.0}, "old": {"result": 2.0}, "new": {"result": 3.0}}
    function = FunctionUpdate(target="kit:Env.step", calls=900, differ=7, **call)
    modules = [
        ModuleUpdate(
            name="step", verdict="behaviour", why=EVIL, texts=[text], functions=[function]
        ),
        ModuleUpdate(name="env", verdict="same", why="30 calls with equal inputs agree"),
    ]
    parts = [
        Part(name="starts", compared=50, unit="seeds", differ=0),
        Part(name="episodes", compared=12, unit="episodes", differ=3, first="seed 7, step 2"),
    ]
    versions = {"package": "kit", "old": "1.0", "new": "2.0"}
    return as_json(Update(env=env, **versions, modules=modules, parts=parts))


def ablation(env: str = "cartpole") -> dict[str, Any]:
    """What `ablate --json` writes."""
    trials = []
    for n in (1, 2, 3):
        sums = (6 + n, n, 1000 * n, 0.1 * n, 60.0 * n)
        trials.append(Trial("full hierarchy", n, "verified", *sums, missed=0))
        outcome = "verified" if n == 1 else "human"
        sums = (50, 48, 9000 + n, 0.9, 600.0 + n)
        trials.append(Trial("level 3 only", n, outcome, *sums, missed=n if n == 1 else None))
    return as_json(Ablation(env=env, arms=summarise(trials), trials=trials))
