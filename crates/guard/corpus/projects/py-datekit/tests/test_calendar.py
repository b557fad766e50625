import unittest
from datetime import date

from datekit.calendar import add_months, days_in_month, is_leap, quarter, working_days


class LeapTest(unittest.TestCase):
    def test_fourth_year(self):
        self.assertTrue(is_leap(2024))

    def test_century(self):
        self.assertFalse(is_leap(1900))
        self.assertTrue(is_leap(2000))

    def test_table(self):
        for year, expected in [(1996, True), (1999, False), (2100, False), (2400, True)]:
            with self.subTest(year=year):
                self.assertEqual(is_leap(year), expected)


class MonthTest(unittest.TestCase):
    def test_february(self):
        self.assertEqual(days_in_month(2023, 2), 28)

    def test_february_in_leap_year(self):
        self.assertEqual(days_in_month(2024, 2), 29)

    def test_april(self):
        self.assertEqual(days_in_month(2024, 4), 30)

    def test_bad_month(self):
        with self.assertRaisesRegex(ValueError, "no month 13"):
            days_in_month(2024, 13)

    def test_add_months_clamps(self):
        self.assertEqual(add_months(date(2024, 1, 31), 1), date(2024, 2, 29))
        self.assertEqual(add_months(date(2023, 12, 15), 2), date(2024, 2, 15))

    def test_add_months_backwards(self):
        self.assertEqual(add_months(date(2024, 1, 31), -2), date(2023, 11, 30))

    def test_quarter(self):
        self.assertEqual(quarter(date(2024, 1, 1)), 1)
        self.assertEqual(quarter(date(2024, 12, 31)), 4)


class WorkingDaysTest(unittest.TestCase):
    def setUp(self):
        self.start = date(2024, 7, 1)

    def test_week(self):
        self.assertEqual(working_days(self.start, date(2024, 7, 7)), 5)

    def test_holiday(self):
        self.assertEqual(working_days(self.start, date(2024, 7, 5), {date(2024, 7, 4)}), 4)

    def test_backwards(self):
        with self.assertRaises(ValueError):
            working_days(self.start, date(2024, 6, 30))


if __name__ == "__main__":
    unittest.main()
