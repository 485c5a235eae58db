"""Choose games to record for the levels: between generated teams, and of a team against itself."""

from __future__ import annotations

from dataclasses import dataclass

from envwright.zoo.pokemon import pool, support
from envwright.zoo.pokemon.reference.showdown import Showdown
from envwright.zoo.pokemon.reference.trace import Spec
from envwright.zoo.pokemon.teams import packed, read

MOST_MIRRORED = 40  # decisions of a game of a team against itself


@dataclass
class Natural:
    """Games between unfiltered teams of the generator, and the share that could be played."""

    specs: list[Spec]
    sets: int = 0
    supported_sets: int = 0
    teams: int = 0
    whole_teams: int = 0

    def __str__(self) -> str:
        return (
            f"{self.supported_sets / self.sets:.1%} of {self.sets} generated sets and "
            f"{self.whole_teams / self.teams:.1%} of {self.teams} teams of six are supported"
        )


def natural_games(
    showdown: Showdown, count: int, seed: int, plays: support.Supported = support.supported
) -> Natural:
    """Return games between generated teams whose sets are all supported.

    Teams are drawn until there are enough; one with an unsupported set is counted and left out.
    """
    made = Natural([])
    batch = 0
    while len(made.specs) < count:
        texts = showdown.teams(seed * 7919 + batch, 200)
        lacking = [[bool(support.reasons(one, plays)) for one in read(text)] for text in texts]
        whole = [text for text, some in zip(texts, lacking, strict=True) if not any(some)]
        made.teams += len(texts)
        made.whole_teams += len(whole)
        made.sets += sum(map(len, lacking))
        made.supported_sets += sum(not one for some in lacking for one in some)
        for first, second in zip(whole[::2], whole[1::2], strict=False):
            number = seed * 1_000_003 + len(made.specs)
            made.specs.append(Spec(number, (first, second), policy=number & 0x7FFFFFFF))
        batch += 1
    made.specs = made.specs[:count]
    return made


def mirror_specs(count: int, seed: int) -> list[Spec]:
    """Return games of a team against itself: speeds tie wherever they can."""
    teams = pool.teams()
    specs = []
    for game in range(count):
        number = seed * 1_000_003 + game
        team = packed(teams[number * 2_654_435_761 % len(teams)])
        policy = number & 0x7FFFFFFF
        specs.append(Spec(number, (team, team), policy=policy, most=MOST_MIRRORED))
    return specs
