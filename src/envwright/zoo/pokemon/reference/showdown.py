"""Showdown's simulator in a Node.js child process, with questions in JSON lines.

with Showdown() as showdown:
    first, second = showdown.teams(seed=1, count=2)         # packed text
    battle = showdown.new(seed=7, teams=(first, second))    # battle.snapshot
    battle.step((0, 3))                                     # our 14 actions; the new snapshot
    game = showdown.play(seed=7, teams=(first, second), policy=1, snapshots=True)
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from envwright.errors import EnvwrightError
from envwright.zoo.pokemon.reference.install import HERE, installed

Snapshot = dict[str, Any]
Pair = Sequence[int]
_MASK64 = (1 << 64) - 1


def seed_words(seed: int | str) -> str:
    """Return a seed as Showdown writes it: four 16-bit words, the highest first.

    Small numbers are spread over all words (splitmix64), so that seeds 1, 2, 3 share nothing.
    """
    if isinstance(seed, str):
        return seed
    z = (seed * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) & _MASK64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK64
    z ^= z >> 31
    return ",".join(str((z >> shift) & 0xFFFF) for shift in (48, 32, 16, 0))


@dataclass
class LiveBattle:
    """A battle that stays open in the child."""

    showdown: Showdown
    id: int
    snapshot: Snapshot

    def step(self, actions: Pair) -> Snapshot:
        """Play both players' choices; return the snapshot at the next request or at the end."""
        answer = self.showdown.ask(op="step", id=self.id, actions=list(actions))
        self.snapshot = answer["snapshot"]
        return self.snapshot

    def log(self, start: int = 0) -> list[str]:
        """Return the battle's log in Showdown's protocol, from a line on."""
        return self.showdown.ask(op="log", id=self.id, **{"from": start})["log"]

    def json(self) -> dict[str, Any]:
        """Return everything that the simulator holds (about 70 KB), for debugging."""
        return self.showdown.ask(op="json", id=self.id)["battle"]

    def free(self) -> None:
        """Forget the battle."""
        self.showdown.ask(op="free", id=self.id)


class Showdown:
    """A child process. `count_callbacks` makes it slow and lets `fired` report what ran.

    `packages` holds another version than the pinned one.
    """

    def __init__(self, count_callbacks: bool = False, packages: Path | None = None) -> None:
        packages = packages or installed()
        command = ["node", str(HERE / "bridge.js")]
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed with the child
        self._child = subprocess.Popen(
            command + ["--count-callbacks"] * count_callbacks,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={**os.environ, "NODE_PATH": str(packages / "node_modules")},
        )
        assert self._child.stdin and self._child.stdout  # both are pipes
        self._stdin, self._stdout = self._child.stdin, self._child.stdout
        self._next = 0

    def __enter__(self) -> Showdown:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The process id of the child."""
        return self._child.pid

    def close(self) -> None:
        """Stop the child."""
        if not self._stdin.closed:
            self._stdin.close()
            self._child.wait(timeout=30)
            self._stdout.close()
            self._errors.close()

    def send(self, **request: Any) -> None:
        """Send a request; `receive` gets the answers in order."""
        try:
            self._stdin.write(json.dumps(request) + "\n")
            self._stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise EnvwrightError(f"Showdown's process has ended: {self._last_words()}") from error

    def receive(self) -> dict[str, Any]:
        """Return the next answer."""
        line = self._stdout.readline()
        if not line:
            raise EnvwrightError(f"Showdown's process has ended: {self._last_words()}")
        return _checked(json.loads(line))

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request and return its answer."""
        self.send(**request)
        return self.receive()

    def teams(self, seed: int | str, count: int) -> list[str]:
        """Return teams of the generator for `gen9randombattle`, packed."""
        return self.ask(op="teams", seed=seed_words(seed), count=count)["teams"]

    def new(self, seed: int | str, teams: Sequence[str]) -> LiveBattle:
        """Start a battle between two packed teams."""
        self._next += 1
        request = {"op": "new", "id": self._next, "seed": seed_words(seed), "teams": list(teams)}
        return LiveBattle(self, self._next, self.ask(**request)["snapshot"])

    def play(
        self,
        seed: int | str,
        teams: Sequence[str],
        policy: int = 0,
        attack: int = 70,
        most: int = 0,
        **keep: bool,
    ) -> dict[str, Any]:
        """Play a whole game in the child, by a seeded policy that draws from the legal actions.

        `attack` per cent of the time it draws from the moves only; `most` bounds the decisions;
        `keep` may ask for snapshots, records and the log.
        """
        return self.ask(
            op="play",
            seed=seed_words(seed),
            teams=list(teams),
            policy=policy,
            attack=attack,
            most=most,
            **keep,
        )

    def replay(
        self, seed: int | str, teams: Sequence[str], actions: Sequence[Pair], **keep: bool
    ) -> dict[str, Any]:
        """Play given actions from the start and keep the same as `play`."""
        pairs = [list(pair) for pair in actions]
        seed = seed_words(seed)
        return self.ask(op="replay", seed=seed, teams=list(teams), actions=pairs, **keep)

    @cached_property
    def schema(self) -> dict[str, tuple[int, ...]]:
        """Return the columns of a record: name -> shape, in order."""
        return {name: tuple(shape) for name, shape in self.ask(op="schema")["schema"]}

    def audit(
        self, seed: int | str, teams: Sequence[str], actions: Sequence[Pair]
    ) -> list[tuple[int, int, bool]]:
        """Return where the mask after given actions differs from what the simulator accepts.

        (player, action, accepted) for each of the 13 choices that differ.
        """
        pairs = [list(pair) for pair in actions]
        answer = self.ask(op="audit", seed=seed_words(seed), teams=list(teams), actions=pairs)
        return [tuple(row) for row in answer["wrong"]]

    def fired(self, reset: bool = True) -> dict[str, list[int]]:
        """Return callbacks since the last reset: name -> [calls, calls that did something]."""
        return self.ask(op="fired", reset=reset)["fired"]

    def _last_words(self) -> str:
        self._errors.seek(0)
        text = self._errors.read().strip()
        return text[-300:] if text else "it said nothing"


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    if "error" in answer:
        raise EnvwrightError(f"Showdown refuses: {answer['error']}")
    return answer
