"""Sliding window: never more than so many in any stretch of the period."""
from collections import deque


class SlidingWindow:
    def __init__(self, limit, clock):
        self.limit = limit
        self.clock = clock
        self._hits = deque()

    def _forget(self):
        edge = self.clock.now() - self.limit.period
        while self._hits and self._hits[0] <= edge:
            self._hits.popleft()

    def allow(self):
        self._forget()
        if len(self._hits) >= self.limit.count:
            return False
        self._hits.append(self.clock.now())
        return True

    def remaining(self):
        self._forget()
        return self.limit.count - len(self._hits)

    def wait(self):
        self._forget()
        if len(self._hits) < self.limit.count:
            return 0.0
        return self._hits[0] + self.limit.period - self.clock.now()
