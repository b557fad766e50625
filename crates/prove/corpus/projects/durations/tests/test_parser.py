import unittest

from durations import DurationError, parse, parse_clock, parse_iso, parse_range
from durations.parser import MAX_SECONDS


class ParseTest(unittest.TestCase):
    def test_single_units(self):
        table = [("45s", 45), ("2m", 120), ("3h", 10800), ("1d", 86400), ("2w", 1209600)]
        for text, seconds in table:
            with self.subTest(text):
                self.assertEqual(parse(text), seconds)

    def test_combined(self):
        self.assertEqual(parse("1h30m"), 5400)
        self.assertEqual(parse("2d 4h 10s"), 187210)

    def test_long_names(self):
        self.assertEqual(parse("5 minutes"), 300)
        self.assertEqual(parse("1 hour 1 min"), 3660)
        self.assertEqual(parse("2 Weeks"), 1209600)

    def test_fractions(self):
        self.assertEqual(parse("1.5h"), 5400)
        self.assertEqual(parse("0.25m"), 15)

    def test_sign(self):
        self.assertEqual(parse("-2m"), -120)
        self.assertEqual(parse("+2m"), 120)
        with self.assertRaises(DurationError):
            parse("-")

    def test_wrong_order(self):
        with self.assertRaises(DurationError) as caught:
            parse("5m1h")
        self.assertEqual(caught.exception.position, 3)

    def test_unknown_unit(self):
        with self.assertRaisesRegex(DurationError, "unknown unit 'parsecs'"):
            parse("3 parsecs")

    def test_empty(self):
        with self.assertRaises(DurationError):
            parse("  ")

    def test_too_long(self):
        self.assertEqual(parse("3650d"), MAX_SECONDS)
        with self.assertRaisesRegex(DurationError, "too long"):
            parse("3651d")


class IsoTest(unittest.TestCase):
    def test_values(self):
        for text, seconds in [("PT1H30M", 5400), ("P1DT2H", 93600), ("P2W", 1209600), ("PT7S", 7)]:
            with self.subTest(text):
                self.assertEqual(parse_iso(text), seconds)

    def test_refused(self):
        for text in ["P", "PT", "1H", "P1H", "PT1D"]:
            with self.subTest(text), self.assertRaises(DurationError):
                parse_iso(text)


class ClockTest(unittest.TestCase):
    def test_values(self):
        self.assertEqual(parse_clock("01:30:00"), 5400)
        self.assertEqual(parse_clock("02:05"), 125)
        self.assertEqual(parse_clock("90:00"), 5400)

    def test_refused(self):
        for text in ["1:60", "1:60:00", "12", "a:b"]:
            with self.subTest(text), self.assertRaises(DurationError):
                parse_clock(text)


class RangeTest(unittest.TestCase):
    def test_both_ends(self):
        self.assertEqual(parse_range("5m..1h"), (300, 3600))

    def test_open_ends(self):
        self.assertEqual(parse_range("..1h"), (None, 3600))
        self.assertEqual(parse_range("5m.."), (300, None))

    def test_upside_down(self):
        with self.assertRaisesRegex(DurationError, "upside down"):
            parse_range("1h..5m")
