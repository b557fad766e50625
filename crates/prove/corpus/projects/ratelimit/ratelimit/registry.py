"""A limiter per name and key."""
from .bucket import TokenBucket
from .config import LimitError


class Registry:
    def __init__(self, limits, clock, capacity=1000, make=TokenBucket):
        self.limits = limits
        self.clock = clock
        self.capacity = capacity
        self.make = make
        self._limiters = {}
        self.denied = {}

    def allow(self, name, key="", **options):
        if name not in self.limits:
            raise LimitError("no limit called %s" % name)
        slot = (name, key)
        limiter = self._limiters.pop(slot, None)
        if limiter is None:
            limiter = self.make(self.limits[name], self.clock)
        self._limiters[slot] = limiter
        while len(self._limiters) > self.capacity:
            del self._limiters[next(iter(self._limiters))]
        if limiter.allow(**options):
            return True
        self.denied[name] = self.denied.get(name, 0) + 1
        return False

    def keys(self, name):
        return [key for other, key in self._limiters if other == name]

    def worst(self, count=3):
        """The names that were denied most often."""
        return sorted(self.denied, key=lambda name: (-self.denied[name], name))[:count]
