"""What stored results say, read from their JSON: one class for each kind.

Everything that the page uses is read here, so that a file which is not what it says it is
is found before anything is drawn.
"""

from __future__ import annotations

from collections.abc import Callable

from envwright.report.kinds.adequacy import Coverage, Mutation, read_coverage, read_mutation
from envwright.report.kinds.speed import Bench, Breakdown, read_bench, read_breakdown
from envwright.report.kinds.training import Elo, Play, Training, read_elo, read_play, read_training
from envwright.report.kinds.values import Json, Source
from envwright.report.kinds.verification import Verification, read_verification
from envwright.report.recipe.ablation import Ablation, read_ablation
from envwright.report.recipe.rounds import Optimisation, read_optimisation

Result = (
    Verification
    | Mutation
    | Coverage
    | Bench
    | Breakdown
    | Training
    | Elo
    | Play
    | Ablation
    | Optimisation
)

READERS: dict[str, Callable[[Source, Json], Result]] = {
    "verify": read_verification,
    "mutation": read_mutation,
    "coverage": read_coverage,
    "bench": read_bench,
    "breakdown": read_breakdown,
    "training": read_training,
    "elo": read_elo,
    "play": read_play,
    "ablation": read_ablation,
    "optimisation": read_optimisation,
}
