"""Pokemon Red's observation and reward, which need more memory than RAM has.

    env = PokemonRed(num_envs=16, rom="PokemonRed.gb")
    obs = env.reset()
    obs, reward, terminated, truncated = env.step(actions)

The rules are those of the widely used exploration set-up. Bring your own ROM.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from envwright._native import GameBoys
from envwright.core.native import available_cores
from envwright.errors import EnvwrightError
from envwright.zoo.gameboy.roms import find_rom, read_rom
from envwright.zoo.gameboy.settings import Settings, find_game

X, Y, MAP, BATTLE, PARTY, BADGES = 0xD362, 0xD361, 0xD35E, 0xD057, 0xD163, 0xD356
MEMBERS, MEMBER = 6, 0x2C  # bytes from one to the next
LEVELS = [0xD18C + MEMBER * i for i in range(MEMBERS)]
HP = [0xD16C + MEMBER * i for i in range(MEMBERS)]  # big-endian words
MAX_HP = [0xD18D + MEMBER * i for i in range(MEMBERS)]
EVENTS = range(0xD747, 0xD87E)
MUSEUM_TICKET = 0xD754, 1  # a bit that is set and cleared again does not count
EVENT_WEIGHT, HEAL_WEIGHT, BADGE_WEIGHT, PLACE_WEIGHT, STUCK_WEIGHT = 4.0, 10.0, 10.0, 0.1, -0.05
SCALE, EXPLORE = 0.5, 0.25
STUCK = 600  # visits of a tile from which on a visit costs
STACK, RECENT, AROUND, WAVES = 3, 3, 48, 8


class PokemonRed:
    """N games. Observations are a dict of arrays, rewards the change of a growing total."""

    def __init__(
        self,
        num_envs: int = 1,
        threads: int | None = None,
        rom: str | os.PathLike[str] | None = None,
        state: bytes | None = None,
        max_steps: int | None = None,
    ) -> None:
        """Begin from `state`, a saved state of PyBoy's, or from the game's own beginning."""
        self.settings: Settings = find_game("pokemon-red").changed(max_steps=max_steps)
        data = read_rom(rom or find_rom(self.settings.roms, self.settings.note))
        self.num_envs = num_envs
        self.boys = GameBoys(data, num_envs, threads or available_cores())
        self._start = self._first_snapshot(state)
        self._words = np.array([*HP, *MAX_HP], np.uint16)
        singles = [X, Y, MAP, BATTLE, PARTY, BADGES, *LEVELS]
        high_low = [a + i for a in self._words.tolist() for i in (0, 1)]
        self._addresses = np.array([*singles, *high_low, *EVENTS], np.uint16)
        self._ram = np.zeros((num_envs, len(self._addresses)), np.uint8)
        self._screens = np.zeros((num_envs, 72, 80), np.uint8)
        self._visits: list[dict[tuple[int, int, int], int]] = [{} for _ in range(self.num_envs)]
        self._steps = np.zeros(self.num_envs, np.int64)
        self._healed, self._party_hp = np.zeros((2, self.num_envs))
        self._events = np.zeros(self.num_envs, np.int64)
        self._recent = np.zeros((self.num_envs, RECENT), np.uint8)
        self._stack = np.zeros((self.num_envs, 72, 80, STACK), np.uint8)
        self._party = np.zeros(self.num_envs, np.uint8)
        self.reset()

    def reset(self) -> dict[str, np.ndarray]:
        """Start all games. Random numbers come from a clock, so they depend on the actions."""
        for lane in range(self.num_envs):
            self._begin(lane)
        self._look()
        self._total = self._totals()
        return self._observation()

    def step(self, actions: ArrayLike) -> tuple[dict[str, np.ndarray], Any, Any, Any, Any]:
        """Hold buttons for 8 frames, release them for 15, and draw one more.

        Observation, reward, terminated, truncated and, where the games were cut, which all are at
        the same step, the last observation; the other one is then the first of the next.
        """
        chosen = np.asarray(actions)
        known = len(self.settings.actions)
        if chosen.shape != (self.num_envs,) or not ((chosen >= 0) & (chosen < known)).all():
            raise EnvwrightError(f"pass {self.num_envs} actions from 0 to {known - 1}")
        masks = np.array(self.settings.actions, np.uint8)
        press, skip = self.settings.press, self.settings.frame_skip
        self.boys.hold(masks[chosen])
        self.boys.tick(press, False)
        self.boys.hold(np.zeros(self.num_envs, np.uint8))
        self.boys.tick(skip - press, True)
        self._recent = np.roll(self._recent, 1, axis=1)
        self._recent[:, 0] = chosen + 1
        self._steps += 1
        self._look()
        total = self._totals()
        reward = (total - self._total).astype(np.float32)
        self._total = total
        truncated = self._steps >= self.settings.max_steps
        final = observation = self._observation()
        for lane in np.flatnonzero(truncated):
            self._begin(int(lane))
        if truncated.any():
            self._look()
            self._total = self._totals()
            observation = self._observation()
        return observation, reward, np.zeros(self.num_envs, bool), truncated, final

    def _first_snapshot(self, state: bytes | None) -> bytes:
        if state is not None:
            self.boys.load_state(0, state)
        else:
            self.boys.tick(sum(press.frames for press in self.settings.start.script), True)
        return self.boys.snapshot(0)

    def _begin(self, lane: int) -> None:
        """Start a new game, with nothing seen or earned yet."""
        self.boys.restore(lane, self._start)
        self._visits[lane] = {}
        self._steps[lane] = self._healed[lane] = self._events[lane] = self._party[lane] = 0
        self._party_hp[lane] = 1.0
        self._recent[lane] = self._stack[lane] = 0

    def _look(self) -> None:
        """Read RAM and screens, and remember what is new."""
        self.boys.peek_all(self._addresses, self._ram)
        self.boys.screens(self._screens, "small")
        self._stack = np.roll(self._stack, 1, axis=-1)
        self._stack[..., 0] = self._screens
        health = self.health()
        party = self._ram[:, 4]
        # A larger party has more hit points without healing.
        gained = np.where(party == self._party, np.maximum(health - self._party_hp, 0), 0)
        self._healed += np.where(self._party_hp > 0, gained**2, 0)
        self._party_hp, self._party = health, party.copy()
        self._events = np.maximum(self._events, self._event_bits())
        for lane, (x, y, place, battle) in enumerate(self._ram[:, :4].tolist()):
            if not battle:
                key = (x, y, place)
                self._visits[lane][key] = self._visits[lane].get(key, 0) + 1

    def health(self) -> np.ndarray:
        """Return the hit points of the party as a share of the maximum, float[N]."""
        first = 6 + MEMBERS
        pairs = self._ram[:, first : first + 4 * MEMBERS].astype(np.int64)
        words = (256 * pairs[:, 0::2] + pairs[:, 1::2]).reshape(self.num_envs, 2, MEMBERS)
        return words[:, 0].sum(axis=1) / np.maximum(words[:, 1].sum(axis=1), 1)

    def _event_bits(self) -> np.ndarray:
        events = self._ram[:, 6 + 5 * MEMBERS :]
        address, bit = MUSEUM_TICKET
        ticket = (events[:, address - EVENTS.start] & bit) != 0
        return np.bitwise_count(events).sum(axis=1).astype(np.int64) - ticket

    def _totals(self) -> np.ndarray:
        """Return everything earned so far, float[N]."""
        badges = np.bitwise_count(self._ram[:, 5])
        places = np.array([len(visits) for visits in self._visits])
        here = [tuple(row) for row in self._ram[:, :3].tolist()]
        stuck = [
            visits.get(key, 0) >= STUCK for visits, key in zip(self._visits, here, strict=True)
        ]
        return SCALE * (
            EVENT_WEIGHT * self._events
            + HEAL_WEIGHT * self._healed
            + BADGE_WEIGHT * badges
            + PLACE_WEIGHT * EXPLORE * places
            + STUCK_WEIGHT * np.array(stuck)
        )

    def _observation(self) -> dict[str, np.ndarray]:
        levels = self._ram[:, 6 : 6 + MEMBERS].astype(np.float32).sum(axis=1)
        return {
            "screens": self._stack.copy(),  # uint8[N, 72, 80, 3], the newest first
            "health": self.health().astype(np.float32)[:, None],  # [N, 1]
            "level": np.sin(levels[:, None] / 100.0 * 2.0 ** np.arange(WAVES)).astype(np.float32),
            "badges": np.unpackbits(self._ram[:, 5:6], axis=1),  # uint8[N, 8]
            "events": np.unpackbits(self._ram[:, 6 + 5 * MEMBERS :], axis=1),  # uint8[N, 2488]
            "map": self._around(),  # uint8[N, 48, 48]: tiles of this map that were visited
            "recent_actions": self._recent.copy(),  # uint8[N, 3], 0: none yet
        }

    def _around(self) -> np.ndarray:
        seen = np.zeros((self.num_envs, AROUND, AROUND), np.uint8)
        for lane, (x, y, place) in enumerate(self._ram[:, :3].tolist()):
            for (there_x, there_y, other), _ in self._visits[lane].items():
                column, row = there_x - x + AROUND // 2, there_y - y + AROUND // 2
                if other == place and 0 <= column < AROUND and 0 <= row < AROUND:
                    seen[lane, row, column] = 255
        return seen
