"""Web map tiles, distances on the globe and recorded tracks."""

from .bbox import BoundingBox
from .distance import bearing, haversine
from .tiles import Tile, quadkey, tile_at
from .track import Fix, TrackError, read_track, summarize

__all__ = [
    "BoundingBox", "Fix", "Tile", "TrackError", "bearing", "haversine", "quadkey", "read_track", "summarize", "tile_at",
]
