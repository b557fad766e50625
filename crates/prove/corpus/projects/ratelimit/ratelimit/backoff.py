"""Trying again, later and later."""


class Backoff:
    def __init__(self, first=1.0, factor=2.0, most=60.0, tries=5):
        if first <= 0 or factor < 1 or tries < 1:
            raise ValueError("a backoff grows")
        self.first = first
        self.factor = factor
        self.most = most
        self.tries = tries

    def delays(self):
        """One fewer than tries."""
        delay = self.first
        for _ in range(self.tries - 1):
            yield min(delay, self.most)
            delay *= self.factor


def call(function, backoff, clock, retry_on=(OSError,)):
    """The function's result; other errors, and the last one, are passed on."""
    for delay in backoff.delays():
        try:
            return function()
        except retry_on:
            clock.sleep(delay)
    return function()
