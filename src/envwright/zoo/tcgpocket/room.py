"""The room of TCG Pocket."""

from envwright.core.room import Handler, Room

ROOM = Room(
    id="tcgpocket",
    version=1,
    title="TcgPocket",
    summary="the card game, two players in turn; a reference engine of our own",
    backends={"jax": "envwright.zoo.tcgpocket.against:tcgpocket"},
    package="envwright.zoo.tcgpocket",
    reference="python:envwright.zoo.tcgpocket.reference.host_games:ReferenceGames",
    bench="bench.implementations",
    players="players",
    traces="checks.replays:TRACES",
    words=("decks", "opponent", "view"),
    handlers={"coverage": Handler("commands:coverage")},
)
