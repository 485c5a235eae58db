"""Results of `envwright update`: how two versions of a reference differ."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from envwright.schema.results.base import Stored

Verdict = Literal["same", "text", "behaviour", "inconclusive"]


class TextChange(msgspec.Struct, kw_only=True):
    """Source that differs between the versions."""

    title: str  # as the specification names it
    added: int  # lines
    removed: int
    code: bool = True  # False: only comments, docstrings and annotations differ
    gone: str = ""  # why the new version does not have it


class FunctionUpdate(msgspec.Struct, kw_only=True):
    """A recorded function of the reference, called with equal inputs in both versions."""

    target: str
    calls: int  # with equal inputs
    differ: int  # of these, with other outputs
    why: str = ""  # a change of the function itself: it is gone, or takes other parameters
    # The first call that differs.
    inputs: dict[str, Any] = {}
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}

    @property
    def changed(self) -> bool:
        return bool(self.why or self.differ)


class ModuleUpdate(msgspec.Struct, kw_only=True):
    """A module of the translation, and what changed in the source behind it."""

    name: str
    verdict: Verdict
    why: str
    texts: list[TextChange] = []
    functions: list[FunctionUpdate] = []

    @property
    def calls(self) -> int:
        """Calls with equal inputs of all its functions."""
        return sum(function.calls for function in self.functions)


class Part(msgspec.Struct, kw_only=True):
    """Something of the whole reference that was compared in both versions."""

    name: str  # spaces, starts, single steps, a game
    compared: int
    unit: str  # of what was compared: frames, battles
    differ: int
    first: str = ""  # the first difference
    text: bool = False  # it is no behaviour: names of data, for instance


class Update(Stored, kw_only=True, tag="update"):
    """A comparison of two versions of a reference, and what was done about it."""

    package: str
    old: str
    new: str
    simulator: str = ""
    modules: list[ModuleUpdate] = []
    parts: list[Part] = []
    texts: list[TextChange] = []  # of the reference's own file, as a whole
    notes: list[str] = []
    outcome: str = ""  # of the run that followed; "": only compared
    versions: list[int] = []  # of the translation, before and after

    def __post_init__(self) -> None:
        if not self.parts:
            raise ValueError("`parts` is empty")

    @property
    def changed(self) -> bool:
        """Whether behaviour changed, or may have."""
        unlike = any(module.verdict in ("behaviour", "inconclusive") for module in self.modules)
        return unlike or any(part.differ and not part.text for part in self.parts)

    @property
    def to_translate(self) -> list[str]:
        """The modules whose code may not fit the new version."""
        return [m.name for m in self.modules if m.verdict in ("behaviour", "inconclusive")]
