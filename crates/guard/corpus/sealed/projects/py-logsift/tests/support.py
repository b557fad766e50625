"""What the tests share."""
import io
import unittest
from datetime import datetime, timezone
from pathlib import Path

from logsift import Record
from logsift.cli import main

CASES = Path(__file__).parent / "cases"


def record(level="INFO", source="web", text="ok", minute=0, **fields):
    return Record(datetime(2024, 3, 1, 10, minute, tzinfo=timezone.utc), level, source, text, fields)


class LogTestCase(unittest.TestCase):
    maxDiff = None

    def run_cli(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        status = main(list(arguments), out, err)
        return status, out.getvalue(), err.getvalue()

    def assert_golden(self, name, actual):
        expected = (CASES / name).read_text(encoding="utf-8")
        self.assertMultiLineEqual(actual, expected)
