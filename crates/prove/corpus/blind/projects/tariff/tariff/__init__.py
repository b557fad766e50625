"""Prices for parcels."""
