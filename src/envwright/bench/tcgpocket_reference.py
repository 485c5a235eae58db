"""Games of TCG Pocket on the Python reference, one after another, in processes of their own.

No JAX here: a process that plays the reference need not load it.
"""

from __future__ import annotations

import multiprocessing
import random
import time
from multiprocessing.connection import Connection

from envwright.bench.actions import SEED
from envwright.zoo.tcgpocket import deck_lists
from envwright.zoo.tcgpocket.reference import Game


class ReferenceProcesses:
    """So many processes that play random games between decks of `deck_lists`."""

    def __init__(self, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipes, self.children = [], []
        self.spent = 0.0  # seconds of processor time of all
        for number in range(count):
            ours, theirs = context.Pipe()
            child = context.Process(target=_serve, args=(theirs, SEED + number), daemon=True)
            child.start()
            theirs.close()
            self.pipes.append(ours)
            self.children.append(child)

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes."""
        return tuple(child.pid or 0 for child in self.children)

    def play(self, steps: int) -> int:
        """At least so many decisions, divided among all; says how many were made."""
        share = -(-steps // len(self.pipes))
        for pipe in self.pipes:
            pipe.send(share)
        answers = [pipe.recv() for pipe in self.pipes]
        self.spent += sum(seconds for _, seconds in answers)
        return sum(done for done, _ in answers)

    def close(self) -> None:
        """End the processes."""
        for pipe in self.pipes:
            pipe.send(0)
        for child in self.children:
            child.join()


class RandomGames:
    """Games that follow each other; whoever decides takes any legal action."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.names = list(deck_lists.LISTS)
        self.game = self._new()

    def _new(self) -> Game:
        names = [self.rng.choice(self.names) for _ in range(2)]
        return Game.new([deck_lists.named(name) for name in names], self.rng.getrandbits(64))

    def play(self, steps: int) -> None:
        """So many decisions."""
        game, choice = self.game, self.rng.choice
        for _ in range(steps):
            if game.over:
                game = self._new()
            game.step(choice(game.legal))
        self.game = game


def _serve(pipe: Connection, seed: int) -> None:
    games = RandomGames(seed)
    while steps := pipe.recv():
        began = time.process_time()
        games.play(steps)
        pipe.send((steps, time.process_time() - began))
