"""Recorded tracks: reading them and saying what they hold."""

from __future__ import annotations

import csv
import json
import logging
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from .bbox import BoundingBox
from .distance import haversine, humanize

log = logging.getLogger(__name__)

#: What the reader does with a track. Read by `load_options`.
DEFAULTS = {"drop_jumps": True, "round_heights": True, "max_speed": 55.0}


class TrackError(Exception):
    """A track that cannot be read."""


@dataclass(frozen=True)
class Fix:
    seconds: int
    point: tuple[float, float]
    height: float


def parse_fix(row: list[str]) -> Fix:
    if len(row) != 4:
        raise TrackError(f"expected 4 columns, found {len(row)}")
    try:
        seconds, latitude, longitude, height = int(row[0]), float(row[1]), float(row[2]), float(row[3])
    except ValueError as error:
        raise TrackError(f"not a number in {row}") from error
    if not -90 <= latitude <= 90:
        raise TrackError(f"latitude out of range: {latitude}")
    return Fix(seconds, (latitude, longitude), height)


def read_track(path: Path) -> list[Fix]:
    """The fixes of a file, in the order of time."""
    try:
        text = path.read_text()
    except OSError as error:
        raise TrackError(f"cannot read {path.name}") from error
    rows = list(csv.reader(text.splitlines()))[1:]
    return sorted((parse_fix(row) for row in rows), key=lambda fix: fix.seconds)


def load_options(path: Path) -> dict:
    options = dict(DEFAULTS)
    if path.exists():
        options.update(json.loads(path.read_text()))
    return options


def drop_jumps(fixes: list[Fix], max_speed: float) -> list[Fix]:
    """Leaves out fixes that nobody could have reached in time."""
    kept: list[Fix] = []
    for fix in fixes:
        if kept:
            passed = fix.seconds - kept[-1].seconds
            if passed <= 0 or haversine(kept[-1].point, fix.point) / passed > max_speed:
                continue
        kept.append(fix)
    return kept


def climb(fixes: list[Fix]) -> float:
    """Metres gained, losses not counted."""
    return sum(max(0.0, after.height - before.height) for before, after in zip(fixes, fixes[1:]))


def summarize(fixes: list[Fix]) -> str:
    if not fixes:
        raise TrackError("empty track")
    length = sum(haversine(before.point, after.point) for before, after in zip(fixes, fixes[1:]))
    box = BoundingBox.around([fix.point for fix in fixes])
    minutes = (fixes[-1].seconds - fixes[0].seconds) // 60
    return (
        f"fixes: {len(fixes)}\nlength: {humanize(length)}\nclimb: {climb(fixes):.0f} m\n"
        f"time: {minutes} min\ncenter: {box.center()[0]:.4f} {box.center()[1]:.4f}\n"
    )


def place_name(point: tuple[float, float], open_url=urllib.request.urlopen) -> str:
    """Asks the name service; its failures do not stop a summary."""
    url = f"https://names.example.org/reverse?lat={point[0]}&lon={point[1]}"
    try:
        with open_url(url, timeout=5) as answer:
            return json.loads(answer.read())["name"]
    except OSError as error:
        log.warning("no name for %s: %s", point, error)
        return "unknown"
