import unittest

from datekit.duration import format_duration, parse_duration


class ParseTest(unittest.TestCase):
    def test_seconds(self):
        self.assertEqual(parse_duration("45s"), 45)

    def test_hours_and_minutes(self):
        self.assertEqual(parse_duration("1h30m"), 5400)

    def test_days(self):
        self.assertEqual(parse_duration("2d"), 172800)

    def test_empty(self):
        with self.assertRaises(ValueError):
            parse_duration("")

    def test_garbage(self):
        for text in ("1x", "h", "1h 2m"):
            with self.subTest(text=text):
                with self.assertRaisesRegex(ValueError, "cannot read"):
                    parse_duration(text)


class FormatTest(unittest.TestCase):
    def test_zero(self):
        self.assertEqual(format_duration(0), "0s")

    def test_mixed(self):
        self.assertEqual(format_duration(93784), "1d2h3m4s")

    def test_negative(self):
        with self.assertRaisesRegex(ValueError, "negative"):
            format_duration(-1)

    def test_round_trip(self):
        for text in ("5s", "1m", "2h10s", "3d4h"):
            self.assertEqual(format_duration(parse_duration(text)), text)
