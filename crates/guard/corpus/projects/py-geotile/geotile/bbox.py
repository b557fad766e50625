"""Rectangles on the map."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BoundingBox:
    south: float
    west: float
    north: float
    east: float

    def __post_init__(self) -> None:
        if self.south > self.north:
            raise ValueError("south of the box is north of its north")
        if not -90 <= self.south <= 90 or not -90 <= self.north <= 90:
            raise ValueError("latitude out of range")

    @classmethod
    def around(cls, points: list[tuple[float, float]]) -> "BoundingBox":
        if not points:
            raise ValueError("no points")
        latitudes = [point[0] for point in points]
        longitudes = [point[1] for point in points]
        return cls(min(latitudes), min(longitudes), max(latitudes), max(longitudes))

    def contains(self, point: tuple[float, float]) -> bool:
        return self.south <= point[0] <= self.north and self.west <= point[1] <= self.east

    def center(self) -> tuple[float, float]:
        return (self.south + self.north) / 2, (self.west + self.east) / 2

    def union(self, other: "BoundingBox") -> "BoundingBox":
        return BoundingBox(
            min(self.south, other.south), min(self.west, other.west),
            max(self.north, other.north), max(self.east, other.east),
        )
