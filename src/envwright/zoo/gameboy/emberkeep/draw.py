"""Turn `art.txt` into `art.c` and `art.h`: run `python draw.py` after changing a picture."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
SHADES = ".-o#"
WIDTH = {"bg": 16, "sprite": 16, "icon": 8, "stamp": 8}
GLYPH_ROWS = 7

Picture = list[str]  # rows of shades


class Sheet:
    """Tiles in the order of video memory, and the place of each picture's tiles."""

    def __init__(self) -> None:
        self.tiles: list[Picture] = []
        self.names: dict[str, int] = {}  # of first tiles
        self.backgrounds: dict[str, list[int]] = {}

    def add(self, tile: Picture) -> int:
        self.tiles.append(tile)
        return len(self.tiles) - 1

    def add_once(self, tile: Picture) -> int:
        return self.tiles.index(tile) if tile in self.tiles else self.add(tile)


def read(text: str) -> list[tuple[list[str], Picture]]:
    """Yield headings (split into words) with the rows below them."""
    blocks: list[tuple[list[str], Picture]] = []
    for line in text.splitlines():
        word = line.split(" ", 1)[0]
        if line.startswith(";"):
            continue
        if word in (*WIDTH, "font", "big"):
            blocks.append((line.split(), []))
        elif line:
            blocks[-1][1].append(line)
    return blocks


def resolve(words: list[str], rows: Picture, known: dict[str, Picture]) -> Picture:
    """Return the whole picture that a heading and its rows describe."""
    kind, name, *how = words
    match how:
        case ["mirror"]:
            picture = [row + row[::-1] for row in rows]
        case ["on", base, stamp, x, y]:
            picture = lay(known[base], known[stamp], int(x), int(y))
        case ["copy", base, first]:
            picture = known[base][: int(first)] + rows
        case ["turned", base]:
            picture = ["".join(column)[::-1] for column in zip(*known[base], strict=True)]
        case _:
            picture = rows
    size = WIDTH[kind]
    if len(picture) != size or any(len(row) != size for row in picture):
        raise ValueError(f"{name}: wants {size} rows of {size}, has {[len(r) for r in picture]}")
    return picture


def lay(base: Picture, stamp: Picture, left: int, top: int) -> Picture:
    grid = [list(row) for row in base]
    for y, row in enumerate(stamp):
        for x, shade in enumerate(row):
            if shade != " ":
                grid[top + y][left + x] = shade
    return ["".join(row) for row in grid]


def cut(picture: Picture, x: int, y: int) -> Picture:
    return [row[8 * x : 8 * x + 8] for row in picture[8 * y : 8 * y + 8]]


def glyphs(letters: str, rows: Picture) -> dict[str, Picture]:
    """Draw white letters on black, one pixel from the left and the top."""
    shapes: list[Picture] = []
    for first in range(0, len(rows), GLYPH_ROWS):
        columns = [row.split() for row in rows[first : first + GLYPH_ROWS]]
        shapes += [list(shape) for shape in zip(*columns, strict=True)]
    swap = str.maketrans("#.", ".#")
    return {
        letter: ["#" + row.translate(swap) + "##" for row in shape] + ["########"]
        for letter, shape in zip(letters, shapes, strict=True)
    }


def enlarge(glyph: Picture) -> Picture:
    """Double the size, cooling from white to dark towards the foot like an ember."""
    rows = [
        "".join(2 * pixel for pixel in glyph[y // 2]).replace(".", heat)
        for y, heat in zip(range(14), "......-----ooo", strict=True)
    ]
    return ["#" * 16, *rows, "#" * 16]


def build(text: str) -> Sheet:
    sheet, known, font = Sheet(), {}, {}
    for words, rows in read(text):
        kind, name = words[0], words[1]
        if kind == "font":
            font = glyphs(name, rows)
            sheet.names["font"] = len(sheet.tiles)
            for glyph in font.values():
                sheet.add(glyph)
            continue
        if kind == "big":
            for letter in name:
                big = enlarge(font[letter])
                sheet.backgrounds[f"big_{letter.lower()}"] = [
                    sheet.add_once(cut(big, x, y)) for y in (0, 1) for x in (0, 1)
                ]
            continue
        picture = known[name] = resolve(words, rows, known)
        if kind == "icon":
            sheet.names[name] = sheet.add(picture)
        elif kind == "bg" and name not in ("gate", "key"):
            # What moves is redrawn in place, so its tiles are its own and in a row.
            place = sheet.add if name.startswith(("torch", "water")) else sheet.add_once
            sheet.backgrounds[name] = [place(cut(picture, x, y)) for y in (0, 1) for x in (0, 1)]
        elif kind == "sprite":
            if len(sheet.tiles) % 2:  # 8x16 objects begin at even tiles
                sheet.add(["." * 8] * 8)
            sheet.names[name] = len(sheet.tiles)
            for x in (0, 1):
                for y in (0, 1):
                    sheet.add(cut(picture, x, y))
    return sheet


def encode(tile: Picture) -> list[int]:
    """Encode as two bit planes a row, low plane first."""
    data = []
    for row in tile:
        shades = [SHADES.index(shade) for shade in row]
        for plane in (0, 1):
            data.append(sum((shade >> plane & 1) << (7 - x) for x, shade in enumerate(shades)))
    return data


def sources(sheet: Sheet) -> dict[str, str]:
    """Return the text of `art.c` and `art.h`."""
    note = "/* Made from art.txt by draw.py; do not edit. */\n"
    tiles = "".join(
        "  " + ", ".join(f"0x{byte:02X}" for byte in encode(tile)) + ",\n" for tile in sheet.tiles
    )
    metatiles = "".join(
        "  {" + ", ".join(map(str, four)) + f"}}, /* {name} */\n"
        for name, four in sheet.backgrounds.items()
    )
    code = (
        f'{note}#include "art.h"\n\n'
        f"const u8 art_tiles[ART_TILES * 16] = {{\n{tiles}}};\n\n"
        f"const u8 art_metatiles[ART_METATILES][4] = {{\n{metatiles}}};\n"
    )
    header = note + '#pragma once\n#include "types.h"\n\n'
    header += f"#define ART_TILES {len(sheet.tiles)}\n"
    header += f"#define ART_METATILES {len(sheet.backgrounds)}\n\n/* first tiles */\n"
    header += "".join(f"#define T_{n.upper()} {i}\n" for n, i in sheet.names.items())
    header += "\n/* metatiles: 2x2 tiles of the background */\n"
    header += "".join(f"#define M_{n.upper()} {i}\n" for i, n in enumerate(sheet.backgrounds))
    header += "\nextern const u8 art_tiles[ART_TILES * 16];\n"
    header += "extern const u8 art_metatiles[ART_METATILES][4];\n"
    return {"art.c": code, "art.h": header}


if __name__ == "__main__":
    for file, content in sources(build((HERE / "art.txt").read_text())).items():
        (HERE / file).write_text(content)
