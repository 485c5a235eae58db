"""PPO on TCG Pocket against the greedy opponent: the fast engine fused, the reference on the host.

Both play the same environment (opponent, views, rewards) with the same network and settings; what
differs is the engine, and where the loop runs.
"""

from __future__ import annotations

from typing import Any

from envwright.bench.ppo import FusedPPO, HostPPO
from envwright.sim.hosts import HostLanes
from envwright.train.settings import recommended
from envwright.zoo.tcgpocket.reference.host_games import ReferenceGames

OPTIONS: dict[str, Any] = {"opponent": "greedy", "view": "features"}
MOST = 512  # of the reference's games in one Python loop


class TcgFusedPPO(FusedPPO):
    """Our engine with the network for training."""

    def __init__(self) -> None:
        super().__init__("tcgpocket", **OPTIONS)
        self.network = {"network": recommended("tcgpocket")["network"]}


class TcgReferencePPO(HostPPO):
    """The reference engine: games in a Python loop, views and opponents for all at once."""

    name = "reference"
    timed = (
        "host loop over `batch` games of the Python reference in one process, views and the "
        "opponent's answers computed for all of them at once; rollout is Host.collect, ppo is "
        f"Host.iterate; at most {MOST} games"
    )
    counted = 256

    def __init__(self) -> None:
        super().__init__("tcgpocket", network=recommended("tcgpocket")["network"])

    def batches(self, wanted: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(batch for batch in wanted if batch <= MOST)

    def lanes(self, batch: int) -> HostLanes:
        return ReferenceGames(**OPTIONS).lanes(batch)
