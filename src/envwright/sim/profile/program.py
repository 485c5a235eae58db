"""Read a compiled program as XLA prints it: operations, and the source lines they come from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

# Operations that only rename or move what is there, or cost next to nothing.
CHEAP = frozenset(
    (
        *("parameter", "constant", "tuple", "get-tuple-element", "bitcast"),
        *("broadcast", "reshape", "copy", "convert", "iota"),
    )
)
# Operations that are worth a look, as the compiler calls them.
DEAR = (
    *("while", "sort", "gather", "scatter", "dot", "convolution", "rng-bit-generator"),
    *("concatenate", "dynamic-slice", "dynamic-update-slice", "sine", "cosine", "tan", "tanh"),
    *("exponential", "log", "power", "divide", "remainder"),
)

_COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.\-]+) \(.*\{$")
_OPERATION = re.compile(r"^\s+(?:ROOT )?%?([\w.\-]+) = (?:\(.*?\)|\S+) ([a-z][\w\-]*)\(")
_REFERS = re.compile(r"\b(?:calls|to_apply|body|condition|\w+_computations?)=(\{.*?\}|%?[\w.\-]+)")
_NAME = re.compile(r"[\w.\-]+")
_MADE_BY = re.compile(r'\bop_name="([^"]*)"')
_FRAME = re.compile(r"\bstack_frame_id=(\d+)")
_TABLE_ROW = re.compile(r'^(\d+) (?:"(.*)"|\{(.*)\})$')


@dataclass(frozen=True)
class Place:
    """A line of source code."""

    file: str
    line: int
    function: str


@dataclass(frozen=True)
class Operation:
    """One operation of the program; a fusion is one, and calls the computation fused in it."""

    name: str
    kind: str
    calls: tuple[str, ...]  # computations
    made_by: str  # the calls of JAX behind it, as in `jit(play)/while/body/sin`
    frame: int  # index into the table of stack frames, 0 if unknown


@dataclass(frozen=True)
class CompiledProgram:
    """All operations of a program, by computation and by name."""

    computations: dict[str, list[Operation]]
    tables: dict[str, dict[int, str]] = field(repr=False)  # FileNames, StackFrames, …

    @cached_property
    def operations(self) -> dict[str, Operation]:
        """Operations by name, which is unique in a program."""
        return {op.name: op for ops in self.computations.values() for op in ops}

    def parts(self, op: Operation) -> list[Operation]:
        """Return the parts of an operation: itself, or what is fused in it."""
        return self.computations[op.calls[0]] if op.kind == "fusion" else [op]

    def within(self, op: Operation) -> set[str]:
        """Return the names of all operations that run inside one, fusions as a whole."""
        found: set[str] = set()
        waiting = [op]
        while waiting:
            inside = [
                part
                for name in waiting.pop().calls
                for part in self.computations[name]
                if part.name not in found
            ]
            found |= {part.name for part in inside}
            waiting += [part for part in inside if part.kind != "fusion"]
        return found

    def kinds(self, op: Operation) -> Counter[str]:
        """Count the expensive kinds of operations in it, most expensive first."""
        found = Counter(part.kind for part in self.parts(op) if part.kind not in CHEAP)
        order = sorted(found, key=lambda kind: (kind not in DEAR, -found[kind]))
        return Counter({kind: found[kind] for kind in order})

    def places(self, op: Operation) -> Iterator[list[Place]]:
        """Return the call stack of every part whose source is known, innermost line first."""
        for part in self.parts(op):
            stack = self._stack(part.frame)
            if stack and part.kind not in ("parameter", "constant"):
                yield stack

    def _stack(self, frame: int) -> list[Place]:
        places = []
        while frame in self.tables["StackFrames"]:
            numbers = _numbers(self.tables["StackFrames"][frame])
            at = _numbers(self.tables["FileLocations"][numbers["file_location_id"]])
            file = self.tables["FileNames"][at["file_name_id"]]
            function = self.tables["FunctionNames"][at["function_name_id"]]
            places.append(Place(file, at["line"], function))
            frame = min(frame, numbers["parent_frame_id"]) - 1  # they are counted from one there
        return places


def read_program(text: str) -> CompiledProgram:
    """Parse the text of `compiled.as_text()`."""
    computations: dict[str, list[Operation]] = {}
    tables: dict[str, dict[int, str]] = {
        name: {} for name in ("FileNames", "FunctionNames", "FileLocations", "StackFrames")
    }
    table, current = None, None
    for line in text.splitlines():
        if line in tables:
            table = tables[line]
        elif table is not None and (row := _TABLE_ROW.match(line)):
            table[int(row[1])] = row[2] or row[3] or ""
        elif begun := _COMPUTATION.match(line):
            table, current = None, computations.setdefault(begun[1], [])
        elif current is not None and (found := _OPERATION.match(line)):
            current.append(_operation(found[1], found[2], line))
    return CompiledProgram(computations, tables)


def _operation(name: str, kind: str, line: str) -> Operation:
    calls = [called for told in _REFERS.findall(line) for called in _NAME.findall(told)]
    made_by, frame = _MADE_BY.search(line), _FRAME.search(line)
    return Operation(
        name,
        kind,
        tuple(calls),
        made_by[1] if made_by else "",
        int(frame[1]) if frame else 0,
    )


def _numbers(row: str) -> dict[str, int]:
    return {name: int(value) for name, _, value in (part.partition("=") for part in row.split())}
