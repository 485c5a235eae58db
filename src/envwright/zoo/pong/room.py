"""Pong's room."""

from envwright.core.room import Option, Room

ROOM = Room(
    id="pong",
    version=1,
    title="Pong",
    summary="one paddle against a scripted one, to 21 points; PufferLib's",
    backends={
        "jax": "envwright.zoo.pong.env:Pong",
        "rust": "envwright.zoo.pong.native:NativePong",
    },
    package="envwright.zoo.pong",
    reference="python:envwright.zoo.pong.reference:PongReference",
    bench="bench.implementations",
    fetch="reference.build:set_up",
    options=(Option("frame_skip", ("bench",), "sub-frames per step", int, 1, 1000),),
)
