"""HalfCheetah's room."""

from envwright.core.room import Room

ROOM = Room(
    id="halfcheetah",
    version=1,
    title="HalfCheetah",
    summary="two legs in a plane that learn to run; MuJoCo's physics",
    backends={
        "jax": "envwright.zoo.halfcheetah.env:HalfCheetah",
        "rust": "envwright.zoo.halfcheetah.native:NativeHalfCheetah",
    },
    package="envwright.zoo.halfcheetah",
    reference="python:envwright.zoo.halfcheetah.reference:CheetahReference",
    bench="bench.implementations",
)
