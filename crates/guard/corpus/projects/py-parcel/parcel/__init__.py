"""Labels, tariffs and tracking of parcels."""
