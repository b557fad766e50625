import pytest

from geotile.tiles import MAX_ZOOM, Tile, check_zoom, from_quadkey, quadkey, tile_at


@pytest.mark.parametrize(
    ("latitude", "longitude", "zoom", "expected"),
    [
        (0.0, 0.0, 0, Tile(0, 0, 0)),
        (52.52, 13.405, 10, Tile(10, 550, 335)),
        (-33.87, 151.21, 4, Tile(4, 14, 9)),
        (89.9, 180.0, 3, Tile(3, 7, 0)),
    ],
)
def test_tile_of_a_point(latitude, longitude, zoom, expected):
    assert tile_at(latitude, longitude, zoom) == expected


@pytest.mark.parametrize("zoom", [-1, MAX_ZOOM + 1, 400])
def test_zoom_has_limits(zoom):
    with pytest.raises(ValueError, match="zoom must be 0 to 22"):
        check_zoom(zoom)


def test_longitude_has_limits():
    with pytest.raises(ValueError, match="longitude out of range: 181"):
        tile_at(0, 181, 3)


class TestFamily:
    def test_parent_is_one_level_up(self):
        tile = Tile(10, 551, 335)
        assert tile.parent() == Tile(9, 275, 167)
        assert tile.parent().parent().zoom == 8

    def test_world_has_no_parent(self):
        with pytest.raises(ValueError, match="no parent"):
            Tile(0, 0, 0).parent()

    def test_children_cover_the_tile(self):
        children = Tile(1, 1, 0).children()
        assert children == [Tile(2, 2, 0), Tile(2, 3, 0), Tile(2, 2, 1), Tile(2, 3, 1)]
        assert all(child.parent() == Tile(1, 1, 0) for child in children)


@pytest.mark.parametrize(
    ("tile", "key"),
    [
        (Tile(3, 3, 5), "213"),
        (Tile(1, 1, 1), "3"),
        (Tile(0, 0, 0), ""),
    ],
)
def test_quadkey(tile, key):
    assert quadkey(tile) == key
    assert from_quadkey(key) == tile


def test_quadkey_digits_are_checked():
    with pytest.raises(ValueError, match="not a quadkey"):
        from_quadkey("2134")
