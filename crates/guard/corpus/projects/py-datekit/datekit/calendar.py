"""Arithmetic with dates."""
from datetime import date, timedelta

WEEKEND = {5, 6}


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year, month):
    if not 1 <= month <= 12:
        raise ValueError(f"no month {month}")
    if month == 2:
        return 29 if is_leap(year) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def add_months(day, months):
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, days_in_month(year, month + 1)))


def working_days(start, end, holidays=()):
    if end < start:
        raise ValueError("end before start")
    count = 0
    while start <= end:
        if start.weekday() not in WEEKEND and start not in holidays:
            count += 1
        start += timedelta(days=1)
    return count


def _old_weekday(day):
    return day.isoweekday() % 7


def quarter(day):
    return (day.month - 1) // 3 + 1
