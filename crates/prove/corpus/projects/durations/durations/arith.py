"""Sums with durations."""
from .parser import parse


def _seconds(value):
    return parse(value) if isinstance(value, str) else value


def total(values):
    """The sum of durations, given as seconds or texts."""
    return sum(_seconds(value) for value in values)


def average(values):
    """The mean as a float; nothing has no mean."""
    values = [_seconds(value) for value in values]
    if not values:
        raise ValueError("average of nothing")
    return sum(values) / len(values)


def clamp(value, low=None, high=None):
    """The value, moved into the range."""
    value = _seconds(value)
    if low is not None and value < _seconds(low):
        return _seconds(low)
    if high is not None and value > _seconds(high):
        return _seconds(high)
    return value


def round_to(value, step, mode="nearest"):
    """The value as a multiple of step; halves go up."""
    value, step = _seconds(value), _seconds(step)
    if step <= 0:
        raise ValueError("step must be positive")
    down = value // step * step
    if mode == "down" or value == down:
        return down
    if mode == "up":
        return down + step
    if mode != "nearest":
        raise ValueError("unknown mode %r" % mode)
    return down + step if (value - down) * 2 >= step else down


def split_evenly(value, count):
    """Whole seconds for each of count people; the first get one more."""
    if count < 1:
        raise ValueError("nobody to split for")
    share, rest = divmod(_seconds(value), count)
    return [share + 1] * rest + [share] * (count - rest)
