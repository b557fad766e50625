import pytest

from tariff.money import MoneyError, format_amount, parse_amount, share


@pytest.mark.parametrize(
    "text, cents",
    [
        ("0", 0),
        ("7", 700),
        ("12.5", 1250),
        ("12.05", 1205),
        ("-3.20", -320),
        ("1,234.56", 123456),
        ("12,345,678", 1234567800),
        (" 4.00 ", 400),
    ],
)
def test_parse(text, cents):
    assert parse_amount(text) == cents


@pytest.mark.parametrize("text", ["", "abc", "1.234", "1,23", "1,2345", "1.-2", "--1"])
def test_parse_refuses(text):
    with pytest.raises(MoneyError):
        parse_amount(text)


def test_format():
    assert format_amount(123456) == "1,234.56"
    assert format_amount(5) == "0.05"
    assert format_amount(-320) == "-3.20"


def test_format_and_parse_are_inverse():
    for cents in range(-5000, 5000, 7):
        assert parse_amount(format_amount(cents)) == cents


def test_share_largest_remainder():
    assert share(100, [1, 1, 1]) == [34, 33, 33]
    assert share(101, [2, 1, 3]) == [34, 17, 50]


def test_share_loses_nothing():
    for total in range(0, 60):
        for weights in ([1], [1, 2], [3, 3, 1], [5, 0, 2, 9]):
            assert sum(share(total, weights)) == total


def test_share_needs_weights():
    with pytest.raises(MoneyError):
        share(10, [])
    with pytest.raises(MoneyError):
        share(10, [0, 0])
