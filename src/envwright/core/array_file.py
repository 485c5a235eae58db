"""Read `.npz` files as data: no pickles, and no more memory than the file accounts for."""

from __future__ import annotations

import io
import lzma
import math
import os
import tokenize
import zipfile
import zlib

import numpy as np

from envwright.core.files import open_regular

MOST_UNPACKED = 1 << 28  # bytes of all arrays of a compressed file
SPARSEST = 4  # times the bytes that a file takes on the disk; the rest of it are holes
LONGEST_TEXT = 1 << 24  # letters of an array
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # NumPy's; others unpack without a bound
LONGEST_HEADER = 10_000  # characters
KINDS = "biufcU"  # of dtypes: no objects, and no records, which may contain them
LAST_LETTER = 0x10FFFF

# What NumPy, zipfile and the decompressors raise on damaged files.
DAMAGE = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    lzma.LZMAError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


def is_numpys(dtype: np.dtype) -> bool:
    """Return whether NumPy itself has a dtype. bfloat16, float8 and int4 come from ml_dtypes."""
    return dtype.isbuiltin != 2


def read_arrays(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """Read the arrays of an `.npz` file, by name.

    Raises `OSError` if the file cannot be read, and `ValueError` if it is damaged, holds Python
    objects, or claims arrays larger than its bytes.
    """
    with open_regular(path) as file:
        state = os.fstat(file.fileno())
        size = min(state.st_size, SPARSEST * 512 * state.st_blocks)
        try:
            with zipfile.ZipFile(file) as archive:
                members = archive.infolist()
                # Summed up, since members may share the same bytes.
                if sum(member.file_size for member in members) > max(size, MOST_UNPACKED):
                    raise ValueError("its arrays are larger than the file")
                return {
                    member.filename.removesuffix(".npy"): _array(_unpacked(archive, member))
                    for member in members
                }
        except DAMAGE as error:
            raise ValueError(f"not a file of arrays: {error}") from error


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Unpack as many bytes as a member claims; `ZipFile.read` unpacks whatever there is."""
    if member.compress_type not in PACKINGS:
        raise ValueError(f"{member.filename} is packed in a way that NumPy does not use")
    with archive.open(member) as stream:
        return stream.read(member.file_size)


def _array(data: bytes) -> np.ndarray:
    """Decode one array, whose header must claim exactly the bytes that follow it."""
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    read_header = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }[version]
    shape, columns_first, dtype = read_header(stream, max_header_size=LONGEST_HEADER)
    if dtype.kind not in KINDS:
        raise ValueError(f"it holds {dtype}, not numbers or text")
    if min(shape, default=0) < 0:
        raise ValueError("a length is negative")
    if dtype.kind == "U" and math.prod(shape) * dtype.itemsize > 4 * LONGEST_TEXT:
        raise ValueError(f"it holds text of more than {LONGEST_TEXT:,} letters")
    rest = len(data) - stream.tell()
    if math.prod(shape) * dtype.itemsize != rest:
        raise ValueError(f"an array of {rest} bytes claims the shape {shape} of {dtype}")
    flat = np.frombuffer(data, dtype, offset=stream.tell()) if rest else np.empty(0, dtype)
    if dtype.kind == "U" and rest and flat.view(dtype.str[0] + "u4").max() > LAST_LETTER:
        raise ValueError("it holds text that is not Unicode")
    return flat.copy().reshape(shape, order="F" if columns_first else "C")
