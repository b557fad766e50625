import pytest

from geotile import BoundingBox


def test_contains_its_edge(alps):
    assert alps.contains((45.8, 6.8))
    assert alps.contains((46.5, 10.0))
    assert not alps.contains((44.0, 10.0))


def test_center(alps):
    assert alps.center() == pytest.approx((46.65, 9.9))


def test_around_points():
    box = BoundingBox.around([(1, 5), (3, 2), (2, 9)])
    assert box == BoundingBox(1, 2, 3, 9)


def test_around_nothing():
    with pytest.raises(ValueError, match="no points"):
        BoundingBox.around([])


def test_union(alps):
    coast = BoundingBox(43.0, 7.0, 44.0, 8.0)
    both = alps.union(coast)
    assert both.south == 43.0
    assert both.north == 47.5
    assert both.union(alps) == both


def test_upside_down_box_is_refused():
    with pytest.raises(ValueError, match="north of its north"):
        BoundingBox(10, 0, 5, 1)


def test_latitude_is_checked():
    with pytest.raises(ValueError, match="latitude"):
        BoundingBox(-91, 0, 5, 1)
