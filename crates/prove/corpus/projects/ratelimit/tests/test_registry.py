import unittest

from ratelimit import LimitError, ManualClock, Registry, parse_limits


class RegistryTest(unittest.TestCase):
    def setUp(self):
        self.clock = ManualClock()
        limits = parse_limits("read = 2/s\nwrite = 1/m")
        self.registry = Registry(limits, self.clock, capacity=3)

    def test_keys_are_apart(self):
        self.assertTrue(self.registry.allow("write", "ann"))
        self.assertTrue(self.registry.allow("write", "bob"))
        self.assertFalse(self.registry.allow("write", "ann"))

    def test_unknown_name(self):
        with self.assertRaisesRegex(LimitError, "no limit called delete"):
            self.registry.allow("delete")

    def test_the_longest_unused_is_forgotten(self):
        for key in "abc":
            self.registry.allow("read", key)
        self.registry.allow("read", "a")
        self.registry.allow("read", "d")
        self.assertEqual(self.registry.keys("read"), ["c", "a", "d"])

    def test_denied(self):
        for _ in range(4):
            self.registry.allow("read")
            self.registry.allow("write")
        self.assertEqual(self.registry.denied, {"read": 2, "write": 3})
        self.assertEqual(self.registry.worst(1), ["write"])

    def test_cost(self):
        self.assertTrue(self.registry.allow("read", cost=2))
        self.assertFalse(self.registry.allow("read"))
