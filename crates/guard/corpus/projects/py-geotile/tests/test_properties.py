from hypothesis import given, settings
from hypothesis import strategies as st

from geotile.distance import compass_point, haversine
from geotile.tiles import MAX_ZOOM, from_quadkey, quadkey, tile_at

latitudes = st.floats(-85, 85)
longitudes = st.floats(-180, 180)
zooms = st.integers(0, MAX_ZOOM)


@settings(max_examples=200)
@given(latitudes, longitudes, zooms)
def test_quadkey_is_reversible(latitude, longitude, zoom):
    tile = tile_at(latitude, longitude, zoom)
    assert from_quadkey(quadkey(tile)) == tile


@given(latitudes, longitudes, zooms)
def test_quadkey_has_a_digit_per_level(latitude, longitude, zoom):
    assert len(quadkey(tile_at(latitude, longitude, zoom))) == zoom


@settings(max_examples=150)
@given(latitudes, longitudes, st.integers(1, MAX_ZOOM))
def test_parent_is_the_tile_of_the_level_above(latitude, longitude, zoom):
    assert tile_at(latitude, longitude, zoom).parent() == tile_at(latitude, longitude, zoom - 1)


@given(latitudes, longitudes)
def test_no_distance_is_longer_than_half_the_globe(latitude, longitude):
    assert haversine((0.0, 0.0), (latitude, longitude)) <= 20_015_200


@given(st.floats(-720, 720))
def test_every_angle_has_a_point(degrees):
    assert compass_point(degrees) in {"N", "NE", "E", "SE", "S", "SW", "W", "NW"}
