"""The room of Pokemon battles."""

from envwright.core.room import Handler, Option, Room

ROOM = Room(
    id="pokemon",
    version=1,
    title="Pokemon",
    summary="battles of generation 9, two players at once; Showdown's, seed for seed",
    backends={
        "jax": "envwright.zoo.pokemon.env:PokemonBattles",
        "rust": "envwright.zoo.pokemon.vector:NativePokemon",
    },
    package="envwright.zoo.pokemon",
    bench="bench",
    fetch="reference.install:set_up",
    versions="checks.versions:compare",
    traces="checks.battle_traces:TRACES",
    words=("view",),
    options=(
        Option("teams", ("verify",), "Teams from the pool, or natural: as generated.",
               choices=("pool", "natural")),
    ),
    handlers={"coverage": Handler("commands:coverage", accepts=("seed", "json"))},
)  # fmt: skip
