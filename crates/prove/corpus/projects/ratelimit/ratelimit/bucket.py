"""Token bucket: a burst at once, then a steady rate."""


class TokenBucket:
    def __init__(self, limit, clock):
        self.limit = limit
        self.clock = clock
        self._tokens = float(limit.burst)
        self._seen = clock.now()

    def _refill(self):
        now = self.clock.now()
        self._tokens = min(self.limit.burst, self._tokens + (now - self._seen) * self.limit.rate)
        self._seen = now

    @property
    def tokens(self):
        self._refill()
        return self._tokens

    def allow(self, cost=1):
        """Takes the tokens if they are there."""
        if cost <= 0:
            raise ValueError("cost must be positive")
        if cost > self.limit.burst:
            raise ValueError("cost %s can never be paid" % cost)
        self._refill()
        if self._tokens + 1e-9 < cost:
            return False
        self._tokens = max(0.0, self._tokens - cost)
        return True

    def wait(self, cost=1):
        """Seconds until `allow(cost)` will succeed."""
        self._refill()
        return max(0.0, cost - self._tokens) / self.limit.rate
