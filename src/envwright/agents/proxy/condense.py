"""Join the pieces of a streamed text so that every path in it is in one piece.

Models send a few letters per event. A recording that splits `/home/me/work` over four events could
not be replayed in another folder. Joined, it can, and it is ten times shorter.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from envwright.agents.proxy import events
from envwright.agents.proxy.protocols import Name

# Which text an event carries on: what must agree for two events to be joined, and the way to
# the text inside the event.
Piece = tuple[Any, tuple[str | int, ...]]


def condense(protocol: Name, answer: str) -> str:
    """Join adjacent pieces of the same text. Other fields come from the last piece."""
    if not events.is_stream(answer):
        return answer
    read = [(block, events.data(block)) for block in events.blocks(answer)]
    pieces = [(_piece(PIECES[protocol], value), block, value) for block, value in read]
    # An event that is not a piece equals nothing, not even its neighbour.
    runs = itertools.groupby(pieces, key=lambda found: found[0] or object())
    return "".join(_joined(list(run)) for _, run in runs)


def _joined(run: list[tuple[Piece | None, str, Any]]) -> str:
    piece, block, value = run[-1]
    if piece is None or len(run) == 1:
        return block
    *way, name = piece[1]
    _at(value, way)[name] = "".join(_at(earlier, piece[1]) for _, _, earlier in run)
    return events.written(block, value)


def _gemini(event: Any) -> Piece | None:
    [candidate] = event["candidates"]
    [part] = candidate["content"]["parts"]
    if not set(part) <= {"text", "thought"}:
        return None
    return part.get("thought"), ("candidates", 0, "content", "parts", 0, "text")


def _chat(event: Any) -> Piece | None:
    [choice] = event["choices"]
    delta = choice["delta"]
    said = [name for name, value in delta.items() if value is not None and name != "role"]
    if said == ["tool_calls"]:
        [call] = delta["tool_calls"]
        # The first piece of a call has its name and id; only those after it are alike.
        if set(call) - {"type"} != {"index", "function"} or set(call["function"]) != {"arguments"}:
            return None
        return call["index"], ("choices", 0, "delta", "tool_calls", 0, "function", "arguments")
    if len(said) == 1 and isinstance(delta[said[0]], str):
        return said[0], ("choices", 0, "delta", said[0])
    return None


def _responses(event: Any) -> Piece | None:
    if not event["type"].endswith(".delta") or not isinstance(event["delta"], str):
        return None
    where = ("type", "item_id", "output_index", "content_index", "summary_index")
    return tuple(event.get(name) for name in where), ("delta",)


def _anthropic(event: Any) -> Piece | None:
    if event["type"] != "content_block_delta":
        return None
    kind = event["delta"]["type"]
    name = {"text_delta": "text", "input_json_delta": "partial_json", "thinking_delta": "thinking"}
    return (event["index"], kind), ("delta", name[kind])


PIECES: dict[Name, Callable[[Any], Piece | None]] = {
    "gemini": _gemini,
    "chat": _chat,
    "responses": _responses,
    "anthropic": _anthropic,
}


def _piece(read: Callable[[Any], Piece | None], event: Any) -> Piece | None:
    """Return what `read` finds, or None if the event is not a piece of text."""
    try:
        piece = read(event)
        return piece if piece and isinstance(_at(event, piece[1]), str) else None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        return None


def _at(value: Any, way: Iterable[str | int]) -> Any:
    for name in way:
        value = value[name]
    return value
