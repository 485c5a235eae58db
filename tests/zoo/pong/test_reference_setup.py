"""Setting the reference up: every way it can fail is one sentence, and leaves nothing behind."""

from __future__ import annotations

import hashlib
import io
import platform
import shutil
import subprocess
import sys
import tarfile

import pytest
from tests.zoo.pong.live import needs_reference

from envwright.errors import EnvwrightError, MissingPackage
from envwright.zoo.pong.reference import binding, build, fetch


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache; the folder of the reference in it."""
    monkeypatch.setenv("ENVWRIGHT_CACHE", str(tmp_path))
    return tmp_path / "references" / "pufferlib-3.0.0"


def archive(folder, monkeypatch, names=fetch.NEEDED):
    """A package by hand, with these files and one that nobody needs."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(folder / fetch.ARCHIVE, "w:gz") as packed:
        for name in [*names, "../../escaped", "pufferlib/large.bin"]:
            entry = tarfile.TarInfo(f"pufferlib-3.0.0/{name}")
            entry.size = len(name)
            packed.addfile(entry, io.BytesIO(name.encode()))
    digest = hashlib.sha256((folder / fetch.ARCHIVE).read_bytes()).hexdigest()
    monkeypatch.setattr(fetch, "SHA256", digest)


def refused(call, error=EnvwrightError):
    with pytest.raises(error) as told:
        call()
    assert "\n" not in str(told.value)
    return str(told.value)


def left_in(folder):
    return sorted(path.name for path in folder.iterdir() if path.name not in ("lock",))


def test_only_the_files_that_are_needed_are_unpacked(cache, monkeypatch):
    archive(cache, monkeypatch)
    said = []
    folder = fetch.fetch(said.append)
    unpacked = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert unpacked == set(fetch.NEEDED)
    assert left_in(cache) == [fetch.ARCHIVE, "sources"] and said == [
        f"unpacking {len(fetch.NEEDED)} files of {fetch.ARCHIVE}"
    ]
    assert fetch.fetch(said.append) == folder and len(said) == 1  # nothing to do any more


def test_a_file_with_another_hash_is_not_unpacked(cache, monkeypatch):
    archive(cache, monkeypatch)
    monkeypatch.setattr(fetch, "SHA256", "0" * 64)
    told = refused(fetch.fetch)
    assert "is not the file that was verified" in told and "remove it from" in told
    assert left_in(cache) == [fetch.ARCHIVE]


def test_what_a_killed_process_left_is_cleared(cache, monkeypatch):
    archive(cache, monkeypatch)
    (cache / ".fetch-killed" / "sources").mkdir(parents=True)
    fetch.fetch()
    assert left_in(cache) == [fetch.ARCHIVE, "sources"]


def test_without_a_network_it_is_said_what_to_do(cache, monkeypatch):
    pytest.importorskip("unearth")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")  # nobody listens there
    told = refused(fetch.fetch)
    assert "pufferlib 3.0.0 could not be fetched" in told
    assert f"put its file {fetch.ARCHIVE} into {cache}" in told
    assert left_in(cache) == []


def test_without_the_extra_it_is_said_what_to_install(cache, monkeypatch):
    monkeypatch.setitem(sys.modules, "unearth", None)
    assert "pip install 'envwright[reference]'" in refused(fetch.fetch, MissingPackage)


def test_a_cache_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("ENVWRIGHT_CACHE", str(tmp_path / "file"))
    assert "name a folder with ENVWRIGHT_CACHE" in refused(fetch.fetch)


def test_why_not_says_what_is_missing_and_asks_no_network(cache, monkeypatch):
    monkeypatch.setitem(sys.modules, "unearth", None)
    assert build.why_not().endswith("fetch it once with: python -m envwright.zoo.pong.reference")
    assert refused(build.library) == build.why_not()
    (cache / "sources").mkdir(parents=True)
    assert build.why_not() == ""
    monkeypatch.setattr(build, "_python_headers", lambda: cache)
    assert "install them (python3-dev)" in build.why_not()
    monkeypatch.setenv("CC", "no-such-compiler")
    assert build.why_not().endswith("install gcc, or name it with CC")
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert "for Linux on x86-64 only" in build.why_not()
    assert refused(build.set_up) == build.why_not()  # before anything is fetched


def test_a_compiler_that_fails_is_quoted_and_leaves_nothing(cache, monkeypatch):
    archive(cache, monkeypatch)  # its files are no C
    fetch.fetch()
    told = refused(build.library)
    assert "could not compile the reference of Pong" in told and "error" in told
    assert left_in(cache) == [fetch.ARCHIVE, "sources"]


def test_the_command_ends_with_a_sentence(cache):
    command = [sys.executable, "-m", "envwright.zoo.pong.reference"]
    surroundings = {"ENVWRIGHT_CACHE": str(cache), "CC": "no-such-compiler", "PATH": ""}
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "install gcc, or name it with CC" in done.stderr


@needs_reference
def test_two_processes_at_once_build_it_once_and_both_can_use_it(cache, monkeypatch):
    monkeypatch.delenv("ENVWRIGHT_CACHE")
    here = fetch.sources()
    monkeypatch.setenv("ENVWRIGHT_CACHE", str(cache.parents[1]))
    shutil.copytree(here, cache / "sources")
    program = (
        "from envwright.zoo.pong.reference import PufferPong, set_up\n"
        "set_up(print)\n"
        "print(PufferPong(2).reset(0)[0, 2])"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    told = "".join(process.communicate(timeout=600)[0] for process in both)
    assert [process.returncode for process in both] == [0, 0]
    assert told.count("compiling plain") == 1 and told.count("compiling native") == 1
    assert told.count("0.2\n") == 2
    assert len(left_in(cache)) == 3 and build.why_not() == ""
    monkeypatch.setenv("CC", "no-such-compiler")
    assert build.library().is_file()  # nothing is compiled a second time


@needs_reference
def test_a_module_that_was_loaded_before_is_not_served_from_an_empty_cache(tmp_path, monkeypatch):
    binding.load()
    monkeypatch.setenv("ENVWRIGHT_CACHE", str(tmp_path))
    assert "PufferLib's Pong is not here" in refused(binding.load)
