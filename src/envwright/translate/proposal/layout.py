"""The state of the translation: the reference's fields under the target's names."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from envwright.translate.proposal.calls import Function
from envwright.translate.proposal.played import Field, Play
from envwright.translate.proposal.reads import unpacked
from envwright.translate.proposal.subject import Subject

TIME = "time"
RUST, WORDS = re.compile(r"^(float|u?int\d*)"), {"f": "f64", "i": "i64", "u": "i64"}


@dataclass
class Layout:
    """Fields of `State`, and how they correspond to the reference's."""

    fields: dict[str, str] = field(default_factory=dict)  # name -> float, int32[3], …
    pairs: dict[str, str | list[str]] = field(default_factory=dict)  # reference -> ours
    padded: dict[str, int] = field(default_factory=dict)  # variable length -> places
    attributes: tuple[str, ...] = ()  # the object's attributes that make the state
    unbridged: list[str] = field(default_factory=list)  # the shape varies more than a list's

    @property
    def same_names(self) -> bool:
        """Whether no bridge is needed."""
        return not self.padded and all(ours == theirs for theirs, ours in self.pairs.items())

    def names_of(self, attribute: str) -> list[str]:
        """Return our fields for an attribute of the reference."""
        found: list[str] = []
        for theirs, ours in self.pairs.items():
            if theirs.partition(".")[0] == attribute:
                found += [ours] if isinstance(ours, str) else ours
        return found

    def described(self, backend: str = "jax") -> str:
        """Describe the fields: `x`, `v` (float), `time` (int32); in Rust f64 and i64."""
        groups: list[tuple[str, list[str]]] = []
        for name, word in self.fields.items():
            kind = RUST.sub(lambda found: WORDS[found[0][0]], word) if backend == "rust" else word
            if groups and groups[-1][0] == kind:
                groups[-1][1].append(name)
            else:
                groups.append((kind, [name]))
        return ", ".join(
            f"{', '.join(f'`{name}`' for name in names)} ({kind})" for kind, names in groups
        )


def lay_out(subject: Subject, play: Play, functions: Iterable[Function]) -> Layout:
    """Map each reference field to a field, and an unpacked array to its source names."""
    layout = Layout()
    functions = list(functions)
    limited = subject.simulator.time_limit is not None
    taken = {_word(name) for name in play.state} | {TIME}
    for name, seen in play.state.items():
        if not seen.fixed:
            _pad(layout, name, seen)
            continue
        size = int(np.prod(seen.shape, dtype=int))
        names = unpacked(functions, name, size) if len(seen.shape) == 1 and size > 1 else []
        if names and not taken & set(names):
            taken |= set(names)
            layout.pairs[name] = names
            layout.fields |= dict.fromkeys(names, kind_of(seen.dtype))
        else:
            layout.pairs[name] = _word(name)
            layout.fields[_word(name)] = kind_of(seen.dtype, seen.shape)
    owned = [n for n in play.state if not (n == TIME and limited)]
    if subject.env is not None:
        layout.attributes = tuple(dict.fromkeys(n.partition(".")[0] for n in owned))
    return layout


def kind_of(dtype: np.dtype, shape: tuple[int, ...] = ()) -> str:
    """Return the target's dtype: the constructor's for floats, small integers otherwise."""
    if dtype.kind == "f":
        word = "float"
    elif dtype.kind == "b":
        word = "bool"
    else:
        word = dtype.name if dtype.itemsize < 4 else "int32"
    return f"{word}[{', '.join(map(str, shape))}]" if shape else word


def _pad(layout: Layout, name: str, seen: Field) -> None:
    """Lay out a list of varying length as an array of twice the longest seen, and a count."""
    if not seen.grows_in_front or "." in name:
        layout.unbridged.append(name)
        return
    places = max(8, 2 * seen.shape[0])
    layout.padded[name] = places
    layout.pairs[name] = _word(name)
    layout.fields[_word(name)] = kind_of(seen.dtype, (places, *seen.shape[1:]))
    layout.fields[f"{_word(name)}_count"] = "int32"


def _word(name: str) -> str:
    """Make a valid field name."""
    word = name.replace(".", "_")
    return f"{word}_" if keyword.iskeyword(word) else word
