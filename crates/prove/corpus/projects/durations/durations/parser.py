"""Reads durations in the spellings that people use."""
import re

from .units import DAY, HOUR, MINUTE, SECONDS, WEEK, canonical, order

MAX_SECONDS = 10 * 365 * DAY

_PART = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)")
_ISO = re.compile(
    r"^P(?:(\d+)W)?(?:(\d+)D)?(T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$")
_CLOCK = re.compile(r"^(?:(\d+):)?(\d{1,2}):(\d{2})$")


class DurationError(ValueError):
    """The text is not a duration; `position` says where it stops making sense."""

    def __init__(self, message, position=0):
        super().__init__(message)
        self.position = position


def _limit(seconds):
    if seconds > MAX_SECONDS:
        raise DurationError("duration is too long")
    return seconds


def parse(text):
    """Seconds in texts such as `90s`, `1h 30m`, `1.5h`, `-2d`."""
    source = text.strip()
    if not source:
        raise DurationError("empty duration")
    sign = 1
    start = 0
    if source[0] in "+-":
        sign = -1 if source[0] == "-" else 1
        start = 1
    position = start
    seconds = 0.0
    last = -1
    while position < len(source):
        match = _PART.match(source, position)
        if not match:
            raise DurationError("expected a number and a unit", position)
        unit = canonical(match.group(2))
        if unit is None:
            raise DurationError("unknown unit %r" % match.group(2), match.start(2))
        if order(unit) <= last:
            raise DurationError("units must go from large to small", match.start(2))
        last = order(unit)
        seconds += float(match.group(1)) * SECONDS[unit]
        position = match.end()
    if position == start:
        raise DurationError("sign without a duration", position)
    return sign * _limit(int(round(seconds)))


def parse_iso(text):
    """Seconds in ISO 8601 durations such as `P1DT2H`."""
    match = _ISO.match(text)
    if not match or text == "P" or match.group(3) == "T":
        raise DurationError("not an ISO duration: %r" % text)
    weeks, days, _, hours, minutes, seconds = match.groups()
    total = int(weeks or 0) * WEEK + int(days or 0) * DAY
    total += int(hours or 0) * HOUR + int(minutes or 0) * MINUTE + int(seconds or 0)
    return _limit(total)


def parse_clock(text):
    """Seconds in `HH:MM:SS` or `MM:SS`."""
    match = _CLOCK.match(text.strip())
    if not match:
        raise DurationError("not a clock: %r" % text)
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    if seconds >= 60 or (hours and minutes >= 60):
        raise DurationError("minutes and seconds go up to 59")
    return _limit(hours * HOUR + minutes * MINUTE + seconds)


def parse_range(text):
    """The two ends of `5m..1h`; an end that is left out is None."""
    left, dots, right = text.partition("..")
    if not dots:
        raise DurationError("a range needs two dots")
    low = parse(left) if left.strip() else None
    high = parse(right) if right.strip() else None
    if low is not None and high is not None and low > high:
        raise DurationError("the range is upside down")
    return low, high
