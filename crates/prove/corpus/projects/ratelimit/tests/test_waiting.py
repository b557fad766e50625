import asyncio
import unittest

from ratelimit import Gate, Limit, ManualClock, TokenBucket


class GateTest(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.clock = ManualClock()
        self.gate = Gate(TokenBucket(Limit(2, 1, 1), self.clock), self.sleep)

    async def sleep(self, seconds):
        self.clock.sleep(seconds)

    async def test_one_after_the_other(self):
        await asyncio.gather(*(self.gate.enter() for _ in range(4)))
        self.assertEqual(self.gate.passed, 4)
        self.assertEqual(self.clock.slept, [0.5, 0.5, 0.5])

    async def test_run(self):
        self.assertEqual(await self.gate.run(lambda: "done"), "done")

    async def test_timeout(self):
        await self.gate.enter()
        with self.assertRaisesRegex(TimeoutError, "0.500 s"):
            await self.gate.run(lambda: "done", timeout=0.4)
        self.assertEqual(await self.gate.run(lambda: "done", timeout=0.5), "done")
