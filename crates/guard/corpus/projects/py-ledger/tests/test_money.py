import pytest

from ledger.money import Money, allocate, format_cents, parse_cents, percent_of


def test_parse_whole_amount():
    assert parse_cents("12") == 1200


def test_parse_with_cents():
    assert parse_cents("12.34") == 1234


def test_parse_short_fraction():
    assert parse_cents("0.5") == 50


def test_parse_strips_symbol():
    assert parse_cents(" $7.01 ") == 701


@pytest.mark.parametrize("text", ["", "1.234", "99999999999"])
def test_parse_rejects(text):
    with pytest.raises(ValueError):
        parse_cents(text)


@pytest.mark.parametrize(
    "cents, expected",
    [
        (0, "$0.00"),
        (5, "$0.05"),
        (123456, "$1,234.56"),
        (-250, "-$2.50"),
    ],
)
def test_format(cents, expected):
    assert format_cents(cents) == expected


def test_allocate_is_exact():
    parts = allocate(100, 3)
    assert parts == [34, 33, 33]
    assert sum(parts) == 100


def test_allocate_rejects_zero_parts():
    with pytest.raises(ValueError, match="positive"):
        allocate(100, 0)


def test_percent_of_rounds():
    assert percent_of(999, 10) == 100
    assert percent_of(1000, 12.5) == 125


def test_add_same_currency():
    total = Money(150) + Money(275)
    assert total.cents == 425
    assert total.currency == "USD"


def test_add_other_currency_fails():
    with pytest.raises(ValueError, match="cannot add EUR"):
        Money(1) + Money(1, "EUR")
