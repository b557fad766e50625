import random
import unittest

from ratelimit import Limit, ManualClock, SlidingWindow, TokenBucket


class BucketTest(unittest.TestCase):
    def setUp(self):
        self.clock = ManualClock(100.0)
        self.bucket = TokenBucket(Limit(10, 1, 4), self.clock)

    def test_burst(self):
        self.assertEqual([self.bucket.allow() for _ in range(5)], [True] * 4 + [False])

    def test_refill(self):
        self.bucket.allow(4)
        self.clock.advance(0.25)
        self.assertAlmostEqual(self.bucket.tokens, 2.5)
        self.clock.advance(100)
        self.assertEqual(self.bucket.tokens, 4)

    def test_wait(self):
        self.assertEqual(self.bucket.wait(), 0)
        self.bucket.allow(4)
        self.assertAlmostEqual(self.bucket.wait(3), 0.3)

    def test_wait_is_enough(self):
        rng = random.Random(3)
        for _ in range(200):
            cost = rng.randint(1, 4)
            self.clock.advance(self.bucket.wait(cost))
            self.assertTrue(self.bucket.allow(cost))

    def test_cost(self):
        for cost in (0, -1, 5):
            with self.subTest(cost), self.assertRaises(ValueError):
                self.bucket.allow(cost)


class WindowTest(unittest.TestCase):
    def setUp(self):
        self.clock = ManualClock()
        self.window = SlidingWindow(Limit(3, 10, 3), self.clock)

    def test_never_more_than_the_limit(self):
        rng = random.Random(9)
        hits = []
        for _ in range(500):
            self.clock.advance(rng.random() * 4)
            if self.window.allow():
                hits.append(self.clock.now())
        for index in range(3, len(hits)):
            self.assertGreaterEqual(hits[index] - hits[index - 3], 10)
        self.assertGreater(len(hits), 200)

    def test_remaining(self):
        self.assertEqual(self.window.remaining(), 3)
        self.window.allow()
        self.clock.advance(9.5)
        self.window.allow()
        self.assertEqual(self.window.remaining(), 1)
        self.clock.advance(0.5)
        self.assertEqual(self.window.remaining(), 2)

    def test_wait(self):
        for step in (0, 1, 1):
            self.clock.advance(step)
            self.assertTrue(self.window.allow())
        self.assertFalse(self.window.allow())
        self.assertEqual(self.window.wait(), 8)
