"""A process that steps PufferLib's C: a number of ticks in, its processor time out."""

from __future__ import annotations

import sys
import time
from itertools import cycle, islice

import numpy as np

from envwright.core.spaces import from_gymnasium
from envwright.errors import EnvwrightError
from envwright.sim.actions import SEED, action_bank
from envwright.zoo.pong.reference.binding import PufferPong


def main() -> None:
    """Serve until the other end closes."""
    *numbers, build = sys.argv[1:]
    batch, first, lanes, frame_skip, continuous = map(int, numbers)
    try:
        pong = PufferPong(lanes, frame_skip, bool(continuous), build)  # type: ignore[arg-type]
    except EnvwrightError as error:
        sys.exit(str(error))
    pong.reset(SEED + first // lanes)  # another one for each process
    bank = action_bank(from_gymnasium(pong.single_action_space), batch)
    share = bank.reshape(len(bank), batch)[:, first : first + lanes]
    endless = cycle(np.ascontiguousarray(share, np.float32))
    actions, step, handle = pong.actions, pong.binding.vec_step, pong.handle
    for line in sys.stdin:
        began = time.process_time()
        for drawn in islice(endless, int(line)):
            actions[:] = drawn
            step(handle)
        print(time.process_time() - began, flush=True)


if __name__ == "__main__":
    main()
