"""Lengths of time, in whole seconds."""
from .arith import average, clamp, round_to, split_evenly, total
from .formatter import clock, compact, humanize, iso
from .parser import DurationError, parse, parse_clock, parse_iso, parse_range

__all__ = [
    "DurationError", "average", "clamp", "clock", "compact", "humanize", "iso", "parse", "parse_clock", "parse_iso",
    "parse_range", "round_to", "split_evenly", "total",
]
