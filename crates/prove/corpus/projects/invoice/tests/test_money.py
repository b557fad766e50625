import random

import pytest

from invoice import Money, MoneyError, allocate


@pytest.mark.parametrize("text, currency, minor", [
    ("12.50", "EUR", 1250),
    ("-0.01", "EUR", -1),
    ("500", "JPY", 500),
    ("1.234", "KWD", 1234),
])
def test_of(text, currency, minor):
    assert Money.of(text, currency) == Money(minor, currency)


@pytest.mark.parametrize("text, currency", [("1.005", "EUR"), ("0.5", "JPY"), ("one", "EUR"), ("1", "XXX")])
def test_of_refused(text, currency):
    with pytest.raises(MoneyError):
        Money.of(text, currency)


def test_arithmetic():
    assert Money.of("1.10") + Money.of("2.20") == Money.of("3.30")
    assert Money.of("1.10") - Money.of("2.20") == -Money.of("1.10")
    assert Money.of("1") < Money.of("2")


def test_currencies_do_not_mix():
    with pytest.raises(MoneyError, match="EUR and USD"):
        Money(1) + Money(1, "USD")


@pytest.mark.parametrize("minor, factor, even, expected", [
    (1050, "0.1", False, 105),
    (25, "0.5", False, 13),
    (25, "0.5", True, 12),
    (-25, "0.5", False, -13),
    (333, 3, False, 999),
])
def test_times(minor, factor, even, expected):
    assert Money(minor).times(factor, even=even).minor == expected


def test_str():
    assert str(Money(123456789)) == "1,234,567.89 EUR"
    assert str(Money(-5)) == "-0.05 EUR"
    assert str(Money(1500, "JPY")) == "1,500 JPY"


def test_allocate():
    assert [part.minor for part in allocate(Money(100), [1, 1, 1])] == [34, 33, 33]
    assert [part.minor for part in allocate(Money(5), [3, 7])] == [2, 3]


def test_allocate_keeps_the_sum():
    rng = random.Random(5)
    for _ in range(300):
        amount = Money(rng.randint(0, 10000))
        weights = [rng.randint(0, 9) for _ in range(rng.randint(1, 8))] + [1]
        assert sum(part.minor for part in allocate(amount, weights)) == amount.minor


def test_allocate_refused():
    for weights in [], [0, 0], [2, -1]:
        with pytest.raises(MoneyError):
            allocate(Money(1), weights)
