from datetime import datetime

import pytest

from cronline.line import Line


def at(text):
    return datetime.strptime(text, "%Y-%m-%d %H:%M")


def assert_next(line, moment, want):
    assert Line(line).next_after(at(moment)) == at(want)


def test_every_minute():
    assert_next("* * * * *", "2024-01-01 00:00", "2024-01-01 00:01")


def test_is_later_than_now():
    assert_next("30 12 * * *", "2024-01-01 12:30", "2024-01-02 12:30")
    assert_next("30 12 * * *", "2024-01-01 12:29", "2024-01-01 12:30")


def test_over_the_year():
    assert_next("0 0 1 1 *", "2024-01-01 00:00", "2025-01-01 00:00")
    assert_next("@hourly", "2023-12-31 23:10", "2024-01-01 00:00")


def test_leap_day():
    assert_next("0 0 29 2 *", "2024-03-01 00:00", "2028-02-29 00:00")


def test_weekday():
    assert_next("0 9 * * mon", "2024-05-01 00:00", "2024-05-06 09:00")
    assert_next("@weekly", "2024-05-01 00:00", "2024-05-05 00:00")


def test_day_or_weekday():
    assert_next("0 0 13 * fri", "2024-05-01 00:00", "2024-05-03 00:00")
    assert_next("0 0 13 * fri", "2024-05-10 00:00", "2024-05-13 00:00")


def test_never():
    assert Line("0 0 31 2 *").next_after(at("2024-01-01 00:00")) is None


def test_seconds_do_not_count():
    moment = datetime(2024, 1, 1, 12, 29, 59, 5)
    assert Line("30 12 * * *").next_after(moment) == at("2024-01-01 12:30")


def test_too_few_fields():
    with pytest.raises(ValueError, match="expected 5 fields, found 4"):
        Line("* * * *")


def test_sequence():
    moment = at("2024-02-28 23:20")
    line = Line("*/20 22-23 * * *")
    times = []
    for _ in range(4):
        moment = line.next_after(moment)
        times.append(moment.strftime("%d %H:%M"))
    assert times == ["28 23:40", "29 22:00", "29 22:20", "29 22:40"]
