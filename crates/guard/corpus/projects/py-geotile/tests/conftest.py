from pathlib import Path

import pytest

from geotile import BoundingBox, Fix, read_track

DATA = Path(__file__).parent / "data"


@pytest.fixture
def walk():
    """A short walk in Lisbon, recorded by hand."""
    return read_track(DATA / "walk.csv")


@pytest.fixture
def alps():
    return BoundingBox(45.8, 6.8, 47.5, 13.0)


@pytest.fixture
def make_fix():
    def make(seconds, latitude=0.0, longitude=0.0, height=0.0):
        return Fix(seconds, (latitude, longitude), height)

    return make
