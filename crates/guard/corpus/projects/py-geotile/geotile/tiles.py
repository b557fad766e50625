"""Slippy map tiles: which square of the world map a point is on."""

from __future__ import annotations

import math
from dataclasses import dataclass

MAX_ZOOM = 22
MAX_LATITUDE = 85.0511


@dataclass(frozen=True)
class Tile:
    zoom: int
    x: int
    y: int

    def parent(self) -> "Tile":
        """The tile that holds this one, one level up."""
        if self.zoom == 0:
            raise ValueError("the world has no parent")
        return Tile(self.zoom - 1, self.x // 2, self.y // 2)

    def children(self) -> list["Tile"]:
        return [Tile(self.zoom + 1, self.x * 2 + dx, self.y * 2 + dy) for dy in (0, 1) for dx in (0, 1)]


def check_zoom(zoom: int) -> int:
    if not 0 <= zoom <= MAX_ZOOM:
        raise ValueError(f"zoom must be 0 to {MAX_ZOOM}, not {zoom}")
    return zoom


def tile_at(latitude: float, longitude: float, zoom: int) -> Tile:
    """The tile of a point. Points beyond the map's edge belong to the outermost row."""
    check_zoom(zoom)
    if not -180 <= longitude <= 180:
        raise ValueError(f"longitude out of range: {longitude}")
    latitude = max(-MAX_LATITUDE, min(MAX_LATITUDE, latitude))
    size = 2**zoom
    x = int((longitude + 180) / 360 * size)
    radians = math.radians(latitude)
    y = int((1 - math.asinh(math.tan(radians)) / math.pi) / 2 * size)
    return Tile(zoom, min(x, size - 1), min(max(y, 0), size - 1))


def quadkey(tile: Tile) -> str:
    """One digit per level, from the world down."""
    digits = []
    for level in range(tile.zoom, 0, -1):
        mask = 1 << (level - 1)
        digits.append(str((1 if tile.x & mask else 0) + (2 if tile.y & mask else 0)))
    return "".join(digits)


def from_quadkey(key: str) -> Tile:
    x = y = 0
    for digit in key:
        if digit not in "0123":
            raise ValueError(f"not a quadkey: {key!r}")
        x = x * 2 + (int(digit) & 1)
        y = y * 2 + (int(digit) >> 1)
    return Tile(len(key), x, y)
