"""Write `ziggurat_tables.rs` from the library that NumPy installs.

python -m tests.core.numpy_random.tables
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np

LIBRARY = Path(np.__file__).parent / "random/lib/libnpyrandom.a"
TABLES = Path(__file__).parents[3] / "crates/numpy-random/src/ziggurat_tables.rs"
NAMES = {
    "KI": "ki_double",
    "WI": "wi_double",
    "FI": "fi_double",
    "KE": "ke_double",
    "WE": "we_double",
    "FE": "fe_double",
}
HEAD = """\
//! The layers of the ziggurats: widths and heights as the bits of float64.
//!
//! `W` turns a whole number into a place, below `K` it is certainly under the density, `F` is the
//! density at the layer's edge; `I` is of the normal law, `E` of the exponential one. NumPy's
//! tables differ from exact ones in the last digits: `tests/core/numpy_random/tables.py` reads them
//! from the library that NumPy installs, and writes this file.
"""


def source() -> str:
    """Return the text of the file."""
    found = dict(_symbols(_object(LIBRARY.read_bytes(), b"distributions.c.o")))
    texts = [HEAD]
    for name, symbol in NAMES.items():
        words = [f"0x{word:016x}," for word in np.frombuffer(found[symbol], "<u8").tolist()]
        rows = [f"    {' '.join(words[at : at + 4])}" for at in range(0, len(words), 4)]
        declared = f"#[rustfmt::skip]\npub const {name}: [u64; {len(words)}] = ["
        texts.append("\n".join([declared, *rows, "];\n"]))
    return "\n".join(texts)


def _object(archive: bytes, ending: bytes) -> bytes:
    """Return the member of an `ar` archive whose name ends like this."""
    place, names = 8, b""
    while place < len(archive):
        name, size = archive[place : place + 16].strip(), int(archive[place + 48 : place + 58])
        data = archive[place + 60 : place + 60 + size]
        if name == b"//":
            names = data
        elif name[1:].isdigit():
            name = names[int(name[1:]) :].partition(b"/")[0]
        if name.rstrip(b"/").endswith(ending):
            return data
        place += 60 + size + size % 2
    raise ValueError(f"no {ending.decode()} in {LIBRARY}")


def _symbols(elf: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the names of an ELF object with their bytes."""
    (start,) = struct.unpack_from("<Q", elf, 0x28)
    size, count = struct.unpack_from("<HH", elf, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, start + i * size) for i in range(count)]
    table = next(section for section in sections if section[1] == 2)
    names = sections[table[6]][4]
    for at in range(table[4], table[4] + table[5], 24):
        name, _, _, section, value, length = struct.unpack_from("<IBBHQQ", elf, at)
        if 0 < section < count:
            begin = sections[section][4] + value
            text = elf[names + name : elf.index(b"\0", names + name)].decode()
            yield text, elf[begin : begin + length]


if __name__ == "__main__":
    TABLES.write_text(source())
