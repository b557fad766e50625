"""Limits as people write them: `10/s`, `100/15m burst 20`."""
import re
from collections import namedtuple

PERIODS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
MAX_COUNT = 1_000_000

_LIMIT = re.compile(r"^(\d+)\s*/\s*(\d*)([smhd])(?:\s+burst\s+(\d+))?$")


class LimitError(ValueError):
    pass


class Limit(namedtuple("Limit", "count period burst")):
    @property
    def rate(self):
        """Permits per second."""
        return self.count / self.period


def parse_limit(text):
    match = _LIMIT.match(text.strip())
    if not match:
        raise LimitError("not a limit: %r" % text)
    count = int(match.group(1))
    period = int(match.group(2) or 1) * PERIODS[match.group(3)]
    burst = int(match.group(4)) if match.group(4) else count
    if count == 0 or period == 0 or burst == 0:
        raise LimitError("zero in %r" % text)
    if count > MAX_COUNT:
        raise LimitError("more than %d in %r" % (MAX_COUNT, text))
    return Limit(count, period, burst)


def parse_limits(source):
    """A dictionary from lines such as `upload = 5/m`; `#` begins a comment."""
    limits = {}
    for number, line in enumerate(source.splitlines(), 1):
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        name, equals, value = line.partition("=")
        name = name.strip()
        if not equals or not name:
            raise LimitError("line %d: expected NAME = LIMIT" % number)
        if name in limits:
            raise LimitError("line %d: %s is there twice" % (number, name))
        try:
            limits[name] = parse_limit(value)
        except LimitError as error:
            raise LimitError("line %d: %s" % (number, error)) from None
    return limits
