import unittest
from datetime import datetime
from pathlib import Path

from cronline.table import TableError, agenda, read_table

HERE = Path(__file__).parent


class ReadTable(unittest.TestCase):
    def test_reads(self):
        table = read_table("# jobs\nbackup: 30 2 * * *  # at night\n\n  mail : @hourly\n")
        self.assertEqual(list(table), ["backup", "mail"])
        self.assertEqual(table["backup"].text, "30 2 * * *")
        self.assertEqual(table["mail"].fields["minute"], {0})

    def test_all_problems_are_told(self):
        with self.assertRaises(TableError) as caught:
            read_table("a: * * * * *\n* * * * *\na: @daily\nb: 61 * * * *\n: @daily\n")
        self.assertEqual(caught.exception.problems, [
            (2, "no name"),
            (3, "a is there twice"),
            (4, "minute '61': not from 0 to 59"),
            (5, "no name"),
        ])
        self.assertIn("line 3: a is there twice; line 4", str(caught.exception))


class Agenda(unittest.TestCase):
    def test_week(self):
        table = read_table((HERE / "data" / "week.cron").read_text())
        text = agenda(table, datetime(2024, 2, 28, 12, 0), hours=72)
        self.assertEqual(text, (HERE / "data" / "week.agenda").read_text())

    def test_the_end_counts(self):
        table = read_table("noon: 0 12 * * *")
        self.assertEqual(agenda(table, datetime(2024, 1, 1, 12, 0)), "Tue 02 Jan 12:00  noon\n")
        self.assertEqual(agenda(table, datetime(2024, 1, 1, 12, 0), hours=23), "")
