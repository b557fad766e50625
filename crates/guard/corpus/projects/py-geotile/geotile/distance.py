"""Great-circle distances and bearings, in metres and degrees."""

from __future__ import annotations

import math

EARTH_RADIUS = 6_371_008.8
POINTS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")


def haversine(start: tuple[float, float], end: tuple[float, float]) -> float:
    lat1, lon1, lat2, lon2 = (math.radians(value) for value in (*start, *end))
    half = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_RADIUS * math.asin(math.sqrt(half))


def bearing(start: tuple[float, float], end: tuple[float, float]) -> float:
    """Degrees clockwise from north."""
    if start == end:
        raise ValueError("no bearing between equal points")
    lat1, lon1, lat2, lon2 = (math.radians(value) for value in (*start, *end))
    east = math.sin(lon2 - lon1) * math.cos(lat2)
    north = math.cos(lat1) * math.sin(lat2) - math.sin(lat1) * math.cos(lat2) * math.cos(lon2 - lon1)
    return math.degrees(math.atan2(east, north)) % 360


def compass_point(degrees: float) -> str:
    return POINTS[round(degrees % 360 / 45) % 8]


def humanize(metres: float) -> str:
    """A distance for people: `840 m`, `12.4 km`."""
    if metres < 0:
        raise ValueError("a distance is not negative")
    if metres < 1000:
        return f"{metres:.0f} m"
    return f"{metres / 1000:.1f} km"
