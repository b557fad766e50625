import unittest

from durations import clock, compact, humanize, iso, parse_iso
from tests.support import check_round_trip, samples


class FormatterTest(unittest.TestCase):
    def test_compact(self):
        self.assertEqual(compact(5400), "1h30m")
        self.assertEqual(compact(-90), "-1m30s")
        self.assertEqual(compact(0), "0s")

    def test_round_trip(self):
        for seconds in samples(7, 200, low=-2_000_000):
            check_round_trip(self, seconds)

    def test_clock(self):
        self.assertEqual(clock(5400), "01:30:00")
        self.assertEqual(clock(100 * 3600 + 5), "100:00:05")
        self.assertEqual(clock(-61), "-00:01:01")

    def test_iso(self):
        self.assertEqual(iso(5400), "PT1H30M")
        self.assertEqual(iso(0), "PT0S")
        self.assertEqual(iso(86400), "P1D")

    def test_iso_round_trip(self):
        for seconds in samples(11, 200):
            self.assertEqual(parse_iso(iso(seconds)), seconds)

    def test_iso_negative(self):
        with self.assertRaises(ValueError):
            iso(-1)

    def test_humanize(self):
        self.assertEqual(humanize(5400), "1 hour and 30 minutes")
        self.assertEqual(humanize(93784, parts=3), "1 day, 2 hours and 3 minutes")
        self.assertEqual(humanize(60), "1 minute")
        self.assertEqual(humanize(-7200), "2 hours ago")
        self.assertEqual(humanize(0), "no time")

    def test_humanize_parts(self):
        with self.assertRaises(ValueError):
            humanize(60, parts=0)
