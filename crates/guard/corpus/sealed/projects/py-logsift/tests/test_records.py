import unittest
from datetime import datetime, timezone

from logsift import ParseError, parse_line, read_records
from logsift.records import LONGEST_LINE

GOOD = "2024-03-01T10:00:00Z ERROR db: connection lost (attempt=3, host=\"a b\")"


class ParseLineTest(unittest.TestCase):
    def test_all_parts(self):
        record = parse_line(GOOD + "\n")
        self.assertEqual(record.time, datetime(2024, 3, 1, 10, tzinfo=timezone.utc))
        self.assertEqual(record.level, "ERROR")
        self.assertEqual(record.source, "db")
        self.assertEqual(record.text, "connection lost")
        self.assertEqual(record.fields, {"attempt": "3", "host": "a b"})

    def test_without_fields(self):
        record = parse_line("2024-03-01T10:00:00Z INFO web.api: ready")
        self.assertEqual(record.source, "web.api")
        self.assertEqual(record.fields, {})

    def test_severity_orders_levels(self):
        self.assertLess(parse_line("2024-03-01T10:00:00Z INFO a: b").severity, parse_line(GOOD).severity)

    def test_bad_lines(self):
        for line, message in [
            ("hello", "line 7: not a record"),
            ("2024-03-01T10:00:00Z LOUD db: x", "line 7: unknown level LOUD"),
            ("2024-03-01 INFO db: x", "line 7: bad time '2024-03-01'"),
            ("2024-02-30T10:00:00Z INFO db: x", "line 7: bad time '2024-02-30T10:00:00Z'"),
            ("x" * (LONGEST_LINE + 1), "line 7: line too long"),
        ]:
            with self.subTest(line=line[:40]):
                with self.assertRaises(ParseError) as caught:
                    parse_line(line, 7)
                self.assertEqual(str(caught.exception), message)
                self.assertEqual(caught.exception.line_number, 7)


class ReadRecordsTest(unittest.TestCase):
    lines = [GOOD, "", "garbage", GOOD.replace("ERROR", "INFO")]

    def test_skips_what_is_no_record(self):
        problems = []
        records = list(read_records(self.lines, on_error=problems.append))
        self.assertEqual([record.level for record in records], ["ERROR", "INFO"])
        self.assertEqual([problem.line_number for problem in problems], [3])

    def test_strict(self):
        with self.assertRaisesRegex(ParseError, "^line 3: not a record$"):
            list(read_records(self.lines, strict=True))

    def test_is_lazy(self):
        records = read_records(iter([GOOD, "garbage"]), strict=True)
        self.assertEqual(next(records).level, "ERROR")
        self.assertRaises(ParseError, next, records)
