"""Where the time comes from."""
import time


class SystemClock:
    def now(self):
        return time.monotonic()

    def sleep(self, seconds):
        time.sleep(seconds)


class ManualClock:
    """Stands still until it is moved; sleeping moves it."""

    def __init__(self, now=0.0):
        self._now = now
        self.slept = []

    def now(self):
        return self._now

    def advance(self, seconds):
        if seconds < 0:
            raise ValueError("time does not run backwards")
        self._now += seconds

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.advance(seconds)
