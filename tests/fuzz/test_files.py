"""Whatever a file holds, its reader returns or reports one sentence, in bounded time and memory.

`files.FORMATS` lists every format with a valid sample and its reader, `mutations` damages it. The
quick test tries the same few files every time. To try many:

    ENVWRIGHT_FUZZ_FILES=200 python -m pytest tests/fuzz/test_files.py -m slow -p no:xdist \
        --hypothesis-profile=explore

tries so many files of each format, and prints how many were read and refused.
"""

from __future__ import annotations

import functools
import os
import re
import resource
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.fuzz import mutations
from tests.fuzz.files import FORMATS, Format

from envwright.core.text import one_line
from envwright.errors import EnvwrightError
from envwright.report import glance, page, results

QUICK = 2  # files of each format
MANY = int(os.environ.get("ENVWRIGHT_FUZZ_FILES", "40"))
SECONDS = 20.0  # of processor time for a file of some kilobytes
MEMORY = 2 << 30  # bytes beyond those that the process has
LONGEST = 3000  # characters of a sentence


class TooLong(BaseException):
    """A reader used more processor time than a small file can need."""


@pytest.fixture(autouse=True, scope="module")
def light_pages():
    """Pages without what no file decides: pictures of rooms and the 5 MB that draw charts.

    One fingerprint of the sources serves all of them.
    """
    known = functools.cache(results.Sources)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "plotly", lambda: "")
        patch.setattr(glance, "thumbnail", lambda env: "")
        patch.setattr(results, "Sources", lambda folder=None: known())
        yield


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """A folder of its own to work in, and a mark that shows that a pickle was loaded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(mutations.Bomb, "mark", str(tmp_path / "pickle-was-loaded"))


@functools.cache
def sample(name: str, folder: Path) -> Path:
    """The path of a format's valid file, made once."""
    place = folder / name
    place.mkdir()
    return FORMATS[name].make(place)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Where valid files are made."""
    return tmp_path_factory.mktemp("valid")


@contextmanager
def bounded() -> Iterator[None]:
    """Limit processor time and memory."""
    used = int(re.search(r"VmSize:\s+(\d+)", Path("/proc/self/status").read_text())[1]) << 10
    before = resource.getrlimit(resource.RLIMIT_AS)

    def over(*_):
        raise TooLong(f"more than {SECONDS:g} s")

    handler = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)


def outcome(form: Format, path: Path) -> str:
    """Read a file: "read", or the sentence that the reader reports."""
    with bounded():
        try:
            form.read(path)
        except EnvwrightError as error:
            sentence = one_line(str(error))
            assert 0 < len(sentence) < LONGEST and "Traceback" not in sentence
            return sentence
    return "read"


def fuzz(name: str, made: Path, place: Path, files: int) -> Counter[str]:
    """Read damaged files of a format and count how that went."""
    form, whole, seen = FORMATS[name], sample(name, made), Counter()
    copy = place / name
    path = copy / whole.relative_to(made / name)

    @settings(
        max_examples=files,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def tried(data: st.DataObject) -> None:
        def choose(n: int) -> int:
            return data.draw(st.integers(0, n - 1))

        damaged = form.damage(whole.read_bytes(), choose)
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(made / name, copy)
        path.write_bytes(damaged)
        seen["read" if outcome(form, path) == "read" else "refused"] += 1

    tried()
    assert not Path(mutations.Bomb.mark).exists(), "a pickle was loaded"
    return seen


@pytest.mark.parametrize("name", FORMATS)
def test_a_valid_file_is_read(name, made, tmp_path):
    whole = sample(name, made)
    copy = shutil.copytree(made / name, tmp_path / name)
    assert outcome(FORMATS[name], copy / whole.relative_to(made / name)) == "read"


@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_file_is_read_or_refused_in_one_sentence(name, made, tmp_path):
    assert sum(fuzz(name, made, tmp_path, QUICK).values()) >= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_many_damaged_files_are_read_or_refused_in_one_sentence(name, made, tmp_path, counted):
    seen = fuzz(name, made, tmp_path, MANY)
    counted(name, seen)
    assert (seen["refused"] or not FORMATS[name].refuses) and sum(seen.values()) >= min(MANY, 10)
