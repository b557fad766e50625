"""Writes durations."""
from .units import HOUR, MINUTE, NAMES, SECONDS


def _pieces(seconds):
    rest = abs(seconds)
    for unit, size in SECONDS.items():
        count, rest = divmod(rest, size)
        if count:
            yield count, unit


def compact(seconds):
    """`1h30m`; the inverse of parse."""
    text = "".join("%d%s" % piece for piece in _pieces(seconds))
    if not text:
        return "0s"
    return "-" + text if seconds < 0 else text


def clock(seconds):
    """`01:30:00`; hours are not cut off at a day."""
    sign = "-" if seconds < 0 else ""
    hours, rest = divmod(abs(seconds), HOUR)
    minutes, rest = divmod(rest, MINUTE)
    return "%s%02d:%02d:%02d" % (sign, hours, minutes, rest)


def iso(seconds):
    """`PT1H30M`."""
    if seconds < 0:
        raise ValueError("ISO durations are not negative")
    date = time = ""
    for count, unit in _pieces(seconds):
        if unit in "wd":
            date += "%d%s" % (count, unit.upper())
        else:
            time += "%d%s" % (count, unit.upper())
    if not date and not time:
        return "PT0S"
    return "P" + date + ("T" + time if time else "")


def humanize(seconds, parts=2):
    """`1 hour and 30 minutes`, at most so many parts, the rest cut off."""
    if parts < 1:
        raise ValueError("at least one part")
    words = []
    for count, unit in list(_pieces(seconds))[:parts]:
        words.append("%d %s%s" % (count, NAMES[unit], "" if count == 1 else "s"))
    if not words:
        return "no time"
    text = words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
    return text + " ago" if seconds < 0 else text
