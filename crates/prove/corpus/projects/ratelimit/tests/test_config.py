import unittest

from ratelimit import Limit, LimitError, parse_limit, parse_limits


class ParseLimitTest(unittest.TestCase):
    def test_values(self):
        for text, limit in [
            ("10/s", Limit(10, 1, 10)),
            ("100/15m", Limit(100, 900, 100)),
            ("5 / h burst 2", Limit(5, 3600, 2)),
            ("1/2d", Limit(1, 172800, 1)),
        ]:
            with self.subTest(text):
                self.assertEqual(parse_limit(text), limit)

    def test_refused(self):
        for text in ["", "10", "10/x", "0/s", "5/0s", "5/s burst 0", "-1/s", "1000001/s"]:
            with self.subTest(text), self.assertRaises(LimitError):
                parse_limit(text)

    def test_rate(self):
        self.assertEqual(parse_limit("30/m").rate, 0.5)


class ParseLimitsTest(unittest.TestCase):
    def test_lines(self):
        limits = parse_limits("# api\nread = 10/s\n\nupload = 5/m burst 2  # slow\n")
        self.assertEqual(list(limits), ["read", "upload"])
        self.assertEqual(limits["upload"], Limit(5, 60, 2))

    def test_errors_name_the_line(self):
        for source, message in [
            ("a = 1/s\nb", "line 2: expected"),
            ("a = 1/s\na = 2/s", "line 2: a is there twice"),
            ("\n\na = 1/y", "line 3: not a limit"),
        ]:
            with self.subTest(source), self.assertRaisesRegex(LimitError, message):
                parse_limits(source)
