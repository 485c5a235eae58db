"""Encode pictures small enough to embed in the page: WebP as data URIs."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import numpy as np
from PIL import Image

from envwright.core.files import read_bytes

WIDEST = 480  # pixels of a frame
HEAVIEST = 10_000  # bytes of a frame
LARGEST = 1 << 25  # bytes of a picture that is embedded
MOST_PIXELS = 1 << 24
PIXEL_ART = 256  # pixels; a picture this small is not smoothed
FORMATS = ("WEBP", "GIF", "PNG")  # others run programs, such as Ghostscript
QUALITIES = (85, 70, 50, 30)


def frame_uri(pixels: np.ndarray) -> str:
    """Encode a frame in at most `HEAVIEST` bytes: less quality first, then fewer pixels."""
    image = Image.fromarray(np.asarray(pixels, np.uint8)).convert("RGB")
    small = image.width <= PIXEL_ART
    image.thumbnail((WIDEST, WIDEST), Image.Resampling.LANCZOS)
    if small and len(data := _webp(image, lossless=True)) <= HEAVIEST:
        return _uri(data, "image/webp")
    while True:
        for quality in QUALITIES:
            data = _webp(image, quality=quality)
            if len(data) <= HEAVIEST:
                return _uri(data, "image/webp")
        image = image.resize((image.width * 3 // 4, image.height * 3 // 4))


def file_uri(path: Path) -> tuple[str, str, tuple[int, int]]:
    """Return a picture, its first frame alone (for readers who want no motion), and its size.

    Raises ValueError if the file is not a picture.
    """
    try:
        data = read_bytes(path, LARGEST)
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            if image.width * image.height > MOST_PIXELS:
                raise ValueError(f"{path.name} has more than {MOST_PIXELS:,} pixels")
            mime = Image.MIME[image.format or ""]
            size = image.size
            still = _webp(image.convert("RGB"), quality=80)
    except (OSError, SyntaxError, KeyError, Image.DecompressionBombError) as error:
        raise ValueError(f"{path.name} is not a picture") from error
    return _uri(data, mime), _uri(still, "image/webp"), size


def _webp(image: Image.Image, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", method=4, **options)
    return buffer.getvalue()


def _uri(data: bytes, mime: str) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"
