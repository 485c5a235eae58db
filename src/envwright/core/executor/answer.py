"""What a worker sends back: a value or an error, in a form that travels."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What an item gave: a value or an error."""

    value: Any = None
    error: Exception | None = None

    def result(self) -> Any:
        """The value; raises the error."""
        if self.error is not None:
            raise self.error
        return self.value


def answer(fn: Callable[[Any], Any], item: Any) -> Answer:
    """Call `fn`; an error tells where it was raised, since its traceback stays behind."""
    try:
        return Answer(fn(item))
    except Exception as error:
        error.add_note(traceback.format_exc())
        return Answer(error=error)


def packed(answer: Answer, dumps: Callable[[Answer], Any]) -> Any:
    """The pickled answer; what cannot travel is replaced by an error that says so."""
    try:
        data = dumps(answer)
        if answer.error is not None:
            pickle.loads(data)  # some errors can be pickled, but not made again
        return data
    except Exception as problem:
        return dumps(Answer(error=_stand_in(answer, problem)))


def _stand_in(answer: Answer, problem: Exception) -> Exception:
    if answer.error is None:
        return TypeError(f"a result cannot be sent back: {problem}")
    error = RuntimeError(f"{type(answer.error).__name__}: {answer.error}")
    for note in answer.error.__notes__:
        error.add_note(note)
    return error
