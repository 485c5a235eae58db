"""Arrays in files: what was saved is read, and a file costs no more than its own bytes."""

from __future__ import annotations

import ast
import io
import os
import pickle
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from tests.fuzz.mutations import MEMBERS, Bomb, npy

import envwright
from envwright.core.array_file import LONGEST_TEXT, MOST_UNPACKED, read_arrays

PACKAGE = Path(envwright.__file__).parent
ARRAYS = {
    "numbers": np.arange(6.0).reshape(2, 3),
    "columns": np.asfortranarray(np.arange(6, dtype=np.int16).reshape(2, 3)),
    "scalar": np.array(3, np.uint64),
    "nothing": np.zeros((0, 4), np.float32),
    "flags": np.array([True, False]),
    "text": np.array("größer 日本 😀"),
    "texts": np.array(["a", ""]),
    "big-endian": np.array([1, 2], ">i4"),
    "folder/with.dots": np.array([1 + 2j]),
}


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_what_was_saved_is_read(save, tmp_path):
    save(tmp_path / "a.npz", **ARRAYS)
    found = read_arrays(tmp_path / "a.npz")
    assert found.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype and found[name].shape == array.shape
        assert np.array_equal(found[name], array) and found[name].flags.writeable


def archive(path, member, packing=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", packing) as file:
        file.writestr("a.npy", member)
    return path


@pytest.mark.parametrize("member", MEMBERS, ids=range(len(MEMBERS)))
def test_an_array_that_its_bytes_do_not_account_for_is_refused(member, tmp_path):
    with pytest.raises(ValueError, match="not a file of arrays"):
        read_arrays(archive(tmp_path / "a.npz", member))


def test_no_pickle_is_loaded(tmp_path, monkeypatch):
    mark = tmp_path / "loaded"
    monkeypatch.setattr(Bomb, "mark", str(mark))
    np.savez(tmp_path / "a.npz", a=np.array([Bomb()], object))
    with pytest.raises(ValueError, match="holds object, not numbers or text"):
        read_arrays(tmp_path / "a.npz")
    (tmp_path / "b.npz").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ValueError, match="not a file of arrays"):
        read_arrays(tmp_path / "b.npz")
    assert not mark.exists()


def test_a_small_file_does_not_unpack_to_a_large_one(tmp_path):
    length, path = MOST_UNPACKED + 8, tmp_path / "a.npz"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file,
        file.open("a.npy", "w") as member,
    ):
        member.write(npy(f"({length // 8},)", data=bytes(8)))
        for _ in range(length >> 20):
            member.write(bytes(1 << 20))
    assert path.stat().st_size < length / 100
    with pytest.raises(ValueError, match="larger than the file"):
        read_arrays(path)


LIES = {"deflated": zipfile.ZIP_DEFLATED, "bzip2": zipfile.ZIP_BZIP2, "lzma": zipfile.ZIP_LZMA}


@pytest.mark.parametrize("packing", LIES.values(), ids=LIES)
def test_a_member_unpacks_to_no_more_than_it_claims(packing, tmp_path):
    path, length, claimed = tmp_path / "a.npz", 32 << 20, 1000
    archive(path, npy("(109,)", data=bytes(length)), packing)
    data = bytearray(path.read_bytes())
    entry = data.rindex(b"PK\x01\x02")
    data[entry + 24 : entry + 28] = claimed.to_bytes(4, "little")
    path.write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="not a file of arrays"):
            read_arrays(path)
        assert tracemalloc.get_traced_memory()[1] < length / 4
    finally:
        tracemalloc.stop()


def test_holes_of_a_file_do_not_account_for_arrays(tmp_path):
    path, length = tmp_path / "a.npz", 8 * (MOST_UNPACKED + 8)
    head = npy(f"({length // 8},)")
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a.npy", head)
    data = bytearray(path.read_bytes())
    entry = data.rindex(b"PK\x01\x02")
    for at in (18, entry + 20):  # both sizes, where the member begins and in the list of members
        data[at : at + 8] = (len(head) + length).to_bytes(4, "little") * 2
    begins = data.index(head) + len(head)
    end = data.rindex(b"PK\x05\x06")
    data[end + 16 : end + 20] = (begins + length).to_bytes(4, "little")
    with open(path, "wb") as file:
        file.write(data[:begins])
        file.seek(length, os.SEEK_CUR)
        file.write(data[begins:])
    with pytest.raises(ValueError, match="larger than the file"):
        read_arrays(path)


def test_text_is_of_a_length_that_can_be_parsed(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", a=np.array("[" * (LONGEST_TEXT + 1)))
    with pytest.raises(ValueError, match="text of more than"):
        read_arrays(tmp_path / "a.npz")


def test_members_that_share_their_bytes_count_each(tmp_path, monkeypatch):
    monkeypatch.setattr("envwright.core.array_file.MOST_UNPACKED", 0)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        file.writestr("a.npy", npy("(100,)", data=bytes(800)))
        shared = file.infolist()[0]
        file.filelist += [shared] * 50
    (tmp_path / "a.npz").write_bytes(data.getvalue())
    with pytest.raises(ValueError, match="larger than the file"):
        read_arrays(tmp_path / "a.npz")


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.npz")
    with pytest.raises(OSError, match="not a regular file"):
        read_arrays(tmp_path / "pipe.npz")


def test_numpy_loads_no_pickles_anywhere():
    """`read_arrays` is for files of others; `np.load` only for files of the package."""
    found = []
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            allowed = [k.value for k in node.keywords if k.arg == "allow_pickle"]
            if any(not isinstance(v, ast.Constant) or v.value is not False for v in allowed):
                found.append(f"{path}:{node.lineno}")
            if ast.unparse(node.func) == "np.load" and "zoo" not in path.parts:
                found.append(f"{path}:{node.lineno}")
    assert found == []
