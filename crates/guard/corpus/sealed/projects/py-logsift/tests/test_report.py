import tempfile
import unittest
from pathlib import Path

from logsift import Summary, render, summarise

from .support import CASES, LogTestCase, record


class SummaryTest(unittest.TestCase):
    def setUp(self):
        self.summary = summarise([
            record("ERROR", "db", minute=5),
            record("INFO", "web", minute=1),
            record("FATAL", "db", minute=9),
            record("INFO", "web", minute=3),
        ], unparsed=2)

    def test_counts(self):
        self.assertEqual(self.summary.total, 4)
        self.assertEqual(self.summary.unparsed, 2)
        self.assertEqual(self.summary.levels, {"ERROR": 1, "INFO": 2, "FATAL": 1})
        self.assertEqual(self.summary.sources, {"db": 2, "web": 2})

    def test_span(self):
        self.assertEqual(self.summary.first.minute, 1)
        self.assertEqual(self.summary.last.minute, 9)

    def test_error_rate(self):
        self.assertAlmostEqual(self.summary.error_rate, 0.5)
        self.assertEqual(Summary().error_rate, 0.0)


class RenderTest(LogTestCase):
    def test_top(self):
        summary = summarise([record(source=name) for name in "aabbbc"])
        self.assertEqual(render(summary, top=2).splitlines()[-2:], ["  b           3", "  a           2"])

    def test_nothing(self):
        self.assertEqual(render(Summary()), "records   0\nunparsed  0\nerrors    0.0%\nsources\n")


class CommandTest(LogTestCase):
    def test_golden(self):
        status, out, err = self.run_cli(str(CASES / "shop.log"))
        self.assertEqual((status, err), (1, ""))
        self.assert_golden("shop.txt", out)

    def test_filtered(self):
        status, out, _ = self.run_cli("--filter", "level>=ERROR", str(CASES / "shop.log"))
        self.assertEqual(status, 1)
        self.assert_golden("shop.errors.txt", out)

    def test_strict_stops_at_the_first_bad_line(self):
        status, out, err = self.run_cli("--strict", str(CASES / "shop.log"))
        self.assertEqual(status, 2)
        self.assertEqual(out, "")
        self.assertEqual(err, "logsift: line 4: not a record\n")

    def test_clean_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "one.log"
            path.write_text("2024-03-01T10:00:00Z INFO web: ok\n")
            status, out, _ = self.run_cli(str(path))
        self.assertEqual(status, 0)
        self.assertTrue(out.startswith("records   1\n"))

    def test_missing_file(self):
        status, _, err = self.run_cli("/nowhere/none.log")
        self.assertEqual(status, 2)
        self.assertRegex(err, r"^logsift: .*none\.log")
