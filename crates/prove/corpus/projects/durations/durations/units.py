"""The units of time and their spellings."""

SECOND = 1
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
WEEK = 7 * DAY

SECONDS = {"w": WEEK, "d": DAY, "h": HOUR, "m": MINUTE, "s": SECOND}

NAMES = {"w": "week", "d": "day", "h": "hour", "m": "minute", "s": "second"}

ALIASES = {
    "sec": "s", "secs": "s", "second": "s", "seconds": "s",
    "min": "m", "mins": "m", "minute": "m", "minutes": "m",
    "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
    "day": "d", "days": "d",
    "week": "w", "weeks": "w",
}


def canonical(unit):
    """The one-letter name of a unit, or None if there is no such unit."""
    unit = unit.lower()
    if unit in SECONDS:
        return unit
    return ALIASES.get(unit)


def order(unit):
    """Position of a unit, the largest first."""
    return list(SECONDS).index(unit)
