"""Compare recorded traces of a reference with a batch engine, for games too large for pairs.

A room records traces of its reference (`RoomTraces.recorder`), plays them on its `Engine`, and
`differences` finds where they part. `shrink` shortens a trace, with moves of the room's own; the
result is saved as a divergence that `envwright replay` runs.
"""
