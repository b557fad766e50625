"""Waiting in line for a limiter."""
import asyncio


class Gate:
    """Lets callers through one after the other, as the limiter allows."""

    def __init__(self, limiter, sleep=asyncio.sleep):
        self.limiter = limiter
        self._sleep = sleep
        self._lock = None
        self.passed = 0

    async def enter(self):
        if self._lock is None:
            self._lock = asyncio.Lock()
        async with self._lock:
            while not self.limiter.allow():
                await self._sleep(self.limiter.wait())
            self.passed += 1

    async def run(self, function, timeout=None):
        """The function's result once the gate lets it through."""
        if timeout is not None and self.limiter.wait() > timeout:
            raise TimeoutError("the gate stays closed for %.3f s" % self.limiter.wait())
        await self.enter()
        return function()
