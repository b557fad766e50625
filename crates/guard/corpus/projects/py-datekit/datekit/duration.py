"""Durations as people write them."""
import re

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
PART = re.compile(r"(\d+)([smhd])")


def parse_duration(text):
    """Reads "1h30m" as 5400."""
    if not text:
        raise ValueError("empty duration")
    if PART.sub("", text):
        raise ValueError(f"cannot read {text!r}")
    return sum(int(count) * UNITS[unit] for count, unit in PART.findall(text))


def format_duration(seconds):
    if seconds < 0:
        raise ValueError("negative duration")
    parts = []
    for unit in "dhms":
        count, seconds = divmod(seconds, UNITS[unit])
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
