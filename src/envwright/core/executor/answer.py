"""The answers of workers: a value or an error, in a form that can be pickled."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """The outcome of an item: a value or an error."""

    value: Any = None
    error: Exception | None = None

    def result(self) -> Any:
        """Return the value, or raise the error."""
        if self.error is not None:
            raise self.error
        return self.value


def answer(fn: Callable[[Any], Any], item: Any) -> Answer:
    """Call `fn`. An error names where it was raised, since its traceback is not pickled."""
    try:
        return Answer(fn(item))
    except Exception as error:
        error.add_note(traceback.format_exc())
        return Answer(error=error)


def packed(answer: Answer, dumps: Callable[[Answer], Any]) -> Any:
    """Pickle the answer; one that cannot be pickled is replaced by an error."""
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
