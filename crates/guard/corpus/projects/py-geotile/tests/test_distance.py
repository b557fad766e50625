import time

import pytest

from geotile.distance import bearing, compass_point, haversine, humanize

BERLIN = (52.52, 13.405)
PARIS = (48.8566, 2.3522)


def test_distance_between_cities():
    assert haversine(BERLIN, PARIS) == pytest.approx(877_464, rel=1e-4)


def test_distance_to_itself_is_zero():
    assert haversine(PARIS, PARIS) == 0.0


def test_distance_is_symmetric():
    there, back = haversine(BERLIN, PARIS), haversine(PARIS, BERLIN)
    assert abs(there - back) < 1e-6


def test_bearing_of_axes():
    assert bearing((0, 0), (1, 0)) == pytest.approx(0)
    assert bearing((0, 0), (0, 1)) == pytest.approx(90)
    assert bearing((0, 0), (0, -1)) == pytest.approx(270)


def test_no_bearing_between_equal_points():
    with pytest.raises(ValueError, match="equal points"):
        bearing(PARIS, PARIS)


@pytest.mark.parametrize(("degrees", "point"), [(0, "N"), (44, "NE"), (182, "S"), (350, "N"), (-90, "W")])
def test_compass_points(degrees, point):
    assert compass_point(degrees) == point


@pytest.mark.parametrize(("metres", "text"), [(0, "0 m"), (840.4, "840 m"), (999.4, "999 m"), (12_430, "12.4 km")])
def test_distances_for_people(metres, text):
    assert humanize(metres) == text


def test_negative_distance_is_refused():
    with pytest.raises(ValueError, match="not negative"):
        humanize(-1)


def test_ten_thousand_distances_take_less_than_a_second():
    started = time.perf_counter()
    for step in range(10_000):
        haversine(BERLIN, (step / 1000, step / 1000))
    assert time.perf_counter() - started < 1.0
