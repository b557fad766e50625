import unittest

from durations import average, clamp, round_to, split_evenly, total


class ArithTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total(["1h", 60, "30s"]), 3690)
        self.assertEqual(total([]), 0)

    def test_average(self):
        self.assertAlmostEqual(average(["1m", "2m", 61]), 80.3333333, places=5)
        with self.assertRaises(ValueError):
            average([])

    def test_clamp(self):
        self.assertEqual(clamp("30s", low="1m"), 60)
        self.assertEqual(clamp("3h", high="2h"), 7200)
        self.assertEqual(clamp("90m", "1h", "2h"), 5400)

    def test_round_nearest(self):
        for value, expected in [(449, 300), (450, 600), (600, 600), (-450, -300)]:
            with self.subTest(value):
                self.assertEqual(round_to(value, "5m"), expected)

    def test_round_modes(self):
        self.assertEqual(round_to(599, 300, "down"), 300)
        self.assertEqual(round_to(301, 300, "up"), 600)
        self.assertEqual(round_to(300, 300, "up"), 300)
        with self.assertRaises(ValueError):
            round_to(1, 300, "sideways")
        with self.assertRaises(ValueError):
            round_to(1, 0)

    def test_split_evenly(self):
        self.assertEqual(split_evenly(10, 3), [4, 3, 3])
        self.assertEqual(sum(split_evenly("1h", 7)), 3600)
        with self.assertRaises(ValueError):
            split_evenly(10, 0)
